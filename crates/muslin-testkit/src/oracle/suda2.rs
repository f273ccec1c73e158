//! Minimal k-uniques after SUDA2, as its paper describes it ([MH05], sections 4 and 5).
//!
//! A second answer that shares no method with the brute force, so that one cannot repeat the
//! other's mistake. It also reaches tables that brute force cannot.
//!
//! # Method
//! The paper's MSU is our minimal unique, its repetition count our support.
//!
//! 1. Items that at most k rows match are minimal k-uniques and leave the search.
//! 2. Items that all rows match leave it too (*uniform support*): without such an item an itemset
//!    has the same support, so none that contains it and another is minimal. This comes second,
//!    since in a table of at most k rows each item is both.
//! 3. The others are ranked by support, then column, then code. In rank order each is the
//!    *reference item* of the itemsets in which it has the lowest rank.
//! 4. The rows of a reference item and the items of higher rank form a smaller table, whose
//!    minimal k-uniques, found in the same way, are the candidates.
//! 5. A candidate and its reference item are a minimal k-unique when enough *special rows*
//!    match the candidate without matching the reference item.
//!
//! Items with the same rows (*perfectly correlated*) are never in one minimal k-unique, and each
//! may stand for the other. One of them is searched and the others are put in its place at the
//! end. As in the paper, this is done for the whole table only and not for the smaller ones.
//!
//! # Differences from the paper
//! It knows k = 1 and no missing cells. With M an itemset of two or more items, r its reference
//! item and N the rest, three facts carry over to any k:
//!
//! - *Recursive property.* The support of a set in the table of r is the support of that set with
//!   r in the whole table. So if M is a minimal k-unique, N is one in the table of r.
//! - *Special rows.* Let N be a minimal k-unique in the table of r. Then every proper subset of M
//!   that contains r and more has a support above k, and r itself has because of step 1. Every
//!   other subset of M is part of N, so M is minimal when more than k rows match N. The table of
//!   r has only s of them, with s the support of M: **k + 1 - s special rows are needed, not
//!   one**. A single item needs no check, as in the paper: it passed step 1.
//! - *Support rows.* For each item of M, at least k + 1 - s rows match all of M but this item.
//!   These rows differ from item to item, and those of the other items match r, as do the s rows
//!   that match M. That makes s + (k + 1 - s)(size - 1) rows, which is least for s = k. So **an
//!   item of support c is in no minimal k-unique of more than c - k + 1 items**; the paper's
//!   bound is c.
//!
//! A missing cell needs two row sets for each item: the rows that hold it and those that match it.
//! They differ where missing matches anything; elsewhere a missing cell is an item or is nothing.
//! Support counts rows that match, and all of the above is about support, so it stays as it is:
//!
//! - An itemset exists when a row *holds* it. Rows with missing cells can match items together
//!   that no row holds together, even two codes of one column, so a smaller table keeps only items
//!   that a row holds with the reference item.
//! - Perfectly correlated items must agree in **both** row sets. Two that match the same rows have
//!   equal supports in any company, but one may be held with a third item and the other not.
//!
//! The paper's example checks in T(A1 B4) that C1 is found without D2; the reference item is C1,
//! so D2 without C1 (row 3) is meant, and as a single item it needs no check.
//!
//! [MH05]: Manning, Haglin. A new algorithm for finding minimal sample uniques for use in
//! statistical disclosure assessment. ICDM 2005.

use std::collections::BTreeMap;

use muslin_table::{EncodedTable, MissingRule};

use super::uniques::{Unique, in_order};

/// Every minimal k-unique of at most `max_size` items, in the form and order of
/// [`minimal_uniques`](super::minimal_uniques).
pub fn suda2(
    table: &EncodedTable,
    k: u64,
    max_size: Option<usize>,
    missing: MissingRule,
) -> Vec<Unique> {
    if max_size == Some(0) {
        return Vec::new();
    }
    let mut twins: BTreeMap<Rows, Vec<Item>> = BTreeMap::new();
    for (item, rows) in items(table, missing) {
        twins.entry(rows).or_default().push(item);
    }
    let list = twins.iter().map(|(rows, items)| Entry { item: items[0], rows: rows.clone() });
    let found = Search { k }.table(list.collect(), table.rows(), max_size.unwrap_or(usize::MAX));
    let columns: BTreeMap<Item, Vec<usize>> = twins
        .into_values()
        .map(|items| (items[0], items.iter().map(|item| item.column).collect()))
        .collect();
    let with_twins = found.into_iter().flat_map(|found| {
        let choices: Vec<&[usize]> = found.items.iter().map(|item| &columns[item][..]).collect();
        let unique = move |mut columns: Vec<usize>| {
            columns.sort_unstable();
            let (rows, support) = (found.rows.held.clone(), found.rows.support());
            Unique { rows, columns, support }
        };
        one_of_each(&choices).into_iter().map(unique)
    });
    in_order(with_twins.collect())
}

