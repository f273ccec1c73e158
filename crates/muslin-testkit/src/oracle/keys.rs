//! Keys, quasi-identifiers and masks by brute force over every set of columns.
//!
//! What a set must reach or not exceed is a function of its class sizes, so the oracles know no
//! measure and no beta. More columns never tell fewer pairs apart, and no oracle relies on it.

use muslin_table::{ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule};

use super::class_sizes;

/// Whether the columns tell every pair of rows apart.
pub fn is_key(sizes: &ClassSizes) -> bool {
    sizes.unseparated_pairs() == 0
}

/// Every set of columns that reaches while none of its proper subsets does; the empty set may be
/// one. In the order of column sets: by size, then by columns.
pub fn minimal_sets(
    table: &EncodedTable,
    reaches: impl Fn(&ClassSizes) -> bool,
    missing: MissingRule,
) -> Vec<ColumnSet> {
    let reaching = sets_where(table, reaches, missing);
    let minimal = |set: &&ColumnSet| !reaching.iter().any(|s| s != *set && s.is_subset(set));
    reaching.iter().filter(minimal).cloned().collect()
}

/// The least weight of a set that reaches and every set of that weight that does, in order; nothing
/// where no set reaches. Column `c` weighs `weights[c]`; where some weigh nothing, sets that are
/// not minimal are among them.
pub fn cheapest_set(
    table: &EncodedTable,
    reaches: impl Fn(&ClassSizes) -> bool,
    weights: &[u64],
    missing: MissingRule,
) -> Option<(u64, Vec<ColumnSet>)> {
    let mut sets = sets_where(table, reaches, missing);
    let least = sets.iter().map(|set| weight(set, weights)).min()?;
    sets.retain(|set| weight(set, weights) == least);
    Some((least, sets))
}

/// The greatest weight of a set that may be published and every such set of that weight, in order;
/// nothing where there is none. It may be published when it has every column of `keep`, none of
/// `drop`, and does not exceed.
pub fn heaviest_set(
    table: &EncodedTable,
    exceeds: impl Fn(&ClassSizes) -> bool,
    weights: &[u64],
    keep: &ColumnSet,
    drop: &ColumnSet,
    missing: MissingRule,
) -> Option<(u64, Vec<ColumnSet>)> {
    let mut sets = sets_where(table, |sizes| !exceeds(sizes), missing);
    sets.retain(|set| keep.is_subset(set) && set.intersection(drop).is_empty());
    let greatest = sets.iter().map(|set| weight(set, weights)).max()?;
    sets.retain(|set| weight(set, weights) == greatest);
    Some((greatest, sets))
}

/// The columns that the greedy algorithm of Motwani and Xu, section 2.2, takes, in its order:
/// each time the one that tells the most pairs apart that none before does, the first of equals.
/// It ends when the set reaches, or when no column tells a further pair apart.
pub fn greedy_key_order(
    table: &EncodedTable,
    reaches: impl Fn(&ClassSizes) -> bool,
    missing: MissingRule,
) -> Vec<ColumnId> {
    let mut order: Vec<ColumnId> = Vec::new();
    let sizes =
        |columns: &[ColumnId]| class_sizes(table, &columns.iter().copied().collect(), missing);
    while !reaches(&sizes(&order)) {
        let with = |column| sizes(&[&order[..], &[column]].concat()).unseparated_pairs();
        let Some(next) = table.all_columns().iter().min_by_key(|&column| with(column)) else {
            break;
        };
        if with(next) == sizes(&order).unseparated_pairs() {
            break;
        }
        order.push(next);
    }
    order
}

/// Every set of columns whose class sizes pass, in order.
fn sets_where(
    table: &EncodedTable,
    pass: impl Fn(&ClassSizes) -> bool,
    missing: MissingRule,
) -> Vec<ColumnSet> {
    let columns = table.columns().len();
    // A set of columns is a number of one bit per column.
    let set = |bits: u32| (0..columns).filter(|c| bits >> c & 1 == 1).map(ColumnId::new).collect();
    let mut sets: Vec<ColumnSet> = (0..1 << columns).map(set).collect();
    sets.retain(|set| pass(&class_sizes(table, set, missing)));
    sets.sort();
    sets
}

fn weight(set: &ColumnSet, weights: &[u64]) -> u64 {
    set.iter().map(|column| weights[column.index()]).sum()
}
