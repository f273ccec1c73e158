//! Minimal transversals: what singles a row out, from what it shares with others.
//!
//! A set of the row's columns is shared with no other row exactly when it meets the complement
//! of each of the row's agree sets. So the row's minimal uniques are the minimal transversals of
//! these complements, the *edges*. They are what paper 000 calls prime implicants. The search is
//! that of Murakami and Uno (MMCS): every class taken must stay *critical*, the only one that
//! meets some edge; so no set is visited that cannot become a minimal one, and none comes twice.

use super::hypergraph::{Hypergraph, leaves_some, small};
use super::kernel::{Isa, Lanes, Task};
use crate::mask::{Mask, Ones};

/// Nodes between two looks at the clock.
pub(super) const NODES_PER_LOOK: u64 = 1 << 12;

/// Takes minimal transversals as they are found.
pub(super) trait Collect<const W: usize> {
    /// For each class of `completing`: the classes of `base` with that one. `product` counts the
    /// ways to choose a column from each class of `base`.
    fn found(&mut self, graph: &Hypergraph<W>, base: &[u16], product: u64, completing: Mask<W>);
}

/// Lists minimal transversals; memory is reused from row to row.
#[derive(Default)]
pub(super) struct Transversals<const W: usize> {
    pub(super) graph: Hypergraph<W>,
    edges: Vec<Mask<W>>,
    /// By depth: edges that are not met yet.
    open: Vec<u64>,
    /// By depth and class taken: edges that only this class meets.
    critical: Vec<u64>,
    frames: Vec<Frame<W>>,
    base: Vec<u16>,
}

/// A node of the search whose branches are not all done.
#[derive(Clone, Copy)]
struct Frame<const W: usize> {
    /// Classes that may be added below, apart from those of the node's edge.
    rest: Mask<W>,
    /// Classes of the node's edge still to be tried.
    todo: Mask<W>,
    /// Classes of the node's edge that were tried.
    done: Mask<W>,
    product: u64,
}

impl<const W: usize> Transversals<W> {
    /// Lists the minimal sets of at most `most` columns of `universe` that are within none of
    /// `shared`, whose order changes. Ends early when `stop` says so.
    pub(super) fn list(
        &mut self,
        universe: Mask<W>,
        shared: &mut [Mask<W>],
        most: usize,
        isa: Isa,
        stop: &dyn Fn() -> bool,
        out: &mut impl Collect<W>,
    ) {
        if !isa.run(Prepare { lists: self, universe, shared }) || most == 0 {
            return;
        }
        self.search(most, isa, stop, out);
    }

    /// Lists the minimal sets of at most `most` columns that meet all of `edges`. None of these
    /// lies within another, and none is empty.
    pub(super) fn list_meeting(
        &mut self,
        edges: &[Mask<W>],
        most: usize,
        isa: Isa,
        stop: &dyn Fn() -> bool,
        out: &mut impl Collect<W>,
    ) {
        self.graph.build(edges, true);
        if most > 0 {
            self.search(most, isa, stop, out);
        }
    }

    fn search(
        &mut self,
        most: usize,
        isa: Isa,
        stop: &dyn Fn() -> bool,
        out: &mut impl Collect<W>,
    ) {
        match self.graph.words {
            1 => isa.run(Search::<W, 1, _> { lists: self, most, stop, out }),
            2 => isa.run(Search::<W, 2, _> { lists: self, most, stop, out }),
            4 => isa.run(Search::<W, 4, _> { lists: self, most, stop, out }),
            8 => isa.run(Search::<W, 8, _> { lists: self, most, stop, out }),
            _ => isa.run(Search::<W, 0, _> { lists: self, most, stop, out }),
        }
    }
}

/// Makes the edges; false when some set contains the universe, so that there is no transversal.
struct Prepare<'a, const W: usize> {
    lists: &'a mut Transversals<W>,
    universe: Mask<W>,
    shared: &'a mut [Mask<W>],
}

