//! What a sliced or bucketized release tells about a person's sensitive value: p(t, s).
//!
//! After Li, Li, Zhang and Molloy, Slicing, IEEE TKDE 2012, from the published rows alone. Somebody
//! knows the values t of a person in all columns but the sensitive one. A bucket matches when it has,
//! for each slice, a row that may be t there. With f(t, B) the product of the shares of such rows,
//!
//! ```text
//! p(t, B) = f(t, B) / the sum of f(t, B') over all buckets
//! p(t, s) = the sum over B of p(t, B) times the share of s among the rows of B that may be t in
//!           the slice of the sensitive column
//! ```
//!
//! The paper weighs all buckets the same. By Bayes a bucket weighs what it has rows: |B| f(t, B).
//! Both are counted.
//!
//! # Differences from the paper
//! A published cell that was generalized or suppressed may be any value that it takes in. Sensitive
//! cells that stand for the same are one value: a range or a set is one of its own, and so are
//! suppressed and missing.

mod big;
mod chance;
mod found;

use std::collections::BTreeMap;

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable, Ratio, printable};
use rayon::prelude::*;

pub use self::found::MatchingFacts;

use self::chance::{Term, largest};
use crate::bucket_index::BucketIndex;
use crate::loss::{Cover, Reading};
use crate::work::Work;
use crate::{Error, Result};

/// Works out p(t, s) for every original row of a release in buckets.
///
/// # Guarantee
/// Every p is that of the definition, as an exact fraction, where the facts
/// [are exact](MatchingFacts::is_exact); otherwise none is below it.
///
/// # Cost
/// For each distinct original row, the buckets in the shortest list of one of its slices. Where cells
/// are generalized, also that of finding which published row may stand for which original one.
///
/// # Example
/// ```
/// use std::collections::BTreeMap;
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, EncodedTable, Ratio};
/// use muslin_verify::{Matching, loss::{Buckets, Reading}};
/// // Two buckets of two rows; the second has one sensitive value, 7.
/// let original = EncodedTable::of(&[[20, 5], [21, 6], [60, 7], [61, 7]]);
/// let release = EncodedTable::of(&[[20, 6, 0], [21, 5, 0], [60, 7, 1], [61, 7, 1]]);
/// let slices = vec![vec!["c0".into()], vec!["c1".into()]];
/// let buckets = Buckets { column: "c2".into(), slices };
/// let reading = Reading::of(&original, &release, &BTreeMap::new(), Some(&buckets))?;
/// let matching = Matching::new(ColumnId::new(1));
/// let facts = matching.run(&original, &release, &reading, &Run::new())?;
/// assert_eq!(facts.max_p(), Ratio::new(1, 1));
/// assert_eq!(facts.exceeding(2), (2, vec![2, 3]));
/// # Ok::<(), muslin_verify::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matching {
    sensitive: ColumnId,
    work_limit: u64,
}

/// How often a node of the sensitive slice has each sensitive value.
struct Values {
    starts: Vec<usize>,
    counts: Vec<(u32, u32)>,
}

impl Matching {
    /// Somebody wants to know this column of the original, and knows all others that were published.
    pub fn new(sensitive: ColumnId) -> Self {
        Self { sensitive, work_limit: 1_000_000_000 }
    }

