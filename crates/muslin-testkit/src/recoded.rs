//! Small tables with hierarchies, and small tables cut into slices and buckets.

use muslin_table::{ColumnId, ColumnSet, EncodedTable};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::oracle::Leveled;

/// A small table with a hierarchy of each quasi-identifier, and what is asked of classes.
#[derive(Clone, Debug)]
pub struct WithHierarchies {
    /// Quasi-identifiers `q0`, `q1`, ... and the sensitive column `s`.
    pub table: EncodedTable,
    /// The quasi-identifiers, in order.
    pub columns: Vec<WithHierarchy>,
    /// The sensitive column.
    pub sensitive: ColumnId,
    /// The least rows of a class.
    pub k: u32,
    /// The most rows that may be suppressed.
    pub limit: usize,
}

/// A column and the hierarchy of its values.
#[derive(Clone, Debug)]
pub struct WithHierarchy {
    /// Which.
    pub id: ColumnId,
    /// For each value in order, its labels at levels 1, 2, ...; the last is `*`.
    pub paths: Vec<Vec<String>>,
    /// The same for values that the column does not have.
    pub others: Vec<Vec<String>>,
}

impl WithHierarchies {
    /// The quasi-identifiers as the oracles take them.
    pub fn leveled(&self) -> Vec<Leveled> {
        let of =
            |column: &WithHierarchy| Leveled::of_paths(column.id, &column.paths, &column.others);
        self.columns.iter().map(of).collect()
    }
}

/// Tables of up to 40 rows with 2 to 4 quasi-identifiers of 1 to 6 values each, some cells missing,
/// and a sensitive column of 1 to 4 values, in some tables with missing cells too.
///
/// Hierarchies have 1 to 4 levels above the values. Groups are stretches of values or any values;
/// some levels change nothing, some below the last have a single group.
pub fn small_hierarchies() -> impl Strategy<Value = WithHierarchies> {
    let rows = prop_oneof![1 => 0usize..=3, 4 => 4usize..=20, 3 => 21usize..=40];
    let sensitive = (1i64..=4, prop_oneof![3 => Just(0.0), 1 => Just(0.15)]);
    (rows, sensitive, 1u32..5).prop_flat_map(|(rows, (values, missing), k)| {
        let limit = prop_oneof![2 => Just(0), 2 => 0..=rows, 1 => Just(rows)];
        let quasi_identifiers = prop::collection::vec(column_with_paths(rows), 2..=4);
        (quasi_identifiers, cells(rows, values, missing), Just(k), limit).prop_map(
            |(columns, sensitive, k, limit)| with_hierarchies(columns, sensitive, k, limit),
        )
    })
}

type Cells = Vec<Option<i64>>;

fn cells(rows: usize, values: i64, missing: f64) -> impl Strategy<Value = Cells> {
    let cell = (prop::bool::weighted(missing), 0..values);
    prop::collection::vec(cell.prop_map(|(missing, value)| (!missing).then_some(value)), rows)
}

/// The cells of a column, and the path of each value that they may have.
fn column_with_paths(rows: usize) -> impl Strategy<Value = (Cells, Vec<Vec<String>>)> {
    let missing = prop_oneof![3 => Just(0.0), 2 => Just(0.1), 1 => Just(0.6)];
    (1usize..=6, missing).prop_flat_map(move |(values, missing)| {
        let bound = i64::try_from(values).expect("a few values");
        // Where the group of a value, and the group of that, goes at the next level.
        let stretches = (1usize..=3).prop_map(|width| (0..6).map(|of| of / width).collect());
        let any_groups = prop::collection::vec(0usize..6, 6);
        let step = prop_oneof![1 => stretches, 1 => any_groups];
        let paths = prop::collection::vec(step, 0..=3).prop_map(move |steps: Vec<Vec<usize>>| {
            (0..values).map(|value| path(value, &steps)).collect()
        });
        (cells(rows, bound, missing), paths)
    })
}

