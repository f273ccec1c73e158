//! The job that explains a row or a set of columns.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use muslin::{
    ColumnChoice, DemoData, Destination, ExplainAnswer, ExplainJob, ExplainQuestion, ExplainedRow,
    ExplainedSet, Failure, Input, MissingRule, Role, Run, Seed, UniquesJob, UniquesOutput,
    UniquesTable, WriteOptions,
};

fn row(job: &ExplainJob) -> ExplainedRow {
    match job.run(&Run::new()).unwrap().answer {
        ExplainAnswer::Row(row) => *row,
        ExplainAnswer::Columns(_) => panic!("not a row"),
    }
}

fn set(job: &ExplainJob) -> ExplainedSet {
    match job.run(&Run::new()).unwrap().answer {
        ExplainAnswer::Columns(set) => *set,
        ExplainAnswer::Row(_) => panic!("not a set"),
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn file_with(folder: &Path, text: &str) -> Input {
    let file = folder.join("in.csv");
    std::fs::write(&file, text).unwrap();
    Input::named(&file)
}

#[test]
fn scores_of_the_example_data_are_those_of_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("h.csv");
    let to = Destination::named(&file);
    DemoData::new(400, Seed::new(1)).write(&to, &WriteOptions::default(), &Run::new()).unwrap();
    for missing in MissingRule::ALL {
        let mut search = UniquesJob::new(Input::named(&file));
        let columns = ["age", "sex", "town", "education", "occupation", "blood_group"];
        search.read.columns = ColumnChoice::Only(names(&columns));
        search.read.null = vec![String::new()];
        search.missing = missing;
        let scores = folder.path().join("scores.csv");
        let output = UniquesOutput::new(UniquesTable::Scores, Destination::named(&scores));
        search.output = Some(output);
        search.run(&Run::new()).unwrap();
        let written = std::fs::read_to_string(&scores).unwrap();
        assert_eq!(written.lines().count(), 401);
        for line in written.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = cells[0].parse().unwrap();
            let mut job = ExplainJob::new(search.input.clone(), ExplainQuestion::Row(number));
            job.read = search.read.clone();
            job.missing = missing;
            let row = row(&job);
            assert_eq!(row.suda, Some(cells[1].parse().unwrap()), "row {number}");
            assert_eq!(row.total, cells[3].parse::<u64>().unwrap(), "row {number}");
            let smallest = row.by_size.keys().next().copied().unwrap_or(0);
            assert_eq!(smallest, cells[4].parse::<usize>().unwrap(), "row {number}");
        }
    }
}

#[test]
fn roles_say_which_columns_a_row_is_looked_at_by() {
    let folder = tempfile::tempdir().unwrap();
    let input = file_with(folder.path(), "id,a,b\n1,x,y\n2,x,y\n3,x,z\n");
    let mut job = ExplainJob::new(input, ExplainQuestion::Row(0));
    assert_eq!(row(&job).uniques, [["id"]]);
    job.roles.insert("id".into(), Role::Identifier);
    let report = job.run(&Run::new()).unwrap();
    assert_eq!(report.left_out, ["id"]);
    let of_row = row(&job);
    assert_eq!((of_row.total, of_row.class_size, of_row.suda), (0, 2, Some(0.0)));
    assert_eq!(of_row.differing, [(0, 1), (1, 1)].into());
    assert_eq!(of_row.nearest[1].columns, ["b"]);
    job.roles.insert("b".into(), Role::QuasiIdentifier);
    assert_eq!(job.run(&Run::new()).unwrap().column_names, ["b"]);
}

#[test]
fn a_set_is_told_with_and_without_each_of_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    // Motwani and Xu, Table 1, and a column that says no more than the first.
    let text = "age,sex,state,decade\n20,F,CA,2\n30,F,CA,3\n40,F,TX,4\n20,M,NY,2\n40,M,CA,4\n";
    let input = file_with(folder.path(), text);
    let explain = |columns: &[&str]| {
        set(&ExplainJob::new(input.clone(), ExplainQuestion::Columns(names(columns))))
    };
    let one = explain(&["age"]);
    assert_eq!((one.is_key, one.is_nearly_key), (false, false));
    assert_eq!(one.ratios.separation_ratio, Some(0.8));
    assert_eq!(one.below.iter().map(|below| below.rows).collect::<Vec<_>>(), [1, 5, 5, 5, 5]);
    assert_eq!(one.uniques_by_size, Some([(1, 1)].into()));
    let key = explain(&["age", "sex"]);
    assert!(key.is_key && key.smaller.is_none());
    // Without the age nobody is alone, without the sex one is.
    let order: Vec<_> =
        key.without.iter().map(|w| (w.column.as_str(), w.ratios.rows_alone)).collect();
    assert_eq!(order, [("age", Some(0)), ("sex", Some(1))]);
    let needless = explain(&["age", "sex", "state", "decade"]);
    assert_eq!(needless.smaller, Some(names(&["age", "sex"])));
    assert_eq!(needless.set.len(), 4);
}

#[test]
fn what_is_not_there_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let input = file_with(folder.path(), "a,b\n1,2\n1,3\n");
    let fails = |question| {
        let error = ExplainJob::new(input.clone(), question).run(&Run::new()).unwrap_err();
        assert_eq!(error.failure(), Failure::Usage, "{error}");
        error.to_string()
    };
    assert!(fails(ExplainQuestion::Row(2)).contains("pass one from 0 to 1"));
    assert!(fails(ExplainQuestion::Columns(names(&["c"]))).contains("no column `c`"));
    assert!(fails(ExplainQuestion::Columns(Vec::new())).contains("hint: name some"));
}

#[test]
fn values_are_there_only_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let input = file_with(folder.path(), "a,b\nCANARY,2\nx,2\nx,3\n");
    let mut job = ExplainJob::new(input, ExplainQuestion::Row(0));
    let hidden = serde_json::to_string(&job.run(&Run::new()).unwrap()).unwrap();
    assert!(!hidden.contains("CANARY"), "{hidden}");
    job.show_values = true;
    let row = row(&job);
    assert_eq!(row.row_columns[0].value.as_deref(), Some("CANARY"));
    assert!(!format!("{row:?}").contains("CANARY"));
}
