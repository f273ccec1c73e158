//! Releases that are right, and what sees it when they are wrong in one place.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use muslin_engine::{Run, Seed, take_rows};
use muslin_table::{Codes, Column, ColumnId, ColumnSet, EncodedTable, Ratio};
use muslin_testkit::generate::large_table;
use muslin_verify::loss::{Buckets, Reading};
use muslin_verify::{ClassJudge, Condition, Matching, Outsider, Truth};

const ROWS: u32 = 240;
const TRIES: u64 = 60;

/// Cells of a table as slots, to be changed; column by column.
#[derive(Clone)]
struct Cells {
    like: EncodedTable,
    slots: Vec<Vec<u32>>,
}

impl Cells {
    fn of(table: &EncodedTable) -> Self {
        let slots = table.columns().iter().map(|column| column.codes().slots().collect());
        Self { like: table.clone(), slots: slots.collect() }
    }

    fn table(&self) -> EncodedTable {
        let column = |(column, slots): (&Column, &Vec<u32>)| {
            let codes = Codes::pack(column.dictionary().len(), slots.iter().copied());
            Column::new(column.name(), column.dictionary().clone(), codes).unwrap()
        };
        let columns = self.like.columns().iter().zip(&self.slots).map(column).collect();
        EncodedTable::new(self.slots[0].len(), columns).unwrap()
    }

    fn swap(&mut self, column: usize, a: usize, b: usize) {
        self.slots[column].swap(a, b);
    }
}

/// Four columns and a table cut into buckets of ten by the first: `c0` and `c1` stay together, `c2`
/// and `c3` do.
fn sliced() -> (EncodedTable, Cells, Buckets) {
    let table = large_table(u64::from(ROWS), &[120, 5, 9, 6], false, Seed::new(11));
    let first = table.columns()[0].codes();
    let mut order: Vec<u32> = (0..ROWS).collect();
    order.sort_by_key(|&row| first.slot(row as usize));
    let original = take_rows(&table, &order).unwrap();
    // A bucket ends where the first column's value changes.
    let codes = original.columns()[0].codes();
    let (mut bucket, mut size, mut buckets) = (0u32, 0, Vec::new());
    for row in 0..ROWS as usize {
        if size >= 10 && codes.slot(row) != codes.slot(row - 1) {
            (bucket, size) = (bucket + 1, 0);
        }
        buckets.push(bucket);
        size += 1;
    }
    let draw = Seed::new(12);
    let mut own: Vec<u32> = (0..ROWS).collect();
    own.sort_by_key(|&row| (buckets[row as usize], draw.below(row.into(), 1 << 40)));
    let moved = take_rows(&original, &own).unwrap();
    let mut columns: Vec<Column> = original.columns()[..2].to_vec();
    columns.extend_from_slice(&moved.columns()[2..]);
    columns.push(Column::of_numbers("bucket", bucket + 1, buckets.into_iter()).unwrap());
    let release = EncodedTable::new(ROWS as usize, columns).unwrap();
    let names = |names: [&str; 2]| names.map(String::from).to_vec();
    let slices = vec![names(["c0", "c1"]), names(["c2", "c3"])];
    (original, Cells::of(&release), Buckets { column: "bucket".into(), slices })
}

/// A table and what is left of it when cells are suppressed so that each row equals two others on
/// the first two columns; rows in another order.
fn suppressed() -> (EncodedTable, Cells) {
    let original = large_table(u64::from(ROWS), &[12, 6, 200], false, Seed::new(21));
    let mut cells = Cells::of(&original);
    let judge = |cells: &Cells| {
        let facts = ClassJudge::new(ColumnSet::first(2)).run(&cells.table(), &Run::new()).unwrap();
        facts.small_rows(3, usize::MAX)
    };
    for column in [0usize, 1] {
        for row in judge(&cells) {
            cells.slots[column][row as usize] = original.columns()[column].suppressed_slot();
        }
    }
    assert!(judge(&cells).len() < 3);
    let draw = Seed::new(22);
    let mut order: Vec<u32> = (0..ROWS).collect();
    order.sort_by_key(|&row| draw.below(row.into(), 1 << 40));
    (original, Cells::of(&take_rows(&cells.table(), &order).unwrap()))
}

/// Who sees that a release is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each judge")]
struct Seen {
    truth: bool,
    unmatched: bool,
    links: bool,
    rows: bool,
}

