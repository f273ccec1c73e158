//! Numbers: read as such only where nothing is lost.

use muslin_io::{ColumnType, Problem};

use crate::case::{CANARY, Case, case, col, lines};

/// A column of cells beside a column of words, so that no cell is a blank line.
fn column(name: &str, cells: &[&str]) -> Case {
    let rows = lines(cells.iter().map(|cell| format!("{cell};x")));
    case(name, format!("a;w\n{rows}"))
}

fn words(count: usize) -> crate::case::Cells {
    col("w", "text", &vec!["x"; count])
}

fn text(name: &str, cells: &[&str]) -> Case {
    column(name, cells).loads([col("a", "text", cells), words(cells.len())])
}

fn read(name: &str, kind: &str, cells: &[&str], values: &[&str]) -> Case {
    column(name, cells).loads([col("a", kind, values), words(cells.len())])
}

fn asked(name: &str, kind: ColumnType, bad: &str) -> Case {
    column(name, &["1", &bad.replace('#', CANARY)])
        .reading(|o| {
            o.types.insert("a".into(), kind);
        })
        .fails(Problem::NotOfType(kind))
        .line(3)
        .row(1)
        .column("a")
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all = texts();
    all.extend(values());
    all.extend([
        asked("a word where an integer is asked for", ColumnType::Integer, "#"),
        asked("a decimal where an integer is asked for", ColumnType::Integer, "1.5"),
        column("leading zeros and a plus where integers are asked for", &["007", "+5"])
            .reading(|o| {
                o.types.insert("a".into(), ColumnType::Integer);
            })
            .loads([col("a", "integer", &["007", "+5"]), words(2)]),
        column("two spellings of one number where numbers are asked for", &["1.50", "1.5"])
            .reading(|o| {
                o.types.insert("a".into(), ColumnType::Number);
            })
            .loads([col("a", "number", &["1.5", "1.5"]), words(2)]),
        asked("an empty cell where a number is asked for", ColumnType::Number, ""),
        column("too large a number where one is asked for", &["1e309", "2"])
            .reading(|o| {
                o.types.insert("a".into(), ColumnType::Number);
            })
            .loads([col("a", "number", &["1e309", "2"]), words(2)]),
        asked("a word where a number is asked for", ColumnType::Number, "#"),
        column("integers that are asked to be text", &["1", "2"])
            .reading(|o| {
                o.types.insert("a".into(), ColumnType::Text);
            })
            .loads([col("a", "text", &["1", "2"]), words(2)]),
        case("decimals with a comma", "a;b\n1,5;2\n-0,25;3\n")
            .loads([col("a", "number", &["1.5", "-0.25"]), col("b", "integer", &["2", "3"])]),
        case("decimals with commas and with points", "a;b\n1,5;2.5\n2,5;3.5\n")
            .loads([col("a", "text", &["1,5", "2,5"]), col("b", "number", &["2.5", "3.5"])]),
        case("quoted decimals with a comma between commas", "a,b\n\"1,5\",2\n")
            .loads([col("a", "text", &["1,5"]), col("b", "integer", &["2"])]),
        case("two columns that are not what was asked for", {
            let rows = lines((0..20_000).map(|n| format!("{n},{CANARY}")));
            format!("a,b\n{rows}{CANARY},1\n")
        })
        .reading(|o| {
            o.types.insert("a".into(), ColumnType::Integer);
            o.types.insert("b".into(), ColumnType::Integer);
        })
        .refused(),
        case("an integer far down that is none", {
            let rows = lines((0..50_000).map(|n: u32| n.to_string()));
            format!("a\n{rows}{CANARY}\n")
        })
        .reading(|o| {
            o.types.insert("a".into(), ColumnType::Integer);
        })
        .fails(Problem::NotOfType(ColumnType::Integer))
        .line(50_002)
        .row(50_000)
        .column("a"),
    ]);
    all
}

fn texts() -> Vec<Case> {
    vec![
        text("postcodes with leading zeros", &["00123", "12345"]),
        text("identifiers of twenty digits", &["12345678901234567890", "12345678901234567891"]),
        text("an integer above 64 bits", &["9223372036854775808", "1"]),
        text("a number with a plus", &["+5", "5"]),
        text("a number too large for a double", &["1e309", "1"]),
        text("a number too small for a double", &["1e-400", "1"]),
        text(
            "numbers that a double does not tell apart",
            &["0.1234567890123456789", "0.1234567890123456788"],
        ),
        text(
            "tiny numbers that a double does not tell apart",
            &["1.23456789e-320", "1.23456788e-320"],
        ),
        text("an integer that a double rounds, beside a decimal", &["9007199254740993", "1.5"]),
        text("hexadecimal numbers", &["0x1F", "31"]),
        text("underscores between digits", &["1_000", "1"]),
        text("commas between digits", &["1,000", "1"]),
        text("points and a comma", &["1.000,5", "1"]),
        text("an apostrophe between digits", &["1'000", "1"]),
        text("a space before a digit", &[" 1", "2"]),
        text("a number without a whole part", &[".5", "1"]),
        text("a number without a fraction", &["5.", "1"]),
        text("an exponent without digits", &["1e", "1"]),
        text("percent signs", &["5%", "6"]),
        text("signs of money", &["$5", "6"]),
        text("a minus of typography", &["\u{2212}5", "5"]),
        text("a minus after the number", &["5-", "5"]),
        text("brackets for a minus", &["(5)", "5"]),
        text("two points", &["1.2.3", "1"]),
        text("only NaN", &["NaN", "NaN"]),
        text("fractions", &["1/2", "3/4"]),
        text("a number of a million digits", &["1", &"7".repeat(1_000_000)]),
    ]
}

fn values() -> Vec<Case> {
    vec![
        read(
            "the ends of 64 bits",
            "integer",
            &["9223372036854775807", "-9223372036854775808"],
            &["9223372036854775807", "-9223372036854775808"],
        ),
        read("integers and decimals", "number", &["1", "2.5", "-3"], &["1", "2.5", "-3"]),
        read("the same number in two spellings", "text", &["1.50", "1.5"], &["1.50", "1.5"]),
        read("zero with and without a sign", "text", &["-0.0", "0.0"], &["-0.0", "0.0"]),
        read("negative zero among integers", "text", &["-0", "1"], &["-0", "1"]),
        read("zero in two spellings", "text", &["0.0", "0", "1"], &["0.0", "0", "1"]),
        read("an exponent", "number", &["1e3", "2.5E-1"], &["1e3", "2.5E-1"]),
        read("two decimals", "number", &["250.10", "401.90"], &["250.10", "401.90"]),
        read("NaN among numbers", "number", &["1.5", "nan"], &["1.5", "nan"]),
        read("NaN in two spellings", "text", &["1.5", "NaN", "nan"], &["1.5", "NaN", "nan"]),
        read(
            "infinities among numbers",
            "number",
            &["1.5", "inf", "-inf"],
            &["1.5", "inf", "-inf"],
        ),
        read(
            "seventeen digits that tell a double",
            "number",
            &["0.30000000000000004", "1"],
            &["0.30000000000000004", "1"],
        ),
        read("one integer", "integer", &["7"], &["7"]),
    ]
}
