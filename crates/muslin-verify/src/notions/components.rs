use muslin_engine::Run;

use crate::Result;

/// Not met yet, or in no component yet.
const NONE: u32 = u32::MAX;

/// The strongly connected component of each node, after Tarjan (1972), without recursion.
///
/// `successor` gives the nth node that a node points at; there are fewer than 2^32 nodes.
pub(super) fn components(
    nodes: usize,
    successor: impl Fn(usize, usize) -> Option<usize>,
    run: &Run,
) -> Result<Vec<u32>> {
    // When a node was met, and the earliest met node that it is known to reach.
    let (mut met, mut low) = (vec![NONE; nodes], vec![NONE; nodes]);
    let mut component = vec![NONE; nodes];
    let (mut time, mut found) = (0, 0);
    // Nodes that are in no component yet, as they were met; and the path to the current node.
    let (mut open, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    for root in 0..nodes {
        if met[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((node, nth)) = path.last_mut() {
            let node = *node;
            if met[node] == NONE {
                (met[node], low[node]) = (time, time);
                time += 1;
                open.push(node);
                if time % 65_536 == 0 {
                    run.check()?;
                }
            }
            match successor(node, *nth) {
                Some(to) => {
                    *nth += 1;
                    if met[to] == NONE {
                        path.push((to, 0));
                    } else if component[to] == NONE {
                        low[node] = low[node].min(met[to]);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(before, _)) = path.last() {
                        low[before] = low[before].min(low[node]);
                    }
                    if low[node] == met[node] {
                        let first = open.iter().rposition(|&other| other == node);
                        let first = first.expect("a node is open until its component is found");
                        open.drain(first..).for_each(|other| component[other] = found);
                        found += 1;
                    }
                }
            }
        }
    }
    Ok(component)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nodes_of_a_component_reach_each_other(
            links in prop::collection::vec(prop::collection::vec(0usize..9, 0..4), 9)
        ) {
            let found =
                components(9, |from, nth| links[from].get(nth).copied(), &Run::new()).unwrap();
            let mut reach = [[false; 9]; 9];
            for from in 0..9 {
                reach[from][from] = true;
                links[from].iter().for_each(|&to| reach[from][to] = true);
            }
            for via in 0..9 {
                for from in 0..9 {
                    for to in 0..9 {
                        reach[from][to] |= reach[from][via] && reach[via][to];
                    }
                }
            }
            for a in 0..9 {
                for b in 0..9 {
                    prop_assert_eq!(found[a] == found[b], reach[a][b] && reach[b][a]);
                }
            }
        }
    }
}
