//! `muslin keys`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use super::{PEOPLE, command, folder_with, muslin, seen, with_demo};

/// Motwani and Xu, Table 1.
const TABLE_1: &[u8] = b"age,sex,state\n20,F,CA\n30,F,CA\n40,F,TX\n20,M,NY\n40,M,CA\n";
/// The second row equals the first, the last two are equal.
const EQUAL_ROWS: &[u8] = b"a,b\nx,1\nx,1\ny,1\nx,2\nz,2\nz,2\n";
/// Columns of the example data that say too much by themselves.
const IDENTIFIERS: [&str; 4] = ["--null", "", "--exclude", "patient_id,name,charge"];

fn run(folder: &Path, args: &[&str]) -> Output {
    muslin(folder, &[&["keys"], args].concat())
}

fn report(folder: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let output = run(folder, &[&["--json"], args].concat());
    let report = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), report)
}

/// Gives `content` to standard input.
fn piped(folder: &Path, args: &[&str], content: &[u8]) -> Output {
    let mut child = command(folder, &[&["keys"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(content).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn an_overview_says_how_quickly_rows_are_given_away() {
    let folder = with_demo("2000", "h.csv");
    let all = [&["h.csv"][..], &IDENTIFIERS].concat();
    insta::assert_snapshot!("overview_without_key", seen(&run(folder.path(), &all)));
    let distinct = [&all[..], &["--distinct-rows"]].concat();
    insta::assert_snapshot!("overview_with_key", seen(&run(folder.path(), &distinct)));
    let (code, overview) = report(folder.path(), &all);
    assert_eq!((code, &overview["question"]), (Some(0), &json!("overview")));
    assert_eq!((&overview["reachable"], &overview["set"]), (&json!(false), &Value::Null));
}

#[test]
fn all_minimal_sets_are_listed() {
    let folder = folder_with(&[("t.csv", TABLE_1)]);
    insta::assert_snapshot!("all_keys", seen(&run(folder.path(), &["t.csv", "--all"])));
    let target = ["t.csv", "--all", "--measure", "separation", "--beta", "0.8"];
    let output = run(folder.path(), &[&target[..], &["--json"]].concat());
    insta::assert_snapshot!("all_json", seen(&output));
    let (_, all) = report(folder.path(), &["t.csv", "--all"]);
    assert_eq!(all["sets"], json!([["age", "sex"], ["age", "state"]]));
}

#[test]
fn many_sets_are_cut_in_the_summary_and_nowhere_else() {
    let folder = with_demo("1000", "h.csv");
    let args = [&["h.csv", "--all", "--distinct-rows"][..], &IDENTIFIERS].concat();
    insta::assert_snapshot!("all_many", seen(&run(folder.path(), &args)));
    let (_, all) = report(folder.path(), &args);
    assert_eq!(all["total"], all["sets"].as_array().unwrap().len());
    let output = run(folder.path(), &[&args[..], &["-o", "sets.csv"]].concat());
    assert!(seen(&output).contains("Written: sets.csv."), "{}", seen(&output));
    let lines = std::fs::read_to_string(folder.path().join("sets.csv")).unwrap();
    assert_eq!(lines.lines().count() as u64, all["total"].as_u64().unwrap() + 1);
    // The list to standard output is the same, and nothing else is there.
    let printed = run(folder.path(), &[&args[..], &["-o", "-"]].concat());
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), lines);
}

#[test]
fn a_limit_on_results_ends_with_its_exit_code() {
    let folder = with_demo("1000", "h.csv");
    let args = [&["h.csv", "--all", "--distinct-rows", "--limit", "3"][..], &IDENTIFIERS].concat();
    insta::assert_snapshot!("all_limited", seen(&run(folder.path(), &args)));
    let (code, all) = report(folder.path(), &args);
    assert_eq!((code, &all["coverage"]), (Some(5), &json!("stopped")));
    assert_eq!((&all["stopped_by"], &all["total"]), (&json!("result-limit"), &json!(3)));
    let size = [&["h.csv", "--all", "--distinct-rows", "--max-size", "2"][..], &IDENTIFIERS];
    let (code, all) = report(folder.path(), &size.concat());
    assert_eq!((code, &all["coverage"]), (Some(0), &json!("complete")));
    assert_eq!(all["larger_may_exist"], true);
}

#[test]
fn ways_to_search_agree() {
    let folder = with_demo("2000", "h.csv");
    let columns = "age,sex,town,education,occupation,insurance";
    let sets = |method: &str| {
        let target = ["--all", "--measure", "distinct", "--beta", "0.5", "--method", method];
        let args = [&["h.csv", "--null", "", "--columns", columns][..], &target].concat();
        let (code, all) = report(folder.path(), &args);
        assert_eq!((code, &all["method"]), (Some(0), &json!(method)));
        (all["sets"].clone(), all["set_facts"].clone())
    };
    let expected = sets("hitting-sets");
    assert!(!expected.0.as_array().unwrap().is_empty());
    for method in ["levelwise", "levelwise-one-sample", "levelwise-samples"] {
        assert_eq!(sets(method), expected, "{method}");
    }
}

#[test]
fn the_cheapest_set_is_found_and_explained() {
    let folder = with_demo("2000", "h.csv");
    let key = [&["h.csv", "--minimum", "--distinct-rows"][..], &IDENTIFIERS].concat();
    insta::assert_snapshot!("minimum", seen(&run(folder.path(), &key)));
    let cost = ["--exact", "--cost", "birth_date=2.5", "--cost", "charge=9"];
    let output = run(folder.path(), &[&key[..], &cost].concat());
    insta::assert_snapshot!("minimum_exact_with_costs", seen(&output));
    let folder = folder_with(&[("t.csv", TABLE_1)]);
    let args = ["t.csv", "--minimum", "--exact", "--measure", "distinct", "--beta", "0.8"];
    let output = run(folder.path(), &[&args[..], &["--json"]].concat());
    insta::assert_snapshot!("minimum_json", seen(&output));
}

#[test]
fn a_target_out_of_reach_has_its_exit_code() {
    let folder = folder_with(&[("d.csv", EQUAL_ROWS)]);
    let mut all = String::new();
    for flags in [
        &["--minimum"][..],
        &["--minimum", "--exact"],
        &["--minimum", "--measure", "distinct", "--beta", "0.9"],
        &["--minimum", "--epsilon", "0.01"],
    ] {
        let (code, report) = report(folder.path(), &[&["d.csv"], flags].concat());
        assert_eq!(code, Some(4));
        assert_eq!((&report["set"], &report["reachable"]), (&Value::Null, &json!(false)));
        assert_eq!(report["duplicate_rows"], 2);
        let seen = seen(&run(folder.path(), &[&["d.csv"], flags].concat()));
        writeln!(all, "$ muslin keys d.csv {}\n{seen}", flags.join(" ")).unwrap();
    }
    insta::assert_snapshot!(all);
    let (code, none) = report(folder.path(), &["d.csv", "--all"]);
    assert_eq!((code, &none["sets"], &none["reachable"]), (Some(0), &json!([]), &json!(false)));
    assert_eq!((&none["coverage"], &none["duplicate_rows"]), (&json!("complete"), &json!(2)));
}

#[test]
fn one_pass_holds_few_rows_and_is_verified() {
    let folder = with_demo("20000", "h.csv");
    let args = [&["h.csv", "--minimum", "--epsilon", "0.01", "--delta", "0.05"][..], &IDENTIFIERS]
        .concat();
    insta::assert_snapshot!("one_pass", seen(&run(folder.path(), &args)));
    let (code, sampled) = report(folder.path(), &args);
    assert_eq!((code, &sampled["ratios"]), (Some(0), &json!("exact")));
    assert_eq!((&sampled["method"], &sampled["coverage"]), (&json!("sampled"), &json!("sampled")));
    let (_, estimated) = report(folder.path(), &[&args[..], &["--no-verify"]].concat());
    assert_eq!(estimated["ratios"], "estimated");

    // Standard input goes by once: the same set, and estimates.
    let text = std::fs::read(folder.path().join("h.csv")).unwrap();
    let args = [&["-", "--minimum", "--epsilon", "0.01", "--delta", "0.05"][..], &IDENTIFIERS];
    insta::assert_snapshot!("one_pass_stdin", seen(&piped(folder.path(), &args.concat(), &text)));
    let output = piped(folder.path(), &[&args.concat()[..], &["--json"]].concat(), &text);
    let from_stdin: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(from_stdin["set"], sampled["set"]);
    assert_eq!(
        (&from_stdin["ratios"], &from_stdin["distinct_ratio"]),
        (&json!("estimated"), &Value::Null)
    );
    assert!(from_stdin["separation_bounds"]["low"].as_f64().unwrap() > 0.98);
}

#[test]
fn other_bounds_and_measures_are_asked_for_by_name() {
    let folder = with_demo("20000", "h.csv");
    let sample = |flags: &[&str]| {
        let args = [&["h.csv", "--minimum", "--epsilon", "0.3"], &IDENTIFIERS[..], flags].concat();
        let (code, report) = report(folder.path(), &args);
        assert_eq!(code, Some(0), "{flags:?}");
        report["sample"].clone()
    };
    assert_eq!(sample(&["--bound", "rows"])["bound"], "rows");
    assert_eq!(sample(&["--bound", "pairs"])["bound"], "pairs");
    let beta = sample(&["--measure", "separation", "--beta", "0.9"]);
    assert!((beta["promised_ratio"].as_f64().unwrap() - 0.63).abs() < 1e-9, "{beta}");
}

#[test]
fn a_given_set_is_explained() {
    let folder = with_demo("3000", "h.csv");
    let set = ["h.csv", "--null", "", "--set", "age,sex,postcode,birth_date"];
    insta::assert_snapshot!("set", seen(&run(folder.path(), &set)));
    let sample = ["--sample", "500", "--seed", "3"];
    let output = run(folder.path(), &[&set[..], &sample].concat());
    insta::assert_snapshot!("set_sampled", seen(&output));
    let output = run(folder.path(), &[&set[..], &sample, &["--json"]].concat());
    insta::assert_snapshot!("set_sampled_json", seen(&output));
}

#[test]
fn summaries_fit_the_terminal() {
    let folder = with_demo("1000", "h.csv");
    let key = ["--distinct-rows"];
    for question in [
        &["--missing", "wildcard"][..],
        &key,
        &["--all", "--distinct-rows"],
        &["--all", "--measure", "distinct", "--beta", "0.9", "--limit", "2"],
        &["--minimum"],
        &["--minimum", "--exact", "--distinct-rows"],
        &["--minimum", "--epsilon", "0.1"],
        &["--set", "age,sex,town"],
        &["--set", "age,sex,town", "--sample", "100"],
    ] {
        for columns in ["40", "70", "120"] {
            let columns_read: &[&str] =
                if question[0] == "--set" { &IDENTIFIERS[..2] } else { &IDENTIFIERS };
            let args = [&["keys", "h.csv"][..], columns_read, question].concat();
            let output = command(folder.path(), &args).env("COLUMNS", columns).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let width: usize = columns.parse().unwrap();
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= width, "{longest} of {width}: {question:?}\n{text}");
            assert!(text.contains("Missing cells:"), "{text}");
        }
    }
}

#[test]
fn reports_hold_no_values() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    for question in [&[][..], &["--all"], &["--minimum"], &["--set", "postcode,income"]] {
        for form in [&[][..], &["--json"]] {
            let output = run(folder.path(), &[&["people.csv"], question, form].concat());
            let text = seen(&output);
            assert!(!text.contains("00123") && !text.contains("1200"), "{text}");
        }
    }
}

