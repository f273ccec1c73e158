//! A SAT solver.
//!
//! Every constraint becomes clauses. Disjoint sets of costly variables that cannot all be 0 give a
//! first bound; then the cost is held below the best one found, and the bound is raised from below,
//! in turns. All arithmetic is in whole numbers.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use muslin_engine::Run;

use super::program::{Compare, Constraint, Minimum, Program, internal};
use super::{MOST, too_large};
use crate::Result;

/// Conflicts in the first turn of each side; every later turn has twice as many as the last.
const FIRST_TURN: u64 = 2_000;

/// Questions of the SAT solver per look at the run.
const QUESTIONS_A_LOOK: u32 = 255;

/// Counts conflicts and tells the SAT solver when to stop.
struct Watch<'a> {
    conflicts_left: &'a Cell<u64>,
    /// Questions until the run is looked at again: the clock is dear, questions are many.
    questions_left: Cell<u32>,
    /// Whether the run must stop. The SAT solver asks again on its way out, so it stays said.
    is_stopped: Cell<bool>,
    run: &'a Run,
}

impl Callbacks for Watch<'_> {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts_left.set(self.conflicts_left.get().saturating_sub(1));
        }
    }

    fn stop(&self) -> bool {
        if self.conflicts_left.get() == 0 || self.is_stopped.get() {
            return true;
        }
        let left = self.questions_left.get().checked_sub(1);
        self.questions_left.set(left.unwrap_or(QUESTIONS_A_LOOK));
        if left.is_none() {
            self.is_stopped.set(self.run.stop().is_some());
        }
        self.is_stopped.get()
    }
}

/// What a turn of the SAT solver ended with.
enum Turn {
    Satisfied(Vec<u32>),
    /// Some of the assumptions cannot hold together: these variables.
    Refuted(BTreeSet<u32>),
    /// Out of conflicts, or a limit.
    Undecided,
}

/// A growing set of clauses. The first variables are those of the program.
struct Clauses<'a> {
    solver: Solver<Watch<'a>>,
    conflicts_left: &'a Cell<u64>,
    variables: Vec<Lit>,
    /// Clauses and variables that there is room for.
    room: usize,
}

impl<'a> Clauses<'a> {
    fn new(variables: usize, conflicts_left: &'a Cell<u64>, run: &'a Run) -> Self {
        let watch = Watch {
            conflicts_left,
            questions_left: Cell::new(0),
            is_stopped: Cell::new(false),
            run,
        };
        let mut clauses = Self {
            solver: Solver::new(SolverOpts::default(), watch),
            conflicts_left,
            variables: Vec::new(),
            room: MOST,
        };
        clauses.variables = (0..variables).map(|_| clauses.fresh()).collect();
        clauses
    }

    fn fresh(&mut self) -> Lit {
        self.room = self.room.saturating_sub(1);
        Lit::new(self.solver.new_var_default(), true)
    }

    fn add(&mut self, clause: impl IntoIterator<Item = Lit>) {
        self.room = self.room.saturating_sub(1);
        // The answer says whether a contradiction is known already; the next turn says so too.
        self.solver.add_clause_reuse(&mut clause.into_iter().collect());
    }

    fn turn(&mut self, assumptions: &[Lit], conflicts: u64) -> Turn {
        self.conflicts_left.set(conflicts);
        let answer = self.solver.solve_limited(assumptions);
        if answer == lbool::TRUE {
            let value = |&lit| u32::from(self.solver.value_lit(lit) == lbool::TRUE);
            Turn::Satisfied(self.variables.iter().map(value).collect())
        } else if answer == lbool::FALSE {
            Turn::Refuted(self.solver.unsat_core().iter().map(|lit| lit.var().idx()).collect())
        } else {
            Turn::Undecided
        }
    }

