//! Minimal partial transversals: what at most k rows hold, for k above the row's own weight.
//!
//! A row of weight `w` may share a k-unique with others of weight `slack = k - w` in all. So the
//! sets looked for meet all edges but some of weight at most `slack`, and no subset does. The
//! search is that of [`super::transversals`] with one more branch at every node: the chosen edge
//! is not met, at the price of its weight, and none of its columns is taken.

use super::agree::Shared;
use super::hypergraph::{Hypergraph, leaves_some, small};
use super::ranked::Ranked;
use super::transversals::NODES_PER_LOOK;
use crate::mask::{Mask, Ones};

/// Takes minimal partial transversals as they are found.
pub(super) trait CollectShared<const W: usize> {
    /// The classes of `base`, shared with `others` and no more rows. `product` counts the ways to
    /// choose a column from each class.
    fn found(&mut self, graph: &Hypergraph<W>, base: &[u16], product: u64, others: &[u32]);
}

/// The rows that may share a k-unique with the one that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Others<'a> {
    pub(super) ranked: &'a Ranked,
    /// Their weight in all, at most.
    pub(super) slack: u32,
}

/// Lists minimal partial transversals; memory is reused from row to row.
#[derive(Default)]
pub(super) struct PartialTransversals<const W: usize> {
    pub(super) graph: Hypergraph<W>,
    edges: Vec<Mask<W>>,
    others: Vec<u32>,
    weights: Vec<u32>,
    slack: u32,
    most: usize,
    open: Vec<u64>,
    critical: Vec<u64>,
    base: Vec<u16>,
    /// Edges that are given up, and whose they are.
    missed: Vec<u32>,
    sharing: Vec<u32>,
    nodes: u64,
    stopped: bool,
}

impl<const W: usize> PartialTransversals<W> {
    /// Lists the minimal sets of at most `most` columns of `universe` that at most so many others
    /// share; their order changes. Ends early when `stop` says so.
    pub(super) fn list(
        &mut self,
        Others { ranked, slack }: Others<'_>,
        universe: Mask<W>,
        shared: &mut [Shared<W>],
        most: usize,
        stop: &dyn Fn() -> bool,
        out: &mut impl CollectShared<W>,
    ) {
        // The largest sets first: then a set that is within others of more than `slack` rows, all
        // of them before it, says nothing that they do not say.
        shared.sort_unstable_by_key(|set| (std::cmp::Reverse(set.columns.len()), set.other));
        self.edges.clear();
        self.others.clear();
        self.weights.clear();
        for set in shared.iter() {
            let around = self.edges.iter().zip(&self.weights);
            let around = around.filter(|(edge, _)| (set.columns & **edge).is_empty());
            let weight: u64 = around.map(|(_, &weight)| u64::from(weight)).sum();
            if weight <= u64::from(slack) {
                self.edges.push(universe.without(set.columns));
                self.others.push(set.other);
                self.weights.push(ranked.weight[set.other as usize]);
            }
        }
        // Where missing matches anything, which rows hold a set depends on its very columns.
        self.graph.build(&self.edges, !ranked.is_wild());
        self.slack = slack;
        self.most = most.min(self.graph.members.len());
        let words = self.graph.words;
        let width = (self.most + 1) * words;
        self.open.clear();
        self.open.resize(width, 0);
        self.critical.clear();
        self.critical.resize(width * (self.most + 1), 0);
        (0..self.edges.len()).for_each(|edge| self.open[edge / 64] |= 1 << (edge % 64));
        self.base.clear();
        self.missed.clear();
        (self.nodes, self.stopped) = (0, false);
        self.visit(Mask::first(self.graph.members.len()), 0, 1, stop, out);
    }

