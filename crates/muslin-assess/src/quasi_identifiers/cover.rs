//! Cheapest sets of columns that have a column of each of some sets: minimum-weight hitting sets.
//!
//! Those sets are called *edges*. Cheapest quasi-identifiers and heaviest masks are both found by
//! collecting edges until the cheapest set that hits them is what was looked for ([`hit`]).
//!
//! # Method
//! Edges that contain another one are dropped, edges of one column decide it, a column is dropped
//! when another that weighs no more hits all of its edges. What is left is branched on, the
//! smallest edge first, and bounded from below by a dual solution: every edge is given a price, no
//! column's edges are priced higher than the column weighs, so the prices add up to no more than
//! any hitting set weighs. A column whose unused weight closes the gap to the best set known can
//! be in no better one.
//!
//! [`hit`]: super::hit()

use muslin_engine::{Run, Stop};
use muslin_table::{ColumnId, ColumnSet};

use super::bits::Bits;
use super::cover_search::{Instance, Search};
use super::{Weight, Weights};

/// Collects edges and finds the cheapest column set that has a column of each.
///
/// # Guarantee
/// A set that [`Cover::solve`] returns hits every edge. When nothing stopped it, no set that hits
/// every edge weighs less; which one of the cheapest it is depends on the edges, their order and
/// the weights alone. No column of it can be left out.
///
/// # Cost
/// Exponential in the number of columns in the worst case. The last answer is where the next
/// search begins: as long as edges can be hit for the same weight there is little to do.
///
/// # Example
/// ```
/// use muslin_assess::{Cover, Weights};
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, ColumnSet};
/// let set = |columns: &[usize]| -> ColumnSet { columns.iter().copied().map(ColumnId::new).collect() };
/// let mut cover = Cover::new(&Weights::new(), 4);
/// for edge in [[0, 1], [1, 2], [1, 3], [0, 3]] {
///     cover.add(set(&edge));
/// }
/// let solved = cover.solve(None, &Run::new());
/// assert_eq!(solved.lower_bound.to_string(), "2");
/// assert!(solved.set == Some(set(&[0, 1])) || solved.set == Some(set(&[1, 3])));
/// ```
#[derive(Clone, Debug)]
pub struct Cover {
    weights: Vec<u64>,
    edges: Vec<ColumnSet>,
    /// What every hitting set weighs at least. Edges are only added, so it never falls.
    lower: u64,
    /// The last solution, where a new one starts from.
    last: ColumnSet,
    is_hopeless: bool,
}

/// What is known of the cheapest hitting set.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The cheapest set, or the cheapest known when the run was stopped. None where no set is
    /// cheaper than the bound that was given, or an edge is empty.
    pub set: Option<ColumnSet>,
    /// What every hitting set weighs at least.
    pub lower_bound: Weight,
    /// Why the search did not come to its end, if it did not.
    pub stop: Option<Stop>,
}

impl Cover {
    /// No edges yet, over the first `columns` columns.
    pub fn new(weights: &Weights, columns: usize) -> Self {
        let weights = (0..columns).map(|c| weights.of(ColumnId::new(c)).millionths()).collect();
        Self { weights, edges: Vec::new(), lower: 0, last: ColumnSet::new(), is_hopeless: false }
    }

    /// Asks for a column of `edge` too. False when it follows from the edges there are.
    ///
    /// # Panics
    /// When the edge has a column beyond those of the cover.
    pub fn add(&mut self, edge: ColumnSet) -> bool {
        assert!(edge.iter().all(|column| column.index() < self.weights.len()), "a known column");
        if self.edges.iter().any(|known| known.is_subset(&edge)) {
            return false;
        }
        self.is_hopeless |= edge.is_empty();
        self.edges.retain(|known| !edge.is_subset(known));
        self.edges.push(edge);
        true
    }

    /// The edges, without those that follow from others.
    pub fn edges(&self) -> &[ColumnSet] {
        &self.edges
    }