    /// Requires that the weights of true literals add up to `need` or more.
    fn at_least(&mut self, terms: &[(Lit, u64)], need: u64) {
        let total: u64 = terms.iter().map(|&(_, weight)| weight).sum();
        if need == 0 {
        } else if total < need {
            self.add([]);
        } else if terms.iter().all(|&(_, weight)| weight >= need) {
            self.add(terms.iter().map(|&(lit, _)| lit));
        } else if need == 2 && terms.iter().all(|&(_, weight)| weight == 1) {
            // Whichever one is left out, the others hold one: short to say without new variables.
            for out in 0..terms.len() {
                let others = terms.iter().enumerate().filter(|&(place, _)| place != out);
                self.add(others.map(|(_, &(lit, _))| lit));
            }
        } else if terms.iter().all(|&(_, weight)| weight == 1) && need < total - need {
            let lits: Vec<Lit> = terms.iter().map(|&(lit, _)| lit).collect();
            let claims = self.claims(&lits, usize::try_from(need).unwrap_or(usize::MAX));
            self.add(claims.last().copied());
        } else {
            // The false literals must not weigh more than the rest leaves free.
            let free = total - need;
            let negated: Vec<_> = terms.iter().map(|&(lit, weight)| (!lit, weight)).collect();
            let sums = self.sums(&negated, free + 1);
            for (_, &too_much) in sums.range(free + 1..) {
                self.add([!too_much]);
            }
        }
    }

    /// Literals for 1, 2, ... up to `most`: each, if true, forces so many of `lits` to be true.
    fn claims(&mut self, lits: &[Lit], most: usize) -> Vec<Lit> {
        if lits.len() < 2 {
            return lits.to_vec();
        }
        let (left, right) = lits.split_at(lits.len() / 2);
        let left = self.claims(left, most);
        let right = self.claims(right, most);
        let mut claims = Vec::new();
        for count in 1..=lits.len().min(most) {
            let claim = self.fresh();
            // With only `on_left` true on the left, the right must hold the rest.
            for on_left in 0..count.min(left.len() + 1) {
                let more_left = left.get(on_left);
                let rest_right = right.get(count - on_left - 1);
                self.add([!claim].into_iter().chain(more_left.copied()).chain(rest_right.copied()));
            }
            claims.push(claim);
        }
        claims
    }

    /// For every sum of weights that true literals can reach, a literal that reaching it forces to
    /// be true. Sums above `cap` count as `cap`.
    fn sums(&mut self, terms: &[(Lit, u64)], cap: u64) -> BTreeMap<u64, Lit> {
        match terms {
            [] => BTreeMap::new(),
            &[(lit, weight)] => BTreeMap::from([(weight.min(cap), lit)]),
            _ => {
                let (left, right) = terms.split_at(terms.len() / 2);
                let left = self.sums(left, cap);
                let right = self.sums(right, cap);
                if left.len().saturating_mul(right.len()) > self.room {
                    self.room = 0;
                    return BTreeMap::new();
                }
                let mut sums: BTreeMap<u64, Lit> = BTreeMap::new();
                let with_none = |side: &BTreeMap<u64, Lit>| -> Vec<(u64, Option<Lit>)> {
                    let some = side.iter().map(|(&sum, &lit)| (sum, Some(lit)));
                    std::iter::once((0, None)).chain(some).collect()
                };
                for (on_left, left_lit) in with_none(&left) {
                    for &(on_right, right_lit) in &with_none(&right) {
                        let sum = (on_left + on_right).min(cap);
                        if sum > 0 {
                            let reached = *sums.entry(sum).or_insert_with(|| self.fresh());
                            let reasons = left_lit.into_iter().chain(right_lit);
                            self.add(reasons.map(|lit| !lit).chain([reached]));
                        }
                    }
                }
                sums
            }
        }
    }
}

