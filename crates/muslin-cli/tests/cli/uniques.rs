//! `muslin uniques`.

use std::fmt::Write as _;
use std::path::Path;

use muslin::{
    Changes, CsvStyle, Destination, EncodedTable, Input, ReadOptions, Release, RowId, RowOrder,
    Run, WriteOptions,
};
use muslin_testkit::published;
use serde_json::Value;

use super::{PEOPLE, command, folder_with, muslin, seen, with_demo};

/// Writes a published table as CSV.
fn write(table: &EncodedTable, path: &Path) {
    let release = Release::new(table, &Changes::none(table), RowOrder::AsRead).unwrap();
    let to = Destination::named(path);
    muslin::write(&release, &to, &WriteOptions::default(), &Run::new()).unwrap();
}

fn stdout(folder: &Path, args: &[&str]) -> String {
    let output = muslin(folder, args);
    assert!(output.status.success(), "{}", seen(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&stdout(folder, &[&["uniques", "--json"], args].concat())).unwrap()
}

#[test]
fn the_summary_says_what_singles_rows_out() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let args = ["uniques", "people.csv", "--exclude", "id", "--null", ""];
    let output = command(folder.path(), &args).env("COLUMNS", "80").output().unwrap();
    insta::assert_snapshot!(seen(&output));
}

#[test]
fn the_report_is_json() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let args = ["uniques", "people.csv", "--exclude", "id", "--json"];
    let more = ["-k", "2", "--max-size", "2", "--method", "column-sets"];
    insta::assert_snapshot!(seen(&muslin(folder.path(), &[&args[..], &more].concat())));
}

#[test]
fn summaries_fit_the_terminal() {
    let folder = with_demo("300", "h.csv");
    for columns in ["40", "80", "140"] {
        for flags in [&["--max-size", "2"][..], &["--dry-run"], &["-k", "3", "--max-size", "2"]] {
            let args = [&["uniques", "h.csv"], flags].concat();
            let output = command(folder.path(), &args).env("COLUMNS", columns).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= columns.parse().unwrap(), "{longest} of {columns}\n{text}");
        }
    }
}

