//! Suppression: cells are withheld.
//!
//! What that protects depends on who looks, so there are several *notions*. `Suppress` is about what
//! a person's published row can be taken for; [`Ambiguity`] is the weaker notion of paper 003.

mod ambiguity;
mod exact;
mod found;
mod groups;
mod harden;
mod tellers;

use muslin_assess::{Weight, Weights};
use muslin_engine::{Engine, Run};
use muslin_table::{Cell, Changes, ColumnId, ColumnSet, EncodedTable, RowId};

pub use self::ambiguity::{
    Ambiguated, Ambiguity, AmbiguityMethod, Dependency, DependencyGoal, Discernibility, Redundant,
    Ties,
};
pub use self::found::Suppressed;

use self::groups::{Grouped, Groups};
use self::harden::{Hardened, Told};
use crate::{Error, Protection, Protector, Result};

/// Who cannot find a person, or a person's row, among fewer than k.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notion {
    /// Every person's values fit at least k published rows: (1,k).
    OneToK,
    /// Every published row fits at least k people: (k,1).
    KToOne,
    /// Both: (k,k).
    BothK,
    /// Every published row equals at least k - 1 others, a blank being a value: k-anonymity. It
    /// implies the others.
    #[default]
    KAnonymity,
}

/// Withholds cells of quasi-identifiers until every row is one of k.
///
/// # Guarantee
/// The notion holds for the table with the returned changes, whatever the coverage; no column that
/// must stay loses a cell, no column more cells than its budget. Whatever reaches the notion by
/// suppression costs at least the lower bound. When exact, and the run was not stopped, the cost is
/// the lower bound, unless weights are so fine that it is within a millionth of it. With diversity, no sensitive value is that of more
/// than one in l rows of a class. Unless robust or closed, nothing is withheld without need: where all
/// rows of a class agree on a column, it is shown.
///
/// # Cost
/// Up to 16 columns, every closed group of at least k rows is listed, which is at most the kinds of
/// rows times the column sets; of more columns, groups around each row. Then a search that ends
/// when the cost is near enough to the bound, when it finds nothing better, or when time is up.
/// For k-anonymity of at most 64 rows a solver then looks for the optimum, for a while. When exact,
/// it goes on until nothing is cheaper, which is exponential in the worst case.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::Suppress;
/// use muslin_table::EncodedTable;
/// // Two people are alike; the other two differ in the second column.
/// let table = EncodedTable::of(&[[1, 1], [1, 1], [2, 1], [2, 2]]);
/// let found = Suppress::new(2).run(&table, &Run::new())?;
/// assert_eq!(found.cells(), 2);
/// assert!(found.is_optimal());
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Suppress {
    k: u32,
    notion: Notion,
    columns: Option<ColumnSet>,
    weights: Weights,
    never: ColumnSet,
    budgets: Vec<(ColumnId, u64)>,
    diversity: Option<(ColumnId, u32)>,
    gap: f64,
    exact: bool,
    robust: bool,
    closed: bool,
    tellers: ColumnSet,
}

/// Quasi-identifiers at most.
const MOST_COLUMNS: usize = 128;
/// Times that a column over its budget is made dearer.
const DEARER: u32 = 12;

impl Suppress {
    /// Makes every row of a table one of `k` on all columns.
    pub fn new(k: u32) -> Self {
        Self {
            k,
            notion: Notion::default(),
            columns: None,
            weights: Weights::new(),
            never: ColumnSet::new(),
            budgets: Vec::new(),
            diversity: None,
            gap: 0.02,
            exact: false,
            robust: false,
            closed: false,
            tellers: ColumnSet::new(),
        }
    }

    /// What is to hold.
    #[must_use]
    pub fn notion(mut self, notion: Notion) -> Self {
        self.notion = notion;
        self
    }

    /// Only these columns are looked at, and lose cells.
    #[must_use]
    pub fn columns(mut self, columns: Option<ColumnSet>) -> Self {
        self.columns = columns;
        self
    }

    /// What a withheld cell of each column costs.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// Columns that lose no cell.
    #[must_use]
    pub fn never(mut self, columns: ColumnSet) -> Self {
        self.never = columns;
        self
    }

    /// Cells that each of some columns may lose.
    #[must_use]
    pub fn budgets(mut self, budgets: Vec<(ColumnId, u64)>) -> Self {
        self.budgets = budgets;
        self
    }

