//! The papers' worked tables, and figures that others have published about real ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what it did not check")]
#![expect(clippy::float_cmp, reason = "scores are sums of whole numbers, or rounded here")]

use std::collections::BTreeMap;

use muslin_assess::{MinimalUniques, Score, UniqueBatch, UniquesFound};
use muslin_engine::{Coverage, Run};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_table::{ColumnId, EncodedTable, MissingRule};
use muslin_testkit::generate::ugly_tables;
use muslin_testkit::oracle::{self, Unique};
use muslin_testkit::{data, published};
use proptest::prelude::*;

fn listed(search: &MinimalUniques, table: &EncodedTable) -> (Vec<Unique>, UniquesFound) {
    let mut all = Vec::new();
    let mut sink = |batch: &UniqueBatch| {
        all.extend(batch.iter().map(|unique| Unique {
            rows: unique.rows().to_vec(),
            columns: unique.columns().map(ColumnId::index).collect(),
            support: unique.support(),
        }));
        Ok(())
    };
    let found = search.list(table, &mut sink, &Run::new()).unwrap();
    assert_eq!(found.coverage(), Coverage::Complete);
    (all, found)
}

fn sizes(found: &UniquesFound) -> Vec<(usize, u64)> {
    found.by_size().collect()
}

/// A real table without some columns, or nothing where it is absent.
fn real(name: &str, without: &[&str]) -> Option<EncodedTable> {
    let Some(path) = data::real(name) else {
        println!("{name} is absent: not checked");
        return None;
    };
    let mut options = ReadOptions::default();
    if !without.is_empty() {
        let without = without.iter().map(|&name| name.to_owned()).collect();
        options.columns = ColumnChoice::Except(without);
    }
    Some(muslin_io::read(&Input::named(path), &options, &Run::new()).unwrap().table)
}

#[test]
fn table_1_of_manning_and_haglin_gives_their_table_5() {
    let table = published::manning_haglin_table_1();
    let (all, found) = listed(&MinimalUniques::new(), &table);
    assert_eq!(all, published::manning_haglin_table_5());
    assert_eq!(sizes(&found), [(2, 24), (3, 1), (4, 1)]);
    let pairs = MinimalUniques::new().k(2).run(&table, &Run::new()).unwrap();
    assert_eq!(pairs.total(), 14);
}

#[test]
fn the_kimas_table_has_the_groups_of_its_paper() {
    let table = published::kimas_table_1();
    let (all, found) = listed(&MinimalUniques::new(), &table);
    assert_eq!(sizes(&found), [(1, 1), (2, 13), (3, 6)]);
    let mut groups: BTreeMap<Vec<&str>, Vec<u32>> = BTreeMap::new();
    for unique in &all {
        let names = unique.columns.iter().map(|&c| table.columns()[c].name()).collect();
        groups.entry(names).or_default().extend(&unique.rows);
    }
    for (columns, rows) in published::KIMAS_GROUPS {
        assert_eq!(groups[columns], rows, "{columns:?}");
    }
    for (row, &count) in published::KIMAS_GROUPS_PER_ROW.iter().enumerate() {
        assert_eq!(found.row(row).uniques, count as u64, "row {row}");
    }
}

#[test]
fn the_ihsn_example_is_scored_as_published() {
    let table = published::ihsn_table();
    let found = MinimalUniques::new().run(&table, &Run::new()).unwrap();
    assert_eq!(found.total(), 9);
    let suda: Vec<f64> = (0..10).map(|row| found.row(row).suda).collect();
    assert_eq!(suda, published::IHSN_SUDA);
    // The guide's DIS-SUDA column belongs to the other definition of the score.
    let dis = |found: &UniquesFound, row| {
        (found.dis_suda(row, &found.dis(0.01)) * 10_000.0).round() / 10_000.0
    };
    assert_eq!([2, 4, 6, 7].map(|row| dis(&found, row)), [0.0050, 0.0114, 0.0050, 0.0092]);
    let other = MinimalUniques::new().score(Score::Ihsn).run(&table, &Run::new()).unwrap();
    assert_eq!([2, 4, 6, 7].map(|row| other.row(row).suda), [1.75, 3.25, 1.75, 2.75]);
    assert_eq!([2, 4, 6, 7].map(|row| dis(&other, row)), [0.0051, 0.0107, 0.0051, 0.0088]);
    assert_eq!(dis(&found, 0), 0.0);
}

#[test]
fn mushroom_has_the_minimal_uniques_of_the_paper() {
    let Some(table) = real("mushroom.csv", &[]) else { return };
    let found = MinimalUniques::new().run(&table, &Run::new()).unwrap();
    let expected = [
        (2, 5),
        (3, 58),
        (4, 375),
        (5, 963),
        (6, 1_155),
        (7, 1_538),
        (8, 4_947),
        (9, 2_407),
        (10, 59),
    ];
    assert_eq!(sizes(&found), expected);
    assert_eq!(found.total(), 11_507);
    for (k, total) in [(2, 31_739), (5, 51_536)] {
        let (all, found) = listed(&MinimalUniques::new().k(k), &table);
        assert_eq!((found.total(), all.len()), (total, usize::try_from(total).unwrap()));
    }
    let (pairs, _) = listed(&MinimalUniques::new().k(2), &table);
    assert_eq!(pairs.iter().filter(|unique| unique.support == 1).count(), 188);
}

