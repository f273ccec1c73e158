//! The masks of Motwani and Xu: their worked table, and their figures about real ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what it did not check")]

use std::collections::BTreeMap;
use std::sync::Mutex;

use muslin_assess::{Measure, Target};
use muslin_engine::{ColumnCounts, Engine, MemoryEngine, Partition, Run, Seed, Shape, take_rows};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_protect::{Mask, MaskFound, MaskMethod};
use muslin_table::{
    ClassDiversity, ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio,
};
use muslin_testkit::{data, published};

fn target(measure: Measure, beta: &str) -> Target {
    Target::new(measure, beta.parse().unwrap())
}

fn masked(engine: &dyn Engine, target: Target, method: MaskMethod) -> MaskFound {
    Mask::new(target).method(method).run(engine, &Run::new()).unwrap()
}

/// A real table without a column, or nothing where it is absent.
fn real(name: &str, without: &str) -> Option<EncodedTable> {
    let Some(path) = data::real(name) else {
        println!("{name} is absent: not checked");
        return None;
    };
    let columns = ColumnChoice::Except(vec![without.to_owned()]);
    let options = ReadOptions { columns, ..ReadOptions::default() };
    Some(muslin_io::read(&Input::named(path), &options, &Run::new()).unwrap().table)
}

/// The paper's adult: without `fnlwgt`, each different row once.
fn adult() -> Option<EncodedTable> {
    let table = real("adult.csv", "fnlwgt")?;
    let rows = table.columns().iter().fold(Partition::whole(table.rows()), |rows, column| {
        rows.refine(column, MissingRule::Category)
    });
    let table = take_rows(&table, &rows.first_rows()).unwrap();
    assert_eq!((table.rows(), table.columns().len()), (29_096, 14));
    Some(table)
}

/// The paper's covtype: 54 columns, without the class.
fn covtype() -> Option<EncodedTable> {
    let table = real("covtype.csv.gz", "Cover_Type")?;
    assert_eq!((table.rows(), table.columns().len()), (581_012, 54));
    Some(table)
}

/// An engine that answers no question twice: many masks of one table ask about the same sets.
struct Remembering<'a> {
    engine: MemoryEngine<'a>,
    known: Mutex<BTreeMap<ColumnSet, ClassSizes>>,
}

impl<'a> Remembering<'a> {
    fn new(table: &'a EncodedTable, run: &'a Run) -> Self {
        Self { engine: MemoryEngine::new(table, run), known: Mutex::default() }
    }
}

impl Engine for Remembering<'_> {
    fn shape(&self) -> muslin_engine::Result<Shape> {
        self.engine.shape()
    }

    fn column_counts(&self) -> muslin_engine::Result<Vec<ColumnCounts>> {
        self.engine.column_counts()
    }

    fn class_sizes(
        &self,
        by: &ColumnSet,
        missing: MissingRule,
    ) -> muslin_engine::Result<ClassSizes> {
        if let Some(known) = self.known.lock().unwrap().get(by) {
            return Ok(known.clone());
        }
        let sizes = self.engine.class_sizes(by, missing)?;
        self.known.lock().unwrap().insert(by.clone(), sizes.clone());
        Ok(sizes)
    }

    fn class_diversity(
        &self,
        by: &ColumnSet,
        sensitive: ColumnId,
    ) -> muslin_engine::Result<ClassDiversity> {
        self.engine.class_diversity(by, sensitive)
    }

    fn minimal_uniques_of(
        &self,
        set: &ColumnSet,
        k: u32,
        missing: MissingRule,
    ) -> muslin_engine::Result<u64> {
        self.engine.minimal_uniques_of(set, k, missing)
    }

    fn sample(&self, rows: u64, seed: Seed) -> muslin_engine::Result<EncodedTable> {
        self.engine.sample(rows, seed)
    }

    fn collect(&self, columns: &ColumnSet) -> muslin_engine::Result<EncodedTable> {
        self.engine.collect(columns)
    }
}