impl Program {
    pub(super) fn by_clauses(&self, start: (Vec<u32>, u64), run: &Run) -> Result<Minimum> {
        if self.columns.iter().any(|column| column.most != 1) {
            return Err(internal("clauses know variables of 0 and 1 only"));
        }
        let conflicts_left = Cell::new(0);
        let mut clauses = Clauses::new(self.columns.len(), &conflicts_left, run);
        for constraint in &self.constraints {
            clauses.constrain(constraint);
            clauses.check_room()?;
        }
        let mut costs: Vec<(Lit, u64)> = (self.columns.iter().zip(&clauses.variables))
            .filter(|(column, _)| column.cost > 0)
            .map(|(column, &lit)| (lit, column.cost))
            .collect();
        // Like costs together make fewer different sums.
        costs.sort_by_key(|&(_, cost)| cost);

        // Each refuted set holds a variable that is 1, and the sets share none: their cheapest
        // members add up to a bound. The answer that ends this is a first solution.
        let (mut values, mut cost) = start;
        let mut lower_bound = 0;
        let mut spare = costs.clone();
        loop {
            let assumptions: Vec<Lit> = spare.iter().map(|&(lit, _)| !lit).collect();
            match clauses.turn(&assumptions, u64::MAX) {
                Turn::Satisfied(found) => {
                    let found = self.checked(found)?;
                    if found.1 < cost {
                        (values, cost) = found;
                    }
                    break;
                }
                Turn::Refuted(core) if core.is_empty() => {
                    return Err(internal("the clauses contradict each other"));
                }
                Turn::Refuted(core) => {
                    let (used, rest): (Vec<_>, Vec<_>) =
                        spare.into_iter().partition(|(lit, _)| core.contains(&lit.var().idx()));
                    lower_bound += used.iter().map(|&(_, weight)| weight).min().unwrap_or(0);
                    spare = rest;
                }
                Turn::Undecided => return Ok(Minimum { values, cost, lower_bound }),
            }
        }
        if lower_bound >= cost {
            return Ok(Minimum { values, cost, lower_bound: cost });
        }

        let sums = clauses.sums(&costs, cost);
        clauses.check_room()?;
        let forbid = |clauses: &mut Clauses<'_>, from: u64, to: u64| {
            sums.range(from..to).for_each(|(_, &reached)| clauses.add([!reached]));
        };
        forbid(&mut clauses, cost, u64::MAX);
        let mut conflicts = FIRST_TURN;
        while lower_bound < cost && run.stop().is_none() {
            match clauses.turn(&[], conflicts) {
                Turn::Satisfied(better) => {
                    let above = cost;
                    (values, cost) = self.checked(better)?;
                    forbid(&mut clauses, cost, above);
                    continue;
                }
                Turn::Refuted(_) => {
                    lower_bound = cost;
                    break;
                }
                Turn::Undecided => {}
            }
            // The other side: no bits cost the lower bound or less, so the next sum is a bound.
            let above: Vec<Lit> =
                sums.range(lower_bound + 1..cost).map(|(_, &reached)| !reached).collect();
            match clauses.turn(&above, conflicts) {
                Turn::Satisfied(better) => {
                    let above = cost;
                    (values, cost) = self.checked(better)?;
                    forbid(&mut clauses, cost, above);
                }
                Turn::Refuted(_) => {
                    let next = sums.range(lower_bound + 1..).next();
                    lower_bound = next.map_or(cost, |(&sum, _)| sum).min(cost);
                }
                Turn::Undecided => conflicts = conflicts.saturating_mul(2),
            }
        }
        Ok(Minimum { values, cost, lower_bound: lower_bound.min(cost) })
    }
}

impl Clauses<'_> {
    fn check_room(&self) -> Result<()> {
        if self.room == 0 { Err(too_large()) } else { Ok(()) }
    }

    fn constrain(&mut self, constraint: &Constraint) {
        let bound = constraint.bound;
        if constraint.compare != Compare::AtMost {
            self.weighted(constraint.terms.iter().copied(), bound);
        }
        if constraint.compare != Compare::AtLeast {
            self.weighted(constraint.terms.iter().map(|&(v, c)| (v, -c)), -bound);
        }
    }

    /// Requires that the coefficients of true variables add up to `bound` or more.
    fn weighted(&mut self, terms: impl Iterator<Item = (usize, i64)>, bound: i64) {
        // A negative coefficient is its size on the negated variable, less its size.
        let mut need = bound;
        let mut positive = Vec::new();
        for (variable, coefficient) in terms {
            let lit = self.variables[variable];
            if coefficient < 0 {
                need -= coefficient;
            }
            let lit = if coefficient < 0 { !lit } else { lit };
            positive.push((lit, coefficient.unsigned_abs()));
        }
        self.at_least(&positive, u64::try_from(need).unwrap_or(0));
    }
}
