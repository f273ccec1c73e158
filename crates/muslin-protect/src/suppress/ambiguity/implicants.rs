//! What singles a row out, and what takes it away.
//!
//! The *edges* of a row are the sets of columns in which it differs from others. A set of its
//! columns that misses the edges of at most `slack` rows is held by few rows: by at most
//! `slack` besides those that the row cannot be told apart from anyway. The minimal such sets are
//! the minimal k-uniques of the row; for a slack of zero, where no edge is missed, they are what
//! VO01 calls the prime implicants. Whoever suppresses a cell of each takes the row out of all
//! of them, so that more rows than these match it.

use muslin_assess::Weights;
use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet};

use super::ties::{Ties, pays_more};
use crate::Result;

/// Nodes between two looks at the clock.
const NODES_PER_LOOK: u64 = 1 << 10;

/// The minimal sets of columns that miss edges of at most `slack` rows altogether. An edge comes
/// with the number of its rows.
pub(super) fn implicants(
    edges: Vec<(ColumnSet, u64)>,
    slack: u64,
    run: &Run,
) -> Result<Vec<ColumnSet>> {
    let edges = needed(edges, slack);
    let all = edges.iter().fold(ColumnSet::new(), |all, (edge, _)| all.union(edge));
    let columns: Vec<ColumnId> = all.iter().collect();
    let place = |column| columns.binary_search(&column).expect("all has every column");
    let mut edges_of = vec![Vec::new(); columns.len()];
    for (at, (edge, _)) in edges.iter().enumerate() {
        edge.iter().for_each(|column| edges_of[place(column)].push(at));
    }
    let mut search = Search {
        edges: edges.iter().map(|(edge, _)| edge.iter().map(place).collect()).collect(),
        rows: edges.iter().map(|&(_, rows)| rows).collect(),
        edges_of,
        slack,
        missed: 0,
        taken: Vec::new(),
        critical: vec![0; columns.len()],
        banned: vec![false; columns.len()],
        hits: vec![0; edges.len()],
        sole: vec![0; edges.len()],
        given_up: vec![false; edges.len()],
        nodes: 0,
        found: Vec::new(),
        run,
    };
    search.visit()?;
    let set = |places: Vec<usize>| places.into_iter().map(|place| columns[place]).collect();
    Ok(search.found.into_iter().map(set).collect())
}

/// The edges that decide: one that contains edges of more than `slack` rows is never missed by
/// a set that misses few, so it says nothing.
fn needed(mut edges: Vec<(ColumnSet, u64)>, slack: u64) -> Vec<(ColumnSet, u64)> {
    edges.sort();
    let mut kept: Vec<(ColumnSet, u64)> = Vec::new();
    for (edge, rows) in edges {
        let within = kept.iter().filter(|(other, _)| other.is_subset(&edge));
        if within.map(|(_, rows)| rows).sum::<u64>() <= slack {
            kept.push((edge, rows));
        }
    }
    kept
}

/// Decides edge by edge: which of its columns is the first that is taken, or that it is missed.
/// Every set is on one path only, and a minimal one is the whole of what its path takes.
struct Search<'a> {
    edges: Vec<Vec<usize>>,
    rows: Vec<u64>,
    edges_of: Vec<Vec<usize>>,
    slack: u64,
    /// Rows of the edges that were given up.
    missed: u64,
    taken: Vec<usize>,
    /// By column taken: the rows of edges in which it is the only one.
    critical: Vec<u64>,
    banned: Vec<bool>,
    /// By edge: columns taken, and these folded, so that one alone is itself.
    hits: Vec<u32>,
    sole: Vec<usize>,
    given_up: Vec<bool>,
    nodes: u64,
    found: Vec<Vec<usize>>,
    run: &'a Run,
}

