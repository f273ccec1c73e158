//! Which buckets match which rows.
//!
//! For each part of a slicing and each value of it, the buckets that have the value are listed. A row
//! matches the buckets that are in all lists of its values. Rows in order of their values share the
//! lists of the values they begin with, so that each further value costs no more than the buckets
//! that are left, and nothing is quadratic.

use std::cmp::Ordering;

use muslin_engine::Partition;
use muslin_table::{ColumnSet, EncodedTable};
use rayon::prelude::*;

use super::buckets::Buckets;
use super::diversity::classes;
use super::fraction::gcd;
use super::layout::Layout;
use super::scaled::Scaled;

/// The buckets of every value of every part.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) parts: Vec<PartIndex>,
    pub(crate) sizes: Vec<u32>,
    /// Parts by falling number of values: the order in which they are looked at.
    order: Vec<usize>,
}

/// The buckets of every value of one part.
#[derive(Debug)]
pub(crate) struct PartIndex {
    /// The value of each row.
    pub(crate) value_of: Vec<u32>,
    pub(crate) values: usize,
    pub(crate) lists: Lists,
    pub(crate) parent: usize,
    /// What it shares with the parent.
    pub(crate) shared: Option<Shared>,
}

/// The columns that a part shares with its parent.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The class of a value of the part.
    pub(crate) of_value: Vec<u32>,
    /// The class of a value of the parent.
    pub(crate) of_parent: Vec<u32>,
    pub(crate) lists: Lists,
}

/// For each value, buckets in order and how many rows have the value there.
#[derive(Debug)]
pub(crate) struct Lists {
    starts: Vec<usize>,
    entries: Vec<(u32, u32)>,
}

impl Lists {
    pub(crate) fn new(value_of: &[u32], values: usize, buckets: &Buckets) -> Self {
        let mut starts = vec![0usize; values + 1];
        let mut last = vec![u32::MAX; values];
        let each =
            || (0u32..).zip(buckets.iter()).flat_map(|(b, rows)| rows.iter().map(move |&r| (b, r)));
        for (bucket, row) in each() {
            let value = value_of[row as usize] as usize;
            starts[value + 1] += usize::from(last[value] != bucket);
            last[value] = bucket;
        }
        for value in 0..values {
            starts[value + 1] += starts[value];
        }
        let mut ends = starts[..values].to_vec();
        let mut entries = vec![(u32::MAX, 0u32); starts[values]];
        for (bucket, row) in each() {
            let value = value_of[row as usize] as usize;
            let end = &mut ends[value];
            if *end == starts[value] || entries[*end - 1].0 != bucket {
                entries[*end] = (bucket, 0);
                *end += 1;
            }
            entries[*end - 1].1 += 1;
        }
        Self { starts, entries }
    }

    /// Where the list of each value begins; one more at the end.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The buckets that have a value, and how often.
    pub(crate) fn of(&self, value: u32) -> &[(u32, u32)] {
        &self.entries[self.starts[value as usize]..self.starts[value as usize + 1]]
    }

    /// How often a bucket has a value.
    pub(crate) fn count(&self, value: u32, bucket: u32) -> u32 {
        let list = self.of(value);
        list.binary_search_by_key(&bucket, |entry| entry.0).map_or(0, |at| list[at].1)
    }
}

/// A bucket that matches, and about the product of the shares of its rows that have each value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    pub(crate) bucket: u32,
    near: Scaled,
}

