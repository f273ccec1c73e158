use muslin_engine::{Cancel, Run};

use super::program::{Compare, Method, Program, Variable};

const RELAXATION: Method = Method::Relaxation { most_nodes: u64::MAX };
const METHODS: [Method; 2] = [Method::Clauses, RELAXATION];

/// Numbers that only the seed decides.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::try_from(self.below(high.abs_diff(low) + 1)).unwrap()
    }
}

fn random_program(seed: u64) -> Program {
    let mut draw = Draw(seed);
    let mut program = Program::new();
    let variables: Vec<_> =
        (0..draw.between(1, 9)).map(|_| program.variable(draw.below(5))).collect();
    for _ in 0..draw.between(0, 7) {
        let terms: Vec<_> = variables.iter().map(|&v| (v, draw.between(-2, 3))).collect();
        let compare = match draw.below(5) {
            0 | 1 => Compare::AtLeast,
            2 | 3 => Compare::AtMost,
            _ => Compare::Equal,
        };
        program.constrain(terms, compare, draw.between(-2, 5));
    }
    for need in 0..draw.between(0, 4) {
        program.constrain(variables.iter().map(|&v| (v, 1)), Compare::AtLeast, need);
    }
    program
}

/// All values that meet the constraints, the cheapest first.
fn solutions(program: &Program) -> Vec<(u64, Vec<u32>)> {
    let count = program.columns.len();
    let all = (0_u32..1 << count).map(|mask| (0..count).map(|v| mask >> v & 1).collect());
    let mut all: Vec<_> =
        all.filter_map(|v: Vec<u32>| program.cost_of(&v).map(|cost| (cost, v))).collect();
    all.sort();
    all
}

#[test]
fn both_methods_agree_with_trying_all_values_from_any_start() {
    let mut feasible = 0;
    for seed in 0..600 {
        let program = random_program(seed);
        let all = solutions(&program);
        feasible += u32::from(!all.is_empty());
        for (start, method) in all
            .first()
            .iter()
            .chain(&all.last())
            .flat_map(|&(_, start)| METHODS.map(|method| (start, method)))
        {
            let found = program.minimise(method, start.clone(), &Run::new()).unwrap();
            assert_eq!(found.cost, all[0].0, "seed {seed}, {method:?}");
            assert_eq!(program.cost_of(&found.values), Some(found.cost));
            assert_eq!(found.lower_bound, found.cost, "seed {seed}, {method:?}");
        }
    }
    assert!((100..600).contains(&feasible), "{feasible} feasible");
}

#[test]
fn a_start_that_breaks_a_constraint_is_an_error() {
    let mut program = Program::new();
    let one = program.variable(1);
    program.constrain([(one, 1)], Compare::AtLeast, 1);
    for method in METHODS {
        for start in [vec![0], vec![2], vec![]] {
            let found = program.minimise(method, start, &Run::new());
            assert!(matches!(found, Err(crate::Error::Internal(_))));
        }
    }
}

/// A triangle whose corners are promised to be whole, and are not: a half each covers it.
#[test]
fn a_false_promise_of_whole_values_proves_nothing_wrong() {
    for copies in 1..6 {
        let mut program = Program::new();
        for _ in 0..copies {
            let corners = [(); 3].map(|()| program.implied_variable(1, 1));
            for (a, b) in [(0, 1), (1, 2), (0, 2)] {
                let terms = [(corners[a], 1), (corners[b], 1)];
                program.constrain(terms, Compare::AtLeast, 1);
            }
        }
        let start = vec![1; program.columns.len()];
        let found = program.minimise(RELAXATION, start, &Run::new()).unwrap();
        let optimum = 2 * copies;
        assert!(found.lower_bound <= optimum && found.cost >= optimum);
        assert!(found.lower_bound >= copies);
    }
}

/// Rows of 20 x 6 that must each look like three others: too much for an instant.
fn slow_program() -> Program {
    let mut draw = Draw(7);
    let table: Vec<Vec<u64>> = (0..20).map(|_| (0..6).map(|_| draw.below(3)).collect()).collect();
    let mut program = Program::new();
    let cells: Vec<Vec<Variable>> =
        table.iter().map(|row| row.iter().map(|_| program.variable(1)).collect()).collect();
    let mut matches = vec![Vec::new(); table.len()];
    for i in 0..table.len() {
        for j in 0..i {
            let like = program.variable(0);
            for c in (0..6).filter(|&c| table[i][c] != table[j][c]) {
                let terms = [(cells[i][c], 1), (cells[j][c], 1), (like, -1)];
                program.constrain(terms, Compare::AtLeast, 0);
            }
            matches[i].push((like, 1));
            matches[j].push((like, 1));
        }
    }
    for terms in matches {
        program.constrain(terms, Compare::AtLeast, 3);
    }
    program
}

