//! What dropping or coarsening each quasi-identifier would gain.
//!
//! Rows that agree on all quasi-identifiers agree on some of them, so one row of each class stands for the class.
//! The classes of all columns but one are made for every column at once by halves: those of one half refined by
//! the other, and again within it.

use muslin_engine::{Engine, MemoryEngine, Partition, Run, take_rows};
use muslin_table::{ClassSizes, Column, ColumnId, ColumnSet, EncodedTable, MissingRule};
use serde::Serialize;

use super::budget::{Budget, PartCoverage, unless_over};
use super::report::share;
use super::scene::Scene;
use crate::Result;
use crate::hierarchies::Hierarchies;

/// What columns do to the rows at risk.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InfluenceReport {
    /// Whether every quasi-identifier was looked at.
    #[serde(flatten)]
    pub part: PartCoverage,
    /// Rows in classes smaller than this count.
    pub k: u32,
    /// Rows in such classes on all quasi-identifiers.
    pub rows_below: u64,
    /// Their share of all rows.
    pub share: f64,
    /// The quasi-identifiers, the one that gains most by being dropped first.
    pub columns: Vec<ColumnInfluence>,
}

/// What becomes of the rows at risk without a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ColumnInfluence {
    /// Its name.
    pub name: String,
    /// When it is dropped.
    pub dropped: Gain,
    /// When its values are one level coarser; none where muslin knows no coarser ones.
    pub coarsened: Option<Gain>,
}

/// Rows at risk after a change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gain {
    /// Rows in classes below k.
    pub rows_below: u64,
    /// Their share of all rows.
    pub share: f64,
    /// The part of the rows at risk that are at risk no longer.
    pub gain: f64,
    /// Groups of values that are left; none for a column that is dropped.
    pub values: Option<u64>,
}

/// Values of a column that is coarsened, at most: a hierarchy of more takes too long to make.
const MOST_VALUES: usize = 100_000;

/// Counts the rows in classes below `k` without each of the quasi-identifiers; `now` are those with all of them.
pub(super) fn look(
    scene: &Scene<'_>,
    k: u32,
    now: u64,
    mut budget: Budget,
) -> Result<InfluenceReport> {
    let set: ColumnSet = scene.quasi_identifiers.iter().copied().collect();
    let table = scene.table.project(&set);
    let mut found = Found::new(table.columns().len(), k);
    if scene.missing == MissingRule::Wildcard {
        found.wild(&table, scene, &mut budget)?;
    } else {
        found.classes(&table, scene, &mut budget)?;
    }
    Ok(found.report(scene, now, &budget))
}

/// The same of a table that is not in memory: what dropping a column gains. Values are coarsened in memory alone.
pub(super) fn look_elsewhere(
    scene: &Scene<'_>,
    engine: &dyn Engine,
    k: u32,
    now: u64,
    budget: &Budget,
) -> Result<InfluenceReport> {
    let all: ColumnSet = scene.quasi_identifiers.iter().copied().collect();
    let without = |&id: &ColumnId| all.difference(&[id].into_iter().collect());
    let sets: Vec<ColumnSet> = scene.quasi_identifiers.iter().map(without).collect();
    let mut found = Found::new(sets.len(), k);
    let sizes = engine.class_sizes_of_sets(&sets, scene.missing)?;
    let below = |sizes: &ClassSizes| Some(sizes.rows_below(k.into()));
    found.dropped = sizes.iter().map(below).collect();
    Ok(found.report(scene, now, budget))
}

/// A column with its values one level up, by the hierarchy that its values suggest.
fn coarser(column: &Column, run: &Run) -> Option<Column> {
    let values = column.dictionary().len();
    if values > MOST_VALUES {
        return None;
    }
    let hierarchy = Hierarchies::new().build(column, run).ok()?;
    let groups = &hierarchy.levels().get(1)?.groups()[..values];
    let count = groups.iter().max().map_or(0, |&last| last + 1);
    if count < 2 || count as usize >= values {
        return None;
    }
    // What is missing stays so.
    let reserved = |slot: u32| count + slot - column.missing_slot();
    let position = |slot: u32| groups.get(slot as usize).copied().unwrap_or_else(|| reserved(slot));
    let labels: Vec<String> = (0..count).map(|group| group.to_string()).collect();
    Column::of_labels(column.name(), &labels, column.codes().slots().map(position)).ok()
}

/// Rows below k by column: when it is dropped, when it is coarser.
struct Found {
    k: u64,
    dropped: Vec<Option<u64>>,
    /// The rows, and the number of groups of values.
    coarsened: Vec<Option<(u64, u64)>>,
}

/// One row of each class, how many rows it stands for, and the columns.
struct Classes<'a> {
    table: EncodedTable,
    coarse: Vec<Option<Column>>,
    rows: Vec<u64>,
    missing: MissingRule,
    budget: &'a Budget,
}

impl Found {
    fn new(columns: usize, k: u32) -> Self {
        Self { k: k.into(), dropped: vec![None; columns], coarsened: vec![None; columns] }
    }