    /// A sensitive column and l: in no class may a value be that of more than one in l rows.
    #[must_use]
    pub fn diversity(mut self, diversity: Option<(ColumnId, u32)>) -> Self {
        self.diversity = diversity;
        self
    }

    /// How far above the bound is good enough, as a share of it.
    #[must_use]
    pub fn gap(mut self, gap: f64) -> Self {
        self.gap = gap;
        self
    }

    /// Whether to go on until nothing is cheaper, for small tables. It knows no budgets and no
    /// diversity.
    #[must_use]
    pub fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Whether more cells are withheld, until each leaves at least two values to somebody who knows
    /// that none is withheld without need. A column of one value leaves that.
    #[must_use]
    pub fn robust(mut self, robust: bool) -> Self {
        self.robust = robust;
        self
    }

    /// Whether a column that tells another one by itself is withheld with it. It tells when 95 % of the
    /// visible rows have the value that most of those with the same cell have, and when that is wrong
    /// for at most half as many rows as the column's most frequent value is.
    #[must_use]
    pub fn closed(mut self, closed: bool) -> Self {
        self.closed = closed;
        self
    }

    /// Further columns that are published. They make no classes, and lose cells only when closed, where
    /// they tell a withheld one. Those that must stay are named in the result.
    #[must_use]
    pub fn tellers(mut self, columns: ColumnSet) -> Self {
        self.tellers = columns;
        self
    }

    /// Decides which cells to withhold.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<Suppressed> {
        let columns: Vec<ColumnId> = match &self.columns {
            Some(columns) => columns.iter().collect(),
            None => table.all_columns().iter().collect(),
        };
        self.check(&columns)?;
        if columns.is_empty() || table.rows() == 0 {
            return Ok(nothing(table));
        }
        let cost = |id: &ColumnId| match self.budgets.iter().find(|(column, _)| column == id) {
            _ if self.never.contains(*id) => None,
            Some((_, 0)) => None,
            _ => Some(self.weights.of(*id).millionths()),
        };
        let costs: Vec<Option<u64>> = columns.iter().map(cost).collect();
        let mut groups = Groups {
            columns: columns.clone(),
            costs: costs.clone(),
            k: self.k,
            notion: self.notion,
            sensitive: self.diversity,
            gap: self.gap,
            exact: self.exact,
        };
        // A cell that is suppressed already equals every blank, which groups do not know of.
        let is_fresh = columns.iter().all(|&id| table.column(id).suppressed() == 0);
        if self.exact && !is_fresh {
            return Err(Error::Setting(
                "exact knows no cells that are suppressed already\n  hint: start from a table without them, or leave exact out".into(),
            ));
        }
        let first = groups.run(table, run)?;
        let certificate = first.multipliers.clone().filter(|_| is_fresh);
        let bound = if is_fresh { first.bound } else { 0 };
        let certified = if is_fresh { first.certified } else { 0 };
        let mut found = first;
        for _ in 0..DEARER {
            let over = self.over_budget(&columns, &found);
            if over.is_empty() || run.stop().is_some() {
                break;
            }
            for at in over {
                // What is dearer is blanked less.
                let cost = &mut groups.costs[at];
                *cost = cost.map(|cost| cost.max(1).saturating_mul(2));
            }
            found = groups.run(table, run)?;
        }
        if let Some(&at) = self.over_budget(&columns, &found).first() {
            let name = muslin_table::printable(table.column(columns[at]).name());
            return Err(Error::Unreachable(format!(
                "no way was found to keep within the budget of column `{name}`\n  hint: pass a larger `--budget` for it, or a smaller `-k`"
            )));
        }
        let needed = count(&found.blanked);
        let (mut others, mut told) = (Vec::new(), Told::default());
        if self.robust || self.closed {
            others.extend(self.tellers.iter().filter(|id| self.closed && !columns.contains(id)));
            let may_lose =
                |id: ColumnId| !self.never.contains(id) && !self.budgets.contains(&(id, 0));
            let how = Hardened { is_closed: self.closed, is_robust: self.robust, others: &others };
            told = how.harden(table, &columns, may_lose, &mut found.blanked, run)?;
        }
        let lost: u64 = told.lost.iter().map(|rows| rows.len() as u64).sum();
        let decoys = count(&found.blanked) - needed + lost;
        let (mut changes, mut cost) = changes(table, &columns, &costs, &found)?;
        for (&column, rows) in others.iter().zip(&told.lost) {
            for &row in rows {
                let cell = Cell { row: RowId::new(row), column };
                changes.suppress(cell).map_err(muslin_engine::Error::from)?;
                cost += self.weights.of(column).millionths();
            }
        }
        Ok(Suppressed {
            changes,
            decoys,
            open: told.open,
            cost: Weight::of_millionths(cost),
            lower_bound: Weight::of_millionths(bound),
            certificate,
            certified: Weight::of_millionths(certified),
            coverage: found.coverage,
        })
    }

    fn check(&self, columns: &[ColumnId]) -> Result<()> {
        let wrong = |text: &str| Err(Error::Setting(text.into()));
        if self.k < 2 {
            return wrong("every row is one of one already\n  hint: pass a `-k` of 2 or more");
        }
        if columns.len() > MOST_COLUMNS {
            return wrong(
                "cells are suppressed on at most 128 columns together\n  hint: name the quasi-identifiers with `--columns`",
            );
        }
        if self.exact && (self.diversity.is_some() || !self.budgets.is_empty()) {
            return wrong(
                "exact knows neither budgets nor diversity\n  hint: leave them out, or leave exact out",
            );
        }
        if self.robust && self.notion != Notion::KAnonymity {
            return wrong(
                "blanks that leave two values are for classes of equal rows\n  hint: ask for the notion `k-anonymity`, or leave `--robust` out",
            );
        }
        if (self.robust || self.closed) && !self.budgets.is_empty() {
            return wrong(
                "blanks that give nothing away know no budgets\n  hint: leave `--budget` out, or `--robust` and `--closed`",
            );
        }
        if self.diversity.is_some_and(|(_, l)| l < 2) {
            return wrong("a diversity below 2 asks for nothing\n  hint: pass one of 2 or more");
        }
        if self.diversity.is_some() && self.notion != Notion::KAnonymity {
            return wrong(
                "diversity is a property of classes\n  hint: ask for the notion `k-anonymity`",
            );
        }
        Ok(())
    }

    /// Columns that lose more cells than they may.
    fn over_budget(&self, columns: &[ColumnId], found: &Grouped) -> Vec<usize> {
        let cells = |at: usize| found.blanked.iter().filter(|row| *row >> at & 1 == 1).count();
        let budget = |id: ColumnId| self.budgets.iter().find(|(column, _)| *column == id);
        (0..columns.len())
            .filter(|&at| budget(columns[at]).is_some_and(|&(_, most)| cells(at) as u64 > most))
            .collect()
    }
}

