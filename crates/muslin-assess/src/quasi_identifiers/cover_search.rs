//! Branch and bound over what the reductions of a [`Cover`](super::Cover) leave.

use muslin_engine::{Run, Stop};
use muslin_table::{ColumnId, ColumnSet};

use super::bits::Bits;

/// Edges over columns that are numbered anew.
#[derive(Debug, Default)]
pub(super) struct Instance {
    /// The table's columns behind the numbers.
    pub(super) ids: Vec<ColumnId>,
    pub(super) weights: Vec<u64>,
    /// Columns of each edge.
    pub(super) edges: Vec<Bits>,
    /// Edges of each column.
    pub(super) hits: Vec<Bits>,
    /// Columns that a cheapest set has; no edge here is hit by them.
    pub(super) forced: ColumnSet,
    pub(super) forced_weight: u64,
}

/// One search for a set that weighs less than some bound.
pub(super) struct Search<'a> {
    instance: &'a Instance,
    run: &'a Run,
    /// Every weight is a multiple of it.
    unit: u64,
    /// Prices are in parts of a weight: this many to a millionth.
    scale: u64,
    /// A set of this weight cannot be beaten.
    least: u64,
    /// Only sets below it are wanted.
    most: u64,
    root_bound: u64,
    nodes: u64,
    found: Option<ColumnSet>,
    stop: Option<Stop>,
}

/// Edges still to hit, and columns that may be used to.
#[derive(Clone)]
struct Node {
    open: Bits,
    free: Bits,
    weight: u64,
    taken: Vec<usize>,
}

/// Nodes between two looks at the clock.
const NODES_PER_LOOK: u64 = 64;

impl<'a> Search<'a> {
    /// Looks for a set that weighs less than `most`; one of `least` is the best there can be.
    pub(super) fn new(instance: &'a Instance, least: u64, most: u64, run: &'a Run) -> Self {
        let sum: u64 = instance.weights.iter().sum();
        let scale = ((1 << 62) / sum.max(1)).clamp(1, 1 << 16);
        let weights = instance.weights.iter().copied().chain([instance.forced_weight]);
        let unit = weights.fold(0, gcd).max(1);
        let (nodes, found, stop) = (0, None, None);
        let root_bound = 0;
        Self { instance, run, unit, scale, least, most, root_bound, nodes, found, stop }
    }

    pub(super) fn run(&mut self) {
        let root = Node {
            open: Bits::all(self.instance.edges.len()),
            free: Bits::all(self.instance.ids.len()),
            weight: self.instance.forced_weight,
            taken: Vec::new(),
        };
        self.visit(root);
    }

    /// The cheapest set found.
    pub(super) fn found(&self) -> Option<ColumnSet> {
        self.found.clone()
    }

    /// What every hitting set weighs at least, as was known at the root.
    pub(super) fn root_bound(&self) -> u64 {
        self.root_bound
    }

    pub(super) fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Whether there is nothing more to look for.
    fn is_over(&self) -> bool {
        self.stop.is_some() || self.most <= self.least
    }

    fn visit(&mut self, mut node: Node) {
        if self.nodes.is_multiple_of(NODES_PER_LOOK) {
            self.stop = self.stop.or(self.run.stop());
        }
        self.nodes += 1;
        let is_root = self.nodes == 1;
        let unused = loop {
            if self.is_over() && !is_root {
                return;
            }
            if !self.take_single_columns(&mut node) || node.weight >= self.most {
                return;
            }
            if node.open.is_empty() {
                self.keep(&node);
                return;
            }
            let (bound, unused) = self.bound(&node);
            if is_root {
                self.root_bound = self.root_bound.max(self.whole(node.weight, bound));
            }
            if self.is_over() || self.whole(node.weight, bound) >= self.most {
                return;
            }
            // In a better set a column's unused weight comes on top of the bound.
            let (weight, most) = (node.weight, self.most);
            let too_dear = |column: usize| self.whole(weight, bound + unused[column]) >= most;
            let dear = Bits::of(self.instance.ids.len(), node.free.iter().filter(|&c| too_dear(c)));
            node.free.remove_all(&dear);
            let is_changed = node.open.iter().any(|edge| self.instance.edges[edge].meets(&dear));
            if !is_changed {
                break unused;
            }
        };
        for column in self.branches(&node, &unused) {
            node.free.remove(column);
            let mut child = node.clone();
            self.take(&mut child, column);
            self.visit(child);
            if self.is_over() {
                return;
            }
        }
    }