#[test]
fn table_1_can_publish_sex_and_state_at_exactly_their_ratio() {
    let table = published::motwani_xu_table_1();
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    for method in [MaskMethod::Greedy, MaskMethod::Exact] {
        let distinct = masked(&engine, target(Measure::Distinct, "0.8"), method);
        let sex_and_state: ColumnSet = [1, 2].map(ColumnId::new).into_iter().collect();
        assert_eq!(distinct.publish(), &sex_and_state);
        assert_eq!(distinct.ratio(), Ratio::new(4, 5));
        let separation = masked(&engine, target(Measure::Separation, "0.8"), method);
        assert_eq!(separation.publish().len(), 1);
        assert_eq!(separation.is_optimal(), method == MaskMethod::Exact);
    }
}

#[test]
fn adult_publishes_as_many_columns_as_in_tables_2_and_3() {
    let Some(table) = adult() else { return };
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    for method in [MaskMethod::Greedy, MaskMethod::Exact] {
        let distinct = masked(&engine, target(Measure::Distinct, "0.5"), method);
        assert_eq!(distinct.publish().len(), 12);
        let separation = masked(&engine, target(Measure::Separation, "0.8"), method);
        assert_eq!(separation.publish().len(), 5);
        if method == MaskMethod::Greedy {
            assert_eq!(format!("{:.4}", distinct.ratio().as_f64()), "0.4141");
            assert_eq!(format!("{:.4}", separation.ratio().as_f64()), "0.7167");
        }
    }
    for seed in 0..20 {
        let run = Run::new().seed(Seed::new(seed));
        let method = MaskMethod::Sampled { draws: 50_000, delta: "0.01".parse().unwrap() };
        let mask = Mask::new(target(Measure::Separation, "0.8")).method(method);
        let found = mask.run(&MemoryEngine::new(&table, &run), &run).unwrap();
        assert_eq!(found.publish().len(), 5);
        assert!(!found.sample().unwrap().is_repaired);
    }
}

#[test]
fn greedy_is_not_optimal_on_adult_at_26_of_99_ratios() {
    let Some(table) = adult() else { return };
    let run = Run::new();
    let engine = Remembering::new(&table, &run);
    let short = (1..100).filter(|percent| {
        let target = target(Measure::Distinct, &format!("0.{percent:02}"));
        let greedy = masked(&engine, target, MaskMethod::Greedy);
        let exact = masked(&engine, target, MaskMethod::Exact);
        assert!(exact.is_optimal() && !target.is_exceeded(exact.sizes()));
        greedy.publish().len() < exact.publish().len()
    });
    assert_eq!(short.count(), 26);
    println!("{} sets", engine.known.lock().unwrap().len());
}

#[test]
fn covtype_publishes_38_columns_at_four_fifths_of_the_pairs() {
    let Some(table) = covtype() else { return };
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let target = target(Measure::Separation, "0.8");
    let greedy = masked(&engine, target, MaskMethod::Greedy);
    assert_eq!(greedy.publish().len(), 38);
    let exact = masked(&engine, target, MaskMethod::Exact);
    assert!(exact.is_optimal());
    // There is only one such set.
    assert_eq!(exact.publish(), greedy.publish());
    let method = MaskMethod::Sampled { draws: 50_000, delta: "0.01".parse().unwrap() };
    let sampled = masked(&engine, target, method);
    assert_eq!(sampled.publish().len(), 37);
    assert_eq!(format!("{:.4}", sampled.sample().unwrap().beta.as_f64()), "0.7633");
}

#[test]
fn covtype_publishes_49_columns_at_half_the_rows() {
    let Some(table) = covtype() else { return };
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let target = target(Measure::Distinct, "0.5");
    let exact = masked(&engine, target, MaskMethod::Exact);
    assert_eq!((exact.publish().len(), exact.is_optimal()), (49, true));
    assert_eq!(exact.steps().len(), 49);
    let method = MaskMethod::Sampled { draws: 30_000, delta: "0.01".parse().unwrap() };
    let sampled = masked(&engine, target, method);
    assert_eq!(sampled.publish().len(), 45);
}