impl Protector for Suppress {
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection> {
        let all = ColumnSet::first(table.shape()?.columns);
        let table = table.collect(&all)?;
        Ok(self.run(&table, run)?.into())
    }
}

/// How many cells are blank.
fn count(blanked: &[u128]) -> u64 {
    blanked.iter().map(|row| u64::from(row.count_ones())).sum()
}

fn nothing(table: &EncodedTable) -> Suppressed {
    Suppressed {
        changes: Changes::none(table),
        decoys: 0,
        open: Vec::new(),
        cost: Weight::ZERO,
        lower_bound: Weight::ZERO,
        certificate: None,
        certified: Weight::ZERO,
        coverage: muslin_engine::Coverage::Complete,
    }
}

/// The blanks as changes, and what they cost in millionths.
fn changes(
    table: &EncodedTable,
    columns: &[ColumnId],
    costs: &[Option<u64>],
    found: &Grouped,
) -> Result<(Changes, u64)> {
    let (mut changes, mut cost) = (Changes::none(table), 0u64);
    for (at, (&column, weight)) in columns.iter().zip(costs).enumerate() {
        for (row, blanked) in found.blanked.iter().enumerate() {
            if blanked >> at & 1 == 1 {
                let row = RowId::new(u32::try_from(row).expect("row ids are 32 bits wide"));
                changes.suppress(Cell { row, column }).map_err(muslin_engine::Error::from)?;
                cost += weight.unwrap_or(0);
            }
        }
    }
    Ok((changes, cost))
}
