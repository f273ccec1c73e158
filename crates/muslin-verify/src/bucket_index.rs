//! Which buckets of a release may have which original rows.
//!
//! A bucket *matches* an original row when in each slice it has a published row that may stand for
//! the original row's values of that slice. For each slice and each combination of values there, the
//! buckets are listed that have it; an original row matches those that are in all of its lists.

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};

use crate::Result;
use crate::classes::Classes;
use crate::covering::{Covering, Wanted};
use crate::keys::mix;
use crate::lists::Lists;
use crate::loss::Reading;
use crate::work::Work;

/// The buckets of a release, by the values of each slice.
pub(crate) struct BucketIndex<'a> {
    /// Rows of each bucket.
    pub(crate) sizes: Vec<u32>,
    pub(crate) slices: Vec<SliceIndex<'a>>,
    /// Original rows that are equal in all slices.
    pub(crate) tuples: Classes,
    /// Rows of each of these.
    pub(crate) tuple_rows: Vec<u32>,
}

/// What the buckets have in one slice. Published rows of a bucket that are equal there are a *node*.
pub(crate) struct SliceIndex<'a> {
    pub(crate) covering: Covering<'a>,
    /// The bucket of each node. Nodes are in the order of their buckets.
    bucket_of: Vec<u32>,
    /// Rows of each node.
    pub(crate) rows: Vec<u32>,
    /// The node of each published row.
    pub(crate) node_of: Vec<u32>,
    /// For each original class, the nodes that may stand for it, in order.
    nodes: Lists,
}

/// The bucket of each published row, numbered from 0 in the order in which they appear.
fn buckets(release: &EncodedTable, column: ColumnId, run: &Run) -> Result<Classes> {
    let codes = release.column(column).codes();
    Classes::new(
        release.rows(),
        |row| mix(1, codes.slot(row).into()),
        |a, b| codes.slot(a) == codes.slot(b),
        run,
    )
}

impl<'a> BucketIndex<'a> {
    /// Of these slices, by columns of the original. Nothing where it takes too much work.
    pub(crate) fn new(
        (original, release): (&EncodedTable, &EncodedTable),
        reading: &'a Reading,
        bucket: ColumnId,
        slices: &[Vec<ColumnId>],
        work: &Work,
        run: &Run,
    ) -> Result<Option<Self>> {
        let buckets = buckets(release, bucket, run)?;
        let mut made = Vec::with_capacity(slices.len());
        for slice in slices {
            let columns = slice.iter().copied();
            let covering = Covering::new(original, release, reading, columns, run)?;
            match SliceIndex::new(covering, &buckets, work, run)? {
                Some(slice) => made.push(slice),
                None => return Ok(None),
            }
        }
        let class = |slice: &SliceIndex<'_>, row: usize| slice.covering.originals.of[row];
        let tuples = Classes::new(
            original.rows(),
            |row| made.iter().fold(1, |hash, slice| mix(hash, class(slice, row).into())),
            |a, b| made.iter().all(|slice| class(slice, a) == class(slice, b)),
            run,
        )?;
        let tuple_rows = tuples.sizes();
        Ok(Some(Self { sizes: buckets.sizes(), slices: made, tuples, tuple_rows }))
    }

    /// Calls `each` with every bucket that a tuple matches, in order, and the nodes of it that may
    /// stand for the tuple, slice by slice. Returns the steps that it took.
    pub(crate) fn matching<'s>(
        &'s self,
        tuple: usize,
        mut each: impl FnMut(u32, &[&'s [u32]]),
    ) -> u64 {
        let row = self.tuples.first[tuple] as usize;
        let lists: Vec<&[u32]> = self
            .slices
            .iter()
            .map(|slice| slice.nodes.of(slice.covering.originals.of[row] as usize))
            .collect();
        let Some(shortest) = (0..lists.len()).min_by_key(|&at| lists[at].len()) else { return 1 };
        let bucket = |slice: usize, node: u32| self.slices[slice].bucket_of[node as usize];
        // What is left of each list: buckets only rise.
        let mut rest = lists.clone();
        let mut own: Vec<&[u32]> = vec![&[]; lists.len()];
        let mut steps = 1;
        for alike in lists[shortest].chunk_by(|&a, &b| bucket(shortest, a) == bucket(shortest, b)) {
            let wanted = bucket(shortest, alike[0]);
            let mut is_in_all = true;
            for at in 0..lists.len() {
                steps += 1;
                if at == shortest {
                    own[at] = alike;
                    continue;
                }
                rest[at] = from(rest[at], |&node| bucket(at, node) < wanted);
                let end = rest[at].iter().take_while(|&&node| bucket(at, node) == wanted).count();
                own[at] = &rest[at][..end];
                if end == 0 {
                    is_in_all = false;
                    break;
                }
            }
            if is_in_all {
                each(wanted, &own);
            }
        }
        steps
    }
}

/// The list without what comes before, in steps that double.
fn from(list: &[u32], is_before: impl Fn(&u32) -> bool) -> &[u32] {
    let mut ahead = 1;
    while ahead < list.len() && is_before(&list[ahead]) {
        ahead *= 2;
    }
    let (known, end) = (ahead / 2, (ahead + 1).min(list.len()));
    &list[known + list[known..end].partition_point(is_before)..]
}

impl<'a> SliceIndex<'a> {
    fn new(
        covering: Covering<'a>,
        buckets: &Classes,
        work: &Work,
        run: &Run,
    ) -> Result<Option<Self>> {
        let Some(links) = covering.links(Wanted::All, work, run)? else { return Ok(None) };
        let published = &covering.published;
        let mut order: Vec<u32> = (0u32..).take(published.of.len()).collect();
        let key = |&row: &u32| (buckets.of[row as usize], published.of[row as usize]);
        order.sort_by_key(key);
        let (mut bucket_of, mut rows) = (Vec::new(), Vec::new());
        let mut node_of = vec![0; order.len()];
        // Each node with its class.
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (alike, node) in order.chunk_by(|a, b| key(a) == key(b)).zip(0u32..) {
            let (bucket, class) = key(&alike[0]);
            bucket_of.push(bucket);
            rows.push(u32::try_from(alike.len()).expect("row ids are 32 bits wide"));
            pairs.push((class, node));
            alike.iter().for_each(|&row| node_of[row as usize] = node);
        }
        let nodes_of_class = Lists::of_pairs(published.rows.len(), &pairs);
        let originals = covering.originals.rows.len();
        let covered_by = links.turned(originals);
        // Classes that say nothing may stand for any row.
        let silent: Vec<u32> = (0..published.rows.len())
            .filter(|&class| covering.shown(class).is_empty())
            .flat_map(|class| nodes_of_class.of(class).iter().copied())
            .collect();
        let entries = |original: usize| {
            let classes = covered_by.of(original).iter();
            silent.len()
                + classes.map(|&class| nodes_of_class.of(class as usize).len()).sum::<usize>()
        };
        if !work.add((0..originals).map(entries).sum::<usize>() as u64) {
            return Ok(None);
        }
        let nodes = Lists::new((0..originals).map(|original| {
            let classes = covered_by.of(original).iter();
            let own = classes.flat_map(|&class| nodes_of_class.of(class as usize)).chain(&silent);
            let mut own: Vec<u32> = own.copied().collect();
            own.sort_unstable();
            own
        }));
        Ok(Some(Self { covering, bucket_of, rows, node_of, nodes }))
    }
}