fn seen(original: &EncodedTable, release: &EncodedTable, buckets: Option<&Buckets>) -> Seen {
    let run = Run::new();
    let reading = Reading::of(original, release, &BTreeMap::new(), buckets).unwrap();
    let truth = Truth::new(original.all_columns()).run(original, release, &reading, &run).unwrap();
    let unmatched = buckets.is_some_and(|_| {
        let matching = Matching::new(ColumnId::new(3));
        matching.run(original, release, &reading, &run).unwrap().unmatched().0 > 0
    });
    let links = buckets.is_none() && {
        let outsider = Outsider::new(original.all_columns());
        let notions = outsider.compare(original, release, &reading, &run).unwrap();
        let linked = notions.n5().unwrap().per_row().iter().any(|&count| count > 0);
        notions.n3().per_row().contains(&0) || !linked
    };
    Seen { truth: !truth.is_true(), unmatched, links, rows: release.rows() != original.rows() }
}

/// How often each judge saw faults that change something, of how many.
fn tried(
    original: &EncodedTable,
    right: &Cells,
    buckets: Option<&Buckets>,
    fault: impl Fn(&mut Cells, &dyn Fn(u64) -> usize),
) -> [usize; 5] {
    assert_eq!(seen(original, &right.table(), buckets), Seen::default());
    let mut counts = [0; 5];
    for nth in 0..TRIES {
        let draw = Seed::new(30).part(nth);
        let row = |at: u64| usize::try_from(draw.below(at, u64::from(ROWS))).unwrap();
        let mut wrong = right.clone();
        fault(&mut wrong, &row);
        if wrong.slots == right.slots {
            continue;
        }
        let seen = seen(original, &wrong.table(), buckets);
        let all = [true, seen.truth, seen.unmatched, seen.links, seen.rows];
        counts.iter_mut().zip(all).for_each(|(count, seen)| *count += usize::from(seen));
    }
    counts
}

#[test]
fn rows_in_the_wrong_bucket() {
    let (original, right, buckets) = sliced();
    // A person who is moved with all that was published of him makes other buckets that are true.
    let is_whole = |cells: &Cells, row: usize| {
        let slot = |own: usize, at: usize| original.columns()[at].codes().slot(own);
        (0..ROWS as usize).any(|own| (0..4).all(|at| slot(own, at) == cells.slots[at][row]))
    };
    // Two rows trade their buckets.
    let [all, truth, ..] = tried(&original, &right, Some(&buckets), |cells, row| {
        if !is_whole(cells, row(0)) && !is_whole(cells, row(1)) {
            cells.swap(4, row(0), row(1));
        }
    });
    assert!(all > 40 && truth == all, "{truth} of {all}");
    // One row goes to another bucket, so that one is too small and one too large.
    let [all, truth, ..] = tried(&original, &right, Some(&buckets), |cells, row| {
        if !is_whole(cells, row(0)) {
            cells.slots[4][row(0)] = cells.slots[4][row(1)];
        }
    });
    assert!(all > 40 && truth == all, "{truth} of {all}");
}

#[test]
fn a_single_column_permuted_within_a_slice() {
    let (original, right, buckets) = sliced();
    // Within the bucket: the tuples of the slice are others.
    let [all, truth, ..] = tried(&original, &right, Some(&buckets), |cells, row| {
        let (a, mut b) = (row(0), row(0));
        while b + 1 < ROWS as usize && cells.slots[3][a] == cells.slots[3][b] {
            b += 1;
        }
        if cells.slots[4][a] == cells.slots[4][b] && cells.slots[2][a] != cells.slots[2][b] {
            cells.swap(3, a, b);
        }
    });
    assert!(all > 25 && truth == all, "{truth} of {all}");
    // A whole slice permuted within its bucket is what slicing does.
    let [all, truth, ..] = tried(&original, &right, Some(&buckets), |cells, row| {
        let (a, b) = (row(0), (row(0) + 1) % ROWS as usize);
        if cells.slots[4][a] == cells.slots[4][b] {
            cells.swap(2, a, b);
            cells.swap(3, a, b);
        }
    });
    assert!(all > 25 && truth == 0, "{truth} of {all}");
}

