//! Blanks against those who know how blanks are chosen.
//!
//! A cell is blank only where it had to be. So whoever sees a class that the row would have been in
//! with some value knows that it has another: of two values, that leaves one. And a column that
//! another one tells is not hidden by blanks of its own. Both are mended by blanking a column in
//! whole classes, so that rows that were alike stay alike:
//!
//! - *closed*: where a column is blank, so are those that tell it, in all rows that it tells;
//! - *robust*: classes that rule values out join the class with the blank, until it leaves two.
//!
//! Columns tell each other in what is published, which has fewer rows in sight with every blank. So
//! columns are closed again until no further one tells.
//!
//! A class that joins another takes on its form, and no class gets a new form in that. So values are
//! ruled out by fewer classes with every step, and one pass over the classes is enough.

use std::collections::BTreeSet;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};

use super::tellers::{Sight, Tellers};
use crate::Result;

/// Stands for a blank.
pub(super) const BLANK: u32 = u32::MAX;

/// What rows of a class show: a slot in each column, or nothing.
type Form = Vec<u32>;

/// Classes of rows that show the same.
struct Classes {
    forms: Vec<Form>,
    rows: Vec<u64>,
    /// Classes that are left, by form.
    by_form: HashMap<Form, u32, FixedState>,
    /// The class that each was merged into, or itself.
    into: Vec<u32>,
    of_row: Vec<u32>,
}

/// What is asked of blanks, besides being enough.
pub(super) struct Hardened<'a> {
    /// Whether what tells a blank is blank.
    pub(super) is_closed: bool,
    /// Whether each blank leaves two values.
    pub(super) is_robust: bool,
    /// Columns that lose cells where they tell a blank, and make no classes.
    pub(super) others: &'a [ColumnId],
}

/// What becomes of columns that tell a blank.
#[derive(Default)]
pub(super) struct Told {
    /// The rows that each of the other columns loses.
    pub(super) lost: Vec<Vec<u32>>,
    /// Columns that may not lose cells, each with the column that it tells.
    pub(super) open: Vec<(ColumnId, ColumnId)>,
}

impl Hardened<'_> {
    /// Blanks more cells of `blanked`, which has a bit for each of `columns` in each row, until they
    /// are as asked, and says what else there is.
    pub(super) fn harden(
        &self,
        table: &EncodedTable,
        columns: &[ColumnId],
        may_lose: impl Fn(ColumnId) -> bool,
        blanked: &mut [u128],
        run: &Run,
    ) -> Result<Told> {
        let all: Vec<ColumnId> = columns.iter().chain(self.others).copied().collect();
        let slots: Vec<Vec<u32>> = all.iter().map(|&id| strip(table, id)).collect();
        let values: Vec<u32> = all.iter().map(|&id| table.column(id).missing_slot()).collect();
        let (own, other) = slots.split_at(columns.len());
        let may_lose: Vec<bool> = all.iter().map(|&id| may_lose(id)).collect();
        let mut first = slots.clone();
        Classes::new(own, blanked).hide(&mut first[..columns.len()]);
        let mut tellers = Tellers::none(all.len());
        let mut lost = Lost { rows: vec![BTreeSet::new(); other.len()] };
        loop {
            let mut classes = Classes::new(own, blanked);
            classes.close(&tellers, &lost, run)?;
            if self.is_robust {
                let domains: Vec<Vec<u32>> = own.iter().map(|slots| domain(slots)).collect();
                classes.join(&domains, run)?;
            }
            let mut sight = slots.clone();
            classes.hide(&mut sight[..columns.len()]);
            let told = Sight { strips: &first, values: &values };
            let is_more = lost.extend(&mut sight, &tellers, &told);
            let shown = Sight { strips: &sight, values: &values };
            if self.is_closed && (tellers.extend(&shown, &first, &may_lose, run)? || is_more) {
                continue;
            }
            let mut open = Vec::new();
            if self.is_closed {
                let stays: Vec<bool> = may_lose.iter().map(|own| !own).collect();
                let mut left = Tellers::none(all.len());
                left.extend(&shown, &first, &stays, run)?;
                open.extend(left.pairs().map(|(from, to)| (all[from], all[to])));
                open.sort_unstable();
            }
            for (at, (before, after)) in slots.iter().zip(&sight[..columns.len()]).enumerate() {
                // A cell that was suppressed before needs no blank.
                let cells = before.iter().zip(after).zip(&mut *blanked);
                for ((&before, &after), blanked) in cells {
                    *blanked |= u128::from(before != BLANK && after == BLANK) << at;
                }
            }
            let lost = lost.rows.into_iter().map(|rows| rows.into_iter().collect());
            return Ok(Told { lost: lost.collect(), open });
        }
    }
}

/// The rows that each of the other columns loses. They get more, never fewer.
struct Lost {
    rows: Vec<BTreeSet<u32>>,
}

impl Lost {
    /// Takes cells of the other columns, which are the last ones, out of sight where they tell a blank,
    /// until none does, and says whether there are more than before. `first` is what was in sight at
    /// first.
    fn extend(&mut self, sight: &mut [Vec<u32>], tellers: &Tellers, first: &Sight) -> bool {
        let columns = sight.len() - self.rows.len();
        for (strip, rows) in sight[columns..].iter_mut().zip(&self.rows) {
            rows.iter().for_each(|&row| strip[row as usize] = BLANK);
        }
        let before: usize = self.rows.iter().map(BTreeSet::len).sum();
        let rows = first.strips.first().map_or(0, Vec::len);
        for row in 0..rows {
            let mut open: Vec<usize> =
                (0..sight.len()).filter(|&at| sight[at][row] == BLANK).collect();
            while let Some(to) = open.pop() {
                let own = first.strips[to][row] < first.values[to];
                for teller in tellers.of(to).iter().filter(|teller| teller.from >= columns) {
                    let slot = &mut sight[teller.from][row];
                    if *slot != BLANK && teller.tells(*slot, own) {
                        *slot = BLANK;
                        let row = u32::try_from(row).expect("row ids are 32 bits wide");
                        self.rows[teller.from - columns].insert(row);
                        open.push(teller.from);
                    }
                }
            }
        }
        self.rows.iter().map(BTreeSet::len).sum::<usize>() > before
    }
}

