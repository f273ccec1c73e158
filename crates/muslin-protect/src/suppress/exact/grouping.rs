//! Rows in groups of at least k.
//!
//! ```text
//! open[g]   group g has rows
//! x[i,g]    so many rows of kind i are in group g: none where it is closed
//! for all kinds i: the sum of x[i,g] is the rows of the kind
//! for all groups g: the sum of x[i,g] is k or more where it is open
//! ```
//!
//! Once it is known which groups are open, what is left is a flow from kinds to groups, so the
//! cheapest x are whole by themselves.

use muslin_engine::Run;

use super::{Best, Compare, Method, Minimum, Program, step_of, too_large};
use crate::Result;

/// Rows of a kind that are in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::suppress) struct Share {
    pub(in crate::suppress) group: usize,
    pub(in crate::suppress) kind: u32,
    pub(in crate::suppress) rows: u32,
}

/// What is asked of the groups.
pub(in crate::suppress) struct Grouping<'a> {
    /// Rows of each kind.
    pub(in crate::suppress) counts: &'a [u32],
    /// What a row costs in each group, and the kinds that fit it, rising.
    pub(in crate::suppress) groups: &'a [(u64, Vec<u32>)],
    pub(in crate::suppress) k: u32,
    /// Nodes of the search at most.
    pub(in crate::suppress) most_nodes: u64,
}

/// The cheapest way to put all rows into groups, from one in order.
pub(in crate::suppress) fn group(
    asked: &Grouping<'_>,
    start: &[Share],
    run: &Run,
) -> Result<Best<Vec<Share>>> {
    let step = step_of(asked.groups.iter().map(|&(cost, _)| cost));
    let (mut program, mut starts) = (Program::new(), Vec::new());
    let mut places = Vec::new();
    let mut of_kinds = vec![Vec::new(); asked.counts.len()];
    for (group, (cost, kinds)) in asked.groups.iter().enumerate() {
        let begin = start.partition_point(|share| share.group < group);
        let end = start.partition_point(|share| share.group <= group);
        let open = program.variable(0);
        starts.push(u32::from(begin < end));
        let mut size = vec![(open, -i64::from(asked.k))];
        for &kind in kinds {
            let count = asked.counts[kind as usize];
            let place = program.implied_variable(cost / step, count);
            let share = start[begin..end].iter().filter(|share| share.kind == kind);
            starts.push(share.map(|share| share.rows).sum());
            let terms = [(place, 1), (open, -i64::from(count))];
            program.constrain(terms, Compare::AtMost, 0);
            size.push((place, 1));
            of_kinds[kind as usize].push((place, 1));
            places.push((group, kind, place));
        }
        program.constrain(size, Compare::AtLeast, 0);
        program.check_size()?;
    }
    for (terms, &count) in of_kinds.into_iter().zip(asked.counts) {
        program.constrain(terms, Compare::Equal, i64::from(count));
    }
    if asked.counts.iter().any(|&count| i32::try_from(count).is_err()) {
        return Err(too_large());
    }
    let method = Method::Relaxation { most_nodes: asked.most_nodes };
    let Minimum { values, cost, lower_bound } = program.minimise(method, starts, run)?;
    let share = |&(group, kind, place): &(usize, u32, super::Variable)| -> Share {
        Share { group, kind, rows: values[place.index()] }
    };
    let shares = places.iter().map(share).filter(|share| share.rows > 0);
    Ok(Best {
        answer: shares.collect(),
        bound: lower_bound.saturating_mul(step),
        is_optimal: lower_bound == cost,
    })
}
