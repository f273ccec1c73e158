//! Mondrian: the tables of Li and others, a naive Mondrian on thousands of small tables, and adult.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array};
use muslin_assess::Weight;
use muslin_engine::{Cancel, Coverage, MemoryEngine, Run, Seed, Stop};
use muslin_io::{Input, ReadOptions};
use muslin_protect::{
    ClassTarget, Cut, Distance, Error, Form, Grid, Mondrian, Partitioned, Protector, Spread,
};
use muslin_table::{Codes, Column, ColumnId, Dictionary, EncodedTable, Hierarchy, RowId};
use muslin_testkit::data::real;
use muslin_testkit::generate::{large_table, ugly_tables};
use proptest::prelude::*;

fn id(at: usize) -> ColumnId {
    ColumnId::new(at)
}

const TIGHT: Form = Form::Range { grid: None };

fn all(table: &EncodedTable, form: &Form) -> Vec<(ColumnId, Form)> {
    (0..table.columns().len()).map(|at| (id(at), form.clone())).collect()
}

/// What a cell of a release says: text, nothing, or a star.
fn published(table: &EncodedTable, found: &Partitioned, column: ColumnId, row: usize) -> String {
    let column = found.changes().replaced(column).unwrap_or_else(|| table.column(column));
    let slot = column.codes().slot(row);
    match slot {
        slot if slot == column.missing_slot() => String::new(),
        slot if slot == column.suppressed_slot() => "*".into(),
        slot => muslin_io::CsvStyle::default().spell(column.dictionary(), slot as usize),
    }
}

// ---- the paper's tables

/// Table (a): age, sex, zip code and disease.
fn paper() -> EncodedTable {
    let number = |name: &str, cells: [i64; 8]| {
        let table = EncodedTable::of_columns([(name.into(), cells.map(Some).to_vec())]);
        table.into_columns().remove(0)
    };
    let text = |name: &str, labels: &[&str], cells: [u32; 8]| {
        Column::of_labels(name, labels, cells.into_iter()).unwrap()
    };
    let columns = vec![
        number("Age", [22, 22, 33, 52, 54, 60, 60, 64]),
        text("Sex", &["F", "M"], [1, 0, 0, 0, 1, 1, 1, 0]),
        text("Zipcode", &["47906", "47905", "47302", "47304"], [0, 0, 1, 1, 2, 2, 3, 3]),
        text("Disease", &["dyspepsia", "flu", "bronchitis", "gastritis"], [0, 1, 1, 2, 1, 0, 0, 3]),
    ];
    EncodedTable::new(8, columns).unwrap()
}

