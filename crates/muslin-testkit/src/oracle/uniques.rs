//! Minimal k-uniques by brute force.

use muslin_table::{Column, EncodedTable, MissingRule};

/// A minimal k-unique as the oracles list it. Its items are the codes of `rows[0]` in `columns`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unique {
    /// The rows that hold it, rising; never empty.
    pub rows: Vec<u32>,
    /// The columns of its items, rising.
    pub columns: Vec<usize>,
    /// Number of rows that match it: those that hold it and, where missing matches anything,
    /// those that have a missing cell instead of each item that they do not hold.
    pub support: u64,
}

/// Every minimal k-unique of at most `max_size` items: an itemset that some row holds and at most
/// `k` rows match, while more than `k` rows match each of its non-empty proper subsets.
///
/// Each comes once, in order of first row, then size, then columns. Suppressed is a value like any
/// other. Tries every set of columns, so a table of more than some fifteen is out of reach.
pub fn minimal_uniques(
    table: &EncodedTable,
    k: u64,
    max_size: Option<usize>,
    missing: MissingRule,
) -> Vec<Unique> {
    let slots = |c: &Column| c.codes().slots().collect::<Vec<_>>();
    let slots: Vec<Vec<u32>> = table.columns().iter().map(slots).collect();
    let absent = |row: usize, c: usize| slots[c][row] == table.columns()[c].missing_slot();
    // Whether a row forms an item in a column; whether another holds it; whether it matches it.
    let forms = |row, c| missing == MissingRule::Category || !absent(row, c);
    let holds = |other: usize, row, c: usize| forms(row, c) && slots[c][row] == slots[c][other];
    let wild = missing == MissingRule::Wildcard;
    let matches = |other, row, c| holds(other, row, c) || wild && forms(row, c) && absent(other, c);
    // A set of columns is a number of one bit per column.
    let bits = |test: &dyn Fn(usize) -> bool| -> u32 {
        (0..slots.len()).filter(|&c| test(c)).map(|c| 1 << c).sum()
    };
    let mut found = Vec::new();
    for row in 0..table.rows() {
        let others = 0..table.rows();
        let held: Vec<u32> = others.clone().map(|o| bits(&|c| holds(o, row, c))).collect();
        let matched: Vec<u32> = others.map(|o| bits(&|c| matches(o, row, c))).collect();
        let support = |set: u32| matched.iter().filter(|&m| set & !m == 0).count() as u64;
        for set in (1..1 << slots.len()).filter(|set| set & !held[row] == 0) {
            let columns: Vec<usize> = (0..slots.len()).filter(|c| set >> c & 1 == 1).collect();
            // More items never match more rows, so the subsets of one item less speak for all.
            let mut smaller = columns.iter().map(|c| set & !(1 << c)).filter(|&s| s != 0);
            let minimal = support(set) <= k && smaller.all(|s| support(s) > k);
            if minimal && max_size.is_none_or(|max| columns.len() <= max) {
                let rows = (0..).zip(&held).filter(|&(_, h)| set & !h == 0).map(|(r, _)| r);
                found.push(Unique { rows: rows.collect(), columns, support: support(set) });
            }
        }
    }
    let mut found = in_order(found);
    found.dedup(); // It was found at each of its rows.
    found
}

/// The list in the order of the oracles.
pub(super) fn in_order(mut uniques: Vec<Unique>) -> Vec<Unique> {
    uniques.sort_by(|a, b| {
        let key = |unique: &Unique| (unique.rows[0], unique.columns.len());
        key(a).cmp(&key(b)).then_with(|| a.columns.cmp(&b.columns))
    });
    uniques
}