#[test]
fn reports_do_not_depend_on_threads() {
    let folder = with_demo("5000", "h.csv");
    for question in [
        &["--all", "--measure", "distinct", "--beta", "0.9"][..],
        &["--minimum", "--exact", "--measure", "separation", "--beta", "0.99999"],
        &["--minimum", "--epsilon", "0.01"],
    ] {
        let [one, four] = ["1", "4"].map(|threads| {
            let args = [&["h.csv", "--json", "--threads", threads], &IDENTIFIERS[..], question];
            run(folder.path(), &args.concat()).stdout
        });
        assert!(one.len() > 100 && one == four, "{question:?}");
    }
}

#[test]
fn what_goes_wrong_has_a_way_out() {
    let folder = folder_with(&[("t.csv", TABLE_1)]);
    let mut all = String::new();
    for flags in [
        &["--all", "--minimum"][..],
        &["--beta", "0.5"],
        &["--all", "--measure", "distinct"],
        &["--minimum", "--measure", "separation"],
        &["--measure", "distinct", "--beta", "0.5"],
        &["--all", "--measure", "distinct", "--beta", "95"],
        &["--max-size", "3"],
        &["--minimum", "--max-size", "3"],
        &["--all", "--epsilon", "0.1"],
        &["--minimum", "--sample", "10"],
        &["--exact"],
        &["--all", "--delta", "0.1"],
        &["--all", "--cost", "age=2"],
        &["--minimum", "--cost", "age"],
        &["--minimum", "--cost", "agee=2"],
        &["--minimum", "--epsilon", "0"],
        &["--minimum", "--epsilon", "0.1", "--exact"],
        &["--minimum", "--epsilon", "0.1", "--distinct-rows"],
        &["--minimum", "--epsilon", "0.1", "--measure", "distinct", "--beta", "0.5"],
        &["--minimum", "--measure", "distinct", "--beta", "0.5", "--missing", "wildcard"],
        &["--set", "age,sexx"],
        &["--set", "age", "--sample", "1"],
        &["--sample", "100"],
        &["--minimum", "-o", "sets.csv"],
        &["--all", "-o", "-", "--json"],
        &["--all", "-o", "sets.xyz"],
        &["--all", "-o", "t.csv"],
        &["--time-limit", "0s"],
        &["--memory", "10B"],
    ] {
        let seen = seen(&run(folder.path(), &[&["t.csv"], flags].concat()));
        writeln!(all, "$ muslin keys t.csv {}\n{seen}", flags.join(" ")).unwrap();
    }
    insta::assert_snapshot!(all);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_name_with_a_bar_is_told_from_a_list_of_names() {
    let folder = folder_with(&[("t.csv", b"a,b,a|b\n1,1,x\n1,2,y\n2,1,z\n2,2,x|y\n")]);
    let text = |args: &[&str]| {
        let output = muslin(folder.path(), args);
        assert!(output.status.success(), "{}", seen(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let keys = text(&["keys", "t.csv", "--all", "-o", "-"]);
    assert!(keys.contains("\n1,\"\"\"a|b\"\"\",") && keys.contains("\n2,\"a|b\","), "{keys}");
    for flag in ["--list", "--groups=items"] {
        let lists = text(&["uniques", "t.csv", flag, "--show-values"]);
        let single = "\"\"\"a|b\"\"\"";
        let others = lists.replace(single, "");
        assert!(lists.contains(single) && others.contains("\"a|b\","), "{lists}");
        assert!(lists.contains("\"\"\"x|y\"\"\""), "{lists}");
    }
}
