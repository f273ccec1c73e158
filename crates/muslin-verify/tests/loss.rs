//! What an analyst loses: measures worked out by hand, the tables of paper 002, relations.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Float64Array, TimestampSecondArray};
use muslin_engine::{Cancel, Coverage, Run, Seed, Stop, take_rows};
use muslin_table::{Codes, Column, ColumnId, ColumnSet, Dictionary, EncodedTable, Hierarchy};
use muslin_testkit::generate::{small_tables, ugly_tables};
use muslin_verify::loss::{
    Bin, Blanks, Buckets, ColumnLoss, Cover, LeftOut, Loss, Losses, Reading, Workload,
};
use muslin_verify::{Error, Unread};
use proptest::prelude::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

fn text(name: &str, cells: &[&str]) -> Column {
    let positions = 0..u32::try_from(cells.len()).unwrap();
    Column::of_labels(name, cells, positions.collect::<Vec<_>>().into_iter()).unwrap()
}

fn numbers(name: &str, cells: &[i64]) -> Column {
    let cells = cells.iter().copied().map(Some).collect();
    EncodedTable::of_columns([(name.to_owned(), cells)]).into_columns().remove(0)
}

fn table(columns: Vec<Column>) -> EncodedTable {
    EncodedTable::new(columns[0].rows(), columns).unwrap()
}

const NO_TREES: BTreeMap<String, Hierarchy> = BTreeMap::new();

fn measure(loss: &Loss, original: &EncodedTable, release: &EncodedTable) -> Losses {
    let reading = Reading::of(original, release, &NO_TREES, None).unwrap();
    loss.run(original, release, &reading, &Run::new()).unwrap()
}

fn ids(columns: &[usize]) -> ColumnSet {
    columns.iter().map(|&at| ColumnId::new(at)).collect()
}

// Paper 002.

const AGE: [i64; 8] = [22, 22, 33, 52, 54, 60, 60, 64];
const SEX: [&str; 8] = ["M", "F", "F", "F", "M", "M", "M", "F"];
const ZIP: [&str; 8] = ["47906", "47906", "47905", "47905", "47302", "47302", "47304", "47304"];
const DISEASE: [&str; 8] =
    ["dyspepsia", "flu", "flu", "bronchitis", "flu", "dyspepsia", "dyspepsia", "gastritis"];

fn paper_a() -> EncodedTable {
    let columns = [text("Sex", &SEX), text("Zipcode", &ZIP), text("Disease", &DISEASE)];
    table([numbers("Age", &AGE)].into_iter().chain(columns).collect())
}

fn paper_loss() -> Loss {
    Loss::new(ids(&[0, 1, 2])).sensitive(Some(ColumnId::new(3))).k(Some(4))
}

fn repeated<'a>(first: &'a str, second: &'a str) -> [&'a str; 8] {
    [first, first, first, first, second, second, second, second]
}

fn zip_tree() -> BTreeMap<String, Hierarchy> {
    // In value order: 47302, 47304, 47905, 47906.
    let path = |prefix: &str| vec![prefix.to_owned(), "*".to_owned()];
    let paths = [path("4730*"), path("4730*"), path("4790*"), path("4790*")];
    let others = [path("4730*"), vec!["4810*".to_owned(), "*".to_owned()]];
    let tree = Hierarchy::new("Zipcode", &paths, &others).unwrap();
    BTreeMap::from([("Zipcode".to_owned(), tree)])
}

#[test]
fn paper_002_table_b_generalized() {
    let original = paper_a();
    // The paper prints [20-52]: it covers the same values.
    for age in ["[22-52]", "[20-52]", "[20 to 53)"] {
        let release = table(vec![
            text("Age", &repeated(age, "[54-64]")),
            text("Sex", &["*"; 8]),
            text("Zipcode", &repeated("4790*", "4730*")),
            text("Disease", &DISEASE),
        ]);
        let reading = Reading::of(&original, &release, &zip_tree(), None).unwrap();
        let found = paper_loss().run(&original, &release, &reading, &Run::new()).unwrap();
        let ncp: Vec<f64> = found.columns().iter().map(ColumnLoss::ncp).collect();
        assert_eq!(ncp.len(), 4);
        let expected = [20.0 / 42.0, 1.0, 1.0 / 3.0, 0.0];
        assert!(ncp.iter().zip(expected).all(|(&a, b)| close(a, b)), "{ncp:?}");
        assert!(close(found.cells().gcp(), (20.0 / 42.0 + 1.0 + 1.0 / 3.0) / 3.0));
        assert!(close(found.cells().by_values(), (0.4 + 1.0 + 1.0 / 3.0) / 3.0));
        // 4730* has three leaves, 4790* two, of six in all.
        let leaves = found.columns()[2].by_leaves().unwrap();
        assert!(close(leaves, 0.3), "{leaves}");
        assert_eq!(found.cells().by_leaves(), None);
        // 1.5 bits for an age, one for a sex and for a zip code.
        assert!(close(found.cells().bits(), 8.0 * 3.5));
        assert_eq!(found.suppression().suppressed(), 8);
        assert_eq!(found.suppression().rows_touched(), 8);
        assert_eq!(found.columns()[0].generalized(), 8);
        assert_eq!(found.classes().classes(), 2);
        assert_eq!(found.classes().discernibility(), 32);
        assert!(close(found.classes().average_size(), 4.0));
        assert!(close(found.classes().c_avg().unwrap(), 1.0));
        // Half of the rows share their disease with another of their class.
        assert!(close(found.divergence().unwrap().nats(), 72f64.ln() / 2.0));
        assert_eq!(found.reconstruction_error(), None);
    }
}