    /// What every hitting set weighs at least, as far as is known.
    pub fn lower_bound(&self) -> Weight {
        Weight::of_millionths(self.lower)
    }

    /// A hitting set of little weight, quickly; none where an edge is empty. No column of it can
    /// be left out.
    pub fn quick(&self) -> Option<ColumnSet> {
        (!self.is_hopeless).then(|| {
            let fresh = self.extended(ColumnSet::new());
            let next = self.extended(self.last.clone());
            if self.weigh(&next) < self.weigh(&fresh) { next } else { fresh }
        })
    }

    /// The cheapest hitting set; with an upper bound, only if it weighs less.
    pub fn solve(&mut self, upper: Option<Weight>, run: &Run) -> Solved {
        let upper = upper.map(Weight::millionths);
        let Some(quick) = self.quick() else {
            let lower_bound = Weight::of_millionths(u64::MAX);
            return Solved { set: None, lower_bound, stop: None };
        };
        let weight = self.weigh(&quick);
        let mut best = Some(quick).filter(|_| upper.is_none_or(|upper| weight < upper));
        let most = upper.map_or(weight, |upper| upper.min(weight));
        let mut stop = None;
        if most > self.lower {
            let instance = Instance::reduced(&self.edges, &self.weights);
            let mut search = Search::new(&instance, self.lower, most, run);
            search.run();
            stop = search.stop();
            if let Some(found) = search.found() {
                best = Some(self.pruned(found));
            }
            self.lower = self.lower.max(match (stop, &best) {
                (Some(_), _) => search.root_bound().min(most),
                (None, Some(set)) => self.weigh(set),
                (None, None) => most,
            });
        }
        if let Some(set) = &best {
            self.last = set.clone();
        }
        Solved { set: best, lower_bound: Weight::of_millionths(self.lower), stop }
    }

    fn weigh(&self, set: &ColumnSet) -> u64 {
        set.iter().map(|column| self.weights[column.index()]).sum()
    }

    /// Adds columns until every edge is hit, each time the one that hits most edges for its
    /// weight, the smallest of several; then leaves out what is not needed.
    fn extended(&self, mut set: ColumnSet) -> ColumnSet {
        let mut open: Vec<&ColumnSet> =
            self.edges.iter().filter(|edge| edge.is_disjoint(&set)).collect();
        let mut hits = vec![0u64; self.weights.len()];
        open.iter().flat_map(|edge| edge.iter()).for_each(|column| hits[column.index()] += 1);
        while !open.is_empty() {
            let better = |a: usize, b: usize| {
                let (left, right) = (
                    u128::from(hits[a]) * u128::from(self.weights[b]),
                    u128::from(hits[b]) * u128::from(self.weights[a]),
                );
                left > right || (left == right && hits[a] > hits[b])
            };
            let best = (0..hits.len())
                .filter(|&column| hits[column] > 0)
                .reduce(|best, column| if better(column, best) { column } else { best });
            let best = ColumnId::new(best.expect("an open edge has a column"));
            set.insert(best);
            open.retain(|edge| {
                let is_hit = edge.contains(best);
                if is_hit {
                    edge.iter().for_each(|column| hits[column.index()] -= 1);
                }
                !is_hit
            });
        }
        self.pruned(set)
    }

    /// Leaves out columns that are not needed, the heaviest first, the largest of several.
    fn pruned(&self, mut set: ColumnSet) -> ColumnSet {
        let mut hits: Vec<usize> =
            self.edges.iter().map(|edge| edge.intersection(&set).len()).collect();
        let mut columns: Vec<ColumnId> = set.iter().collect();
        columns.sort_by_key(|&column| std::cmp::Reverse((self.weights[column.index()], column)));
        for column in columns {
            let with = || self.edges.iter().enumerate().filter(|(_, edge)| edge.contains(column));
            if with().all(|(edge, _)| hits[edge] > 1) {
                with().for_each(|(edge, _)| hits[edge] -= 1);
                set.remove(column);
            }
        }
        set
    }
}

