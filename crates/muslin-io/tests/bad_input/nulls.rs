//! Spellings of missing: there is none that is not listed.

use muslin_io::Problem;

use crate::case::{CANARY, Case, case, col, holes};

fn nulls(name: &str, text: &str, spellings: &[&str]) -> Case {
    let spellings = spellings.iter().map(ToString::to_string).collect();
    case(name, text).reading(|o| o.null = spellings)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all = unlisted();
    all.extend(listed());
    all
}

fn unlisted() -> Vec<Case> {
    let spellings = [
        "", "NA", "N/A", "n/a", "NULL", "null", "None", "nil", "#N/A", "-", ".", "?", "missing",
        "nan", "NaN",
    ];
    let one = |spelling: &&str| {
        case(format!("`{spelling}` beside words is a value"), format!("a,n\nx,1\n{spelling},2\n"))
            .loads([col("a", "text", &["x", spelling]), col("n", "integer", &["1", "2"])])
    };
    let mut all: Vec<Case> = spellings.iter().map(one).collect();
    all.extend([
        case("an empty cell makes a column of numbers text", "a,b\n1,x\n,y\n")
            .loads([col("a", "text", &["1", ""]), col("b", "text", &["x", "y"])]),
        case("-99 is a number", "a\n1\n-99\n").loads([col("a", "integer", &["1", "-99"])]),
    ]);
    all
}

fn listed() -> Vec<Case> {
    vec![
        nulls("an empty cell that is missing", "a,b\n1,x\n,y\n", &[""])
            .loads([holes("a", "integer", &[Some("1"), None]), col("b", "text", &["x", "y"])]),
        nulls("a quoted empty cell that is missing", "a,b\n1,x\n\"\",y\n", &[""])
            .loads([holes("a", "integer", &[Some("1"), None]), col("b", "text", &["x", "y"])]),
        nulls("several spellings of missing", "a,b\nNA,1.5\n2,-99\n3,.\n", &["NA", "-99", "."])
            .loads([
                holes("a", "integer", &[None, Some("2"), Some("3")]),
                holes("b", "number", &[Some("1.5"), None, None]),
            ]),
        nulls("case counts in a spelling of missing", "a\nNA\nna\n", &["NA"]).loads([holes(
            "a",
            "text",
            &[None, Some("na")],
        )]),
        nulls("spaces count in a spelling of missing", "a,b\n NA,1\nNA,2\n", &["NA"])
            .loads([holes("a", "text", &[Some(" NA"), None]), col("b", "integer", &["1", "2"])]),
        nulls("a column that is all missing", "a,b\nNA,1\nNA,2\n", &["NA"])
            .loads([holes("a", "text", &[None, None]), col("b", "integer", &["1", "2"])]),
        nulls("a table that is all missing", "a,b\nNA,NA\nNA,NA\n", &["NA"])
            .loads([holes("a", "text", &[None, None]), holes("b", "text", &[None, None])]),
        nulls("NaN that is missing", "a\n1.5\nNaN\n", &["NaN"]).loads([holes(
            "a",
            "number",
            &[Some("1.5"), None],
        )]),
        nulls("-99 is not -99.0", "a\n-99\n-99.0\n1.5\n", &["-99"]).loads([holes(
            "a",
            "number",
            &[None, Some("-99.0"), Some("1.5")],
        )]),
        nulls("blank lines in one column that are missing", "a\n1\n\n2\n", &[""]).loads([holes(
            "a",
            "integer",
            &[Some("1"), None, Some("2")],
        )]),
        nulls("a date that stands for missing", "a\n2020-01-01\n9999-99-99\n", &["9999-99-99"])
            .loads([holes("a", "date", &[Some("2020-01-01"), None])]),
        nulls("a spelling of missing beside its type", "a\n1\nNA\nx\n", &["NA"])
            .reading(|o| {
                o.types.insert("a".into(), muslin_io::ColumnType::Integer);
            })
            .fails(Problem::NotOfType(muslin_io::ColumnType::Integer))
            .line(4)
            .row(2)
            .column("a"),
        nulls("a spelling longer than any cell", "a\nx\n", &[CANARY]).loads([col(
            "a",
            "text",
            &["x"],
        )]),
    ]
}