#[test]
fn a_limit_leaves_values_and_a_bound() {
    let program = slow_program();
    let start = vec![1; program.columns.len()];
    let cost = program.cost_of(&start).unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    let cancelled = Run::new().cancel(cancel);
    let few = Method::Relaxation { most_nodes: 3 };
    for (method, run) in
        [(Method::Clauses, &cancelled), (RELAXATION, &cancelled), (few, &Run::new())]
    {
        let found = program.minimise(method, start.clone(), run).unwrap();
        assert_eq!(program.cost_of(&found.values), Some(found.cost));
        // Three rows without any cell left make every row look like three others.
        assert!(found.lower_bound <= 18 && found.lower_bound < found.cost && found.cost <= cost);
    }
}

/// Kinds of rows go to groups, an open group takes `k` rows or more and costs each of its rows.
/// Where not by kinds, each row is one.
fn grouping_program(seed: u64, by_kinds: bool) -> (Program, Vec<u32>) {
    let mut draw = Draw(seed);
    let k = draw.between(2, 4);
    let counts: Vec<u32> = (0..4).map(|_| u32::try_from(draw.between(1, 3)).unwrap()).collect();
    let rows: Vec<(usize, u32)> = if by_kinds {
        counts.iter().copied().enumerate().collect()
    } else {
        let of = |(kind, &count): (usize, &u32)| vec![(kind, 1); count as usize];
        counts.iter().enumerate().flat_map(of).collect()
    };
    let (mut program, mut start) = (Program::new(), Vec::new());
    let mut places = vec![Vec::new(); rows.len()];
    for group in 0..7 {
        let open = program.variable(0);
        start.push(u32::from(group == 0));
        // The first group takes any row, so there is a start.
        let cost = if group == 0 { 6 } else { draw.below(6) };
        let fits: Vec<bool> = (0..4).map(|_| draw.below(2) == 0 || group == 0).collect();
        let mut size = vec![(open, -k)];
        for (row, &(kind, count)) in rows.iter().enumerate().filter(|(_, row)| fits[row.0]) {
            let place = program.implied_variable(cost, count);
            program.constrain([(place, 1), (open, -i64::from(count))], Compare::AtMost, 0);
            start.push(if group == 0 { count } else { 0 });
            size.push((place, 1));
            places[row].push((place, 1));
            debug_assert!(kind < 4);
        }
        program.constrain(size, Compare::AtLeast, 0);
    }
    for (terms, (_, count)) in places.into_iter().zip(rows) {
        program.constrain(terms, Compare::Equal, i64::from(count));
    }
    (program, start)
}

#[test]
fn rows_of_a_kind_may_be_split_over_groups() {
    for seed in 0..200 {
        let (single, start) = grouping_program(seed, false);
        let wanted = single.minimise(Method::Clauses, start, &Run::new());
        let (program, start) = grouping_program(seed, true);
        let found = program.minimise(RELAXATION, start, &Run::new());
        let (Ok(wanted), Ok(found)) = (wanted, found) else {
            // Too few rows for any group.
            assert!(single.columns.len() < program.columns.len() + 4);
            continue;
        };
        assert_eq!(wanted.lower_bound, wanted.cost);
        assert_eq!((found.cost, found.lower_bound), (wanted.cost, wanted.cost), "seed {seed}");
    }
}

#[test]
fn without_variables_the_optimum_is_nothing() {
    for method in METHODS {
        let found = Program::new().minimise(method, Vec::new(), &Run::new()).unwrap();
        assert_eq!((found.cost, found.lower_bound), (0, 0));
    }
}

#[test]
fn what_cannot_be_held_is_refused() {
    // Powers of two have no two sums alike.
    let mut program = Program::new();
    let all: Vec<_> = (0..44).map(|at| program.variable(1 << at)).collect();
    for pair in all.chunks(2) {
        program.constrain(pair.iter().map(|&v| (v, 1)), Compare::AtLeast, 1);
    }
    program.constrain(all.iter().map(|&v| (v, 1)), Compare::AtLeast, 23);
    let start = vec![1; all.len()];
    let found = program.minimise(Method::Clauses, start, &Run::new());
    assert!(matches!(found, Err(crate::Error::Setting(_))));
}