#[test]
fn rows_lost_or_there_twice() {
    let (original, right, buckets) = sliced();
    let lost = |cells: &mut Cells, row: &dyn Fn(u64) -> usize| {
        cells.slots.iter_mut().for_each(|slots| {
            slots.remove(row(0));
        });
    };
    let twice = |cells: &mut Cells, row: &dyn Fn(u64) -> usize| {
        cells.slots.iter_mut().for_each(|slots| slots.push(slots[row(0)]));
    };
    let instead = |cells: &mut Cells, row: &dyn Fn(u64) -> usize| {
        cells.slots.iter_mut().for_each(|slots| slots[row(0)] = slots[row(1)]);
    };
    // To remove a person is no lie, but a published row has two people's parts, so that both are
    // nowhere. It is not seen where somebody in the bucket is like one of them; the numbers of rows
    // tell always.
    let [all, truth, unmatched, _, rows] = tried(&original, &right, Some(&buckets), lost);
    assert!(rows == all && truth > all / 2 && unmatched > all / 2, "{truth}, {unmatched} of {all}");
    let [all, truth, _, _, rows] = tried(&original, &right, Some(&buckets), twice);
    assert!(truth == all && rows == all);
    let [all, truth, ..] = tried(&original, &right, Some(&buckets), instead);
    assert!(truth == all, "{truth} of {all}");

    let (original, right) = suppressed();
    let [all, truth, _, links, rows] = tried(&original, &right, None, lost);
    assert!(all > 0 && truth == 0 && links == 0 && rows == all);
    let [all, truth, _, links, _] = tried(&original, &right, None, twice);
    assert!(truth == all && links == all);
    // A row in place of another is somebody's where few cells of it are left.
    let [all, truth, _, links, _] = tried(&original, &right, None, instead);
    assert!(truth == links && truth * 10 > all * 9, "{truth} of {all}");
}

#[test]
fn cells_that_say_something_wrong() {
    let (original, right) = suppressed();
    // A suppressed cell comes back as another value.
    let hidden = original.columns()[0].suppressed_slot();
    let [all, truth, _, links, _] = tried(&original, &right, None, |cells, row| {
        let rows = (0..ROWS as usize).map(|at| (row(0) + at) % ROWS as usize);
        let rows: Vec<usize> = rows.filter(|&at| cells.slots[0][at] == hidden).collect();
        let third = cells.slots[2][rows[0]];
        let own = original.columns()[2].codes().slots().position(|slot| slot == third);
        let own = original.columns()[0].codes().slot(own.unwrap());
        cells.slots[0][rows[0]] = (own + 1) % hidden.saturating_sub(1);
    });
    // It is seen but where somebody else is alike on what is left and has that value.
    assert!(truth == links && truth * 10 > all * 8, "{truth} of {all}");
    // A visible value becomes another.
    let [all, truth, ..] = tried(&original, &right, None, |cells, row| {
        cells.slots[2][row(0)] = cells.slots[2][row(1)];
    });
    assert!(truth * 10 > all * 8, "{truth} of {all}");
}

#[test]
fn one_row_too_few_in_a_class_is_listed() {
    let release = EncodedTable::of(&[[1, 5], [2, 5], [1, 6], [2, 6], [1, 6], [3, 8]]);
    let judge = ClassJudge::new(ColumnSet::first(1)).sensitive(ColumnId::new(1), None);
    let facts = judge.run(&release, &Run::new()).unwrap();
    assert_eq!(facts.small_rows(3, 9), [1, 3, 5]);
    assert_eq!(facts.small_rows(3, 2), [1, 3]);
    assert_eq!((facts.small_rows(1, 9), facts.small_rows(9, 9).len()), (vec![], 6));
    let rows = |condition| facts.violating_rows(condition, 0, 9);
    assert_eq!(rows(Condition::AtLeast { k: 2 }), [5]);
    assert!(rows(Condition::AtLeast { k: 1 }).is_empty());
    assert_eq!(rows(Condition::Distinct { l: 2 }), [5]);
    assert_eq!(rows(Condition::Probabilistic { l: 2 }), [5]);
    assert_eq!(rows(Condition::Entropy { l: 2 }), [5]);
    // No class of the last one's values has a second.
    assert_eq!(rows(Condition::Recursive { c_millionths: 3_000_000, l: 2 }), [5]);
    assert_eq!(rows(Condition::Recursive { c_millionths: 1, l: 1 }), [5]);
    assert_eq!(rows(Condition::Close { t_millionths: 0, ordered: false }), [5]);
    assert_eq!(rows(Condition::Close { t_millionths: 0, ordered: true }), [5]);
    assert_eq!(facts.violating_rows(Condition::Distinct { l: 2 }, 7, 9), Vec::<u32>::new());
    // Three classes of six rows; 4 of 15 pairs are in one class.
    assert_eq!(facts.distinct_ratio(), Ratio::new(3, 6));
    assert_eq!(facts.separation_ratio(), Ratio::new(11, 15));
    let none = ClassJudge::new(ColumnSet::first(1)).run(&EncodedTable::of::<1>(&[]), &Run::new());
    let none = none.unwrap();
    assert_eq!(
        (none.distinct_ratio(), none.separation_ratio()),
        (Ratio::new(1, 1), Ratio::new(1, 1))
    );
}