fn halves(found: &Partitioned) {
    assert_eq!(found.class_of(), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!((found.classes(), found.smallest()), (2, 4));
    assert_eq!(found.coverage(), Coverage::Complete);
    assert_eq!(found.changes().replaced(id(3)), None);
}

#[test]
fn table_b_of_the_paper() {
    let table = paper();
    let prefix = |text: &str| vec![format!("{}*", &text[..4]), "*".to_owned()];
    let paths = ["47302", "47304", "47905", "47906"].map(prefix);
    let zip = Hierarchy::new("Zipcode", &paths, &[]).unwrap();
    let sex = Hierarchy::flat(table.column(id(1)));
    let columns = vec![(id(0), TIGHT), (id(1), Form::Tree(sex)), (id(2), Form::Tree(zip))];
    for cut in [Cut::Best, Cut::Median] {
        let mondrian = Mondrian::new(ClassTarget::new(4), columns.clone()).cut(cut);
        let found = mondrian.run(&table, &Run::new()).unwrap();
        halves(&found);
        let cell = |column, row| published(&table, &found, id(column), row);
        for row in 0..8 {
            assert_eq!(cell(0, row), if row < 4 { "[22-52]" } else { "[54-64]" });
            assert_eq!(cell(1, row), "*");
            assert_eq!(cell(2, row), if row < 4 { "4790*" } else { "4730*" });
        }
        // Ages 3 of 6 and 3 of 6 values; sex wholly; zip codes 2 of 4.
        let expected = [2.0 / 5.0, 1.0, 1.0 / 3.0];
        for ((_, loss), expected) in found.losses().iter().zip(expected) {
            assert!((loss - expected).abs() < 1e-12, "{loss} {expected}");
        }
    }
}

#[test]
fn table_d_of_the_paper() {
    let table = paper();
    let columns = (0..3).map(|at| (id(at), Form::Multiset { most: None })).collect();
    let found = Mondrian::new(ClassTarget::new(4), columns).run(&table, &Run::new()).unwrap();
    halves(&found);
    let first = ["22:2,33:1,52:1", "F:3,M:1", "47905:2,47906:2"];
    let second = ["54:1,60:2,64:1", "F:1,M:3", "47302:2,47304:2"];
    for row in 0..8 {
        for (column, text) in (if row < 4 { first } else { second }).iter().enumerate() {
            assert_eq!(published(&table, &found, id(column), row), *text);
        }
    }
}

#[test]
fn a_class_of_more_values_than_a_set_may_have_is_suppressed() {
    let table = EncodedTable::of(&[[1], [2], [3], [3]]);
    for (form, label, loss) in [
        (Form::Set { most: Some(3) }, "{1, 2, 3}", 1.0),
        (Form::Set { most: Some(2) }, "*", 1.0),
        (Form::Multiset { most: Some(3) }, "1:1,2:1,3:2", 1.0),
        (Form::Multiset { most: Some(2) }, "*", 1.0),
    ] {
        let columns = vec![(id(0), form)];
        let found = Mondrian::new(ClassTarget::new(4), columns).run(&table, &Run::new()).unwrap();
        assert_eq!(published(&table, &found, id(0), 0), label);
        assert!((found.losses()[0].1 - loss).abs() < f64::EPSILON, "{label}");
    }
    // One value is no set, however often it is there.
    let table = EncodedTable::of(&[[1], [1], [2], [2]]);
    let columns = vec![(id(0), Form::Set { most: Some(1) })];
    let found = Mondrian::new(ClassTarget::new(2), columns).run(&table, &Run::new()).unwrap();
    assert_eq!(found.changes().replaced(id(0)), None);
}

#[test]
fn diversity_keeps_rows_together() {
    let table = paper();
    let target = ClassTarget::new(2).spread(id(3), Spread::Probabilistic { l: 2 });
    let columns: Vec<_> = (0..3).map(|at| (id(at), TIGHT)).collect();
    let found = Mondrian::new(target, columns.clone()).run(&table, &Run::new()).unwrap();
    assert!(found.classes() > 1);
    let too_much = ClassTarget::new(2).spread(id(3), Spread::Distinct { l: 5 });
    let refused = Mondrian::new(too_much, columns).run(&table, &Run::new());
    assert!(matches!(refused, Err(Error::Unreachable(_))));
}

// ---- a naive Mondrian

const UNIT: u64 = 23 * 720_720;

/// A table with its settings, and all that the naive way needs to know.
#[derive(Debug)]
struct Case {
    table: EncodedTable,
    columns: Vec<(ColumnId, Form)>,
    target: ClassTarget,
    cut: Cut,
    relaxed: bool,
}

impl Case {
    fn mondrian(&self) -> Mondrian {
        let mondrian = Mondrian::new(self.target.clone(), self.columns.clone());
        mondrian.cut(self.cut).relaxed(self.relaxed)
    }

    fn values(&self, at: usize) -> u32 {
        self.table.column(self.columns[at].0).missing_slot()
    }

    fn position(&self, at: usize, row: usize) -> u32 {
        let (id, form) = &self.columns[at];
        let slot = self.table.column(*id).codes().slot(row);
        match form {
            Form::Tree(tree) | Form::TreeSet(tree) | Form::TreeRange(tree)
                if slot <= self.values(at) =>
            {
                tree.position(slot)
            }
            _ => slot,
        }
    }

    fn positions(&self, at: usize, rows: &[usize]) -> Vec<u32> {
        let mut positions: Vec<u32> = rows.iter().map(|&row| self.position(at, row)).collect();
        positions.sort_unstable();
        positions
    }

    /// Values of the lowest group of a tree that has these rows' values.
    fn covered(&self, tree: &Hierarchy, at: usize, rows: &[usize]) -> u32 {
        let column = self.table.column(self.columns[at].0);
        let slots: Vec<usize> = rows.iter().map(|&row| column.codes().slot(row) as usize).collect();
        for level in tree.levels() {
            let group = level.groups()[slots[0]];
            if slots.iter().all(|&slot| level.groups()[slot] == group) {
                let says_nothing = level.label(group) == Some("*");
                return if says_nothing {
                    self.values(at)
                } else {
                    level.covered()[group as usize]
                };
            }
        }
        self.values(at)
    }

    /// What cutting takes a cell of these rows to cost, in steps of so many.
    fn cut_steps(&self, at: usize, rows: &[usize]) -> (u32, u32) {
        let positions = self.positions(at, rows);
        let (lo, hi) = (positions[0], positions[positions.len() - 1]);
        let (values, most) = (self.values(at), (self.values(at).max(2) - 1).max(1));
        let steps = match &self.columns[at].1 {
            _ if hi >= values => {
                if lo < hi || hi > values {
                    most
                } else {
                    0
                }
            }
            Form::Tree(_) if lo == hi => 0,
            Form::Tree(tree) => self.covered(tree, at, rows) - 1,
            _ => hi - lo,
        };
        (steps, most)
    }

    fn price(&self, rows: &[usize]) -> u64 {
        let cell = |at| match self.cut_steps(at, rows) {
            (steps, most) if steps == most && self.has_gap(at, rows) => UNIT,
            (steps, most) if most <= 0xFFFF => u64::from(steps) * (UNIT / u64::from(most)),
            (steps, most) => (u64::from(steps) * ((UNIT << 32) / u64::from(most))) >> 32,
        };
        rows.len() as u64 * (0..self.columns.len()).map(cell).sum::<u64>()
    }

    fn has_gap(&self, at: usize, rows: &[usize]) -> bool {
        rows.iter().any(|&row| self.position(at, row) >= self.values(at))
    }

    fn is_met(&self, rows: &[usize]) -> bool {
        rows.len() >= self.target.k() as usize
            && self.target.spreads().iter().all(|&(id, spread)| {
                let column = self.table.column(id);
                let count = |rows: &mut dyn Iterator<Item = usize>| {
                    let mut counts = vec![0i64; column.slots()];
                    rows.for_each(|row| counts[column.codes().slot(row) as usize] += 1);
                    counts
                };
                let own = count(&mut rows.iter().copied());
                is_spread(spread, &own, &count(&mut (0..self.table.rows())))
            })
    }

    /// All cuts of a lane: the rows of both sides.
    fn sides(&self, at: usize, rows: &[usize], position: u32) -> (Vec<usize>, Vec<usize>) {
        rows.iter().partition(|&&row| self.position(at, row) <= position)
    }

    fn cut(&self, rows: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
        match self.cut {
            Cut::Best => self.best(rows),
            _ => self.median(rows),
        }
    }

    fn best(&self, rows: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
        let mut best = None;
        for at in 0..self.columns.len() {
            let mut positions = self.positions(at, rows);
            positions.dedup();
            for position in positions {
                let (left, right) = self.sides(at, rows, position);
                let k = self.target.k() as usize;
                if left.len() < k || right.len() < k {
                    continue;
                }
                let key = (
                    self.price(&left) + self.price(&right),
                    at,
                    left.len().abs_diff(right.len()),
                    position,
                );
                if best.as_ref().is_none_or(|(other, _)| key < *other)
                    && self.is_met(&left)
                    && self.is_met(&right)
                {
                    best = Some((key, (left, right)));
                }
            }
        }
        best.map(|(_, sides)| sides)
    }

    fn median(&self, rows: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
        let width = |at: usize| {
            let positions = self.positions(at, rows);
            let (lo, hi) = (positions[0], positions[positions.len() - 1]);
            let most = self.values(at).max(2) - 1;
            if lo < hi && hi >= self.values(at) { (most, most) } else { (hi - lo, most) }
        };
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.retain(|&at| width(at).0 > 0);
        order.sort_by(|&a, &b| {
            let ((a, of_a), (b, of_b)) = (width(a), width(b));
            (u64::from(b) * u64::from(of_a)).cmp(&(u64::from(a) * u64::from(of_b)))
        });
        order.into_iter().find_map(|at| {
            let middle = (rows.len() - 1) / 2;
            let median = self.positions(at, rows)[middle];
            let (mut left, mut right) = self.sides(at, rows, median);
            if self.relaxed {
                let ties: Vec<usize> =
                    left.iter().copied().filter(|&row| self.position(at, row) == median).collect();
                left.retain(|row| !ties.contains(row));
                let more = rows.len().div_ceil(2) - left.len();
                left.extend(&ties[..more]);
                right.extend(&ties[more..]);
                left.sort_unstable();
                right.sort_unstable();
            }
            if self.is_met(&left) && self.is_met(&right) {
                return Some((left, right));
            }
            let before = self.positions(at, rows).into_iter().filter(|&of| of < median).max()?;
            let (left, right) = self.sides(at, rows, before);
            (!self.relaxed && self.is_met(&left) && self.is_met(&right)).then_some((left, right))
        })
    }

    fn classes(&self) -> Vec<Vec<usize>> {
        let (mut open, mut classes) = (vec![(0..self.table.rows()).collect::<Vec<_>>()], vec![]);
        while let Some(rows) = open.pop() {
            match self.cut(&rows) {
                Some((left, right)) => open.extend([left, right]),
                None => classes.push(rows),
            }
        }
        classes.sort_unstable();
        classes
    }

    /// What is published for these rows, and in how many steps of how many.
    fn label(&self, at: usize, rows: &[usize]) -> (String, u32, u32) {
        let (id, form) = &self.columns[at];
        let column = self.table.column(*id);
        let numbers = column.dictionary().values().as_primitive::<Int64Type>();
        let mut slots: Vec<u32> = rows.iter().map(|&row| column.codes().slot(row)).collect();
        slots.sort_unstable();
        let (values, most) = (self.values(at), (self.values(at).max(2) - 1).max(1));
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        slots.iter().for_each(|&slot| *counts.entry(slot).or_default() += 1);
        let (lo, hi) = (slots[0], slots[slots.len() - 1]);
        if hi >= values {
            let missing = lo == values && hi == values;
            return if missing { (String::new(), 0, most) } else { ("*".into(), most, most) };
        }
        let number = |slot: u32| numbers.value(slot as usize);
        let distinct = u32::try_from(counts.len()).unwrap();
        let range = |lo: i64, hi: i64| {
            if lo < 0 || hi < 0 { format!("[{lo} to {hi}]") } else { format!("[{lo}-{hi}]") }
        };
        let list = || counts.keys().map(|&slot| number(slot).to_string()).collect::<Vec<_>>();
        let set = || format!("{{{}}}", list().join(", "));
        match form {
            Form::Multiset { .. } => {
                let text = |(&slot, rows): (&u32, &u32)| format!("{}:{rows}", number(slot));
                let text = counts.iter().map(text).collect::<Vec<_>>().join(",");
                (text, distinct - 1, most)
            }
            _ if lo == hi => (number(lo).to_string(), 0, most),
            Form::Range { grid: None } => (range(number(lo), number(hi)), hi - lo, most),
            Form::Range { .. } => {
                let (lo, hi) = (number(lo).div_euclid(3) * 3, number(hi).div_euclid(3) * 3 + 2);
                let inside = numbers.values().iter().filter(|&&v| lo <= v && v <= hi).count();
                (range(lo, hi), u32::try_from(inside).unwrap() - 1, most)
            }
            Form::Tree(tree) => {
                let covered = self.covered(tree, at, rows);
                let level = tree.levels().iter().find(|level| {
                    slots
                        .iter()
                        .all(|&slot| level.groups()[slot as usize] == level.groups()[lo as usize])
                });
                let label = level.and_then(|level| level.label(level.groups()[lo as usize]));
                (label.unwrap_or("*").to_owned(), covered - 1, most)
            }
            Form::TreeRange(tree) => {
                let place = |slot: &&u32| tree.position(**slot);
                let first = *slots.iter().min_by_key(place).unwrap();
                let last = *slots.iter().max_by_key(place).unwrap();
                let steps = tree.position(last) - tree.position(first);
                (range(number(first), number(last)), steps, most)
            }
            Form::TreeSet(tree) => {
                let level = tree.levels().iter().find(|level| {
                    let group = level.groups()[lo as usize];
                    (0..values)
                        .filter(|&slot| level.groups()[slot as usize] == group)
                        .eq(counts.keys().copied())
                });
                let label = level.and_then(|level| level.label(level.groups()[lo as usize]));
                (label.map_or_else(set, str::to_owned), distinct - 1, most)
            }
            _ => (set(), distinct - 1, most),
        }
    }

    /// Everything that is promised.
    fn check(&self, found: &Partitioned) {
        let classes = self.classes();
        let mut class_of = vec![0; self.table.rows()];
        for (number, class) in (0u32..).zip(&classes) {
            class.iter().for_each(|&row| class_of[row] = number);
        }
        assert_eq!(found.class_of(), class_of);
        assert_eq!(found.classes(), classes.len());
        assert_eq!(found.coverage(), Coverage::Complete);
        let mut whole = 0.0;
        for (at, (id, form)) in self.columns.iter().enumerate() {
            let mut loss = 0.0;
            for class in &classes {
                assert!(self.is_met(class));
                let (label, steps, most) = self.label(at, class);
                let replaced = found.changes().replaced(*id).is_some();
                let multiset = matches!(form, Form::Multiset { .. });
                for &row in class {
                    let text = published(&self.table, found, *id, row);
                    if replaced || !multiset {
                        assert_eq!(text, label, "{form:?}");
                    }
                    loss += f64::from(steps) / f64::from(most);
                }
            }
            let single = |class: &Vec<usize>| {
                let positions = self.positions(at, class);
                positions[0] == positions[positions.len() - 1]
            };
            assert_eq!(found.changes().replaced(*id).is_none(), classes.iter().all(single));
            let loss = loss / f64::from(u32::try_from(self.table.rows().max(1)).unwrap());
            assert!((found.losses()[at].1 - loss).abs() < 1e-9);
            whole += loss / f64::from(u32::try_from(self.columns.len()).unwrap());
        }
        assert!((found.loss() - whole).abs() < 1e-9);
        let others = (0..self.table.columns().len()).map(ColumnId::new);
        for other in others.filter(|id| !self.columns.iter().any(|(own, _)| own == id)) {
            assert_eq!(found.changes().replaced(other), None);
        }
        assert!(found.changes().removed().is_empty() && found.changes().suppressed_cells() == 0);
        if !self.relaxed {
            self.are_disjoint(&classes);
        }
    }

    /// No row lies within the bounds of another class.
    fn are_disjoint(&self, classes: &[Vec<usize>]) {
        for class in classes {
            let inside = |row: usize| {
                (0..self.columns.len()).all(|at| {
                    let positions = self.positions(at, class);
                    let (lo, hi) = (positions[0], positions[positions.len() - 1]);
                    (lo..=hi).contains(&self.position(at, row))
                })
            };
            let within = (0..self.table.rows()).filter(|&row| inside(row)).collect::<Vec<_>>();
            assert_eq!(&within, class);
        }
    }
}

fn is_spread(spread: Spread, own: &[i64], totals: &[i64]) -> bool {
    let (size, rows): (i64, i64) = (own.iter().sum(), totals.iter().sum());
    let millionths = |weight: Weight| i64::try_from(weight.millionths()).unwrap();
    let mut falling: Vec<i64> = own.to_vec();
    falling.sort_unstable_by(|a, b| b.cmp(a));
    match spread {
        Spread::Distinct { l } => own.iter().filter(|&&count| count > 0).count() >= l as usize,
        Spread::Probabilistic { l } => own.iter().all(|count| count * i64::from(l) <= size),
        #[expect(clippy::cast_precision_loss, reason = "a few rows")]
        Spread::Entropy { l } => {
            let share = own.iter().filter(|&&c| c > 0).map(|&c| c as f64 / size as f64);
            share.map(|p| -p * p.ln()).sum::<f64>() >= f64::from(l).ln() - 1e-9
        }
        Spread::Recursive { c, l } => {
            let tail: i64 = falling.iter().skip(l as usize - 1).sum();
            falling[0] * 1_000_000 < millionths(c) * tail
        }
        Spread::Close { t, distance } => {
            // Differences of shares, times size and rows.
            let apart: Vec<i64> =
                own.iter().zip(totals).map(|(own, total)| own * rows - total * size).collect();
            let (moved, most) = match distance {
                Distance::Equal => (apart.iter().map(|d| d.abs()).sum::<i64>(), 2),
                Distance::Ordered => {
                    let used = |at: &usize| totals[*at] > 0;
                    let sum = |at: usize| apart[..=at].iter().sum::<i64>().abs();
                    let places = (0..totals.len()).filter(used).count();
                    let moved = (0..totals.len()).filter(used).map(sum).sum();
                    (moved, i64::try_from(places).unwrap() - 1)
                }
            };
            moved * 1_000_000 <= millionths(t) * size * rows * most
        }
        _ => panic!("a spread that this test does not know"),
    }
}

/// The form of a column, out of a few.
fn form(column: &Column, which: u8) -> Form {
    let values = column.dictionary().len();
    let group = |slot: usize| ["one", "other", "third"][slot % 3].to_owned();
    let half = |slot: usize| if slot % 3 == 2 { "third half" } else { "first half" }.to_owned();
    let tree = |top: &[&str]| {
        let tops = || top.iter().map(|&label| label.to_owned());
        let path = |slot: usize| [group(slot), half(slot)].into_iter().chain(tops()).collect();
        let paths: Vec<Vec<String>> = (0..values).map(path).collect();
        Hierarchy::new(column.name(), &paths, &[]).unwrap()
    };
    match which {
        0 | 1 => TIGHT,
        2 => Form::Range { grid: Some(Grid::step(3.0).unwrap()) },
        3 => Form::Set { most: None },
        4 => Form::Multiset { most: None },
        5 => Form::Tree(tree(&["*"])),
        6 => Form::Tree(tree(&[])),
        7 => Form::Tree(Hierarchy::flat(column)),
        8 => Form::TreeSet(tree(&["*"])),
        _ => Form::TreeRange(tree(&["*"])),
    }
}

fn spreads() -> impl Strategy<Value = Option<Spread>> {
    let l = 2u32..4;
    let weight = |millionths: std::ops::Range<u64>| millionths.prop_map(Weight::of_millionths);
    let distance = prop_oneof![Just(Distance::Equal), Just(Distance::Ordered)];
    prop_oneof![
        3 => Just(None),
        1 => l.clone().prop_map(|l| Some(Spread::Distinct { l })),
        1 => l.clone().prop_map(|l| Some(Spread::Probabilistic { l })),
        1 => l.clone().prop_map(|l| Some(Spread::Entropy { l })),
        1 => (weight(500_000..3_000_000), l).prop_map(|(c, l)| Some(Spread::Recursive { c, l })),
        2 => (weight(100_000..600_000), distance)
            .prop_map(|(t, distance)| Some(Spread::Close { t, distance })),
    ]
}

fn cuts() -> impl Strategy<Value = (Cut, bool)> {
    prop_oneof![Just((Cut::Best, false)), Just((Cut::Median, false)), Just((Cut::Median, true))]
}

/// Small tables whose last two columns are sensitive or other.
fn tables() -> impl Strategy<Value = EncodedTable> {
    let values = prop_oneof![Just(2i64), 3i64..6, Just(12), Just(40)];
    let missing = prop_oneof![3 => Just(0.001), 1 => Just(0.15), 1 => Just(0.6)];
    let rows = prop_oneof![1 => 2usize..10, 3 => 10usize..40];
    let random = (2usize..7, rows).prop_flat_map(move |(columns, rows)| {
        let column = (values.clone(), missing.clone()).prop_flat_map(move |(values, missing)| {
            let cell = prop::option::weighted(1.0 - missing, -2..values);
            prop::collection::vec(cell, rows)
        });
        prop::collection::vec(column, columns).prop_map(|columns| {
            let named = columns.into_iter().enumerate();
            EncodedTable::of_columns(named.map(|(c, cells)| (format!("c{c}"), cells)))
        })
    });
    prop_oneof![4 => random, 1 => ugly_tables()]
}

fn cases() -> impl Strategy<Value = Case> {
    let forms = prop::collection::vec(0u8..10, 8);
    (tables(), forms, 1u32..5, [spreads(), spreads()], cuts()).prop_map(
        |(table, forms, k, spreads, (cut, relaxed))| {
            let width = table.columns().len();
            let own = width.saturating_sub(2).max(1).min(width);
            let columns =
                (0..own).map(|at| (id(at), form(table.column(id(at)), forms[at]))).collect();
            let is_plain = width < 3 || spreads.iter().all(Option::is_none);
            let mut target = ClassTarget::new(if is_plain { k.max(2) } else { k });
            for (at, spread) in spreads.into_iter().enumerate().filter(|_| width >= 3) {
                if let Some(spread) = spread {
                    target = target.spread(id(width - 1 - at), spread);
                }
            }
            Case { table, columns, target, cut, relaxed }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(3_000)))]

    #[test]
    fn as_a_naive_mondrian(case in cases()) {
        let whole: Vec<usize> = (0..case.table.rows()).collect();
        let found = case.mondrian().run(&case.table, &Run::new());
        if whole.is_empty() {
            let found = found.unwrap();
            prop_assert_eq!((found.classes(), found.smallest()), (0, 0));
        } else if case.is_met(&whole) {
            case.check(&found.unwrap());
        } else {
            prop_assert!(matches!(found, Err(Error::Unreachable(_))));
        }
    }
}

