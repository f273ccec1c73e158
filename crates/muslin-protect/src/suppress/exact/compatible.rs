//! People and published rows that fit each other: (1,k), and (k,k).
//!
//! ```text
//! b[j,c]   the cell of row j and column c is suppressed
//! z[i,j]   a person of kind i fits row j: b[j,c] wherever they differ
//! for all kinds i: the rows that fit, its own among them, are k or more
//! for all rows j, by (k,k): the people that fit, its own kind among them, are k or more
//! ```

use muslin_engine::Run;

use super::{Best, Compare, MOST, Method, Minimum, Program, Variable, step_of, too_large};
use crate::Result;

/// What is asked of people and rows.
pub(in crate::suppress) struct Compatible<'a> {
    /// Rows of each kind.
    pub(in crate::suppress) counts: &'a [u32],
    /// The kind of each row.
    pub(in crate::suppress) kind_of: &'a [u32],
    /// What a cell of each column costs; none where it must stay.
    pub(in crate::suppress) costs: &'a [Option<u64>],
    pub(in crate::suppress) k: u32,
    /// Whether every row must fit k people, too.
    pub(in crate::suppress) is_both: bool,
    /// The columns, as bits, in which two kinds differ.
    pub(in crate::suppress) differing: &'a dyn Fn(u32, u32) -> u128,
}

/// The cheapest columns to blank in each row, from some that do.
pub(in crate::suppress) fn make_compatible(
    asked: &Compatible<'_>,
    start: &[u128],
    run: &Run,
) -> Result<Best<Vec<u128>>> {
    let (rows, width) = (asked.kind_of.len(), asked.costs.len());
    if rows.saturating_mul(width.max(asked.counts.len())) > MOST {
        return Err(too_large());
    }
    let step = step_of(asked.costs.iter().flatten().copied());
    let (mut program, mut starts) = (Program::new(), Vec::new());
    let mut cells: Vec<Vec<Option<Variable>>> = Vec::with_capacity(rows);
    for &blanked in start {
        let mut cell = |(column, cost): (usize, &Option<u64>)| {
            starts.push(u32::try_from(blanked >> column & 1).unwrap_or(0));
            // A column that must stay has a variable that no rule uses.
            let cell = program.variable(cost.unwrap_or(0) / step);
            cost.map(|_| cell)
        };
        cells.push(asked.costs.iter().enumerate().map(&mut cell).collect());
    }
    let lack = |kind: u32| i64::from(asked.k) - i64::from(asked.counts[kind as usize]);
    let mut rows_of: Vec<Vec<(Variable, i64)>> = vec![Vec::new(); asked.counts.len()];
    for (row, &own) in asked.kind_of.iter().enumerate() {
        let mut people = Vec::new();
        for (kind, &count) in (0u32..).zip(asked.counts).filter(|&(kind, _)| kind != own) {
            let is_idle = lack(kind) <= 0 && (!asked.is_both || lack(own) <= 0);
            let differing = (asked.differing)(kind, own);
            let needed: Option<Vec<Variable>> = (cells[row].iter().enumerate())
                .filter(|(column, _)| differing >> column & 1 == 1)
                .map(|(_, cell)| *cell)
                .collect();
            let Some(needed) = needed.filter(|_| !is_idle) else { continue };
            let fits = program.variable(0);
            for cell in needed {
                program.constrain([(cell, 1), (fits, -1)], Compare::AtLeast, 0);
            }
            starts.push(u32::from(differing & !start[row] == 0));
            rows_of[kind as usize].push((fits, 1));
            people.push((fits, i64::from(count)));
        }
        if asked.is_both && lack(own) > 0 {
            program.constrain(people, Compare::AtLeast, lack(own));
        }
        program.check_size()?;
    }
    for (kind, rows) in (0u32..).zip(rows_of).filter(|&(kind, _)| lack(kind) > 0) {
        program.constrain(rows, Compare::AtLeast, lack(kind));
    }
    let Minimum { values, cost, lower_bound } = program.minimise(Method::Clauses, starts, run)?;
    let blanked = |cells: &Vec<Option<Variable>>| -> u128 {
        let bit = |(column, cell): (usize, &Option<Variable>)| {
            u128::from(cell.map_or(0, |cell| values[cell.index()])) << column
        };
        cells.iter().enumerate().map(bit).sum()
    };
    Ok(Best {
        answer: cells.iter().map(blanked).collect(),
        bound: lower_bound.saturating_mul(step),
        is_optimal: lower_bound == cost,
    })
}