impl Instance {
    /// What is left of the problem when columns and edges that decide nothing are gone.
    fn reduced(edges: &[ColumnSet], weights: &[u64]) -> Self {
        let used = edges.iter().fold(ColumnSet::new(), |all, edge| all.union(edge));
        let ids: Vec<ColumnId> = used.iter().collect();
        let place = |column: ColumnId| {
            ids.binary_search(&column).expect("a column of an edge is one of those used")
        };
        let weights: Vec<u64> = ids.iter().map(|column| weights[column.index()]).collect();
        let mut instance = Self { ids: ids.clone(), weights, ..Self::default() };
        instance.edges =
            edges.iter().map(|edge| Bits::of(ids.len(), edge.iter().map(place))).collect();
        while instance.force() | instance.drop_columns() | instance.drop_edges() {}
        instance.fill_hits();
        instance
    }

    /// The edges of each column.
    fn fill_hits(&mut self) {
        let (columns, edges) = (self.ids.len(), self.edges.len());
        self.hits = vec![Bits::none(edges); columns];
        for (at, edge) in self.edges.iter().enumerate() {
            edge.iter().for_each(|column| self.hits[column].insert(at));
        }
    }

    /// Takes the columns of edges that have one column, and all that weigh nothing.
    fn force(&mut self) -> bool {
        let mut taken = Bits::none(self.ids.len());
        for edge in &self.edges {
            let mut columns = edge.iter();
            if let (Some(only), None) = (columns.next(), columns.next()) {
                taken.insert(only);
            }
            edge.iter().filter(|&c| self.weights[c] == 0).for_each(|c| taken.insert(c));
        }
        for column in taken.iter() {
            self.forced.insert(self.ids[column]);
            self.forced_weight += self.weights[column];
        }
        self.edges.retain(|edge| !edge.meets(&taken));
        !taken.is_empty()
    }

    /// Drops columns whose edges are all hit by another that weighs no more.
    fn drop_columns(&mut self) -> bool {
        self.fill_hits();
        let mut dropped = Bits::none(self.ids.len());
        for a in 0..self.ids.len() {
            if self.hits[a].is_empty() {
                continue;
            }
            let is_worse = |b: usize| {
                let (mine, other) = (&self.hits[a], &self.hits[b]);
                b != a
                    && !dropped.contains(b)
                    && self.weights[b] <= self.weights[a]
                    && mine.is_subset(other)
                    && (b < a || self.weights[b] < self.weights[a] || mine != other)
            };
            // A column that dominates this one shares each of its edges.
            let edge = self.hits[a].iter().next().expect("it hits an edge");
            if self.edges[edge].iter().any(is_worse) {
                dropped.insert(a);
            }
        }
        self.edges.iter_mut().for_each(|edge| edge.remove_all(&dropped));
        !dropped.is_empty()
    }