    /// Does no more than this many steps: a thousand million unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Judges `release`, whose labels and buckets `reading` has.
    pub fn run(
        &self,
        original: &EncodedTable,
        release: &EncodedTable,
        reading: &Reading,
        run: &Run,
    ) -> Result<MatchingFacts> {
        let wrong =
            |text: String, hint: &str| Err(Error::Setting(format!("{text}\n  hint: {hint}")));
        if self.sensitive.index() >= original.columns().len() {
            let text = "the sensitive column is beyond the original's columns".into();
            return wrong(text, "name a column of the original");
        }
        reading.check(original, release)?;
        let (Some(bucket), Some(slices)) = (reading.bucket_column(), reading.slices()) else {
            let text = "the release has no buckets".into();
            return wrong(text, "name its column of buckets, or judge its classes instead");
        };
        let has = |slice: &Vec<ColumnId>| slice.contains(&self.sensitive);
        let Some(sensitive) = slices.iter().position(has) else {
            let name = printable(original.column(self.sensitive).name());
            let text = format!("the release lacks the sensitive column `{name}`");
            return wrong(text, "name a column that was published");
        };
        let known = |slice: &Vec<ColumnId>| -> Vec<ColumnId> {
            slice.iter().copied().filter(|&id| id != self.sensitive).collect()
        };
        let known: Vec<Vec<ColumnId>> = slices.iter().map(known).collect();
        run.install(|| {
            let work = Work::new(self.work_limit);
            let tables = (original, release);
            let Some(index) = BucketIndex::new(tables, reading, bucket, &known, &work, run)? else {
                return Ok(too_much(original.rows()));
            };
            let values = self.values(release, reading, &index.slices[sensitive].node_of);
            let power = u32::try_from(known.len()).expect("columns have 32 bits");
            let chance = |tuple: usize| {
                if tuple.is_multiple_of(1_024) {
                    run.check()?;
                }
                if !work.is_within() {
                    return Ok((None, false));
                }
                let terms = terms(&index, tuple, sensitive, &values, &work);
                if terms.is_empty() {
                    return Ok((None, true));
                }
                let (equal, is_rounded) = largest(&terms, power);
                let (by_size, is_also) = largest(&terms, power - 1);
                Ok((Some([equal, by_size]), !is_rounded && !is_also))
            };
            let tuples = index.tuple_rows.len();
            let found: Result<Vec<(Option<[Ratio; 2]>, bool)>> =
                (0..tuples).into_par_iter().map(chance).collect();
            let found = found?;
            if !work.is_within() {
                return Ok(too_much(original.rows()));
            }
            Ok(MatchingFacts {
                is_exact: found.iter().all(|&(_, is_exact)| is_exact),
                chances: found.into_iter().map(|(chances, _)| chances).collect(),
                of: index.tuples.of,
            })
        })
    }

    /// The sensitive values of each node.
    fn values(&self, release: &EncodedTable, reading: &Reading, node_of: &[u32]) -> Values {
        let published = reading.published(self.sensitive).expect("it was found in a slice");
        let column = release.column(published);
        // Slots that stand for the same are one: numbered by the first of them.
        let slots = (0u32..).take(column.slots());
        let mut first = BTreeMap::new();
        let number = |slot| *first.entry(key(reading.cover(self.sensitive, slot))).or_insert(slot);
        let numbers: Vec<u32> = slots.map(number).collect();
        let cells = column.codes().slots().map(|slot| numbers[slot as usize]);
        let mut pairs: Vec<(u32, u32)> = node_of.iter().copied().zip(cells).collect();
        pairs.par_sort_unstable();
        let nodes = node_of.iter().max().map_or(0, |&last| last as usize + 1);
        let (mut starts, mut counts) = (Vec::with_capacity(nodes + 1), Vec::new());
        starts.push(0);
        for node in pairs.chunk_by(|a, b| a.0 == b.0) {
            let alike = node.chunk_by(|a, b| a == b);
            counts.extend(alike.map(|alike| (alike[0].1, rows(alike.len()))));
            starts.push(counts.len());
        }
        Values { starts, counts }
    }
}

/// What the buckets that a tuple matches say of it.
fn terms(
    index: &BucketIndex<'_>,
    tuple: usize,
    sensitive: usize,
    values: &Values,
    work: &Work,
) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut steps = index.matching(tuple, |bucket, nodes| {
        let sum = |slice: usize| -> u32 {
            nodes[slice].iter().map(|&node| index.slices[slice].rows[node as usize]).sum()
        };
        let others = (0..nodes.len()).filter(|&slice| slice != sensitive);
        let of_node = |&node: &u32| {
            let ends = values.starts[node as usize]..values.starts[node as usize + 1];
            values.counts[ends].iter().copied()
        };
        terms.push(Term {
            size: index.sizes[bucket as usize],
            alike: others.map(sum).collect(),
            beside: sum(sensitive),
            values: nodes[sensitive].iter().flat_map(of_node).collect(),
        });
    });
    steps += terms.iter().map(|term| term.values.len() as u64).sum::<u64>();
    work.add(steps);
    terms
}

/// Nothing is known: every p may be 1.
fn too_much(rows: usize) -> MatchingFacts {
    let chances = vec![Some([Ratio::new(1, 1); 2])];
    MatchingFacts { of: vec![0; rows], chances, is_exact: false }
}

/// Covers that are the same have the same key.
fn key(cover: &Cover) -> (u8, Vec<u32>) {
    match cover {
        Cover::Exact(value) => (0, vec![*value]),
        Cover::Range { first, last } => (1, vec![*first, *last]),
        Cover::Set(values) => (2, values.to_vec()),
        Cover::Multiset(values) => (3, values.iter().flat_map(|&(a, b)| [a, b]).collect()),
        Cover::Any => (4, Vec::new()),
        Cover::Missing => (5, Vec::new()),
    }
}

fn rows(count: usize) -> u32 {
    u32::try_from(count).expect("row ids are 32 bits wide")
}