/// What a column has in each row.
fn strip(table: &EncodedTable, id: ColumnId) -> Vec<u32> {
    let column = table.column(id);
    let blank = column.suppressed_slot();
    column.codes().slots().map(|slot| if slot == blank { BLANK } else { slot }).collect()
}

/// The values that a column has, missing among them.
fn domain(slots: &[u32]) -> Vec<u32> {
    let mut domain: Vec<u32> = slots.iter().copied().filter(|&slot| slot != BLANK).collect();
    domain.sort_unstable();
    domain.dedup();
    domain
}

impl Classes {
    fn new(slots: &[Vec<u32>], blanked: &[u128]) -> Self {
        let mut classes = Self {
            forms: Vec::new(),
            rows: Vec::new(),
            by_form: HashMap::default(),
            into: Vec::new(),
            of_row: Vec::with_capacity(blanked.len()),
        };
        for (row, blanked) in blanked.iter().enumerate() {
            let shown = |(at, slots): (usize, &Vec<u32>)| {
                if blanked >> at & 1 == 1 { BLANK } else { slots[row] }
            };
            let form: Form = slots.iter().enumerate().map(shown).collect();
            let class = match classes.by_form.get(&form) {
                Some(&class) => class,
                None => {
                    let class = u32::try_from(classes.forms.len()).expect("no more than rows");
                    classes.by_form.insert(form.clone(), class);
                    classes.forms.push(form);
                    classes.rows.push(0);
                    classes.into.push(class);
                    class
                }
            };
            classes.rows[class as usize] += 1;
            classes.of_row.push(class);
        }
        classes
    }

    /// The class that one was merged into in the end.
    fn last(&self, mut class: u32) -> u32 {
        while self.into[class as usize] != class {
            class = self.into[class as usize];
        }
        class
    }

    /// Takes a class into another; its form is gone.
    fn merge(&mut self, class: u32, into: u32) {
        self.by_form.remove(&self.forms[class as usize]);
        self.into[class as usize] = into;
        self.rows[into as usize] += self.rows[class as usize];
    }

    /// Blanks what tells a blank of the class, or a lost cell of one of its rows.
    fn close(&mut self, tellers: &Tellers, lost: &Lost, run: &Run) -> Result<()> {
        let Some(columns) = self.forms.first().map(Vec::len) else { return Ok(()) };
        let mut told: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.forms.len()];
        for (nth, rows) in lost.rows.iter().enumerate() {
            for &row in rows {
                told[self.of_row[row as usize] as usize].insert(columns + nth);
            }
        }
        for class in 0..u32::try_from(self.forms.len()).expect("no more than rows") {
            run.check()?;
            let mut form = self.forms[class as usize].clone();
            let mut open: Vec<usize> = (0..columns).filter(|&at| form[at] == BLANK).collect();
            open.extend(&told[class as usize]);
            while let Some(at) = open.pop() {
                for teller in tellers.of(at).iter().filter(|teller| teller.from < columns) {
                    let slot = &mut form[teller.from];
                    if *slot != BLANK && teller.tells(*slot, false) {
                        *slot = BLANK;
                        open.push(teller.from);
                    }
                }
            }
            if form == self.forms[class as usize] {
                continue;
            }
            match self.by_form.get(&form).copied() {
                Some(other) => self.merge(class, other),
                None => {
                    self.by_form.remove(&self.forms[class as usize]);
                    self.by_form.insert(form.clone(), class);
                    self.forms[class as usize] = form;
                }
            }
        }
        Ok(())
    }

    /// What a row shows in the end.
    fn shown(&self, row: usize) -> &Form {
        &self.forms[self.last(self.of_row[row]) as usize]
    }

    /// Takes what rows do not show out of strips of their columns.
    fn hide(&self, strips: &mut [Vec<u32>]) {
        for (at, strip) in strips.iter_mut().enumerate() {
            for (row, slot) in strip.iter_mut().enumerate() {
                if self.shown(row)[at] == BLANK {
                    *slot = BLANK;
                }
            }
        }
    }

    /// Lets classes that rule values of a blank out join it, the smallest first, until two are left.
    fn join(&mut self, domains: &[Vec<u32>], run: &Run) -> Result<()> {
        for class in 0..u32::try_from(self.forms.len()).expect("no more than rows") {
            run.check()?;
            if self.into[class as usize] != class {
                continue;
            }
            let mut form = self.forms[class as usize].clone();
            for at in 0..form.len() {
                if form[at] != BLANK || domains[at].len() < 2 {
                    continue;
                }
                let (mut left, mut ruling) = (0, Vec::new());
                for &value in &domains[at] {
                    form[at] = value;
                    match self.by_form.get(&form) {
                        Some(&other) => ruling.push((self.rows[other as usize], other)),
                        None => left += 1,
                    }
                    if left >= 2 {
                        break;
                    }
                }
                form[at] = BLANK;
                ruling.sort_unstable();
                let joining = 2usize.saturating_sub(left);
                ruling.iter().take(joining).for_each(|&(_, other)| self.merge(other, class));
            }
        }
        Ok(())
    }
}
