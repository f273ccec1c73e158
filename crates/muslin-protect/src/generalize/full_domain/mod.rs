//! Full-domain generalization: every column is taken to one level of its hierarchy.
//!
//! ```text
//! nodes     by rising loss if no row were removed; that loss only grows upwards
//! bounds    three columns at a time: rows that are removed at least, so a loss at least
//! classes   of nodes that no bound rules out, made from those of the nearest node below
//! ```
//!
//! The search ends when the next node's bound is no better than the best found: that is then the
//! least.

mod bounds;
mod classes;
mod search;

use muslin_engine::{Engine, Run};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Hierarchy};

use self::search::Search;
use super::columns;
use super::found::Generalized;
use super::lattice::Lattice;
use super::units::Units;
use crate::{ClassTarget, Error, Protection, Protector, Result};

/// Takes every column to one level of its hierarchy, and withholds rows that still stand out.
///
/// # Guarantee
/// Every class of published rows meets the target, whatever the coverage; no more than the allowed
/// share of rows is withheld: exactly those whose class does not meet it. Nothing of this kind loses
/// less than the lower bound, which is the loss itself unless the run was stopped or the lattice is
/// so large that the search was ended.
///
/// # Cost
/// Per node looked at, its classes, from those of a node below. How many that are depends on the data; a
/// small fraction of all.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::{ClassTarget, FullDomain};
/// use muslin_table::{ColumnId, EncodedTable, Hierarchy};
/// let table = EncodedTable::of(&[[31, 1], [32, 1], [31, 2], [32, 2]]);
/// let columns = [0, 1].map(|at| {
///     let id = ColumnId::new(at);
///     (id, Hierarchy::flat(table.column(id)))
/// });
/// let found = FullDomain::new(ClassTarget::new(2), columns.to_vec()).run(&table, &Run::new())?;
/// assert_eq!(found.classes(), 2);
/// assert_eq!(found.loss(), 0.5);
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FullDomain {
    target: ClassTarget,
    columns: Vec<(ColumnId, Hierarchy)>,
    removable: f64,
}

impl FullDomain {
    /// Takes these columns to levels until the target is met; no row is withheld.
    pub fn new(target: ClassTarget, columns: Vec<(ColumnId, Hierarchy)>) -> Self {
        Self { target, columns, removable: 0.0 }
    }

    /// The share of rows that may be withheld, from 0 to 1.
    #[must_use]
    pub fn removable(mut self, share: f64) -> Self {
        self.removable = share;
        self
    }

    /// Finds the levels.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<Generalized> {
        let allowed = super::removable_rows(self.removable, table.rows())?;
        let judge = self.target.judge(table)?;
        let lattice = Lattice::new(table, &self.columns)?;
        let units = Units::new(table, &self.columns, judge.sensitive());
        let found = run.install(|| Search::new(&lattice, &units, &judge, allowed).run(run));
        let Some(found) = found else {
            run.check()?;
            return Err(Error::Unreachable(match judge.sensitive() {
                [] => "there are fewer rows than a class needs\n  hint: pass a smaller `-k`".into(),
                _ => "at no levels are the sensitive values spread as asked\n  hint: ask for a smaller l or a larger t, or pass a larger `--suppression-limit`".into(),
            }));
        };
        let node_of = |row: usize| {
            let is_removed = found.removed[units.of_row()[row] as usize];
            (!is_removed).then_some(found.node)
        };
        let published = columns::publish(table, &lattice, &self.columns, node_of)?;
        let axes = lattice.axes.iter().enumerate();
        Ok(Generalized {
            changes: published.changes,
            classes: found.outcome.classes,
            smallest: (found.outcome.classes > 0).then_some(found.outcome.smallest),
            loss: published.loss,
            // The bound is in rounded parts; where it is what was found, that is the least.
            lower_bound: Some(if found.is_least {
                published.loss
            } else {
                lattice.share(found.bound, table.rows()).min(published.loss)
            }),
            losses: published.losses,
            levels: Some(axes.map(|(at, axis)| (axis.id, found.node.level(at))).collect()),
            nodes: lattice.nodes(),
            checked: found.checked,
            coverage: found.coverage,
        })
    }
}

impl Protector for FullDomain {
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection> {
        let all = ColumnSet::first(table.shape()?.columns);
        Ok(self.run(&table.collect(&all)?, run)?.into())
    }
}