impl<const W: usize> Task<bool> for Prepare<'_, W> {
    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Self { lists, universe, shared } = self;
        // The largest sets first: then a set is maximal when none before it contains it.
        shared.sort_unstable_by_key(|set| std::cmp::Reverse(set.len()));
        lists.edges.clear();
        // Whoever looks at the graph afterwards finds none of an earlier row.
        lists.graph.clear();
        let mut kept = 0;
        for at in 0..shared.len() {
            let set = shared[at];
            if !shared[..kept].iter().any(|other| set.is_within(*other)) {
                shared[kept] = set;
                kept += 1;
                lists.edges.push(universe.without(set));
            }
        }
        if lists.edges.iter().any(Mask::is_empty) {
            return false;
        }
        lists.graph.build(&lists.edges, true);
        true
    }
}

/// The search, for edge sets of `E` words; 0 for any number.
struct Search<'a, const W: usize, const E: usize, C> {
    lists: &'a mut Transversals<W>,
    most: usize,
    stop: &'a dyn Fn() -> bool,
    out: &'a mut C,
}

impl<const W: usize, const E: usize, C: Collect<W>> Task<()> for Search<'_, W, E, C> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { lists, most, stop, out } = self;
        let Transversals { graph, open, critical, frames, base, .. } = lists;
        let words = if E == 0 { graph.words } else { E };
        let count = graph.members.len();
        // Every class taken is critical for an edge of its own.
        let deepest = most.min(count).min(graph.edges.len());
        let width = (deepest + 1) * words;
        open.clear();
        open.resize(width, 0);
        critical.clear();
        critical.resize(width * (deepest + 1), 0);
        for index in 0..graph.edges.len() {
            open[index / 64] |= 1 << (index % 64);
        }
        frames.clear();
        base.clear();
        let mut candidates = Mask::first(count);
        let mut product = 1u64;
        let mut nodes = 0u64;
        loop {
            nodes += 1;
            if nodes.is_multiple_of(NODES_PER_LOOK) && stop() {
                return;
            }
            // A node: `base` is taken, `unmet` is still to be met. A class of one of these edges
            // must be next; the edge with the fewest candidates branches least.
            let depth = base.len();
            let unmet = &open[depth * words..][..words];
            let mut choice = Mask::EMPTY;
            let mut fewest = usize::MAX;
            'edges: for (word, &bits) in unmet.iter().enumerate() {
                for bit in Ones(bits) {
                    let edge = graph.edges[word * 64 + bit];
                    let size = (edge & candidates).len();
                    if size < fewest {
                        fewest = size;
                        choice = edge;
                        if size <= 1 {
                            break 'edges;
                        }
                    }
                }
            }
            let mut completing = Mask::EMPTY;
            let mut todo = Mask::EMPTY;
            let criticals = &critical[depth * width..][..depth * words];
            for class in (choice & candidates).iter() {
                let met = graph.met(class, words);
                if criticals.chunks_exact(words).all(|edges| leaves_some(edges, met)) {
                    let kind = if leaves_some(unmet, met) { &mut todo } else { &mut completing };
                    kind.insert(class);
                }
            }
            if !completing.is_empty() {
                out.found(graph, base, product, completing);
            }
            if depth + 1 < deepest && !todo.is_empty() {
                let rest = candidates.without(choice);
                frames.push(Frame { rest, todo, done: Mask::EMPTY, product });
            }
            // On to the next class that is left to try, of this node or of one above.
            while frames.last().is_some_and(|frame| frame.todo.is_empty()) {
                frames.pop();
            }
            let Some(frame) = frames.last_mut() else { return };
            let class = frame.todo.iter().next().expect("it is not empty");
            frame.todo = frame.todo.without(Mask::one(class));
            // A set that meets the node's edge more than once is found where its last class is
            // taken: a class that was tried may come back below those tried later.
            candidates = frame.rest | frame.done;
            frame.done.insert(class);
            product = frame.product.saturating_mul(graph.sizes[class]);
            let depth = frames.len() - 1;
            base.truncate(depth);
            base.push(small(class));
            let met = graph.met(class, words);
            let (above, below) = open.split_at_mut((depth + 1) * words);
            let (above, below) = (&above[depth * words..], &mut below[..words]);
            let (old, new) = critical.split_at_mut((depth + 1) * width);
            let (old, new) = (&old[depth * width..], &mut new[..(depth + 1) * words]);
            for word in 0..words {
                below[word] = above[word] & !met[word];
                new[depth * words + word] = above[word] & met[word];
            }
            for taken in 0..depth {
                for word in 0..words {
                    new[taken * words + word] = old[taken * words + word] & !met[word];
                }
            }
        }
    }
}