#[test]
fn a_dry_run_guesses_and_searches_nothing() {
    let folder = with_demo("3000", "h.csv");
    let estimate = json(folder.path(), &["h.csv", "--dry-run", "--max-size", "3"]);
    assert_eq!(estimate["coverage"], "sampled");
    assert_eq!(estimate["max_size"], 3);
    assert!(estimate["sampled_rows"].as_u64().unwrap() <= 3000);
    for what in ["total", "seconds", "memory"] {
        let of = |part: &str| estimate[what][part].as_f64().unwrap();
        assert!(of("low") <= of("likely") && of("likely") <= of("high"), "{what}: {estimate}");
    }
    let text = stdout(folder.path(), &["uniques", "h.csv", "--dry-run"]);
    for part in ["minimal uniques", "time", "memory", "likely", "Missing cells"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_ihsn_guides_table_is_scored_as_printed() {
    let folder = folder_with(&[]);
    write(&published::ihsn_table(), &folder.path().join("ihsn.csv"));
    let scores = |flags: &[&str]| -> Vec<(f64, String)> {
        let text = stdout(folder.path(), &[&["uniques", "ihsn.csv", "--scores"], flags].concat());
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("row,suda,dis_suda,uniques,smallest"));
        let line = |(row, line): (usize, &str)| {
            let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
            assert_eq!((fields.len(), fields[0]), (5, f64::from(u32::try_from(row).unwrap())));
            (fields[1], format!("{:.4}", fields[2]))
        };
        lines.enumerate().map(line).collect()
    };
    let original = scores(&[]);
    let suda: Vec<f64> = original.iter().map(|row| row.0).collect();
    assert_eq!(suda, published::IHSN_SUDA);
    let dis = |scores: &[(f64, String)]| [2, 4, 6, 7].map(|row| scores[row].1.clone());
    assert_eq!(dis(&original), ["0.0050", "0.0114", "0.0050", "0.0092"]);
    // The guide prints DIS scores of another definition next to these.
    let other = scores(&["--score", "ihsn", "--dis-fraction", "0.01"]);
    assert_eq!(dis(&other), ["0.0051", "0.0107", "0.0051", "0.0088"]);
    assert_eq!([2, 4, 6, 7].map(|row| other[row].0.to_string()), ["1.75", "3.25", "1.75", "2.75"]);
}

#[test]
fn the_kimas_table_has_the_published_groups() {
    let folder = folder_with(&[]);
    write(&published::kimas_table_1(), &folder.path().join("kimas.csv"));
    let text = stdout(folder.path(), &["uniques", "kimas.csv", "--groups"]);
    let lines: Vec<String> = text.lines().map(|line| line.replace('"', "")).collect();
    assert_eq!(lines[0], "columns,size,rows_count,rows");
    for (columns, rows) in published::KIMAS_GROUPS {
        let rows_of: Vec<String> = rows.iter().map(u32::to_string).collect();
        let (size, count) = (columns.len(), rows.len());
        let line = format!("{},{size},{count},{}", columns.join("|"), rows_of.join("|"));
        assert!(lines.contains(&line), "{line}\n{text}");
    }
    // Record 12's own groups make it 20 prime implicants in all.
    let all: usize =
        lines[1..].iter().map(|line| line.rsplit(',').next().unwrap().split('|').count()).sum();
    assert_eq!(all, published::KIMAS_GROUPS_PER_ROW.iter().sum::<usize>());

    let text = stdout(folder.path(), &["uniques", "kimas.csv", "--novelty"]);
    insta::assert_snapshot!(text);
}

#[test]
fn groups_by_items_have_one_line_for_each() {
    let folder = folder_with(&[]);
    write(&published::ihsn_table(), &folder.path().join("ihsn.csv"));
    let args = ["uniques", "ihsn.csv", "--groups=items", "-k", "2", "--show-values"];
    insta::assert_snapshot!(stdout(folder.path(), &args));
}

#[test]
fn values_are_hidden_unless_asked_for() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let of = |flags: &[&str]| {
        let args = [&["uniques", "people.csv", "--columns", "sex,postcode"], flags].concat();
        stdout(folder.path(), &args)
    };
    for table in ["--list", "--values"] {
        let hidden = of(&[table]);
        assert!(!hidden.contains("0012"), "{hidden}");
        assert!(of(&[table, "--show-values"]).contains("00125"), "{table}");
    }
    assert_eq!(
        of(&["--list", "--show-values"]),
        "row,size,support,columns,values\n3,2,1,\"sex|postcode\",\"m|00123\"\n5,1,1,postcode,00125\n"
    );
}

#[test]
fn the_list_reads_back_from_every_format() {
    let folder = folder_with(&[]);
    write(&published::manning_haglin_table_1(), &folder.path().join("t.csv"));
    for name in ["l.csv", "l.tsv", "l.parquet", "l.arrow"] {
        let text = stdout(folder.path(), &["uniques", "t.csv", "--list", "-o", name]);
        assert!(text.contains(&format!("Written: {name}")), "{text}");
        let input = Input::named(folder.path().join(name));
        let table = muslin::read(&input, &ReadOptions::default(), &Run::new()).unwrap().table;
        assert_eq!(table.rows(), 26, "{name}");
        let cell = |column: &str, row: u32| {
            let column = table.column(table.find(column).unwrap());
            let at = column.code(RowId::new(row)).value().unwrap();
            CsvStyle::default().spell(column.dictionary(), at)
        };
        assert_eq!((cell("row", 1), cell("columns", 1)), ("0".into(), "A|B|C|D".into()), "{name}");
        assert_eq!((cell("row", 2), cell("size", 2)), ("1".into(), "2".into()), "{name}");
    }
}

#[test]
fn roles_choose_the_columns() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let names = |flags: &[&str]| {
        let report = json(folder.path(), &[&["people.csv"], flags].concat());
        (report["column_names"].clone(), report["left_out"].clone())
    };
    let all = serde_json::json!(["age", "sex", "postcode", "income"]);
    assert_eq!(names(&["--role", "id=identifier"]), (all, serde_json::json!(["id"])));
    let two = ["--role", "age=quasi-identifier", "--role", "sex=quasi-identifier"];
    let others = serde_json::json!(["id", "postcode", "income"]);
    assert_eq!(names(&two), (serde_json::json!(["age", "sex"]), others));
}