impl Search<'_> {
    fn visit(&mut self) -> Result<()> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_LOOK) {
            self.run.check()?;
            self.run
                .check_memory(self.found.len() as u64 * (24 + 8 * self.edges_of.len() as u64))?;
        }
        let open = (0..self.edges.len()).filter(|&at| self.hits[at] == 0 && !self.given_up[at]);
        let choices = |at: usize| self.edges[at].iter().filter(|&&c| !self.banned[c]).count();
        let Some(edge) = open.min_by_key(|&at| choices(at)) else {
            let is_needed = |&column: &usize| self.missed + self.critical[column] > self.slack;
            if self.taken.iter().all(is_needed) {
                self.found.push(self.taken.clone());
            }
            return Ok(());
        };
        let mut columns = self.edges[edge].clone();
        columns.retain(|&column| !self.banned[column]);
        for &column in &columns {
            self.take(column);
            // A column that no edge needs now is needed by none later.
            if self.taken.iter().all(|&column| self.critical[column] > 0) {
                self.visit()?;
            }
            self.put_back(column);
            self.banned[column] = true;
        }
        if self.missed + self.rows[edge] <= self.slack {
            self.missed += self.rows[edge];
            self.given_up[edge] = true;
            self.visit()?;
            self.given_up[edge] = false;
            self.missed -= self.rows[edge];
        }
        columns.iter().for_each(|&column| self.banned[column] = false);
        Ok(())
    }

    fn take(&mut self, column: usize) {
        self.taken.push(column);
        for &edge in &self.edges_of[column] {
            match self.hits[edge] {
                0 => self.critical[column] += self.rows[edge],
                1 => self.critical[self.sole[edge]] -= self.rows[edge],
                _ => {}
            }
            self.hits[edge] += 1;
            self.sole[edge] ^= column;
        }
    }

    fn put_back(&mut self, column: usize) {
        self.taken.pop();
        for &edge in &self.edges_of[column] {
            self.hits[edge] -= 1;
            self.sole[edge] ^= column;
            match self.hits[edge] {
                0 => self.critical[column] -= self.rows[edge],
                1 => self.critical[self.sole[edge]] += self.rows[edge],
                _ => {}
            }
        }
    }
}

/// Columns that meet every set: each time the one in most sets that are not met yet, for its cost.
pub(super) fn hitting_set(mut sets: Vec<ColumnSet>, weights: &Weights, ties: Ties) -> ColumnSet {
    let all = sets.iter().fold(ColumnSet::new(), |all, set| all.union(set));
    let columns: Vec<ColumnId> = all.iter().collect();
    let mut chosen = ColumnSet::new();
    while !sets.is_empty() {
        let bid = |column| {
            let met = sets.iter().filter(|set| set.contains(column)).count() as u64;
            (met, weights.of(column).millionths())
        };
        let each = ties.places(columns.len()).map(|place| (bid(columns[place]), columns[place]));
        let best = each
            .filter(|&((met, _), _)| met > 0)
            .reduce(|best, next| if pays_more(next.0, best.0) { next } else { best });
        let (_, column) = best.expect("no set is empty");
        chosen.insert(column);
        sets.retain(|set| !set.contains(column));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(columns: u32) -> ColumnSet {
        (0..7).filter(|c| columns >> c & 1 == 1).map(ColumnId::new).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

        #[test]
        fn implicants_are_the_minimal_sets_that_miss_few(
            edges in prop::collection::btree_map(1u32..128, 1u64..3, 0..12),
            slack in 0u64..4,
        ) {
            let missed = |of: u32| {
                edges.iter().filter(|(edge, _)| *edge & of == 0).map(|(_, rows)| rows).sum::<u64>()
            };
            let is_minimal = |&of: &u32| {
                let mut smaller = (0..7).filter(|c| of >> c & 1 == 1).map(|c| of & !(1 << c));
                missed(of) <= slack && smaller.all(|less| missed(less) > slack)
            };
            let mut expected: Vec<ColumnSet> = (0..128).filter(is_minimal).map(set).collect();
            let edges = edges.iter().map(|(&edge, &rows)| (set(edge), rows)).collect();
            let mut found = implicants(edges, slack, &Run::new()).unwrap();
            expected.sort();
            found.sort();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_hitting_set_minds_ties_and_costs() {
        let sets = || vec![set(0b011), set(0b110), set(0b101)];
        let mut weights = Weights::new();
        assert_eq!(hitting_set(sets(), &weights, Ties::Smallest), set(0b011));
        assert_eq!(hitting_set(sets(), &weights, Ties::Largest), set(0b110));
        weights.set(ColumnId::new(1), muslin_assess::Weight::of_millionths(1));
        assert_eq!(hitting_set(sets(), &weights, Ties::Largest), set(0b110));
        assert_eq!(hitting_set(sets(), &weights, Ties::Smallest), set(0b011));
    }
}