    /// The columns of the smallest open edge: one of them is in every hitting set. First come
    /// those that the bound uses up and that hit most.
    fn branches(&self, node: &Node, unused: &[u64]) -> Vec<usize> {
        let edges = &self.instance.edges;
        let smallest = node.open.iter().min_by_key(|&edge| edges[edge].shared(&node.free));
        let Some(smallest) = smallest else { return Vec::new() };
        let mut columns: Vec<usize> = edges[smallest].iter_shared(&node.free).collect();
        let hits = |column: usize| self.instance.hits[column].shared(&node.open);
        columns.sort_by_key(|&c| (unused[c] > 0, std::cmp::Reverse(hits(c)), unused[c], c));
        columns
    }

    fn take(&self, node: &mut Node, column: usize) {
        node.weight += self.instance.weights[column];
        node.taken.push(column);
        node.free.remove(column);
        node.open.remove_all(&self.instance.hits[column]);
    }

    /// Takes the columns of open edges that have only one left. False when an edge has none.
    fn take_single_columns(&self, node: &mut Node) -> bool {
        loop {
            let mut single = None;
            for edge in node.open.iter() {
                let mut columns = self.instance.edges[edge].iter_shared(&node.free);
                match (columns.next(), columns.next()) {
                    (None, _) => return false,
                    (Some(only), None) => {
                        single = Some(only);
                        break;
                    }
                    _ => {}
                }
            }
            match single {
                Some(column) => self.take(node, column),
                None => return true,
            }
        }
    }

    fn keep(&mut self, node: &Node) {
        self.most = node.weight;
        let taken = node.taken.iter().map(|&column| self.instance.ids[column]);
        self.found = Some(self.instance.forced.union(&taken.collect()));
    }

    /// `weight` and a bound in parts, rounded up to what a set can weigh.
    fn whole(&self, weight: u64, bound: u64) -> u64 {
        (weight + bound.div_ceil(self.scale)).next_multiple_of(self.unit)
    }

    /// A lower bound, in parts, of what hitting the open edges still takes, and the part of each
    /// column's weight that it leaves unused: the better of two ways of pricing.
    fn bound(&self, node: &Node) -> (u64, Vec<u64>) {
        let mut edges: Vec<(usize, usize)> = node
            .open
            .iter()
            .map(|edge| (self.instance.edges[edge].shared(&node.free), edge))
            .collect();
        edges.sort_unstable();
        let whole: Vec<u64> = self.instance.weights.iter().map(|w| w * self.scale).collect();

        // One edge after the other takes all that its columns have left.
        let packed = self.raise(node, &edges, 0, whole.clone());
        // Every edge first gets the share that each of its columns can give to all of its edges.
        let mut left = whole.clone();
        let share: Vec<u64> = (0..whole.len())
            .map(|c| whole[c] / (self.instance.hits[c].shared(&node.open) as u64).max(1))
            .collect();
        let mut shared = 0;
        for &(_, edge) in &edges {
            let columns = || self.instance.edges[edge].iter_shared(&node.free);
            let price = columns().map(|c| share[c]).min().unwrap_or(0);
            columns().for_each(|c| left[c] -= price);
            shared += price;
        }
        let shared = self.raise(node, &edges, shared, left);
        if shared.0 > packed.0 { shared } else { packed }
    }

    /// Raises the price of each edge as far as its columns allow.
    fn raise(
        &self,
        node: &Node,
        edges: &[(usize, usize)],
        mut bound: u64,
        mut left: Vec<u64>,
    ) -> (u64, Vec<u64>) {
        for &(_, edge) in edges {
            let columns = || self.instance.edges[edge].iter_shared(&node.free);
            let price = columns().map(|c| left[c]).min().unwrap_or(0);
            if price > 0 {
                columns().for_each(|c| left[c] -= price);
                bound += price;
            }
        }
        (bound, left)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
