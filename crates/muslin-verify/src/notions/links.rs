use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use muslin_engine::Run;
use rayon::prelude::*;

use super::components::components;
use super::sides::Sides;
use crate::Result;
use crate::flow::Flow;

/// Original classes that one task looks up.
const CHUNK: usize = 2_048;

/// Which original class fits which published one, and how many rows that are.
pub(super) struct Links {
    /// N2: for each original class, the published rows that it fits.
    pub(super) of_original: Vec<u32>,
    /// N3: for each published class, the original rows that fit it.
    pub(super) of_published: Vec<u32>,
    /// The links themselves, where they are not too many: [`CHUNK`] original classes after each
    /// other.
    kept: Option<Vec<Chunk>>,
}

/// The links of some original classes that follow each other.
struct Chunk {
    /// For each class, where its links end; those of the first begin at 0.
    ends: Vec<u32>,
    published: Vec<u32>,
}

impl Chunk {
    fn links(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.published[start as usize..self.ends[place] as usize]
    }
}

impl Links {
    /// Looks every original class up in every pattern; keeps no more than `limit` links.
    pub(super) fn find(sides: &Sides, limit: u64, run: &Run) -> Result<Self> {
        // Each class has a link, so classes of both sides together are numbered by 32 bits.
        let limit = limit.min(u64::from(u32::MAX / 2));
        let found = AtomicU64::new(0);
        let counts: Vec<AtomicU32> =
            sides.published.rows.iter().map(|_| AtomicU32::new(0)).collect();
        let chunks: Result<Vec<(Vec<u32>, Option<Chunk>)>> = (0..sides.originals.rows.len())
            .into_par_iter()
            .step_by(CHUNK)
            .map(|start| look_up(sides, start, &counts, (&found, limit), run))
            .collect();
        let (of_original, kept): (Vec<_>, Vec<_>) = chunks?.into_iter().unzip();
        let kept = kept.into_iter().collect::<Option<Vec<Chunk>>>();
        Ok(Self {
            of_original: of_original.concat(),
            of_published: counts.into_iter().map(AtomicU32::into_inner).collect(),
            kept: kept.filter(|_| found.into_inner() <= limit),
        })
    }

    /// N5: for each original class, the published rows that a row of it can be linked to while
    /// every row is linked to one it fits, each once. Nothing where there are too many links.
    ///
    /// # Why this is right
    /// Let D be the graph on rows with i -> j when original row i fits published row j. Linking
    /// each row to itself is a perfect matching. A matching with i -> j, i not j, goes on from j to
    /// the row that j is linked to, and so on, until it comes back to i: a cycle of D. Conversely
    /// a cycle, with every other row linked to itself, is a perfect matching. So i -> j is in some
    /// perfect matching when i = j or when it lies on a cycle: when i and j are in the same
    /// strongly connected component of D.
    ///
    /// Let G be the graph on classes with t -> f when original class t fits published class f, and
    /// f -> t when some row, an owner, is in both. A row j that is in t and f takes a walk in G
    /// from f to t; so a walk i -> j -> .. -> z in D is a walk from the original class of i to the
    /// published class of z in G, and, with an owner for each f -> t, every walk in G between such
    /// classes is one in D. Each row's own two classes are in one component of G, since a row fits
    /// itself. Hence two rows are in the same component of D exactly when their classes are in the
    /// same component of G, and the count of t is the rows of the classes f, t -> f, in the
    /// component of t. G has no more than one link per original class and pattern, and one owner
    /// per row.
    pub(super) fn in_some_matching(&self, sides: &Sides, run: &Run) -> Result<Option<Vec<u32>>> {
        match &self.kept {
            Some(kept) => with_owners(kept, sides, &Owners::of_rows(sides), run).map(Some),
            None => Ok(None),
        }
    }

    /// The same for rows of which nobody knows which published row is theirs: a largest flow says
    /// which could be. Original rows may stay without one, published rows may not: where that cannot
    /// be, every count is 0.
    ///
    /// # Why this is right
    /// Rows that stay without one are given a published row that says nothing, of a class of its
    /// own that every original row fits. Then all rows are linked, each once, and with any such
    /// linking as the rows' own the above holds.
    pub(super) fn in_some_flow(
        &self,
        sides: &Sides,
        limit: u64,
        run: &Run,
    ) -> Result<Option<Vec<u32>>> {
        let Some(kept) = &self.kept else { return Ok(None) };
        let (giving, taking) = (&sides.originals.rows, &sides.published.rows);
        let links = |original: usize| kept[original / CHUNK].links(original % CHUNK);
        let Some(flow) = Flow::largest(giving, taking, links, limit, run)? else {
            return Ok(None);
        };
        if flow.left.iter().any(|&rows| rows > 0) {
            return Ok(Some(vec![0; giving.len()]));
        }
        let spare = u32::try_from(taking.len()).expect("no more classes than rows");
        let mut pairs = Vec::new();
        for (original, number) in (0..giving.len()).zip(0u32..) {
            pairs.extend(flow.used(original).map(|at| (links(original)[at], number)));
            if flow.unlinked[original] > 0 {
                pairs.push((spare, number));
            }
        }
        let owners = Owners::new(taking.len() + 1, pairs);
        with_owners(kept, sides, &owners, run).map(Some)
    }
}