/// A table that many columns or values make wide.
fn wide(rows: u64, values: &[u64], seed: u64) -> Case {
    let table = large_table(rows, values, true, Seed::new(seed));
    let columns = all(&table, &TIGHT);
    Case { table, columns, target: ClassTarget::new(3), cut: Cut::Best, relaxed: false }
}

#[test]
fn wide_rows_are_cut_alike() {
    let many_columns = wide(60, &[5; 20], 1);
    let many_values = wide(700, &[100_000, 3, 100_000], 2);
    assert!(many_values.values(0) > 254);
    let mut both = wide(290, &[100_000; 17], 3);
    for cut in [Cut::Best, Cut::Median] {
        both.cut = cut;
        both.check(&both.mondrian().run(&both.table, &Run::new()).unwrap());
    }
    for case in [many_columns, many_values] {
        case.check(&case.mondrian().run(&case.table, &Run::new()).unwrap());
    }
}

#[test]
fn values_that_no_row_has_count_as_values() {
    // Far more than two bytes can number.
    let values: ArrayRef = Arc::new(Int64Array::from((0..70_000).collect::<Vec<i64>>()));
    let column = |name: &str, factor: u32| {
        let slots = (0..80).map(move |row: u32| row.wrapping_mul(factor) % 70_000);
        Column::new(name, Dictionary::new(Arc::clone(&values)), Codes::pack(70_000, slots)).unwrap()
    };
    let table = EncodedTable::new(80, vec![column("a", 7_919), column("b", 104_729)]).unwrap();
    let columns = all(&table, &TIGHT);
    for (cut, relaxed) in [(Cut::Best, false), (Cut::Median, false), (Cut::Median, true)] {
        let target = ClassTarget::new(3);
        let case = Case { table: table.clone(), columns: columns.clone(), target, cut, relaxed };
        case.check(&case.mondrian().run(&case.table, &Run::new()).unwrap());
    }
}

