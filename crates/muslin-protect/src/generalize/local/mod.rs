//! Local recoding: each class is taken to levels of its own.
//!
//! ```text
//! peel      node by node, the least loss first: whatever rows make a class that meets the target are
//!           a class; of a class that is too skewed, the largest part that is not
//! absorb    rows that are left over join a class that covers them, or one that is raised to do so
//! merge     where more are left than may be withheld, they and some classes become one that says nothing
//! ```

mod absorb;
mod merge;
mod part;
mod peel;

use muslin_engine::{Engine, Run};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Hierarchy};

use self::peel::Peel;
use super::columns;
use super::found::Generalized;
use super::lattice::{Lattice, Node};
use super::units::Units;
use crate::{ClassTarget, Error, Protection, Protector, Result};

/// Takes each class of rows to levels of its own.
///
/// # Guarantee
/// Every class of published rows meets the target, whatever the coverage. Rows that no class can take
/// are withheld, and no more than the allowed share: where more are left, they become a class of which
/// nothing is left, with as many of the classes as it takes, so that this way fails only where all rows
/// together do not meet the target. A cell is published at a level of its
/// column's hierarchy; rows that could be in a class of less loss may be in a coarser one, if they are
/// needed there.
///
/// # Cost
/// Nodes of the lattice times rows that are not yet in a class, of which most soon are.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::{ClassTarget, LocalRecoding};
/// use muslin_table::{ColumnId, EncodedTable, Hierarchy};
/// // Two people are alike; the others differ in the second column.
/// let table = EncodedTable::of(&[[1, 1], [1, 1], [2, 1], [2, 2]]);
/// let columns = [0, 1].map(|at| {
///     let id = ColumnId::new(at);
///     (id, Hierarchy::flat(table.column(id)))
/// });
/// let found = LocalRecoding::new(ClassTarget::new(2), columns.to_vec()).run(&table, &Run::new())?;
/// assert_eq!((found.classes(), found.loss()), (2, 0.25));
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LocalRecoding {
    target: ClassTarget,
    columns: Vec<(ColumnId, Hierarchy)>,
    removable: f64,
}

impl LocalRecoding {
    /// Takes classes of rows to levels of these columns at which they meet the target. Rows that fit
    /// nowhere are withheld.
    pub fn new(target: ClassTarget, columns: Vec<(ColumnId, Hierarchy)>) -> Self {
        Self { target, columns, removable: 1.0 }
    }

    /// The share of rows that may be withheld, from 0 to 1.
    #[must_use]
    pub fn removable(mut self, share: f64) -> Self {
        self.removable = share;
        self
    }

    /// Finds classes and their levels.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<Generalized> {
        let allowed = super::removable_rows(self.removable, table.rows())?;
        let judge = self.target.judge(table)?;
        let lattice = Lattice::new(table, &self.columns)?;
        let units = Units::new(table, &self.columns, judge.sensitive());
        run.reporter().stage("making classes", Some(lattice.nodes()));
        let peeled = run.install(|| Peel::new(&lattice, &units, &judge).run(allowed, run));
        run.reporter().finish();
        let class_of = peeled.class_of(&units);
        let removed = class_of.iter().filter(|&&class| class == peel::NONE).count() as u64;
        if removed > allowed {
            return Err(Error::Unreachable(format!(
                "{removed} rows fit no class that meets the target, not even with all others, and {allowed} may be withheld\n  hint: pass a larger `--suppression-limit`, a smaller `-k` or l, or a larger t"
            )));
        }
        let node_of = |row: usize| match class_of[row] {
            peel::NONE => None,
            class => Some(peeled.classes[class as usize].node),
        };
        let published = columns::publish(table, &lattice, &self.columns, node_of)?;
        let sizes = || peeled.classes.iter().map(|class| class.rows).filter(|&rows| rows > 0);
        Ok(Generalized {
            changes: published.changes,
            classes: sizes().count() as u64,
            smallest: sizes().min(),
            loss: published.loss,
            lower_bound: None,
            losses: published.losses,
            levels: None,
            nodes: lattice.nodes(),
            checked: peeled.checked,
            coverage: peeled.coverage,
        })
    }
}

impl Protector for LocalRecoding {
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection> {
        let all = ColumnSet::first(table.shape()?.columns);
        Ok(self.run(&table.collect(&all)?, run)?.into())
    }
}

/// Rows that are published alike.
#[derive(Clone, Debug)]
struct Class {
    node: Node,
    /// A unit of the class, whose groups are those of all.
    unit: u32,
    rows: u32,
    /// For each sensitive column, the values in order and how many rows have each.
    counts: Vec<Vec<(u32, u32)>>,
}