    /// Drops edges that contain another.
    fn drop_edges(&mut self) -> bool {
        let before = self.edges.len();
        let mut edges = std::mem::take(&mut self.edges);
        edges.sort_by_key(Bits::len);
        for edge in edges {
            if !self.edges.iter().any(|kept| kept.is_subset(&edge)) {
                self.edges.push(edge);
            }
        }
        self.edges.len() < before
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(mask: u32) -> ColumnSet {
        (0..32).filter(|c| mask >> c & 1 == 1).map(ColumnId::new).collect()
    }

    /// The least weight of a set that hits every edge, by trying all.
    fn brute_force(edges: &[u32], weights: &[u64]) -> Option<u64> {
        let weigh =
            |mask: u32| (0..weights.len()).filter(|c| mask >> c & 1 == 1).map(|c| weights[c]).sum();
        let hits = |mask: &u32| edges.iter().all(|edge| edge & mask != 0);
        (0..1u32 << weights.len()).filter(hits).map(weigh).min()
    }

    fn weights_of(millionths: &[u64]) -> Weights {
        let mut weights = Weights::new();
        for (column, &weight) in millionths.iter().enumerate() {
            weights.set(ColumnId::new(column), Weight::of_millionths(weight));
        }
        weights
    }

    fn problems() -> impl Strategy<Value = (Vec<u64>, Vec<u32>)> {
        let weight = prop_oneof![Just(1_000_000u64), 0u64..5, 0u64..1_000_000_000_000_000];
        let weights = prop_oneof![
            (1usize..=10).prop_map(|columns| vec![1_000_000; columns]),
            prop::collection::vec(weight, 1..=10)
        ];
        weights.prop_flat_map(|weights| {
            let edge = prop::collection::vec(0..weights.len(), 1..6)
                .prop_map(|columns| columns.into_iter().fold(0, |mask, c| mask | 1 << c));
            (Just(weights), prop::collection::vec(edge, 0..30))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(3_000)))]

        #[test]
        fn solutions_weigh_what_brute_force_finds((weights, edges) in problems(), every in 1usize..4) {
            let mut cover = Cover::new(&weights_of(&weights), weights.len());
            for (at, &edge) in edges.iter().enumerate() {
                cover.add(set(edge));
                if at % every > 0 && at + 1 < edges.len() {
                    continue;
                }
                let known = &edges[..=at];
                let least = brute_force(known, &weights).expect("no edge is empty");
                let solved = cover.solve(None, &Run::new());
                let found = solved.set.expect("no edge is empty");
                prop_assert!(known.iter().all(|&edge| !set(edge).is_disjoint(&found)));
                prop_assert_eq!(cover.weigh(&found), least);
                prop_assert_eq!(solved.lower_bound.millionths(), least);
                prop_assert_eq!(solved.stop, None);
                prop_assert_eq!(&cover.pruned(found.clone()), &found);
                let quick = cover.quick().expect("no edge is empty");
                prop_assert!(known.iter().all(|&edge| !set(edge).is_disjoint(&quick)));
                // A bound that cannot be beaten leaves nothing to find; one above can.
                let bound = Weight::of_millionths(least);
                prop_assert_eq!(cover.clone().solve(Some(bound), &Run::new()).set, None);
                let mut fresh = Cover::new(&weights_of(&weights), weights.len());
                known.iter().for_each(|&edge| { fresh.add(set(edge)); });
                let above = fresh.solve(Some(Weight::of_millionths(least + 1)), &Run::new());
                prop_assert_eq!(fresh.weigh(&above.set.expect("one is cheaper")), least);
            }
        }
    }

    #[test]
    fn an_edge_without_columns_cannot_be_hit() {
        let mut cover = Cover::new(&Weights::new(), 3);
        assert!(cover.add(set(0b111)));
        assert!(cover.add(ColumnSet::new()));
        assert!(!cover.add(set(0b1)));
        assert_eq!(cover.solve(None, &Run::new()).set, None);
    }

    #[test]
    fn a_stopped_search_leaves_a_set_and_a_bound() {
        // Every three of 40 columns meet an edge that is the complement of few.
        let mut cover = Cover::new(&Weights::new(), 40);
        for start in 0..40usize {
            let columns = (0..13).map(|step| ColumnId::new((start + step * (start % 7 + 1)) % 40));
            cover.add(columns.collect());
        }
        let run = Run::new().time_limit(Some(std::time::Duration::ZERO));
        let stopped = cover.clone().solve(None, &run);
        let found = stopped.set.expect("the quick one");
        assert!(cover.edges().iter().all(|edge| !edge.is_disjoint(&found)));
        let full = cover.solve(None, &Run::new());
        assert!(stopped.lower_bound <= full.lower_bound && full.stop.is_none());
        assert!(stopped.stop.is_some() || stopped.lower_bound == full.lower_bound);
    }

    #[test]
    fn a_thousand_columns_are_no_trouble() {
        let mut cover = Cover::new(&Weights::new(), 1_024);
        for start in 0..512usize {
            cover.add([start, start + 1, 1_023 - start].map(ColumnId::new).into_iter().collect());
        }
        let solved = cover.solve(None, &Run::new());
        assert_eq!(solved.lower_bound.to_string(), "256");
    }
}
