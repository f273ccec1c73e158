//! Dates, truth values and columns of mixed types.

use muslin_io::{ColumnType, Problem};
use muslin_table::DayFormat;

use crate::case::{CANARY, Case, case, col, lines};

fn read(name: &str, kind: &str, cells: &[&str]) -> Case {
    let rows = lines(cells.iter().map(|cell| format!("{cell}|x")));
    case(name, format!("a|w\n{rows}"))
        .loads([col("a", kind, cells), col("w", "text", &vec!["x"; cells.len()])])
}

fn asked(name: &str, kind: ColumnType, bad: &str) -> Case {
    let good = if kind == ColumnType::Date { "2020-01-01" } else { "true" };
    case(name, format!("a|w\n{good}|{CANARY}\n{bad}|{CANARY}\n"))
        .reading(|o| {
            o.types.insert("a".into(), kind);
        })
        .fails(match kind {
            ColumnType::Date => {
                Problem::NotADay { column: "a".into(), expected: DayFormat::iso(), found: None }
            }
            kind => Problem::NotOfType(kind),
        })
        .line(3)
        .row(1)
        .column("a")
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all = dates();
    all.extend(mixed());
    all
}

fn dates() -> Vec<Case> {
    vec![
        read("days", "date", &["2020-02-29", "1900-01-01"]),
        read("the first and the last day", "date", &["0001-01-01", "9999-12-31"]),
        read("days before 1970", "date", &["1969-12-31", "1600-02-29"]),
        read("a leap day in no leap year", "text", &["1900-02-29", "2020-01-01"]),
        read("the thirty-first of April", "text", &["2020-04-31", "2020-01-01"]),
        read("the thirteenth month", "text", &["2020-13-01", "2020-01-01"]),
        read("the zeroth day", "text", &["2020-01-00", "2020-01-01"]),
        read("the year zero", "text", &["0000-01-01", "2020-01-01"]),
        read("a year of five digits", "text", &["12020-01-01", "2020-01-01"]),
        read("a year of two digits", "text", &["20-01-01", "2020-01-01"]),
        read("days written with points", "date", &["31.12.2020", "1.2.2020"]),
        read("months before days, with slashes", "date", &["12/31/2020", "01/02/2020"]),
        read("days before months, with slashes", "date", &["31/12/2020", "01/02/2020"]),
        read("days or months first, with slashes", "text", &["12/11/2020", "01/02/2020"]),
        read("a day in two spellings", "text", &["01.02.2020", "1.2.2020"]),
        read("months by name", "text", &["31 Dec 2020", "1 Feb 2020"]),
        read("a day without leading zeros", "text", &["2020-1-1", "2020-01-01"]),
        read("a day with a time", "text", &["2020-01-01T10:00:00Z", "2020-01-01"]),
        read("the hour twenty-four", "text", &["2020-01-01 24:00:00", "2020-01-01 00:00:00"]),
        read("an offset from Greenwich", "text", &["2020-01-01+02:00", "2020-01-01"]),
        read("days without dashes are numbers", "integer", &["20200101", "20201231"]),
        read("a space after a day", "text", &["2020-01-01 ", "2020-01-01"]),
        asked("a day that is none where days are asked for", ColumnType::Date, "2020-02-30"),
        asked("a word where days are asked for", ColumnType::Date, CANARY),
        asked("an empty cell where days are asked for", ColumnType::Date, ""),
    ]
}

fn mixed() -> Vec<Case> {
    vec![
        read("truth values", "boolean", &["true", "false", "true"]),
        read("one truth value", "boolean", &["false"]),
        read("truth values in capitals", "text", &["TRUE", "FALSE"]),
        read("truth values in two cases", "text", &["true", "False"]),
        read("truth values and numbers", "text", &["true", "1"]),
        read("yes and no", "text", &["yes", "no"]),
        read("zeros and ones are integers", "integer", &["0", "1"]),
        read("integers and words", "text", &["1", "x"]),
        read("days and integers", "text", &["2020-01-01", "20200101"]),
        read("truth values and an empty cell", "text", &["true", ""]),
        read("cells that look like formulas", "text", &["=1+1", "@SUM(A1)"]),
        asked("a number where truth is asked for", ColumnType::Boolean, "1"),
        case("a word after a hundred thousand integers", {
            let rows = lines((0..100_000).map(|n: u32| (n % 10).to_string()));
            format!("a\n{rows}x\n")
        })
        .loads([{
            let cells: Vec<String> = (0..100_000).map(|n| (n % 10).to_string()).collect();
            let mut cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            cells.push("x");
            col("a", "text", &cells)
        }]),
    ]
}