#[test]
fn paper_002_table_d_multisets() {
    let original = paper_a();
    let release = table(vec![
        text("Age", &repeated("22:2,33:1,52:1", "54:1,60:2,64:1")),
        text("Sex", &repeated("M:1,F:3", "M:3,F:1")),
        text("Zipcode", &repeated("47905:2,47906:2", "47302:2,47304:2")),
        text("Disease", &DISEASE),
    ]);
    let found = measure(&paper_loss(), &original, &release);
    // Rows expected of each row of the original.
    let rows = [
        1.0 / 16.0,
        3.0 / 8.0,
        3.0 / 16.0,
        3.0 / 32.0,
        3.0 / 32.0,
        3.0 / 8.0,
        3.0 / 8.0,
        1.0 / 32.0,
    ];
    let nats = -rows.iter().map(|rows: &f64| rows.ln()).sum::<f64>() / 8.0;
    assert!(close(found.divergence().unwrap().nats(), nats));
    // Counts say how often each value comes: a column by itself loses nothing.
    for marginal in found.marginals() {
        assert!(marginal.total_variation() < 1e-12);
    }
    let sex = -(0.75 * 0.75f64.log2() + 0.25 * 0.25f64.log2());
    assert!(close(found.columns()[1].bits(), 8.0 * sex));
    assert!(close(found.columns()[0].by_values(), 0.4));
}

/// Table (f), or the same rows with other slices.
fn paper_f(slices: &[&[&str]]) -> (EncodedTable, Buckets) {
    // As printed: (Age, Sex) and (Zipcode, Disease) each within their bucket.
    let zip = ["47905", "47906", "47905", "47906", "47304", "47302", "47302", "47304"];
    let disease =
        ["flu", "dyspepsia", "bronchitis", "flu", "gastritis", "flu", "dyspepsia", "dyspepsia"];
    let release = table(vec![
        numbers("Age", &AGE),
        text("Sex", &SEX),
        text("Zipcode", &zip),
        text("Disease", &disease),
        numbers("bucket", &[1, 1, 1, 1, 2, 2, 2, 2]),
    ]);
    let names = |slice: &&[&str]| slice.iter().map(|&name| name.to_owned()).collect();
    let slices = slices.iter().map(names).collect();
    (release, Buckets { column: "bucket".to_owned(), slices })
}

#[test]
fn paper_002_table_f_sliced() {
    let original = paper_a();
    let (release, buckets) = paper_f(&[&["Age", "Sex"], &["Zipcode", "Disease"]]);
    let reading = Reading::of(&original, &release, &NO_TREES, Some(&buckets)).unwrap();
    assert!(reading.ignored().is_empty());
    let found = paper_loss().run(&original, &release, &reading, &Run::new()).unwrap();
    assert_eq!(found.cells().gcp().to_bits(), 0);
    // Two of eight rows are expected half a time, the others a quarter.
    assert!(close(found.divergence().unwrap().nats(), 14.0 / 8.0 * 2f64.ln()));
    // In each bucket a zip code has two diseases.
    assert!(close(found.reconstruction_error().unwrap(), 4.0));
    assert_eq!(found.classes().discernibility(), 32);
    let association = found.association().unwrap();
    for pair in association.pairs() {
        let slice = |column: ColumnId| column.index() / 2;
        assert_eq!(pair.is_within_slice(), slice(pair.first()) == slice(pair.second()));
        if pair.is_within_slice() {
            assert!(close(pair.before(), pair.after()));
        }
    }
    assert!(close(association.ratio_within().unwrap(), 1.0));
    assert!(association.ratio_across().unwrap() < 1.0);
    // Sex and zip code: half of each bucket has either code, three quarters have its usual sex.
    let sex_zip = association.pairs().iter().find(|p| p.first().index() == 1).unwrap();
    assert!(close(sex_zip.after(), 0.25), "{}", sex_zip.after());
    for marginal in found.marginals() {
        assert_eq!(marginal.total_variation().to_bits(), 0);
    }
}

#[test]
fn paper_002_table_c_bucketized() {
    let original = paper_a();
    let (release, mut buckets) = paper_f(&[&["Age", "Sex", "Zipcode"], &["Disease"]]);
    let disease =
        ["flu", "dyspepsia", "bronchitis", "flu", "gastritis", "flu", "dyspepsia", "dyspepsia"];
    let mut columns = release.into_columns();
    columns[2] = text("Zipcode", &ZIP);
    columns[3] = text("Disease", &disease);
    let release = table(columns);
    for with_sensitive in [true, false] {
        // A column that no slice names is a slice of its own.
        if !with_sensitive {
            buckets.slices.pop();
        }
        let reading = Reading::of(&original, &release, &NO_TREES, Some(&buckets)).unwrap();
        let found = paper_loss().run(&original, &release, &reading, &Run::new()).unwrap();
        // Each bucket has three diseases, one of them twice: 4 - (4 + 1 + 1) / 4.
        assert!(close(found.reconstruction_error().unwrap(), 5.0));
        assert!(close(found.association().unwrap().ratio_within().unwrap(), 1.0));
    }
}

