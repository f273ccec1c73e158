//! Rows that cannot be told apart, where a suppressed cell matches anything.
//!
//! ```text
//! b[i,c]   the cell of row i and column c is suppressed
//! y[i,j]   rows i and j are alike: b[i,c] or b[j,c] wherever they differ
//! for all rows i: the sum of y[i,j] over partners j is what the row lacks, or more
//! ```

use muslin_engine::Run;

use super::{Best, Compare, MOST, Method, Minimum, Program, Variable, step_of, too_large};
use crate::Result;

/// A cell, as row and place of its column.
type Place = (usize, usize);

/// What is asked of the rows.
pub(in crate::suppress) struct Alike<'a> {
    pub(in crate::suppress) rows: usize,
    /// What a cell of each column costs.
    pub(in crate::suppress) costs: &'a [u64],
    /// Partners that a row has to be alike with.
    pub(in crate::suppress) partners: u64,
    pub(in crate::suppress) is_partner: &'a dyn Fn(usize, usize) -> bool,
    /// The places where two rows can be told apart as they are.
    pub(in crate::suppress) differences: &'a dyn Fn(usize, usize) -> Vec<usize>,
}

/// The cheapest cells that give every row its partners, from cells that do.
pub(in crate::suppress) fn make_alike(
    asked: &Alike<'_>,
    start: &[Place],
    run: &Run,
) -> Result<Best<Vec<Place>>> {
    let width = asked.costs.len();
    if asked.rows.saturating_mul(width) > MOST {
        return Err(too_large());
    }
    let step = step_of(asked.costs.iter().copied());
    let mut model = Model {
        asked,
        program: Program::new(),
        cells: Vec::new(),
        starts: vec![0; asked.rows * width],
    };
    for at in 0..asked.rows * width {
        model.cells.push(model.program.variable(asked.costs[at % width] / step));
    }
    start.iter().for_each(|&(row, place)| model.starts[row * width + place] = 1);
    model.pairs(start.iter().map(|&(_, place)| asked.costs[place]).sum())?;
    let Model { program, cells, starts, .. } = model;
    let Minimum { values, cost, lower_bound } = program.minimise(Method::Clauses, starts, run)?;
    let chosen = (0..cells.len()).filter(|&at| values[cells[at].index()] == 1);
    Ok(Best {
        answer: chosen.map(|at| (at / width, at % width)).collect(),
        bound: lower_bound.saturating_mul(step),
        is_optimal: lower_bound == cost,
    })
}

struct Model<'a> {
    asked: &'a Alike<'a>,
    program: Program,
    /// Row by row.
    cells: Vec<Variable>,
    /// The values to start from.
    starts: Vec<u32>,
}

impl Model<'_> {
    /// Adds pairs of rows, and what each row lacks. Pairs that alone cost more than what the start
    /// does are left out: no cheaper choice makes them alike.
    fn pairs(&mut self, most: u64) -> Result<()> {
        let Alike { rows, partners, is_partner, differences, costs } = *self.asked;
        let width = costs.len();
        let lack = |i: usize| {
            let alike = (0..rows).filter(|&j| is_partner(i, j) && differences(i, j).is_empty());
            partners.saturating_sub(alike.count() as u64)
        };
        let lacks: Vec<u64> = (0..rows).map(lack).collect();
        let mut found: Vec<Vec<Variable>> = vec![Vec::new(); rows];
        for i in 0..rows {
            for j in i + 1..rows {
                let differing = differences(i, j);
                let cost = differing.iter().fold(0u64, |sum, &at| sum.saturating_add(costs[at]));
                let is_idle = lacks[i] == 0 && lacks[j] == 0;
                if is_idle || differing.is_empty() || cost > most || !is_partner(i, j) {
                    continue;
                }
                let pair = self.program.variable(0);
                let mut is_alike = true;
                for at in differing {
                    let (a, b) = (self.cells[i * width + at], self.cells[j * width + at]);
                    is_alike &= self.starts[a.index()] + self.starts[b.index()] > 0;
                    self.program.constrain([(a, 1), (b, 1), (pair, -1)], Compare::AtLeast, 0);
                }
                self.starts.push(u32::from(is_alike));
                found[i].push(pair);
                found[j].push(pair);
            }
            self.program.check_size()?;
        }
        for (pairs, lacks) in found.into_iter().zip(lacks).filter(|&(_, lacks)| lacks > 0) {
            let lacks = i64::try_from(lacks).map_err(|_| too_large())?;
            let terms = pairs.into_iter().map(|pair| (pair, 1));
            self.program.constrain(terms, Compare::AtLeast, lacks);
        }
        Ok(())
    }
}
