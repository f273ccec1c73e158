use muslin_engine::{Error as EngineError, Run};
use muslin_protect::{
    Associations, Error as ProtectError, Slice, SliceCut, Sliced, Slices, at_level,
};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, printable};

use super::{SliceJob, SliceLevelReport, SliceSetting};
use crate::Result;
use crate::buckets::{order, setting};
use crate::whole::Whole;

/// Columns at levels of their hierarchies.
type Generalized = Vec<(ColumnId, Column)>;

/// How a table is sliced.
pub(super) struct Decided {
    /// The table that is cut: the input with columns at their levels.
    pub(super) table: EncodedTable,
    /// Columns at their levels.
    pub(super) generalized: Generalized,
    pub(super) levels: Vec<SliceLevelReport>,
    pub(super) associations: Option<Associations>,
    /// Columns that the associations do without.
    pub(super) left_out: ColumnSet,
    pub(super) found: Sliced,
    /// Whether no column could be found to be with the sensitive one.
    pub(super) is_alone: bool,
}

impl SliceJob {
    pub(super) fn decide(&self, whole: &Whole, sensitive: ColumnId, run: &Run) -> Result<Decided> {
        let (generalized, levels) = self.generalized(whole, run)?;
        let mut columns = whole.table.columns().to_vec();
        for (id, column) in &generalized {
            columns[id.index()] = column.clone();
        }
        let table = EncodedTable::new(whole.table.rows(), columns)?;
        let published = whole.published();
        let order = order(self.output.as_ref())?;
        let cut = |slices: Vec<ColumnSet>| {
            Slice::new(self.l, sensitive, Slices::Given(slices))
                .masked(whole.identifiers.clone())
                .cut(if self.relaxed { SliceCut::Relaxed } else { SliceCut::Strict })
                .check(self.check)
                .one_attempt(self.one_attempt)
                .order(order.clone())
                .bucket_name(&self.bucket_name)
                .run(&table, run)
        };
        let mut is_alone = false;
        let (found, associations, left_out) = match &self.slices {
            SliceSetting::Given(names) => {
                let set = |names: &Vec<String>| -> Result<ColumnSet> {
                    names.iter().map(|name| whole.find(name)).collect()
                };
                let slices: Vec<ColumnSet> = names.iter().map(set).collect::<Result<_>>()?;
                let left_out = refused(&table, &published, run);
                let known = published.difference(&left_out);
                let associations = match Associations::new(&table, &known, run) {
                    // Slices that are given do not need them.
                    Err(ProtectError::Engine(EngineError::Stopped(_))) => None,
                    found => Some(found?),
                };
                (cut(slices)?, associations, left_out)
            }
            SliceSetting::Found { count, with_sensitive } => {
                let associations = Associations::new(&table, &published, run)?;
                let width = published.len();
                let slices = |with_sensitive: usize| {
                    let others = width.saturating_sub(with_sensitive);
                    let count = count.unwrap_or(1 + others.div_ceil(2));
                    associations.slices(sensitive, count, with_sensitive)
                };
                let found = match cut(slices(with_sensitive.unwrap_or(width.min(2)))?) {
                    // With another column beside it that tells too much: alone.
                    Err(ProtectError::Unreachable(_)) if with_sensitive.is_none() && width > 1 => {
                        is_alone = true;
                        cut(slices(1)?)?
                    }
                    found => found?,
                };
                (found, Some(associations), ColumnSet::new())
            }
        };
        Ok(Decided { table, generalized, levels, associations, left_out, found, is_alone })
    }

    /// Columns at the levels that were asked for.
    fn generalized(
        &self,
        whole: &Whole,
        run: &Run,
    ) -> Result<(Generalized, Vec<SliceLevelReport>)> {
        let mut hierarchies = self.hierarchies.clone();
        if let Some(folder) = &self.hierarchy_folder {
            let names: Vec<&str> = self.levels.keys().map(String::as_str).collect();
            hierarchies.add_folder(folder, &names)?;
        }
        let (mut generalized, mut levels) = (Vec::new(), Vec::new());
        for (name, &level) in &self.levels {
            let id = whole.find(name)?;
            if whole.identifiers.contains(id) {
                return Err(setting(format!(
                    "column `{}` is an identifier and never published\n  hint: leave it out of `--level`",
                    printable(name)
                )));
            }
            let before = whole.table.column(id);
            let hierarchy = hierarchies.build(before, run)?;
            let after = at_level(before, &hierarchy, level)?;
            let distinct = |column: &Column| {
                let mut slots: Vec<u32> = column.codes().slots().collect();
                slots.sort_unstable();
                slots.dedup();
                slots.retain(|&slot| slot < column.missing_slot());
                slots.len() as u64
            };
            levels.push(SliceLevelReport {
                name: name.clone(),
                level: level as u64,
                levels: hierarchy.levels().len() as u64 - 1,
                distinct_before: distinct(before),
                distinct_after: distinct(&after),
            });
            generalized.push((id, after));
        }
        Ok((generalized, levels))
    }
}

/// Columns of too many values to tell what they are associated with.
fn refused(table: &EncodedTable, columns: &ColumnSet, run: &Run) -> ColumnSet {
    let is_refused = |id: &ColumnId| {
        let alone = [*id].into_iter().collect();
        matches!(Associations::new(table, &alone, run), Err(ProtectError::Setting(_)))
    };
    columns.iter().filter(is_refused).collect()
}