#[test]
fn one_bucket_of_single_columns_keeps_no_association() {
    let original = EncodedTable::of(&[[1, 1], [1, 1], [2, 2], [2, 2]]);
    let mut columns = original.clone().into_columns();
    columns.push(numbers("b", &[7; 4]));
    let release = table(columns);
    let buckets = Buckets { column: "b".to_owned(), slices: Vec::new() };
    let reading = Reading::of(&original, &release, &NO_TREES, Some(&buckets)).unwrap();
    let loss = Loss::new(original.all_columns());
    let found = loss.run(&original, &release, &reading, &Run::new()).unwrap();
    let pair = found.association().unwrap().pairs()[0];
    assert!(close(pair.before(), 1.0) && close(pair.after(), 0.0));
    // A quarter is expected of each combination, the original has two with a half each.
    assert!(close(found.divergence().unwrap().nats(), 2f64.ln()));
}

// Single measures.

#[test]
fn removed_rows_and_withheld_columns_lose_everything() {
    let original = EncodedTable::of(&[[1, 1], [1, 2], [3, 3], [5, 4], [5, 5]]);
    let kept = take_rows(&original, &[0, 3, 4]).unwrap();
    let release = kept.project(&ids(&[0]));
    let found = measure(&Loss::new(original.all_columns()), &original, &release);
    let suppression = found.suppression();
    assert_eq!((suppression.rows_removed(), suppression.rows_added()), (2, 0));
    assert_eq!((suppression.columns_withheld(), suppression.suppressed()), (1, 0));
    assert!(close(found.columns()[0].ncp(), 0.4) && close(found.columns()[1].ncp(), 1.0));
    assert!(found.columns()[1].is_withheld() && close(found.cells().gcp(), 0.7));
    // Classes of one and two rows, and two removed of five.
    assert_eq!(found.classes().discernibility(), 1 + 4 + 2 * 5);
    // A third of the release is 1, two thirds 5, none 3: 3 is ruled out.
    let divergence = found.divergence().unwrap();
    assert!(divergence.nats().is_infinite() && close(divergence.unreached(), 0.2));
    assert_eq!(found.marginals().len(), 1);
    let marginal = found.marginal(ColumnId::new(0)).unwrap();
    assert_eq!(marginal.bins(), [Bin::Value(0), Bin::Value(1), Bin::Value(2)]);
    assert_eq!(marginal.before(), [2, 1, 2]);
    assert_eq!(marginal.after(), [1.0, 0.0, 2.0]);
    assert!(close(marginal.total_variation(), 2.0 / 3.0 - 2.0 / 5.0));
    let pair = found.association().unwrap().pairs()[0];
    assert!(pair.before() > 0.0 && close(pair.after(), 0.0) && !pair.is_within_slice());
}

#[test]
fn a_suppressed_cell_has_the_weights_of_the_rest_of_its_column() {
    let original = EncodedTable::of(&[[1], [1], [2], [3]]);
    let release = table(vec![text("c0", &["1", "1", "2", "*"])]);
    let found = measure(&Loss::new(original.all_columns()), &original, &release);
    let after = found.marginals()[0].after();
    // Nobody has the third value now; it counts as one cell.
    assert!(close(after[0], 2.5) && close(after[1], 1.25) && close(after[2], 0.25));
    assert!(close(found.divergence().unwrap().unreached(), 0.0));
    assert!(close(found.suppression().share(), 0.25));
    // The entropy of a half, a quarter and a quarter.
    assert!(close(found.cells().bits(), 1.5) && close(found.cells().bits_share(), 0.25));
}

