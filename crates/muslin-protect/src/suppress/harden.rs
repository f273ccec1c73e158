//! Blanks against those who know how blanks are chosen.
//!
//! A cell is blank only where it had to be. So whoever sees a class that the row would have been in
//! with some value knows that it has another: of two values, that leaves one. And a column that
//! another one tells is not hidden by blanks of its own. Both are mended by blanking a column in
//! whole classes, so that rows that were alike stay alike:
//!
//! - *closed*: where a column is blank, so are those that tell it;
//! - *robust*: classes that rule values out join the class with the blank, until it leaves two.
//!
//! A class that joins another takes on its form, and no class gets a new form in that. So values are
//! ruled out by fewer classes with every step, and one pass over the classes is enough.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};

use crate::Result;

/// Stands for a blank.
const BLANK: u32 = u32::MAX;

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

/// Blanks more cells of `blanked`, which has a bit for each of `columns` in each row, until they are
/// closed and robust, as asked. Columns without a cost lose no cell.
pub(super) fn harden(
    table: &EncodedTable,
    columns: &[ColumnId],
    costs: &[Option<u64>],
    (is_closed, is_robust): (bool, bool),
    blanked: &mut [u128],
    run: &Run,
) -> Result<()> {
    let slots: Vec<Vec<u32>> = columns
        .iter()
        .map(|&id| {
            let column = table.column(id);
            let blank = column.suppressed_slot();
            column.codes().slots().map(|slot| if slot == blank { BLANK } else { slot }).collect()
        })
        .collect();
    let mut classes = Classes::new(&slots, blanked);
    if is_closed {
        classes.close(&tellers(&slots, costs, blanked), run)?;
    }
    if is_robust {
        let domains: Vec<Vec<u32>> = slots.iter().map(|slots| domain(slots)).collect();
        classes.join(&domains, run)?;
    }
    for (row, blanked) in blanked.iter_mut().enumerate() {
        let form = &classes.forms[classes.last(classes.of_row[row]) as usize];
        for (at, &shown) in form.iter().enumerate() {
            // A cell that was suppressed before needs no blank.
            if shown == BLANK && slots[at][row] != BLANK {
                *blanked |= 1 << at;
            }
        }
    }
    Ok(())
}

/// The values that a column has, missing among them.
fn domain(slots: &[u32]) -> Vec<u32> {
    let mut domain: Vec<u32> = slots.iter().copied().filter(|&slot| slot != BLANK).collect();
    domain.sort_unstable();
    domain.dedup();
    domain
}

/// For each column that loses cells, the columns that tell it and may lose cells too.
fn tellers(slots: &[Vec<u32>], costs: &[Option<u64>], blanked: &[u128]) -> Vec<Vec<usize>> {
    let loses = |at: usize| blanked.iter().any(|row| row >> at & 1 == 1);
    let tells = |from: usize, to: usize| {
        let most = slots[from].iter().filter(|&&slot| slot != BLANK).max().map_or(0, |&m| m + 1);
        let mut told = vec![BLANK; most as usize];
        let mut cells =
            slots[from].iter().zip(&slots[to]).filter(|(a, b)| **a != BLANK && **b != BLANK);
        cells.all(|(&from, &to)| {
            let told = &mut told[from as usize];
            *told == to || std::mem::replace(told, to) == BLANK
        })
    };
    let may_lose = |at: &usize| costs[*at].is_some();
    let all = 0..slots.len();
    let of = |to: usize| {
        let others = all.clone().filter(|&from| from != to).filter(may_lose);
        if loses(to) { others.filter(|&from| tells(from, to)).collect() } else { Vec::new() }
    };
    all.clone().map(of).collect()
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

    /// Blanks what tells a blank. `tellers` has, for each column, those that tell it.
    fn close(&mut self, tellers: &[Vec<usize>], run: &Run) -> Result<()> {
        for class in 0..u32::try_from(self.forms.len()).expect("no more than rows") {
            run.check()?;
            let mut form = self.forms[class as usize].clone();
            let mut open: Vec<usize> = (0..form.len()).filter(|&at| form[at] == BLANK).collect();
            while let Some(at) = open.pop() {
                for &teller in &tellers[at] {
                    if form[teller] != BLANK {
                        form[teller] = BLANK;
                        open.push(teller);
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
