//! The best full-domain generalization, by trying every node of the lattice.

use muslin_table::{ColumnId, EncodedTable, Ratio};

use super::diversity::{Demand, classes_by};
use super::fraction::Fraction;

/// A column that is generalized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leveled {
    /// Which.
    pub id: ColumnId,
    /// Its levels; the first leaves the values alone.
    pub levels: Vec<LevelGroups>,
}

/// A level of a column, slot by slot: the values, then missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelGroups {
    /// The group of each slot.
    pub groups: Vec<u32>,
    /// What a cell of each slot loses, as part and whole. A part of nothing is no loss.
    pub loss: Vec<[u64; 2]>,
}

impl Leveled {
    /// The levels of a column whose values have these labels at levels 1, 2, ...; `others` are the
    /// labels of values that it does not have.
    ///
    /// A cell of a group of c values loses c - 1 of all values - 1. Missing is a group by itself and
    /// loses nothing, until a level has the label `*` only: missing joins it and loses as much as the
    /// values do. Any other label says something about a person, which is not known of a missing cell.
    pub fn of_paths(id: ColumnId, paths: &[Vec<String>], others: &[Vec<String>]) -> Self {
        let values = paths.len();
        // The only value of a column is lost where its label says nothing.
        let is_lost = |at: usize| values == 1 && paths[0][at] == "*";
        let says_nothing = |at: usize| values > 0 && paths.iter().all(|path| path[at] == "*");
        let level = |joins: bool, is_lost: bool, alike: &dyn Fn(usize, usize) -> bool| {
            let first = |value: usize| (0..values).find(|&v| alike(v, value)).unwrap_or(value);
            let covered = |value: usize| (0..values).filter(|&v| alike(v, value)).count();
            let alone = (0..values).map(|value| (first(value), covered(value)));
            let missing = if joins { (first(0), values) } else { (values, 0) };
            let slots: Vec<(usize, usize)> = alone.chain([missing]).collect();
            let group = |&(group, _): &(usize, usize)| u32::try_from(group).expect("a few values");
            let loss = |&(_, covered): &(usize, usize)| {
                if is_lost {
                    return [1, 1];
                }
                [covered.saturating_sub(1) as u64, values.saturating_sub(1) as u64]
            };
            LevelGroups {
                groups: slots.iter().map(group).collect(),
                loss: slots.iter().map(loss).collect(),
            }
        };
        let depth = paths.iter().chain(others).next().map_or(0, Vec::len);
        let mut levels = vec![level(false, false, &|a, b| a == b)];
        let above = |at| {
            level(says_nothing(at), is_lost(at), &|a: usize, b: usize| paths[a][at] == paths[b][at])
        };
        levels.extend((0..depth).map(above));
        Self { id, levels }
    }
}

/// A node of the lattice and what it makes of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullDomain {
    /// The level of each column.
    pub node: Vec<usize>,
    /// The rows whose class does not meet the demand, rising.
    pub suppressed: Vec<u32>,
    /// The loss by [`gcp`].
    pub loss: Ratio,
}

/// The nodes of least loss, of those that suppress at most `limit` rows; in order. Nothing where
/// every node suppresses more.
///
/// A row is suppressed exactly when its class does not meet the demand.
pub fn best_full_domain(
    table: &EncodedTable,
    columns: &[Leveled],
    demand: &Demand,
    limit: usize,
) -> Vec<FullDomain> {
    let allowed = |result: &FullDomain| result.suppressed.len() <= limit;
    let nodes = nodes(columns).into_iter().map(|node| full_domain(table, columns, demand, node));
    let mut results: Vec<FullDomain> = nodes.filter(allowed).collect();
    let least = results.iter().map(|result| result.loss).min();
    results.retain(|result| Some(result.loss) == least);
    results
}

/// What a node makes of the table.
pub fn full_domain(
    table: &EncodedTable,
    columns: &[Leveled],
    demand: &Demand,
    node: Vec<usize>,
) -> FullDomain {
    let group = |row: usize, (column, &level): (&Leveled, &usize)| {
        column.levels[level].groups[table.column(column.id).codes().slot(row) as usize]
    };
    let key = |row| columns.iter().zip(&node).map(|of| group(row, of)).collect();
    let classes = classes_by(table.rows(), key).into_iter();
    let mut suppressed: Vec<u32> =
        classes.filter(|class| !demand.is_met(table, class)).flatten().collect();
    suppressed.sort_unstable();
    let level = |row| (!suppressed.contains(&row)).then(|| node.clone());
    let rows: Vec<_> = (0u32..).take(table.rows()).map(level).collect();
    FullDomain { loss: gcp(table, columns, &rows), node, suppressed }
}

/// The mean loss of all cells of the columns. Each row has its own level of each column, or none
/// and is suppressed: then each of its cells loses all. 0 where there is no cell.
pub fn gcp(table: &EncodedTable, columns: &[Leveled], rows: &[Option<Vec<usize>>]) -> Ratio {
    let of_cell = |row: usize, column: usize| {
        let Some(levels) = &rows[row] else { return Fraction::ONE };
        let slot = table.column(columns[column].id).codes().slot(row) as usize;
        let [part, whole] = columns[column].levels[levels[column]].loss[slot];
        let count = |of: u64| usize::try_from(of).expect("a few values");
        if whole == 0 { Fraction::ZERO } else { Fraction::new(count(part), count(whole)) }
    };
    let cells = (0..rows.len()).flat_map(|row| (0..columns.len()).map(move |c| (row, c)));
    let lost = Fraction::sum(cells.map(|(row, column)| of_cell(row, column)));
    match rows.len() * columns.len() {
        0 => Fraction::ZERO.ratio(),
        count => lost.times(Fraction::new(1, count)).ratio(),
    }
}

/// Every choice of a level for each column, in order.
pub fn nodes(columns: &[Leveled]) -> Vec<Vec<usize>> {
    columns.iter().fold(vec![Vec::new()], |nodes, column| {
        let with = |node: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..column.levels.len()).map(|level| [&node[..], &[level]].concat()).collect()
        };
        nodes.iter().flat_map(with).collect()
    })
}