#[test]
fn adult_has_as_many_as_others_found() {
    let Some(table) = real("adult.csv", &[]) else { return };
    let found = MinimalUniques::new().run(&table, &Run::new()).unwrap();
    let expected = [
        (1, 15_360),
        (2, 90_484),
        (3, 116_087),
        (4, 190_859),
        (5, 158_691),
        (6, 70_504),
        (7, 19_681),
        (8, 3_746),
        (9, 392),
        (10, 38),
        (11, 2),
    ];
    assert_eq!(sizes(&found), expected);
    let Some(table) = real("adult.csv", &["income"]) else { return };
    let found = MinimalUniques::new().run(&table, &Run::new()).unwrap();
    assert_eq!(found.total(), 542_891);
    for (k, total) in [(2, 172_325), (5, 125_057)] {
        let found = MinimalUniques::new().k(k).max_size(Some(3)).run(&table, &Run::new()).unwrap();
        assert_eq!(found.total(), total, "k {k}");
    }
}

#[test]
fn other_real_tables_have_as_many_as_others_found() {
    for (name, without, k, total) in [
        ("nursery.csv", &[][..], 1, 21_919),
        ("nursery.csv", &[], 2, 18_457),
        ("nursery.csv", &[], 5, 54_449),
        ("sdcmicro_testdata.csv", &[], 1, 69_648),
        ("sdcmicro_testdata.csv", &[], 2, 62_101),
        ("sdcmicro_testdata.csv", &[], 5, 37_841),
        ("adult_full.csv.gz", &["income"], 1, 799_861),
    ] {
        let Some(table) = real(name, without) else { continue };
        let found = MinimalUniques::new().k(k).run(&table, &Run::new()).unwrap();
        assert_eq!(found.total(), total, "{name}, k {k}");
    }
}

#[test]
fn missing_cells_form_no_items_where_they_are_distinct() {
    let Some(path) = data::real("mushroom.csv") else { return };
    let options = ReadOptions { null: vec!["?".into()], ..ReadOptions::default() };
    let table = muslin_io::read(&Input::named(path), &options, &Run::new()).unwrap().table;
    let search = MinimalUniques::new().missing(MissingRule::Distinct);
    assert_eq!(search.run(&table, &Run::new()).unwrap().total(), 11_457);
}

#[test]
fn correlated_columns_share_contributions_evenly() {
    // sdcMicro gives row 0 the contributions 1, 0, 1, 1: it counts one of two equal columns only.
    let table = EncodedTable::of(&[[1, 1, 1, 1], [1, 1, 1, 2], [2, 2, 1, 1], [1, 1, 2, 1]]);
    let (all, found) = listed(&MinimalUniques::new().contributions(true), &table);
    let of_row: Vec<f64> = found.contributions(0).unwrap().collect();
    assert_eq!(of_row, [0.5, 0.5, 1.0, 1.0]);
    let of_row_0: Vec<_> = all.iter().filter(|unique| unique.rows == [0]).collect();
    assert_eq!(of_row_0.len(), 2);
    assert!(of_row_0.iter().all(|unique| unique.columns[1..] == [2, 3]));
    let shares: Vec<u64> = found.columns().iter().map(|share| share.uniques).collect();
    assert_eq!(shares[0], shares[1]);
}

#[test]
fn dis_suda_is_a_number_where_sdcmicro_gives_none() {
    // sdcMicro's count of rows without equals is 0 here, by its hash, and its scores are NaN.
    let table = EncodedTable::of(&[[1, 1, 3], [1, 2, 1], [2, 2, 2], [2, 2, 2]]);
    let found = MinimalUniques::new().run(&table, &Run::new()).unwrap();
    let dis = found.dis(0.01);
    assert_eq!((dis.alone, dis.paired), (2, 2));
    for row in 0..4 {
        let score = found.dis_suda(row, &dis);
        assert!(score.is_finite() && (score > 0.0) == (row < 2), "row {row}: {score}");
    }
}

#[test]
fn dis_suda_counts_pairs_by_the_rule_for_missing_cells() {
    // (1,x) (?,x) (2,y) (3,z) (3,z): where a missing cell matches anything, the first two rows match.
    let a = vec![Some(1), None, Some(2), Some(3), Some(3)];
    let b = vec![Some(7), Some(7), Some(8), Some(9), Some(9)];
    let table = EncodedTable::of_columns([("a".to_owned(), a), ("b".to_owned(), b)]);
    for (missing, alone, paired) in [
        (MissingRule::Category, 3u32, 2u32),
        (MissingRule::Distinct, 3, 2),
        (MissingRule::Wildcard, 1, 4),
    ] {
        let found = MinimalUniques::new().missing(missing).run(&table, &Run::new()).unwrap();
        let dis = found.dis(0.01);
        assert_eq!((dis.alone, dis.paired), (alone.into(), paired.into()), "{missing}");
        let (known, unknown) = (f64::from(alone) * 0.01, f64::from(paired) * 0.99);
        assert!((dis.theta.unwrap() - known / (known + unknown)).abs() < 1e-12, "{missing}");
    }
    // Rows that are equal but for cells that equal nothing are no pair.
    let table = EncodedTable::of_columns([("a".to_owned(), vec![None, None, Some(1)])]);
    let found = MinimalUniques::new().missing(MissingRule::Distinct).run(&table, &Run::new());
    let dis = found.unwrap().dis(0.5);
    assert_eq!((dis.alone, dis.paired), (3, 0));
}

proptest! {
    #[test]
    fn rows_without_a_match_are_those_of_the_oracle(table in ugly_tables()) {
        for missing in MissingRule::ALL {
            let matches = oracle::matches(&table, &table.all_columns(), missing);
            let rows = |count: u64| matches.iter().filter(|&&own| own == count).count() as u64;
            let found = MinimalUniques::new().missing(missing).run(&table, &Run::new()).unwrap();
            let dis = found.dis(0.1);
            prop_assert_eq!((dis.alone, dis.paired), (rows(1), rows(2)), "{}", missing);
        }
    }
}
