//! The scan: its parts against brute force, its budget, and what it must never say.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use muslin::{
    AllSets, Coverage, FindingKind, Input, KeysAnswer, KeysJob, KeysQuestion, MissingRule, Pattern,
    Role, Run, ScanJob, ScanReport, Seed, Target,
};
use muslin_testkit::data;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Rows of small numbers, some missing; the last column is decided by the second.
fn random(seed: u64, rows: usize) -> Vec<[Option<u64>; 5]> {
    let draws = Seed::new(seed);
    let cell = |row: usize, column: u64, values: u64| {
        let at = row as u64 * 10 + column;
        (draws.part(1).below(at, 12) > 0).then(|| draws.below(at, values))
    };
    let row = |row: usize| {
        let second = cell(row, 1, 6);
        let last = if draws.below(row as u64, 40) == 0 { Some(9) } else { second.map(|v| v / 2) };
        [cell(row, 0, 3), second, cell(row, 2, 12), cell(row, 3, 4), last]
    };
    (0..rows).map(row).collect()
}

fn write(folder: &Path, rows: &[[Option<u64>; 5]]) -> ScanJob {
    let mut text = NAMES.join(",") + "\n";
    for row in rows {
        let cells = row.map(|cell| cell.map_or(String::new(), |value| value.to_string()));
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    let file = folder.join("t.csv");
    std::fs::write(&file, text).unwrap();
    let mut job = ScanJob::new(Input::named(&file));
    job.read.null = vec![String::new()];
    job.quasi_identifiers = Some(NAMES.map(String::from).to_vec());
    job
}

/// Rows that match each row on some columns, itself included.
fn matches(rows: &[[Option<u64>; 5]], columns: &[usize], rule: MissingRule) -> Vec<usize> {
    let agree = |a: usize, b: usize| {
        a == b
            || columns.iter().all(|&c| match (rows[a][c], rows[b][c]) {
                (None, None) => rule != MissingRule::Distinct,
                (None, _) | (_, None) => rule == MissingRule::Wildcard,
                (x, y) => x == y,
            })
    };
    (0..rows.len()).map(|a| (0..rows.len()).filter(|&b| agree(a, b)).count()).collect()
}

fn sets(size: usize) -> Vec<Vec<usize>> {
    let all = (0..1u32 << 5).map(|bits| (0..5).filter(|c| bits >> c & 1 == 1).collect());
    all.filter(|set: &Vec<usize>| set.len() == size).collect()
}

#[test]
fn singled_out_rows_are_those_of_brute_force() {
    for (seed, more) in (0..12).zip(0usize..) {
        let rows = random(seed, 30 + more * 5);
        let folder = tempfile::tempdir().unwrap();
        let mut job = write(folder.path(), &rows);
        for rule in MissingRule::ALL {
            job.missing = rule;
            let part = job.run(&Run::new()).unwrap().singled_out.unwrap();
            let mut union = BTreeSet::new();
            for size in 1..=3 {
                let mut most = 0;
                for set in sets(size) {
                    let alone = matches(&rows, &set, rule);
                    let alone: Vec<_> = (0..rows.len()).filter(|&row| alone[row] == 1).collect();
                    most = most.max(alone.len());
                    union.extend(alone);
                }
                let found = &part.sizes[size - 1];
                let worst = found.worst.as_ref().unwrap();
                if rule == MissingRule::Wildcard {
                    assert!(found.rows <= union.len() as u64, "{seed} {size}");
                    assert!(size == 3 || worst.rows_alone == most as u64, "{seed} {size}");
                    assert_ne!(part.part.coverage, Coverage::Complete);
                    continue;
                }
                assert_eq!(found.rows, union.len() as u64, "{seed} {size} {rule}");
                assert_eq!(worst.rows_alone, most as u64, "{seed} {size} {rule}");
                assert_eq!(worst.below[0].rows, most as u64);
                assert_eq!((found.sets, found.at_least), (found.of_sets, false));
            }
            for pair in &part.pairs {
                let is_in = |&c: &usize| pair.columns.iter().any(|name| name == NAMES[c]);
                let set: Vec<usize> = (0..5).filter(is_in).collect();
                let alone = matches(&rows, &set, rule).into_iter().filter(|&n| n == 1).count();
                assert_eq!(pair.rows_alone, alone as u64, "{seed} {:?}", pair.columns);
            }
            assert_eq!(part.pairs.len(), 10);
        }
    }
}

/// Rows that stay when each class keeps its most frequent value.
fn kept(rows: &[[Option<u64>; 5]], from: &[usize], to: usize) -> usize {
    let mut classes: BTreeMap<Vec<Option<u64>>, BTreeMap<Option<u64>, usize>> = BTreeMap::new();
    for row in rows {
        let class = from.iter().map(|&c| row[c]).collect();
        *classes.entry(class).or_default().entry(row[to]).or_default() += 1;
    }
    classes.values().map(|values| values.values().max().unwrap()).sum()
}

#[test]
fn dependencies_are_those_of_brute_force() {
    let mut seen = 0;
    for seed in 0..12 {
        let rows = random(seed, 80);
        let folder = tempfile::tempdir().unwrap();
        let part = write(folder.path(), &rows).run(&Run::new()).unwrap().dependencies.unwrap();
        assert_eq!(part.part.coverage, Coverage::Complete);
        assert_eq!(part.pairs.unwrap().coverage, Coverage::Complete);
        let at = |name: &String| NAMES.iter().position(|own| own == name).unwrap();
        for found in &part.found {
            let from: Vec<usize> = found.from.iter().map(at).collect();
            let kept = kept(&rows, &from, at(&found.to)) as u64;
            assert_eq!(found.exceptions, rows.len() as u64 - kept, "{seed} {found:?}");
            assert_eq!(found.exact, kept == rows.len() as u64);
            assert!(found.share >= 0.95);
        }
        let is_found = |from: usize, to: usize| {
            part.found.iter().any(|one| one.from == [NAMES[from]] && one.to == NAMES[to])
        };
        for from in 0..5 {
            for to in (0..5).filter(|&to| to != from) {
                let kept = kept(&rows, &[from], to);
                if kept == rows.len() {
                    assert!(is_found(from, to), "{seed} {from} {to}");
                } else if kept * 20 < rows.len() * 19 {
                    assert!(!is_found(from, to), "{seed} {from} {to}");
                }
            }
        }
        seen += u64::from(is_found(1, 4));
    }
    assert!(seen >= 6, "the planted dependency was found {seen} times");
}

#[test]
fn influence_is_that_of_brute_force() {
    for seed in 0..12 {
        let rows = random(seed, 60);
        let folder = tempfile::tempdir().unwrap();
        let mut job = write(folder.path(), &rows);
        job.k = 3;
        for rule in MissingRule::ALL {
            job.missing = rule;
            let part = job.run(&Run::new()).unwrap().influence.unwrap();
            let below = |set: &[usize]| {
                matches(&rows, set, rule).into_iter().filter(|&n| n < 3).count() as u64
            };
            assert_eq!(part.rows_below, below(&[0, 1, 2, 3, 4]), "{seed} {rule}");
            assert_eq!((part.columns.len(), part.part.coverage), (5, Coverage::Complete));
            for column in &part.columns {
                let others: Vec<usize> = (0..5).filter(|&c| NAMES[c] != column.name).collect();
                let dropped = below(&others);
                assert_eq!(column.dropped.rows_below, dropped, "{seed} {rule} {}", column.name);
                if let Some(coarsened) = column.coarsened {
                    assert!((dropped..=part.rows_below).contains(&coarsened.rows_below));
                }
            }
        }
    }
}

#[test]
fn keys_are_those_of_the_search_for_keys() {
    for seed in 0..6 {
        let rows = random(seed, 14);
        let folder = tempfile::tempdir().unwrap();
        let scan = write(folder.path(), &rows);
        let found = scan.run(&Run::new()).unwrap().keys.unwrap();
        let mut job = KeysJob::new(scan.input);
        job.read = scan.read;
        job.question = KeysQuestion::All(AllSets::new(Target::key()));
        let KeysAnswer::All(all) = job.run(&Run::new()).unwrap().answer else { unreachable!() };
        let sets: Vec<_> = found.sets.iter().map(|set| set.columns.clone()).collect();
        assert_eq!(sets, all.sets, "{seed}");
        assert!(found.sets.iter().all(|set| set.exact && set.rows_alone == 14));
    }
}

#[test]
fn rows_that_have_minimal_uniques_are_those_that_all_columns_single_out() {
    let rows = random(3, 50);
    let folder = tempfile::tempdir().unwrap();
    let report = write(folder.path(), &rows).run(&Run::new()).unwrap();
    let uniques = report.minimal_uniques.unwrap();
    let alone = matches(&rows, &[0, 1, 2, 3, 4], MissingRule::Category);
    let alone = alone.into_iter().filter(|&n| n == 1).count() as u64;
    assert_eq!((uniques.rows_with_uniques, uniques.max_size), (alone, None));
    assert_eq!(uniques.total, uniques.by_size.values().sum::<u64>());
    let classes = report.quasi_identifiers.unwrap();
    for preset in report.presets.iter().filter(|preset| preset.k.is_some()) {
        let below = classes.below.iter().find(|below| Some(below.k) == preset.k.map(u64::from));
        assert!(below.is_none_or(|below| Some(below.rows) == preset.rows_at_risk));
        assert_eq!(preset.met, preset.rows_at_risk.map(|rows| rows == 0));
    }
    let binned: u64 = report.plots.class_sizes.iter().map(|bin| bin.rows).sum();
    assert_eq!(binned, 50);
    assert!((report.plots.survival[0].share - 1.0).abs() < 1e-12);
}

#[test]
fn without_a_budget_the_counts_are_still_whole() {
    let rows = random(1, 400);
    let folder = tempfile::tempdir().unwrap();
    let mut job = write(folder.path(), &rows);
    let whole = job.run(&Run::new()).unwrap();
    job.budget = Duration::ZERO;
    let report = job.run(&Run::new()).unwrap();
    assert_eq!(report.columns, whole.columns);
    assert_eq!(report.quasi_identifiers, whole.quasi_identifiers);
    let part = report.singled_out.unwrap();
    assert_ne!(part.part.coverage, Coverage::Complete);
    assert_eq!(part.sizes[1].sets, 0);
    let of_one = whole.singled_out.unwrap().sizes[0].clone();
    assert_eq!((part.sizes[0].rows, part.sizes[0].sets), (of_one.rows, of_one.sets));
    assert_eq!(part.sizes[2].rows, of_one.rows, "no less than what one column does");
    assert_ne!(report.influence.unwrap().part.coverage, Coverage::Complete);
    assert!(report.minimal_uniques.is_none());
}

/// A table whose every cell is a word that nothing else says.
#[test]
fn no_value_of_a_cell_is_in_the_report() {
    let mut text = String::from("name,mail,note,town,born,phone,amount\n");
    for row in 0..200 {
        let town = row % 7;
        writeln!(
            text,
            "Qanary{0} Zwxv,canary{row}@canary.example,canarynote went over the hill {row},canarytown{town},{1}-03-11,+99 777 {2},{3}.77125",
            char::from(b'a' + u8::try_from(row % 26).unwrap()),
            1900 + row % 90,
            770_000 + row,
            77_000_000 + row,
        )
        .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    std::fs::write(&file, text).unwrap();
    let report = ScanJob::new(Input::named(&file)).run(&Run::new()).unwrap();
    let json = serde_json::to_string(&report).unwrap();
    for leak in ["anary", "Zwxv", "7125", "03-11", "770"] {
        assert!(!json.contains(leak), "{leak} in {json}");
    }
    let pattern = |name: &str| {
        let column = report.columns.iter().find(|column| column.name == name).unwrap();
        (column.role, column.pattern.map(|found| found.pattern))
    };
    assert_eq!(pattern("mail"), (Role::Identifier, Some(Pattern::Email)));
    assert_eq!(pattern("note"), (Role::Undecided, Some(Pattern::FreeText)));
    assert_eq!(pattern("phone"), (Role::Identifier, Some(Pattern::Phone)));
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    assert!(
        kinds.contains(&FindingKind::FreeText) && kinds.contains(&FindingKind::DirectIdentifier)
    );
    // The amounts rise from row to row.
    assert!(kinds.contains(&FindingKind::RowOrder), "{kinds:?}");
}

#[test]
fn odd_tables_are_scanned() {
    let folder = tempfile::tempdir().unwrap();
    for (at, text) in ["a\n", "a,b\n1,2\n", "a\nx\nx\nx\n", "a,b\n,\n,\n"].iter().enumerate() {
        let file = folder.path().join(format!("{at}.csv"));
        std::fs::write(&file, text).unwrap();
        let mut job = ScanJob::new(Input::named(&file));
        job.read.null = vec![String::new()];
        job.read.csv.header = Some(true);
        for rule in MissingRule::ALL {
            job.missing = rule;
            job.quasi_identifiers = None;
            let _: ScanReport = job.run(&Run::new()).unwrap();
            job.quasi_identifiers = Some(vec!["a".into()]);
            let _: ScanReport = job.run(&Run::new()).unwrap();
        }
    }
}

#[test]
fn what_is_found_does_not_depend_on_threads() {
    let rows = random(5, 3_000);
    let folder = tempfile::tempdir().unwrap();
    let job = write(folder.path(), &rows);
    let json = |threads| {
        let report = job.run(&Run::new().threads(threads).unwrap()).unwrap();
        serde_json::to_string(&report).unwrap()
    };
    assert_eq!(json(1), json(4));
}

#[test]
fn census_rows_are_singled_out_by_few_columns() {
    let Some(path) = data::real("arx/adult/adult.csv") else {
        eprintln!("skipped: no real data here");
        return;
    };
    let report = ScanJob::new(Input::named(&path)).run(&Run::new()).unwrap();
    assert!(report.columns.iter().all(|column| column.role != Role::Identifier));
    let part = report.singled_out.unwrap();
    let shares: Vec<f64> = part.sizes.iter().map(|size| size.share).collect();
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
    let keys = report.keys.unwrap();
    assert!(!keys.reachable && keys.sets.is_empty());
}

/// What a scan of a text says that may mean missing.
fn warned(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    std::fs::write(&file, text).unwrap();
    ScanJob::new(Input::named(&file)).run(&Run::new()).unwrap().warnings
}

#[test]
fn codes_of_missing_cells_are_suggested_with_the_flag() {
    let mut text = String::from("krank;beruf;sport;alter;kinder\n");
    for row in 0..200 {
        let krank = ["ja", "nein", "nein", "-9"][row % 4];
        let beruf = ["Koch", "k.A.", "Maler", "Lehrer"][row % 4];
        let sport = [1, 2, 3, 4, 5, 98, 99][row % 7];
        writeln!(text, "{krank};{beruf};{sport};{};{}", 18 + row % 82, [0, 1, 2, 999][row % 4])
            .unwrap();
    }
    let said = warned(&text);
    for (column, spelling) in
        [("krank", "-9"), ("beruf", "k.A."), ("sport", "98"), ("sport", "99"), ("kinder", "999")]
    {
        let flag = format!("`--null '{spelling}'`");
        assert!(
            said.iter().any(|own| own.contains(column) && own.contains(&flag)),
            "{column}: {said:?}"
        );
    }
    // The flag is for every column, and somebody is 99.
    let of_99 = said.iter().find(|own| own.contains("'99'")).unwrap();
    assert!(of_99.contains("every column, and alter"), "{of_99}");
    assert!(!said.iter().any(|own| own.contains("(alter)")), "{said:?}");
}

#[test]
fn a_threshold_for_the_risk_of_people_is_not_decided_by_a_sample() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    let mut text = String::from("age,sex\n");
    (0..500).for_each(|row| writeln!(text, "{},{}", row % 5, row % 2).unwrap());
    std::fs::write(&file, text).unwrap();
    let report = ScanJob::new(Input::named(&file)).run(&Run::new()).unwrap();
    let hdx = report.presets.iter().find(|own| own.name == "hdx-3pct").unwrap();
    assert_eq!((hdx.met, hdx.risk), (None, None));
    assert!(hdx.undecided.is_some());
    assert!(report.presets.iter().all(|own| own.k.is_none() || own.met == Some(true)));
}