#[test]
fn threads_do_not_matter() {
    let table = large_table(150_000, &[2, 72, 5, 7, 700, 41], true, Seed::new(5));
    let sensitive = id(3);
    let columns: Vec<_> = [0, 1, 2, 4, 5]
        .map(|at| (id(at), if at == 1 { Form::Set { most: None } } else { TIGHT }))
        .to_vec();
    for target in
        [ClassTarget::new(5), ClassTarget::new(4).spread(sensitive, Spread::Probabilistic { l: 2 })]
    {
        for cut in [Cut::Best, Cut::Median] {
            let mondrian = Mondrian::new(target.clone(), columns.clone()).cut(cut);
            let run =
                |threads| mondrian.run(&table, &Run::new().threads(threads).unwrap()).unwrap();
            let (one, four) = (run(1), run(4));
            assert_eq!(one.class_of(), four.class_of());
            assert_eq!(one.changes(), four.changes());
            assert!(one.smallest() >= target.k());
            assert_eq!(one.sizes().iter().sum::<u32>(), 150_000);
        }
    }
}

#[test]
fn a_stopped_run_has_classes_that_meet_the_target() {
    let table = large_table(20_000, &[30, 72, 5], true, Seed::new(5));
    let mondrian = Mondrian::new(ClassTarget::new(5), all(&table, &TIGHT));
    let cancel = Cancel::default();
    cancel.cancel();
    let found = mondrian.run(&table, &Run::new().cancel(cancel)).unwrap();
    assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::Interrupted });
    assert_eq!((found.classes(), found.smallest()), (1, 20_000));
    let late = Run::new().time_limit(Some(Duration::from_millis(2)));
    let found = mondrian.run(&table, &late).unwrap();
    assert!(found.smallest() >= 5);
    assert_eq!(found.sizes().iter().sum::<u32>(), 20_000);
    let tight = mondrian.run(&table, &Run::new().memory(Some(1_000)));
    assert!(matches!(tight, Err(Error::Engine(_))));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let table = EncodedTable::of(&[[987_654, 1], [2, 987_654], [3, 1], [4, 1]]);
    let other = EncodedTable::of(&[[1], [2]]);
    let k = ClassTarget::new;
    let run = |mondrian: Mondrian| mondrian.run(&table, &Run::new());
    let both = k(2).spread(id(0), Spread::Distinct { l: 2 });
    let twice = vec![(id(0), TIGHT), (id(0), Form::Set { most: None })];
    let foreign = vec![(id(0), Form::Tree(Hierarchy::flat(other.column(id(0)))))];
    for (name, refused) in [
        ("k", run(Mondrian::new(k(1), all(&table, &TIGHT)))),
        ("both", run(Mondrian::new(both, all(&table, &TIGHT)))),
        ("twice", run(Mondrian::new(k(2), twice))),
        ("outside", run(Mondrian::new(k(2), vec![(id(7), TIGHT)]))),
        ("foreign", run(Mondrian::new(k(2), foreign))),
        ("relaxed", run(Mondrian::new(k(2), all(&table, &TIGHT)).relaxed(true))),
        ("few", run(Mondrian::new(k(5), all(&table, &TIGHT)))),
    ] {
        let error = refused.expect_err(name).to_string();
        assert!(error.contains("\n  hint: ") && !error.contains("987654"), "{error}");
    }
    let nothing = run(Mondrian::new(k(2), Vec::new())).unwrap();
    assert_eq!((nothing.classes(), nothing.smallest()), (1, 4));
    assert!(nothing.loss().abs() < 1e-12);
}