#[test]
fn many_values_are_put_into_bins() {
    let cells: Vec<i64> = (0..100).chain(0..100).collect();
    let names: Vec<String> = cells.iter().map(|cell| format!("v{cell:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let halves: Vec<i64> = cells.iter().map(|cell| cell / 50).collect();
    let original = table(vec![numbers("n", &cells), text("t", &names), numbers("half", &halves)]);
    let found = measure(&Loss::new(original.all_columns()), &original, &original);
    let association = found.association().unwrap();
    assert_eq!(association.binned(), [ColumnId::new(0)]);
    assert_eq!(association.left_out(), [ColumnId::new(1)]);
    // Ten bins of ten values decide the half they are in.
    assert_eq!(association.pairs().len(), 1);
    assert!(close(association.pairs()[0].before(), 1.0));
    let bins = found.marginal(ColumnId::new(0)).unwrap();
    assert_eq!(bins.bins().len(), 20);
    assert_eq!(bins.bins()[0], Bin::Range { first: 0, last: 4 });
    assert_eq!(bins.before(), [10; 20]);
    let values = found.marginal(ColumnId::new(1)).unwrap();
    assert_eq!(values.bins()[18..], [Bin::Value(18), Bin::Others(81)]);
    assert_eq!(values.before()[18..], [2, 162]);
}

// Reading.

#[test]
fn labels_of_numbers_days_and_text_are_read() {
    let days: ArrayRef = Arc::new(Date32Array::from(vec![18_262, 18_293, 18_322, 18_353]));
    let reals: ArrayRef = Arc::new(Float64Array::from(vec![-2.5, -1.0, 0.0, 10.0]));
    let column = |name: &str, values: ArrayRef| {
        Column::new(name, Dictionary::new(values), Codes::pack(4, 0..4)).unwrap()
    };
    let odd = ["", "a, \"b\"", "a:b", "x to y"];
    let original = table(vec![column("day", days), column("real", reals), text("odd", &odd)]);
    let range = |first, last| Cover::Range { first, last };
    let cases: [(usize, &str, Cover); 20] = [
        (0, "2020-01-01", Cover::Exact(0)),
        (0, "[2020-01-01 to 2020-03-31]", range(0, 2)),
        (0, "[2020-01-02 to 2020-04-01)", range(1, 2)),
        (0, "{2020-02-01, 2020-04-01}", Cover::Set([1, 3].into())),
        (0, "2020-02-01:1,2020-04-01:3", Cover::Multiset([(1, 1), (3, 3)].into())),
        (1, "-2.50", Cover::Exact(0)),
        (1, "-0", Cover::Exact(2)),
        (1, "[-3--0.5]", range(0, 1)),
        (1, "[-3 to 10)", range(0, 2)),
        (1, "[-1-10]", range(1, 3)),
        (1, "[1-10]", Cover::Exact(3)),
        (1, "{-2.5, 10}", Cover::Set([0, 3].into())),
        (1, "-2.5:1,-1.0:2", Cover::Multiset([(0, 1), (1, 2)].into())),
        (1, "{-1, -1.0}", Cover::Exact(1)),
        (2, "a:b", Cover::Exact(2)),
        (2, "{\"a, \"\"b\"\"\", x to y}", Cover::Set([1, 3].into())),
        (2, "\"a:b\":2,\"\":1", Cover::Multiset([(0, 1), (2, 2)].into())),
        (2, "[a to b]", range(1, 2)),
        (2, "[a:b to x to y]", range(2, 3)),
        (2, "*", Cover::Any),
    ];
    for (at, label, cover) in cases {
        let name = original.columns()[at].name();
        let release = table(vec![text(name, &[label])]);
        let reading = Reading::of(&original, &release, &NO_TREES, None).unwrap();
        assert_eq!(reading.cover(ColumnId::new(at), 0), &cover, "{label}");
    }
    // A label that fits no value is told from one that is not understood.
    for (at, label, is_understood) in [
        (0, "[1 to 3]", false),
        (0, "2020-01-05", true),
        (0, "[2021-01-01 to 2021-12-31]", true),
        (1, "[a to b]", false),
        (1, "{2, 3}", true),
        (1, "{a, b}", false),
        (1, "NaN", true),
        (1, "[10-1]", false),
        (2, "qqq", false),
        (2, "{qq, q}", false),
    ] {
        let name = original.columns()[at].name();
        let release = table(vec![text(name, &[label, label])]);
        let error = Reading::of(&original, &release, &NO_TREES, None).unwrap_err();
        let (not_understood, of_no_value) = if is_understood { (0, 2) } else { (2, 0) };
        let unread = Unread { column: name.to_owned(), not_understood, of_no_value };
        assert_eq!(error, Error::UnknownLabels { columns: vec![unread] }, "{label}");
        let said = error.to_string();
        assert_eq!(said.contains(&format!("--hierarchy {name}=FILE")), !is_understood, "{said}");
        assert!(!said.contains(label), "{said}");
    }
}

#[test]
fn ranges_of_texts_are_in_the_order_of_their_hierarchy() {
    let original = table(vec![text("size", &["large", "medium", "small"])]);
    let ranks = [2, 1, 0];
    let tops = vec![vec!["*".to_owned()]; 3];
    let tree = Hierarchy::in_order("size", &tops, &[], |value| ranks[value]).unwrap();
    let trees = BTreeMap::from([("size".to_owned(), tree)]);
    let read = |label: &str, trees: &BTreeMap<String, Hierarchy>| {
        let release = table(vec![text("size", &[label; 3])]);
        let reading = Reading::of(&original, &release, trees, None);
        reading.map(|reading| reading.cover(ColumnId::new(0), 0).clone())
    };
    assert_eq!(read("[small to medium]", &trees), Ok(Cover::Range { first: 1, last: 2 }));
    assert_eq!(read("[small to \"large\"]", &trees), Ok(Cover::Range { first: 0, last: 2 }));
    assert_eq!(read("[small to large)", &trees), Ok(Cover::Range { first: 1, last: 2 }));
    assert!(matches!(read("[large to small]", &trees), Err(Error::UnknownLabels { .. })));
    assert_eq!(read("[large to small]", &NO_TREES), Ok(Cover::Range { first: 0, last: 2 }));
}

#[test]
fn open_ranges_and_beginnings_are_read_without_a_hierarchy() {
    let days: ArrayRef = Arc::new(Date32Array::from(vec![18_262, 18_293, 18_322]));
    let reals: ArrayRef = Arc::new(Float64Array::from(vec![-2.5, 17.0, f64::NAN]));
    let column = |name: &str, values: ArrayRef| {
        Column::new(name, Dictionary::new(values), Codes::pack(3, 0..3)).unwrap()
    };
    let original = table(vec![
        numbers("Age", &[17, 18, 65]),
        text("Zip", &["4790", "47905", "47906"]),
        column("day", days),
        column("real", reals),
        text("tag", &["<18", "é1", "é2"]),
        column("time", Arc::new(TimestampSecondArray::from(vec![0, 40_000, 90_000]))),
        text("odd", &["[a]", "b", "c"]),
    ]);
    let range = |first, last| Cover::Range { first, last };
    let cases: [(usize, &str, Cover); 17] = [
        (5, "[1970-01-01 to 1970-01-01]", range(0, 1)),
        (6, "\"[a]\"", Cover::Exact(0)),
        (0, "<18", Cover::Exact(0)),
        (0, "<=18", range(0, 1)),
        (0, ">18", Cover::Exact(2)),
        (0, ">= 18", range(1, 2)),
        (0, ">=17.5", range(1, 2)),
        (0, "<100", range(0, 2)),
        (0, "1*", range(0, 1)),
        (1, "4790*", range(1, 2)),
        (1, "479*", Cover::Exact(0)),
        (1, "*****", range(1, 2)),
        (2, "<2020-02-01", Cover::Exact(0)),
        (2, ">=2020-01-15", range(1, 2)),
        (3, ">=-5", range(0, 1)),
        (4, "<18", Cover::Exact(0)),
        (4, "é*", range(1, 2)),
    ];
    for (at, label, cover) in cases {
        let release = table(vec![text(original.columns()[at].name(), &[label])]);
        let reading = Reading::of(&original, &release, &NO_TREES, None).unwrap();
        assert_eq!(reading.cover(ColumnId::new(at), 0), &cover, "{label}");
    }
    // What is no label of its column stays open.
    let release = table(vec![text("Zip", &["40-49", "<5", "4790"])]);
    let error = Reading::of(&original, &release, &NO_TREES, None).unwrap_err();
    assert!(error.to_string().contains("2 cells of column `Zip` that are not understood"));
    for (at, label) in [(0, "<17"), (0, ">65"), (1, "4791*"), (1, "46**"), (1, "<5"), (2, "<5")] {
        let release = table(vec![text(original.columns()[at].name(), &[label])]);
        assert!(Reading::of(&original, &release, &NO_TREES, None).is_err(), "{label}");
        let unknown = Reading::unknown(&original, &release, &NO_TREES).unwrap();
        assert_eq!(unknown, [ColumnId::new(at)], "{label}");
    }
}

#[test]
fn labels_of_other_tools_are_read() {
    let days: ArrayRef = Arc::new(Date32Array::from(vec![3_653, 4_000, 4_018, 11_000]));
    let column = |name: &str, values: ArrayRef| {
        Column::new(name, Dictionary::new(values), Codes::pack(4, 0..4)).unwrap()
    };
    let original = table(vec![
        numbers("age", &[-5, -1, 40, 49]),
        // 1980-01-02, 1980-12-14, 1981-01-01 and 2000-02-13.
        column("birth", days),
        text("town", &["40-49", "70+", "a", "b"]),
        numbers("year", &[1_980, 1_985, 1_990, 2_000]),
    ]);
    let range = |first, last| Cover::Range { first, last };
    for (at, label, cover) in [
        (0, "40-49", range(2, 3)),
        (0, "40\u{2013}49", range(2, 3)),
        (0, "(40,49]", Cover::Exact(3)),
        (0, "[40,49)", Cover::Exact(2)),
        (0, "[-5, -1]", range(0, 1)),
        (0, "-5--1", range(0, 1)),
        (0, "-5", Cover::Exact(0)),
        (0, "40+", range(2, 3)),
        (0, "45 and over", Cover::Exact(3)),
        (0, "<5", range(0, 1)),
        (0, ">= 40", range(2, 3)),
        (0, "(-Inf,0]", range(0, 1)),
        (0, "4*", range(2, 3)),
        (0, "-5|40", Cover::Set([0, 2].into())),
        (0, "{40; 49}", range(2, 3)),
        (1, "1980", range(0, 1)),
        (1, "1980-12", Cover::Exact(1)),
        (1, "1980-Q4", Cover::Exact(1)),
        (1, "1980s", range(0, 2)),
        (1, "1980-1981", range(0, 2)),
        (1, "1990+", Cover::Exact(3)),
        (1, "<1981", range(0, 1)),
        (1, "[1980-12,1981-02)", range(1, 2)),
        (2, "40-49", Cover::Exact(0)),
        (2, "70+", Cover::Exact(1)),
        (2, "a;b", range(2, 3)),
        (2, "{a|b}", range(2, 3)),
        (3, "1980s", range(0, 1)),
        (3, "1985-1990", range(1, 2)),
    ] {
        let release = table(vec![text(original.columns()[at].name(), &[label])]);
        let reading = Reading::of(&original, &release, &NO_TREES, None);
        let reading = reading.unwrap_or_else(|error| panic!("{label}: {error}"));
        assert_eq!(reading.cover(ColumnId::new(at), 0), &cover, "{label}");
    }
    for (at, label, is_understood) in [
        (0, "50-59", true),
        (0, "80 and over", true),
        (0, "41", true),
        (0, "49-40", false),
        (0, "middle aged", false),
        (1, "1979", true),
        (1, "5+", false),
        (2, "80+", false),
        (2, "50-59", false),
        (2, "a;c", false),
        (3, "1980-05", false),
    ] {
        let release = table(vec![text(original.columns()[at].name(), &[label])]);
        let Err(Error::UnknownLabels { columns }) =
            Reading::of(&original, &release, &NO_TREES, None)
        else {
            panic!("{label}");
        };
        assert_eq!(columns[0].not_understood == 0, is_understood, "{label}");
    }
}

#[test]
fn a_missing_cell_is_suppressed_where_the_original_has_none() {
    let cells =
        |cells: [Option<i64>; 3]| EncodedTable::of_columns([("a".to_owned(), cells.to_vec())]);
    let (full, part) = (cells([Some(1), Some(2), Some(3)]), cells([Some(1), None, Some(3)]));
    let reading = Reading::of(&full, &part, &NO_TREES, None).unwrap();
    let missing = part.columns()[0].missing_slot();
    assert_eq!(reading.cover(ColumnId::new(0), missing), &Cover::Any);
    assert_eq!(reading.cover(ColumnId::new(0), missing + 1), &Cover::Any);
    let reading = Reading::of(&part, &part, &NO_TREES, None).unwrap();
    assert_eq!(reading.cover(ColumnId::new(0), missing), &Cover::Missing);
}

fn half_missing(rows: usize) -> EncodedTable {
    let job = |row: usize| row.is_multiple_of(2).then(|| i64::try_from(row / 2 % 2).unwrap());
    let sex = |row: usize| Some(i64::try_from(row / 2 % 2).unwrap());
    let jobs = (0..rows).map(job).collect();
    EncodedTable::of_columns([
        ("job".to_owned(), jobs),
        ("sex".to_owned(), (0..rows).map(sex).collect()),
    ])
}

#[test]
fn missing_cells_stay_missing_where_rows_were_removed() {
    // Twelve rows, and the same without the last, whose job is missing.
    let original = half_missing(12);
    let release = take_rows(&original, &(0..11).collect::<Vec<_>>()).unwrap();
    let loss = Loss::new(original.all_columns());
    for blanks in [Blanks::Marked, Blanks::Unmarked] {
        let reading = Reading::with_blanks(&original, &release, &NO_TREES, None, blanks).unwrap();
        let found = loss.run(&original, &release, &reading, &Run::new()).unwrap();
        let job = found.marginal(ColumnId::new(0)).unwrap();
        assert_eq!(job.before(), [3, 3, 6]);
        assert_eq!(job.after(), [3.0, 3.0, 5.0], "{blanks:?}");
        // As if missing were one more value.
        let as_value = |table: &EncodedTable| {
            let labels = ["0", "1", "2"];
            let of =
                |column: &Column| Column::of_labels(column.name(), &labels, column.codes().slots());
            EncodedTable::new(
                table.rows(),
                table.columns().iter().map(|c| of(c).unwrap()).collect(),
            )
        };
        let (before, after) = (as_value(&original).unwrap(), as_value(&release).unwrap());
        let plain = measure(&loss, &before, &after);
        let kept = |found: &Losses| found.association().unwrap().ratio().unwrap();
        assert!(close(kept(&found), kept(&plain)), "{} {}", kept(&found), kept(&plain));
        let nats = |found: &Losses| found.divergence().unwrap().nats();
        assert!(close(nats(&found), nats(&plain)));
        assert_eq!(found.suppression().suppressed(), 0);
        // A text would say `*`; in a file with types a missing cell may be a suppressed one.
        let missing = reading.cover(ColumnId::new(0), release.columns()[0].missing_slot());
        let of_text = if blanks == Blanks::Marked { Cover::Missing } else { Cover::Any };
        assert_eq!(missing, &of_text);
    }
}

#[test]
fn missing_cells_that_may_be_suppressed_are_shared_out() {
    // Two of the six visible jobs are suppressed; six cells were missing before.
    let original = half_missing(12);
    let hide = |slot: u32| {
        let column = &original.columns()[0];
        let hidden = [0, 2];
        let slots = column.codes().slots().zip(0u32..);
        let slots = slots.map(|(own, row)| if hidden.contains(&row) { slot } else { own });
        let codes = Codes::pack(column.slots(), slots.collect::<Vec<_>>().into_iter());
        let job = Column::new("job", column.dictionary().clone(), codes).unwrap();
        table(vec![job, original.columns()[1].clone()])
    };
    let missing = original.columns()[0].missing_slot();
    let (typed, marked) = (hide(missing), hide(missing + 1));
    let loss = Loss::new(original.all_columns());
    let (typed, marked) = (measure(&loss, &original, &typed), measure(&loss, &original, &marked));
    // What depends on counts alone is the same, whether or not the cells are marked.
    assert_eq!((typed.suppression().suppressed(), marked.suppression().suppressed()), (2, 2));
    assert!(close(typed.cells().gcp(), marked.cells().gcp()));
    assert!(close(typed.cells().bits(), marked.cells().bits()));
    let after = |found: &Losses| found.marginal(ColumnId::new(0)).unwrap().after().to_vec();
    let all = after(&typed).into_iter().zip(after(&marked));
    assert!(
        all.clone().all(|(typed, marked)| close(typed, marked)),
        "{:?}",
        all.collect::<Vec<_>>()
    );
    // Six missing, and two that are as the other ten: two of each job and six missing.
    assert!(close(after(&typed)[2], 6.0 + 2.0 * 0.6));
}

#[test]
fn tables_and_settings_that_do_not_fit_are_refused() {
    let original = paper_a();
    let read = |release: &EncodedTable, buckets: &Buckets| {
        Reading::of(&original, release, &NO_TREES, Some(buckets)).unwrap_err().to_string()
    };
    let (release, mut buckets) = paper_f(&[&["Age", "Sex"], &["Sex"]]);
    let reading = Reading::of(&original, &release, &NO_TREES, Some(&buckets)).unwrap();
    assert_eq!(reading.shared_column(), Some(original.find("Sex").unwrap()));
    let lost = Loss::new(ColumnSet::new()).run(&original, &release, &reading, &Run::new());
    assert!(lost.unwrap_err().to_string().contains("`Sex` is in several slices"));
    buckets.slices = vec![vec!["Agee".to_owned()]];
    assert!(read(&release, &buckets).contains("did you mean `Age`"));
    buckets.column = "Age".to_owned();
    assert!(read(&release, &buckets).contains("numbers buckets and is a column of the original"));
    buckets.column = "none".to_owned();
    assert!(read(&release, &buckets).contains("no column `none`"));
    let other = table(vec![numbers("x", &[1])]);
    let error = Reading::of(&original, &other, &NO_TREES, None).unwrap_err();
    assert!(error.to_string().contains("no column of the original"));
    let tree = Hierarchy::flat(&original.columns()[1]);
    let trees = BTreeMap::from([("Age".to_owned(), tree)]);
    let error = Reading::of(&original, &original, &trees, None).unwrap_err();
    assert!(error.to_string().contains("has 2 values, the column 6"));

    let reading = Reading::of(&original, &original, &NO_TREES, None).unwrap();
    let fails = |loss: &Loss, release: &EncodedTable| {
        loss.run(&original, release, &reading, &Run::new()).unwrap_err().to_string()
    };
    assert!(fails(&paper_loss(), &other).contains("that of other tables"));
    assert!(fails(&Loss::new(ids(&[9])), &original).contains("beyond the original's"));
    assert!(fails(&paper_loss().k(Some(0)), &original).contains("`k` is at least 1"));
    for selectivity in [0.0, 1.5, f64::NAN] {
        let workload = Workload { selectivity, ..Workload::default() };
        assert!(fails(&paper_loss().workload(workload), &original).contains("selectivity"));
    }
}

#[test]
fn what_is_too_much_work_or_stopped_says_so() {
    let original = paper_a();
    let reading = Reading::of(&original, &original, &NO_TREES, None).unwrap();
    let found = paper_loss().work_limit(3).run(&original, &original, &reading, &Run::new());
    let found = found.unwrap();
    let left_out = LeftOut::Work { limit: 3 };
    assert_eq!(found.divergence().unwrap_err(), left_out);
    assert_eq!(found.association().unwrap_err(), left_out);
    assert_eq!(found.queries().unwrap_err(), left_out);
    assert_eq!(found.coverage(), Coverage::Complete);
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = paper_loss().run(&original, &original, &reading, &Run::new().cancel(cancel));
    let stop = muslin_engine::Error::Stopped(Stop::Interrupted);
    assert_eq!(stopped, Err(Error::Engine(stop)));
}

// Relations.

fn any_tables() -> impl Strategy<Value = EncodedTable> {
    let is_whole = |table: &EncodedTable| table.columns().iter().all(|c| c.suppressed() == 0);
    prop_oneof![small_tables(), ugly_tables()].prop_filter("an original", is_whole)
}

/// The columns with some cells suppressed.
fn suppressed(table: &EncodedTable, is_out: impl Fn(usize, usize) -> bool) -> EncodedTable {
    let columns = table.columns().iter().enumerate().map(|(c, column)| {
        let slots: Vec<u32> =
            (0..table.rows())
                .map(|row| {
                    if is_out(c, row) { column.suppressed_slot() } else { column.codes().slot(row) }
                })
                .collect();
        let codes = Codes::pack(column.dictionary().len(), slots.into_iter());
        Column::new(column.name(), column.dictionary().clone(), codes).unwrap()
    });
    EncodedTable::new(table.rows(), columns.collect()).unwrap()
}

fn quick(original: &EncodedTable) -> Loss {
    let workload = Workload { queries: 20, columns_per_query: 2, ..Workload::default() };
    let sensitive = (original.columns().len() > 1).then(|| ColumnId::new(1));
    Loss::new(original.all_columns()).sensitive(sensitive).workload(workload).k(Some(2))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(300)))]

    #[test]
    fn the_original_loses_nothing_in_any_order_of_rows(original in any_tables(), seed in any::<u64>()) {
        let mut rows: Vec<u32> = (0..u32::try_from(original.rows()).unwrap()).collect();
        rows.sort_by_key(|&row| Seed::new(seed).draw(row.into()));
        let release = take_rows(&original, &rows).unwrap();
        let found = measure(&quick(&original), &original, &release);
        prop_assert_eq!(found.cells().gcp().to_bits(), 0);
        prop_assert_eq!(found.cells().by_values().to_bits(), 0);
        prop_assert_eq!(found.cells().bits().to_bits(), 0);
        prop_assert_eq!(found.divergence().unwrap().nats().to_bits(), 0);
        prop_assert_eq!(found.suppression().suppressed(), 0);
        for pair in found.association().unwrap().pairs() {
            prop_assert_eq!(pair.before().to_bits(), pair.after().to_bits());
        }
        let queries = found.queries().unwrap();
        prop_assert!(queries.errors().iter().all(|error| error.to_bits() == 0));
        for marginal in found.marginals() {
            prop_assert_eq!(marginal.total_variation().to_bits(), 0);
        }
    }

    #[test]
    fn nothing_is_left_where_everything_is_suppressed(original in any_tables()) {
        prop_assume!(original.rows() > 0 && !original.columns().is_empty());
        let release = suppressed(&original, |_, _| true);
        let found = measure(&quick(&original), &original, &release);
        prop_assert!(close(found.cells().gcp(), 1.0) && close(found.cells().by_values(), 1.0));
        let bits = found.cells().bits_share();
        prop_assert!(close(bits, 1.0) || found.cells().bits().to_bits() == 0);
        prop_assert!(close(found.suppression().share(), 1.0));
        for pair in found.association().unwrap().pairs() {
            prop_assert!(close(pair.after(), 0.0));
        }
        prop_assert!(found.divergence().unwrap().nats() >= -1e-12);
        prop_assert_eq!(found.classes().classes(), 1);
    }

    #[test]
    fn order_of_rows_and_threads_change_nothing(
        original in any_tables(), seed in any::<u64>(), buckets in 1u64..4
    ) {
        let seed = Seed::new(seed);
        let part = suppressed(&original, |c, row| {
            seed.part(c as u64).below(row as u64, 3) == 0
        });
        let bucket = |row: u64| Some(i64::try_from(seed.below(row, buckets)).unwrap());
        let bucket = (0..original.rows() as u64).map(bucket).collect();
        let mut columns = part.into_columns();
        columns.extend(EncodedTable::of_columns([("bucket".to_owned(), bucket)]).into_columns());
        let release = EncodedTable::new(original.rows(), columns).unwrap();
        let mut rows: Vec<u32> = (0..u32::try_from(original.rows()).unwrap()).collect();
        rows.sort_by_key(|&row| seed.part(9).draw(row.into()));
        let shuffled = take_rows(&release, &rows).unwrap();
        let first: Vec<String> = original.columns().iter().take(2).map(|c| c.name().to_owned()).collect();
        let made = Buckets { column: "bucket".to_owned(), slices: vec![first] };
        for made in [None, Some(&made)] {
            let read = |release| Reading::of(&original, release, &NO_TREES, made).unwrap();
            let (one, two) = (read(&release), read(&shuffled));
            let loss = quick(&original);
            let four = Run::new().threads(4).unwrap();
            let one = loss.run(&original, &release, &one, &Run::new().threads(1).unwrap()).unwrap();
            prop_assert_eq!(&loss.run(&original, &shuffled, &two, &four).unwrap(), &one);
            prop_assert_eq!(one.coverage(), Coverage::Complete);
        }
    }

    #[test]
    fn labels_of_any_values_are_read_back(
        values in prop::collection::btree_set("[a-c\"{}:,\\[\\]*to -]{0,6}", 2..6), counts in prop::collection::vec(1u32..9, 6)
    ) {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let original = table(vec![text("a", &values)]);
        let quoted = |value: &str| format!("\"{}\"", value.replace('"', "\"\""));
        let set = values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", ");
        let counted = values.iter().zip(&counts).map(|(value, n)| format!("{}:{n}", quoted(value)));
        let counted = counted.collect::<Vec<_>>().join(",");
        let last = u32::try_from(values.len() - 1).unwrap();
        let range = format!("[{} to {}]", quoted(values[0]), quoted(values[values.len() - 1]));
        let labels = [format!("{{{set}}}"), counted, range];
        prop_assume!(labels.iter().all(|label| !values.contains(&label.as_str())));
        for (at, label) in labels.iter().enumerate() {
            let release = table(vec![text("a", &[label])]);
            let reading = Reading::of(&original, &release, &NO_TREES, None).unwrap();
            let cover = reading.cover(ColumnId::new(0), 0);
            if at == 1 {
                let counts = (0u32..).zip(counts.iter().copied()).take(values.len());
                prop_assert_eq!(cover, &Cover::Multiset(counts.collect()));
            } else {
                prop_assert_eq!(cover, &Cover::Range { first: 0, last });
            }
        }
    }
}
