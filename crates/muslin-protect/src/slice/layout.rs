//! Which columns stay together, checked.

use muslin_table::{ColumnId, ColumnSet, EncodedTable, printable};

use crate::{Error, Result};

/// Slices in an order in which each shares columns with one earlier slice at most.
///
/// # Invariants
/// Every published column is in a slice. What a slice shares with all earlier ones is in its parent,
/// which comes before it. The sensitive column is in one slice.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) parts: Vec<Part>,
    /// The part that has the sensitive column.
    pub(crate) sensitive: usize,
}

/// One slice.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) columns: ColumnSet,
    /// Columns that earlier parts have too.
    pub(crate) shared: ColumnSet,
    /// An earlier part that has all of those.
    pub(crate) parent: usize,
}

impl Layout {
    /// Checks slices of a table of which all columns but `masked` are published.
    pub(crate) fn new(
        table: &EncodedTable,
        slices: &[ColumnSet],
        sensitive: ColumnId,
        masked: &ColumnSet,
    ) -> Result<Self> {
        let wrong = |text: String| Err(Error::Setting(text));
        let name = |id: ColumnId| printable(table.column(id).name()).into_owned();
        let all = table.all_columns();
        let published = all.difference(masked);
        let named = slices.iter().fold(ColumnSet::new(), |set, slice| set.union(slice));
        if slices.iter().any(ColumnSet::is_empty) {
            return wrong("a slice has no column\n  hint: name at least one column in each".into());
        }
        if !named.is_subset(&all) || !all.contains(sensitive) {
            return wrong("a slice names a column that the table does not have\n  hint: name columns of the table".into());
        }
        let with_sensitive = slices.iter().filter(|slice| slice.contains(sensitive)).count();
        if with_sensitive != 1 {
            let (name, found) =
                (name(sensitive), if with_sensitive == 0 { "no" } else { "more than one" });
            return wrong(format!(
                "the sensitive column `{name}` is in {found} slice\n  hint: put it in exactly one"
            ));
        }
        if let Some(id) = named.intersection(masked).iter().next() {
            return wrong(format!(
                "column `{}` is in a slice and is withheld\n  hint: do one of both",
                name(id)
            ));
        }
        if let Some(id) = published.difference(&named).iter().next() {
            return wrong(format!(
                "column `{}` is in no slice\n  hint: put it in a slice, by itself if need be, or exclude it",
                name(id)
            ));
        }
        let parts = in_order(slices).ok_or_else(|| {
            Error::Setting("slices share columns in a circle, so that what is common to them cannot be published once\n  hint: let each slice share columns with one other, as in a tree".into())
        })?;
        let has = |part: &Part| part.columns.contains(sensitive);
        let sensitive = parts.iter().position(has).expect("it is in one slice");
        Ok(Self { parts, sensitive })
    }
}

/// The slices, each after the one with which it shares most. Where an order as wanted exists, this
/// is one: a heaviest spanning tree of what slices share is then a join tree.
fn in_order(slices: &[ColumnSet]) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::with_capacity(slices.len());
    let mut open: Vec<&ColumnSet> = slices.iter().collect();
    let mut met = ColumnSet::new();
    while !open.is_empty() {
        let best = |slice: &ColumnSet| {
            let shared = |part: &Part| part.columns.intersection(slice).len();
            let most = parts.iter().map(shared).max().unwrap_or(0);
            (most, parts.iter().position(|part| shared(part) == most).unwrap_or(0))
        };
        let most = open.iter().map(|slice| best(slice).0).max()?;
        let at = open.iter().position(|slice| best(slice).0 == most)?;
        let columns = open.remove(at).clone();
        let parent = best(&columns).1;
        let shared = columns.intersection(&met);
        if !shared.is_empty() && !shared.is_subset(&parts[parent].columns) {
            return None;
        }
        met = met.union(&columns);
        parts.push(Part { columns, shared, parent });
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(columns: &[usize]) -> ColumnSet {
        columns.iter().copied().map(ColumnId::new).collect()
    }

    #[test]
    fn slices_that_share_as_a_tree_are_ordered() {
        let parts =
            in_order(&[set(&[0, 1]), set(&[2, 3]), set(&[1, 2]), set(&[4])]).expect("a tree");
        let order: Vec<ColumnSet> = parts.iter().map(|part| part.columns.clone()).collect();
        assert_eq!(order, [set(&[0, 1]), set(&[1, 2]), set(&[2, 3]), set(&[4])]);
        assert_eq!(parts[2].shared, set(&[2]));
        assert_eq!(parts[2].parent, 1);
    }

    #[test]
    fn slices_that_share_in_a_circle_are_refused() {
        assert!(in_order(&[set(&[0, 1]), set(&[1, 2]), set(&[2, 0])]).is_none());
    }
}