impl Index {
    /// For the parts of a layout without the columns `unknown`.
    pub(crate) fn new(
        table: &EncodedTable,
        layout: &Layout,
        unknown: &ColumnSet,
        buckets: &Buckets,
    ) -> Self {
        let values: Vec<Partition> = layout
            .parts
            .par_iter()
            .map(|part| classes(table, &part.columns.difference(unknown)))
            .collect();
        let part = |at: usize| {
            let (own, part) = (&values[at], &layout.parts[at]);
            let list = |classes: &Partition| {
                Lists::new(classes.class_of(), classes.sizes().len(), buckets)
            };
            let shared = (!part.shared.is_empty()).then(|| {
                let shared = classes(table, &part.shared);
                let of = |values: &Partition| -> Vec<u32> {
                    let first = values.first_rows();
                    first.iter().map(|&row| shared.class_of()[row as usize]).collect()
                };
                Shared {
                    of_value: of(own),
                    of_parent: of(&values[part.parent]),
                    lists: list(&shared),
                }
            });
            PartIndex {
                value_of: own.class_of().to_vec(),
                values: own.sizes().len(),
                lists: list(own),
                parent: part.parent,
                shared,
            }
        };
        let parts: Vec<PartIndex> = (0..values.len()).into_par_iter().map(part).collect();
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(parts[at].values), at));
        Self { sizes: buckets.sizes.clone(), order, parts }
    }

    /// The values of a row, part by part.
    pub(crate) fn values(&self, row: u32) -> Vec<u32> {
        self.parts.iter().map(|part| part.value_of[row as usize]).collect()
    }

    /// One row of each combination of values, in an order in which [`Self::each`] is quick.
    pub(crate) fn distinct_rows(&self, classes: &Partition) -> Vec<u32> {
        let mut rows = classes.first_rows();
        let key = |row: u32, at: usize| self.parts[at].value_of[row as usize];
        rows.par_sort_by(|&a, &b| {
            let compare = |&at: &usize| key(a, at).cmp(&key(b, at));
            self.order.iter().map(compare).find(|order| order.is_ne()).unwrap_or(a.cmp(&b))
        });
        rows
    }

    /// Calls `look` with every one of the combinations of `values`, which are best in order, and the
    /// buckets that match it; what it returns, in that order.
    pub(crate) fn each<T: Send>(
        &self,
        combinations: usize,
        value: impl Fn(usize, usize) -> u32 + Sync,
        look: impl Fn(usize, &[Match]) -> T + Sync,
    ) -> Vec<T> {
        const TOGETHER: usize = 1 << 10;
        let chunk = |start: usize| -> Vec<T> {
            let mut lists: Vec<Vec<Match>> = vec![Vec::new(); self.order.len()];
            let mut last: Vec<u32> = vec![u32::MAX; self.order.len()];
            let mut chunk = Vec::with_capacity(TOGETHER);
            for at in start..(start + TOGETHER).min(combinations) {
                let mut is_same = true;
                for (depth, &part) in self.order.iter().enumerate() {
                    let own = value(at, part);
                    is_same &= last[depth] == own;
                    if is_same {
                        continue;
                    }
                    last[depth] = own;
                    let list = self.parts[part].lists.of(own);
                    let (before, rest) = lists.split_at_mut(depth);
                    match before.last() {
                        None => first(list, &self.sizes, &mut rest[0]),
                        Some(before) => narrow(before, list, &self.sizes, &mut rest[0]),
                    }
                }
                chunk.push(look(at, lists.last().map_or(&[], |list| list)));
            }
            chunk
        };
        let starts: Vec<usize> = (0..combinations).step_by(TOGETHER).collect();
        starts.into_par_iter().flat_map_iter(chunk).collect()
    }

    /// About the share of a bucket's rows that a combination of values has, were slices
    /// independent.
    pub(crate) fn share(&self, matched: &Match, value: impl Fn(usize) -> u32) -> Scaled {
        let size = f64::from(self.sizes[matched.bucket as usize]);
        let mut near = matched.near;
        for (at, part) in self.parts.iter().enumerate() {
            if let Some(shared) = &part.shared {
                let class = shared.of_value[value(at) as usize];
                near = near.times(size / f64::from(shared.lists.count(class, matched.bucket)));
            }
        }
        near
    }

    /// The same as a fraction, where it fits.
    pub(crate) fn exact_share(
        &self,
        bucket: u32,
        value: impl Fn(usize) -> u32,
    ) -> Option<(u128, u128)> {
        let size = u128::from(self.sizes[bucket as usize]);
        let (mut share, mut whole) = (1u128, 1u128);
        for (at, part) in self.parts.iter().enumerate() {
            let own = value(at);
            share = share.checked_mul(part.lists.count(own, bucket).into())?;
            let of = part.shared.as_ref().map_or(size, |shared| {
                shared.lists.count(shared.of_value[own as usize], bucket).into()
            });
            whole = whole.checked_mul(of)?;
            let common = gcd(share, whole).max(1);
            (share, whole) = (share / common, whole / common);
        }
        Some((share, whole))
    }

    /// Roundings in a share at most.
    pub(crate) fn roundings(&self) -> f64 {
        f64::from(u32::try_from(self.parts.len()).unwrap_or(u32::MAX)) * 4.0 + 4.0
    }
}

fn first(list: &[(u32, u32)], sizes: &[u32], to: &mut Vec<Match>) {
    let share = |bucket: u32, count| f64::from(count) / f64::from(sizes[bucket as usize]);
    let share = |bucket, count| Scaled::new(share(bucket, count));
    to.clear();
    to.extend(list.iter().map(|&(bucket, count)| Match { bucket, near: share(bucket, count) }));
}

/// The matches of `before` that are in `list` too.
fn narrow(before: &[Match], list: &[(u32, u32)], sizes: &[u32], to: &mut Vec<Match>) {
    to.clear();
    intersect(
        before,
        |matched| matched.bucket,
        list,
        |entry| entry.0,
        |&Match { bucket, near }, &(_, count)| {
            let share = f64::from(count) / f64::from(sizes[bucket as usize]);
            to.push(Match { bucket, near: near.times(share) });
        },
    );
}

/// Calls `both` for each two that have the same key in two lists in order.
pub(crate) fn intersect<A, B>(
    mut left: &[A],
    key_of_left: impl Fn(&A) -> u32,
    mut right: &[B],
    key_of_right: impl Fn(&B) -> u32,
    mut both: impl FnMut(&A, &B),
) {
    const FAR: usize = 8;
    while let ([first_left, rest_left @ ..], [first_right, rest_right @ ..]) = (left, right) {
        let (a, b) = (key_of_left(first_left), key_of_right(first_right));
        match a.cmp(&b) {
            Ordering::Equal => {
                both(first_left, first_right);
                (left, right) = (rest_left, rest_right);
            }
            // In a much longer list, it is looked for by halving.
            Ordering::Less if left.len() > FAR * right.len() => {
                left = &left[left.partition_point(|own| key_of_left(own) < b)..];
            }
            Ordering::Less => left = rest_left,
            Ordering::Greater if right.len() > FAR * left.len() => {
                right = &right[right.partition_point(|own| key_of_right(own) < a)..];
            }
            Ordering::Greater => right = rest_right,
        }
    }
}