/// The counts, with the original classes that own rows of each published one.
fn with_owners(kept: &[Chunk], sides: &Sides, owners: &Owners, run: &Run) -> Result<Vec<u32>> {
    let links = |original: usize| kept[original / CHUNK].links(original % CHUNK);
    let originals = sides.originals.rows.len();
    let nodes = originals + owners.classes();
    let node = |class: &u32| *class as usize + originals;
    // The class that says nothing, where there is one, is fitted by every row.
    let spare = (owners.classes() > sides.published.rows.len()).then(|| nodes - 1);
    let component = components(
        nodes,
        |from, nth| match from.checked_sub(originals) {
            None => {
                let own = links(from);
                own.get(nth).map(node).or(spare.filter(|_| nth == own.len()))
            }
            Some(published) => owners.of(published).get(nth).map(|&class| class as usize),
        },
        run,
    )?;
    let count = |original: usize| {
        let same = |class: &&u32| component[node(class)] == component[original];
        let rows = |&class: &u32| sides.published.rows[class as usize];
        links(original).iter().filter(same).map(rows).sum()
    };
    Ok((0..originals).into_par_iter().map(count).collect())
}

/// The links of the original classes from `start` on, and the rows that each of them fits.
fn look_up(
    sides: &Sides,
    start: usize,
    counts: &[AtomicU32],
    (found, limit): (&AtomicU64, u64),
    run: &Run,
) -> Result<(Vec<u32>, Option<Chunk>)> {
    let end = (start + CHUNK).min(sides.originals.rows.len());
    let mut fits = vec![0; end - start];
    let mut ends = vec![0u32; end - start];
    // Pattern after pattern, so that the index of one stays at hand.
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut keep = found.load(Ordering::Relaxed) <= limit;
    for pattern in &sides.patterns {
        run.check()?;
        let before = pairs.len();
        // Many original classes fit the same published one where little is visible: they are
        // added up before they are told to the other threads.
        let (mut last, mut rows) = (pattern.classes.start, 0);
        let mut linked = 0;
        for (place, number) in (start..end).zip(0u32..) {
            let words = sides.originals.words(place);
            let Some(class) = pattern.fitting(words, &sides.published) else { continue };
            linked += 1;
            fits[place - start] += sides.published.rows[class];
            if class != last {
                counts[last].fetch_add(rows, Ordering::Relaxed);
                (last, rows) = (class, 0);
            }
            rows += sides.originals.rows[place];
            if keep {
                ends[place - start] += 1;
                pairs.push((number, u32::try_from(class).expect("no more classes than rows")));
            }
        }
        counts[last].fetch_add(rows, Ordering::Relaxed);
        debug_assert!(!keep || pairs.len() - before == linked);
        // The sum is the same in any order, so whether it is above the limit is too.
        if found.fetch_add(linked as u64, Ordering::Relaxed) + linked as u64 > limit {
            (keep, pairs) = (false, Vec::new());
        }
    }
    Ok((fits, keep.then(|| Chunk::new(ends, &pairs))))
}

impl Chunk {
    /// The links of each class, from their numbers and from pairs in any order.
    fn new(mut ends: Vec<u32>, pairs: &[(u32, u32)]) -> Self {
        let mut end = 0;
        for count in &mut ends {
            end += std::mem::replace(count, end);
        }
        let mut published = vec![0; pairs.len()];
        for &(place, class) in pairs {
            let end = &mut ends[place as usize];
            published[*end as usize] = class;
            *end += 1;
        }
        Self { ends, published }
    }
}

/// For each published class, the original classes of its rows.
struct Owners {
    starts: Vec<u32>,
    originals: Vec<u32>,
}

impl Owners {
    fn of_rows(sides: &Sides) -> Self {
        let rows = sides.published.of.iter().zip(&sides.originals.of);
        let pairs = rows.map(|(&published, &own)| (published, own)).collect();
        Self::new(sides.published.rows.len(), pairs)
    }

    /// Of so many published classes; pairs of a published and an original class, in any order.
    fn new(classes: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.par_sort_unstable();
        pairs.dedup();
        let mut starts = vec![0u32; classes + 1];
        pairs.iter().for_each(|&(published, _)| starts[published as usize + 1] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        Self { starts, originals: pairs.into_iter().map(|(_, own)| own).collect() }
    }

    fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, published: usize) -> &[u32] {
        &self.originals[self.starts[published] as usize..self.starts[published + 1] as usize]
    }
}