    fn visit(
        &mut self,
        candidates: Mask<W>,
        missed: u32,
        product: u64,
        stop: &dyn Fn() -> bool,
        out: &mut impl CollectShared<W>,
    ) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_LOOK) && stop() {
            self.stopped = true;
        }
        if self.stopped {
            return;
        }
        let words = self.graph.words;
        let depth = self.base.len();
        // Edges without candidates can only be given up, all at once.
        let before = self.missed.len();
        let mut given_up = missed;
        let mut choice = None;
        for word in 0..words {
            let mut bits = self.open[depth * words + word];
            for edge in Ones(bits).map(|bit| word * 64 + bit) {
                let size = (self.graph.edges[edge] & candidates).len();
                if size == 0 {
                    given_up = given_up.saturating_add(self.weights[edge]);
                    self.missed.push(narrow(edge));
                    bits &= !(1 << (edge % 64));
                } else if choice.is_none_or(|(_, fewest)| size < fewest) {
                    choice = Some((edge, size));
                }
            }
            self.open[depth * words + word] = bits;
        }
        if given_up <= self.slack {
            self.branch(choice.map(|(edge, _)| edge), candidates, given_up, product, stop, out);
        }
        for edge in self.missed.drain(before..) {
            self.open[depth * words + edge as usize / 64] |= 1 << (edge % 64);
        }
    }

    /// Goes on from a node whose open edges all have candidates; `choice` is one of them.
    fn branch(
        &mut self,
        choice: Option<usize>,
        candidates: Mask<W>,
        missed: u32,
        product: u64,
        stop: &dyn Fn() -> bool,
        out: &mut impl CollectShared<W>,
    ) {
        let words = self.graph.words;
        let depth = self.base.len();
        let width = (self.most + 1) * words;
        let Some(edge) = choice else {
            // All edges are met or given up. Minimal: without any class, too many are not met.
            let criticals = &self.critical[depth * width..][..depth * words];
            let minimal = criticals.chunks_exact(words).all(|edges| {
                let weight: u64 = edges
                    .iter()
                    .enumerate()
                    .flat_map(|(word, &bits)| Ones(bits).map(move |bit| word * 64 + bit))
                    .map(|edge| u64::from(self.weights[edge]))
                    .sum();
                weight + u64::from(missed) > u64::from(self.slack)
            });
            if minimal && depth > 0 {
                self.sharing.clear();
                self.sharing.extend(self.missed.iter().map(|&edge| self.others[edge as usize]));
                out.found(&self.graph, &self.base, product, &self.sharing);
            }
            return;
        };
        let classes = self.graph.edges[edge];
        let rest = candidates.without(classes);
        let price = self.weights[edge].saturating_add(missed);
        if price <= self.slack {
            let (word, bit) = (depth * words + edge / 64, 1u64 << (edge % 64));
            self.open[word] &= !bit;
            self.missed.push(narrow(edge));
            self.visit(rest, price, product, stop, out);
            self.missed.pop();
            self.open[word] |= bit;
        }
        if depth == self.most {
            return;
        }
        let mut done = Mask::EMPTY;
        for class in (classes & candidates).iter() {
            let met = self.graph.met(class, words);
            let criticals = &self.critical[depth * width..][..depth * words];
            if !criticals.chunks_exact(words).all(|edges| leaves_some(edges, met)) {
                continue;
            }
            for (word, &met) in met.iter().enumerate() {
                let open = self.open[depth * words + word];
                self.open[(depth + 1) * words + word] = open & !met;
                self.critical[(depth + 1) * width + depth * words + word] = open & met;
            }
            for at in 0..depth * words {
                self.critical[(depth + 1) * width + at] =
                    self.critical[depth * width + at] & !met[at % words];
            }
            self.base.push(small(class));
            let product = product.saturating_mul(self.graph.sizes[class]);
            self.visit(rest | done, missed, product, stop, out);
            self.base.pop();
            done.insert(class);
        }
    }
}

/// The number of an edge: there are no more than rows.
fn narrow(edge: usize) -> u32 {
    u32::try_from(edge).expect("no more edges than rows")
}