#[test]
fn equal_rows_can_be_left_out() {
    let folder = folder_with(&[("d.csv", b"a,b\nx,1\ny,1\nx,1\nx,2\n")]);
    let all = json(folder.path(), &["d.csv"]);
    assert_eq!((&all["rows"], &all["duplicates_dropped"]), (&4.into(), &Value::Null));
    let distinct = json(folder.path(), &["d.csv", "--distinct-rows"]);
    assert_eq!((&distinct["rows"], &distinct["duplicates_dropped"]), (&3.into(), &1.into()));
    assert_eq!(all["rows_with_uniques"], 2);
    assert_eq!(distinct["rows_with_uniques"], 3);
    // Rows keep their numbers in the input.
    let list = stdout(folder.path(), &["uniques", "d.csv", "--distinct-rows", "--list"]);
    assert_eq!(list, "row,size,support,columns\n0,2,1,\"a|b\"\n1,1,1,a\n3,1,1,b\n");
}

#[test]
fn missing_cells_match_by_the_rule() {
    let folder = folder_with(&[("m.csv", b"a,b\nx,1\nx,\ny,1\ny,1\n")]);
    let list = |rule: &str| {
        let args = ["uniques", "m.csv", "--null", "", "--list", "--show-values", "--missing", rule];
        let text = stdout(folder.path(), &args);
        text.lines().skip(1).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(list("category"), ["0,2,1,\"a|b\",\"x|1\"", "1,1,1,b,\"\""].map(String::from));
    assert_eq!(list("distinct"), ["0,2,1,\"a|b\",\"x|1\""].map(String::from));
    // The row without a `b` might be another `x` with a 1.
    assert_eq!(list("wildcard"), [""; 0].map(String::from));
}

#[test]
fn tables_and_reports_do_not_depend_on_threads() {
    let folder = with_demo("2000", "h.csv");
    let columns = "age,sex,town,education,occupation,insurance";
    for table in ["--json", "--list", "--scores", "--groups", "--novelty", "--values"] {
        for k in ["1", "3"] {
            let [one, two, four] = ["1", "2", "4"].map(|threads| {
                let args = ["uniques", "h.csv", "--columns", columns, "--null", ""];
                let more = [table, "-k", k, "--threads", threads];
                muslin(folder.path(), &[&args[..], &more].concat()).stdout
            });
            assert!(one.len() > 100 && one == two && two == four, "{table} -k {k}");
        }
    }
}

#[test]
fn the_input_is_not_written_over() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let refused = muslin(folder.path(), &["uniques", "people.csv", "--scores", "-o", "people.csv"]);
    assert_eq!(refused.status.code(), Some(6), "{}", seen(&refused));
    assert_eq!(std::fs::read(folder.path().join("people.csv")).unwrap(), PEOPLE);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_goes_wrong_has_a_way_out() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let mut all = String::new();
    for flags in [
        &["-k", "0"][..],
        &["--max-size", "0"],
        &["--dis-fraction", "0"],
        &["--dis-fraction", "1.5"],
        &["--columns", "agee"],
        &["--role", "agee=identifier"],
        &["-o", "scores.csv"],
        &["--show-values"],
        &["--scores", "--show-values"],
        &["--scores", "--json"],
        &["--scores", "-o", "-", "--json"],
        &["--scores", "--list"],
        &["--scores", "-o", "scores.xyz"],
        &["--scores", "-o", "nowhere/scores.csv"],
        &["--dry-run", "--list"],
        &["--time-limit", "0s"],
        &["--memory", "10B"],
    ] {
        let seen = seen(&muslin(folder.path(), &[&["uniques", "people.csv"], flags].concat()));
        writeln!(all, "$ muslin uniques people.csv {}\n{seen}", flags.join(" ")).unwrap();
    }
    insta::assert_snapshot!(all);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