#[test]
fn a_protector_like_any_other() {
    let table = paper();
    let run = Run::new();
    let columns = (0..3).map(|at| (id(at), TIGHT)).collect();
    let mondrian = Mondrian::new(ClassTarget::new(4), columns);
    let protection = mondrian.protect(&MemoryEngine::new(&table, &run), &run).unwrap();
    let found = mondrian.run(&table, &run).unwrap();
    assert_eq!(protection.changes(), found.changes());
    let age = found.changes().replaced(id(0)).unwrap();
    assert_eq!(age.code(RowId::new(0)).value(), Some(0));
    assert_eq!(age.name(), "Age");
}

// ---- adult

#[test]
fn adult_loses_less_than_elsewhere() {
    let Some(path) = real("arx/adult/adult.csv") else {
        return;
    };
    let read = muslin_io::read(&Input::named(path), &ReadOptions::default(), &Run::new());
    let table = read.unwrap().table;
    assert_eq!((table.rows(), table.columns().len()), (30_162, 9));
    let mondrian = Mondrian::new(ClassTarget::new(5), all(&table, &TIGHT));
    let found = mondrian.run(&table, &Run::new()).unwrap();
    assert!(found.smallest() >= 5 && found.classes() > 4_000);
    // Public tools lose 0.072 in ranges and 0.0196 on eight columns in sets.
    assert!(found.loss() < 0.0412, "{}", found.loss());
    // In the order of the hierarchies' trees, values of a group in the order of the file.
    let ordered = EncodedTable::of_columns(table.columns().iter().map(|column| {
        let file = real(&format!("arx/adult/hierarchy_{}.csv", column.name())).unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        let lines: Vec<Vec<String>> =
            text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect();
        let paths: Vec<Vec<String>> = lines.iter().map(|line| line[1..].to_vec()).collect();
        let tree = Hierarchy::new(column.name(), &paths, &[]).unwrap();
        let position = |slot: usize| {
            let value = muslin_io::CsvStyle::default().spell(column.dictionary(), slot);
            let line = lines.iter().position(|line| line[0] == value).unwrap();
            i64::from(tree.position(u32::try_from(line).unwrap()))
        };
        let positions: Vec<i64> = (0..column.dictionary().len()).map(position).collect();
        let cells = column.codes().slots().map(|slot| Some(positions[slot as usize]));
        (column.name().to_owned(), cells.collect())
    }));
    let found = mondrian.run(&ordered, &Run::new()).unwrap();
    assert!(found.loss() < 0.03745, "{}", found.loss());
}