/// A column and one of its codes, as a slot. Ordered as the paper breaks ties: column, then code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    column: usize,
    slot: u32,
}

/// The rows of an item or itemset, rising.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rows {
    /// Those that have its items.
    held: Vec<u32>,
    /// Those that have them or, where missing matches anything, miss them.
    matched: Vec<u32>,
}

impl Rows {
    fn support(&self) -> u64 {
        self.matched.len() as u64
    }

    /// The rows of both, or nothing when no row holds both.
    fn and(&self, other: &Self) -> Option<Self> {
        let held = common(&self.held, &other.held);
        let matched = || common(&self.matched, &other.matched);
        (!held.is_empty()).then(|| Self { held, matched: matched() })
    }
}

/// What two rising lists have in common.
fn common(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (short, mut long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut rows = short.to_vec();
    rows.retain(|row| {
        long = &long[long.partition_point(|other| other < row)..];
        long.first() == Some(row)
    });
    rows
}

/// Every item that some row holds, in column and code order, with its rows.
fn items(table: &EncodedTable, missing: MissingRule) -> Vec<(Item, Rows)> {
    let mut items = Vec::new();
    for (column, cells) in table.columns().iter().enumerate() {
        let mut held: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (row, slot) in (0..).zip(cells.codes().slots()) {
            held.entry(slot).or_default().push(row);
        }
        let absent = match missing {
            MissingRule::Category => None,
            MissingRule::Distinct | MissingRule::Wildcard => held.remove(&cells.missing_slot()),
        };
        let wild = absent.filter(|_| missing == MissingRule::Wildcard).unwrap_or_default();
        items.extend(held.into_iter().map(|(slot, held)| {
            let mut matched = [&held[..], &wild].concat();
            matched.sort_unstable();
            (Item { column, slot }, Rows { held, matched })
        }));
    }
    items
}

/// An item of the whole table or of a smaller one, with its rows there.
struct Entry {
    item: Item,
    rows: Rows,
}

/// A minimal k-unique of the whole table or of a smaller one, with its rows there.
struct Found {
    items: Vec<Item>,
    rows: Rows,
}

struct Search {
    k: u64,
}

impl Search {
    /// The minimal k-uniques of one to `max_size` items in the table of `rows` rows that has the
    /// items of `list`.
    fn table(&self, list: Vec<Entry>, rows: usize, max_size: usize) -> Vec<Found> {
        let (unique, mut list): (Vec<_>, Vec<_>) =
            list.into_iter().partition(|entry| entry.rows.support() <= self.k);
        let single = |entry: Entry| Found { items: vec![entry.item], rows: entry.rows };
        let mut found: Vec<Found> = unique.into_iter().map(single).collect();
        if max_size == 1 {
            return found;
        }
        list.retain(|entry| entry.rows.matched.len() < rows);
        list.sort_by_key(|entry| (entry.rows.support(), entry.item));
        for (rank, reference) in list.iter().enumerate() {
            let (higher, support) = (&list[rank + 1..], reference.rows.support());
            let most = usize::try_from(support - self.k + 1).expect("rows fit an index");
            let smaller = higher.iter().filter_map(|entry| {
                Some(Entry { item: entry.item, rows: entry.rows.and(&reference.rows)? })
            });
            let rows = reference.rows.matched.len();
            for mut candidate in self.table(smaller.collect(), rows, max_size.min(most) - 1) {
                if candidate.items.len() == 1 || self.special_rows_exist(&candidate, higher) {
                    candidate.items.push(reference.item);
                    found.push(candidate);
                }
            }
        }
        found
    }

    /// Whether more than k rows match the candidate in the table with the reference item: those
    /// beyond the candidate's own support are the special rows.
    fn special_rows_exist(&self, candidate: &Found, higher: &[Entry]) -> bool {
        let entries = higher.iter().filter(|entry| candidate.items.contains(&entry.item));
        let mut matched = entries.map(|entry| &entry.rows.matched);
        let first = matched.next().cloned().unwrap_or_default();
        matched.fold(first, |rows, more| common(&rows, more)).len() as u64 > self.k
    }
}

/// Every way to take one of each list.
fn one_of_each(lists: &[&[usize]]) -> Vec<Vec<usize>> {
    lists.iter().fold(vec![Vec::new()], |taken, list| {
        let with =
            |one: &usize| taken.iter().map(|t| [&t[..], &[*one]].concat()).collect::<Vec<_>>();
        list.iter().flat_map(with).collect()
    })
}