fn path(value: usize, steps: &[Vec<usize>]) -> Vec<String> {
    let mut group = value;
    let mut labels: Vec<String> = Vec::new();
    for (level, step) in steps.iter().enumerate() {
        group = step[group];
        labels.push(format!("level {} group {group}", level + 1));
    }
    labels.push("*".to_owned());
    labels
}

fn with_hierarchies(
    columns: Vec<(Cells, Vec<Vec<String>>)>,
    sensitive: Cells,
    k: u32,
    limit: usize,
) -> WithHierarchies {
    let mut made = Vec::new();
    let mut named = Vec::new();
    for (c, (cells, paths)) in columns.into_iter().enumerate() {
        let present = |value: i64| cells.contains(&Some(value));
        let (own, others): (Vec<_>, Vec<_>) =
            (0i64..).zip(paths).partition(|&(value, _)| present(value));
        let paths =
            |list: Vec<(i64, Vec<String>)>| list.into_iter().map(|(_, path)| path).collect();
        made.push(WithHierarchy { id: ColumnId::new(c), paths: paths(own), others: paths(others) });
        named.push((format!("q{c}"), cells));
    }
    let last = ColumnId::new(named.len());
    named.push(("s".to_owned(), sensitive));
    let table = EncodedTable::of_columns(named);
    WithHierarchies { table, columns: made, sensitive: last, k, limit }
}

/// A small table cut into slices and buckets.
#[derive(Clone, Debug)]
pub struct SmallSlicing {
    /// Columns `c0`, `c1`, ...; each is in a slice.
    pub table: EncodedTable,
    /// The columns of each slice.
    pub slices: Vec<ColumnSet>,
    /// The bucket of each row.
    pub buckets: Vec<u32>,
    /// The sensitive column. It is in one slice.
    pub sensitive: ColumnId,
}

/// Tables of up to 12 rows and 5 columns of few values, some cells missing, in 1 to 4 buckets of
/// any rows, and in slices. Where slices overlap, what a slice shares with all before it is in one
/// of them.
pub fn small_slicings(overlap: bool) -> impl Strategy<Value = SmallSlicing> {
    (1usize..=12, 1usize..=5, 1i64..=4, 1u32..=4).prop_flat_map(
        move |(rows, columns, values, buckets)| {
            let table = prop::collection::vec(cells(rows, values, 0.1), columns);
            let slice_of = prop::collection::vec(0usize..3, columns);
            let again = prop::collection::vec((any::<Index>(), any::<u32>()), 3);
            let buckets = prop::collection::vec(0..buckets, rows);
            (table, slice_of, again, buckets, 0..columns).prop_map(
                move |(cells, slice_of, again, buckets, sensitive)| {
                    let again = if overlap { &again[..] } else { &[] };
                    let slices = slices(&slice_of, again, sensitive);
                    let named = cells.into_iter().enumerate();
                    let named = named.map(|(c, cells)| (format!("c{c}"), cells));
                    let table = EncodedTable::of_columns(named);
                    SmallSlicing { table, slices, buckets, sensitive: ColumnId::new(sensitive) }
                },
            )
        },
    )
}

/// The columns of each slice that has any. A slice also takes some columns of one before it, which
/// `again` picks, but never the sensitive one.
fn slices(slice_of: &[usize], again: &[(Index, u32)], sensitive: usize) -> Vec<ColumnSet> {
    let own = |slice: usize| -> ColumnSet {
        let columns = (0..slice_of.len()).filter(|&c| slice_of[c] == slice);
        columns.map(ColumnId::new).collect()
    };
    let mut slices: Vec<ColumnSet> = (0..3).map(own).filter(|slice| !slice.is_empty()).collect();
    for (at, (of, bits)) in again.iter().enumerate().take(slices.len()).skip(1) {
        let taken = |id: &ColumnId| bits >> id.index() & 1 == 1 && id.index() != sensitive;
        let taken = slices[of.index(at)].iter().filter(taken).collect();
        slices[at] = slices[at].union(&taken);
    }
    slices
}