    fn classes(
        &mut self,
        table: &EncodedTable,
        scene: &Scene<'_>,
        budget: &mut Budget,
    ) -> Result<()> {
        let columns = table.columns().len();
        if !budget.take(scene.rows() * columns as u64) {
            return Ok(());
        }
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(table.columns()[at].slots()));
        let whole = Partition::whole(table.rows());
        let all = budget.run().install(|| {
            order
                .iter()
                .fold(whole, |classes, &at| classes.refine(&table.columns()[at], scene.missing))
        });
        let rounds = u64::from(columns.next_power_of_two().trailing_zeros()) + 1;
        let steps = all.sizes().len() as u64 * columns as u64 * rounds;
        if budget.is_over(scene.run)? || !budget.take(steps) {
            return Ok(());
        }
        let first = all.first_rows();
        // Every value is in some class, so hierarchies are those of the whole table.
        let table = take_rows(table, &first)?;
        let classes = Classes {
            coarse: table.columns().iter().map(|column| coarser(column, scene.run)).collect(),
            table,
            rows: all.sizes().iter().map(|&size| u64::from(size)).collect(),
            missing: scene.missing,
            budget,
        };
        let whole = Partition::whole(first.len());
        self.halve(&classes, &whole, &order, scene)
    }

    /// `but` are the columns that `partition` is not refined by.
    fn halve(
        &mut self,
        classes: &Classes<'_>,
        partition: &Partition,
        but: &[usize],
        scene: &Scene<'_>,
    ) -> Result<()> {
        if classes.budget.is_over(scene.run)? {
            return Ok(());
        }
        if let &[column] = but {
            self.dropped[column] = Some(classes.below(partition, self.k));
            self.coarsened[column] = classes.coarse[column].as_ref().map(|coarse| {
                let refined = classes.refine(partition, coarse);
                (classes.below(&refined, self.k), coarse.dictionary().len() as u64)
            });
            return Ok(());
        }
        let (first, second) = but.split_at(but.len() / 2);
        for (inner, outer) in [(first, second), (second, first)] {
            let refined = outer.iter().fold(partition.clone(), |partition, &column| {
                classes.refine(&partition, &classes.table.columns()[column])
            });
            self.halve(classes, &refined, inner, scene)?;
        }
        Ok(())
    }

    /// Where a missing cell matches anything, by asking for every column.
    fn wild(&mut self, table: &EncodedTable, scene: &Scene<'_>, budget: &mut Budget) -> Result<()> {
        const COST: u64 = 10;
        let below = |table: &EncodedTable, set: &ColumnSet, budget: &Budget| {
            let sizes = MemoryEngine::new(table, budget.run()).class_sizes(set, scene.missing);
            unless_over(sizes.map_err(Into::into), scene.run)
        };
        for (column, own) in table.columns().iter().enumerate() {
            if budget.is_over(scene.run)? || !budget.take(scene.rows() * COST * 2) {
                return Ok(());
            }
            let mut others = table.all_columns();
            others.remove(ColumnId::new(column));
            // No column at all leaves all rows in one class.
            let rows = if others.is_empty() {
                Some(if scene.rows() < self.k { scene.rows() } else { 0 })
            } else {
                below(table, &others, budget)?.map(|sizes| sizes.rows_below(self.k))
            };
            self.dropped[column] = rows;
            if let Some(coarse) = coarser(own, scene.run) {
                let groups = coarse.dictionary().len() as u64;
                let mut columns = table.columns().to_vec();
                columns[column] = coarse;
                let table = EncodedTable::new(table.rows(), columns)?;
                let sizes = below(&table, &table.all_columns(), budget)?;
                self.coarsened[column] = sizes.map(|sizes| (sizes.rows_below(self.k), groups));
            }
        }
        Ok(())
    }

    fn report(self, scene: &Scene<'_>, now: u64, budget: &Budget) -> InfluenceReport {
        let rows = scene.rows();
        let gain = |rows_below: u64, values: Option<u64>| Gain {
            rows_below,
            share: share(rows_below, rows),
            gain: share(now.saturating_sub(rows_below), now),
            values,
        };
        let mut columns = Vec::new();
        for (at, &id) in scene.quasi_identifiers.iter().enumerate() {
            let Some(dropped) = self.dropped[at] else { continue };
            columns.push(ColumnInfluence {
                name: scene.name(id),
                dropped: gain(dropped, None),
                coarsened: self.coarsened[at].map(|(rows, groups)| gain(rows, Some(groups))),
            });
        }
        let is_complete = columns.len() == scene.quasi_identifiers.len();
        columns.sort_by_key(|column| column.dropped.rows_below);
        let part = PartCoverage::of(rows, rows, budget.run());
        InfluenceReport {
            part: if is_complete { part } else { part.stopped() },
            k: u32::try_from(self.k).unwrap_or(u32::MAX),
            rows_below: now,
            share: share(now, rows),
            columns,
        }
    }
}

impl Classes<'_> {
    fn refine(&self, partition: &Partition, column: &Column) -> Partition {
        self.budget.run().install(|| partition.refine(column, self.missing))
    }

    /// Rows in classes of less than `k` rows.
    fn below(&self, partition: &Partition, k: u64) -> u64 {
        let mut sizes = vec![0u64; partition.sizes().len()];
        for (&class, rows) in partition.class_of().iter().zip(&self.rows) {
            sizes[class as usize] += rows;
        }
        sizes.into_iter().filter(|&size| size < k).sum()
    }
}
