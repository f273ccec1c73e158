//! No rows, one row, one column, 500 columns, cells of ten megabytes.

use muslin_io::Problem;

use crate::case::{CANARY, Case, Cells, case, col, lines};

pub(crate) fn cases() -> Vec<Case> {
    let mut all = empty();
    all.extend(few());
    all.extend(columns());
    all.extend([1, 2, 64, 65, 500].map(wide));
    all.extend(large());
    all
}

fn empty() -> Vec<Case> {
    vec![
        case("no byte at all", "").fails(Problem::Empty),
        case("only a mark", "\u{FEFF}").fails(Problem::Empty),
        case("only a mark of UTF-16", b"\xFF\xFE").fails(Problem::Empty),
        case("only a line end", "\n").fails(Problem::Empty),
        case("only line ends", "\r\n\r\n\r\n").fails(Problem::Empty),
        case("a mark and line ends", "\u{FEFF}\n\n").fails(Problem::Empty),
        case("one NUL", "\0").refused(),
        case("four kilobytes of NUL", vec![0; 4096]).refused(),
    ]
}

fn few() -> Vec<Case> {
    let rows = |cells: &[&str]| [col("a", "integer", cells), col("b", "integer", cells)];
    vec![
        case("a header alone", "a,b\n")
            .loads([col("a", "text", &[]), col("b", "text", &[])])
            .blank(0),
        case("a header without a line end", "a,b")
            .loads([col("a", "text", &[]), col("b", "text", &[])])
            .blank(0),
        case("a header of one name", "a\n").loads([col("a", "text", &[])]),
        case("a header of one name without a line end", "a").loads([col("a", "text", &[])]),
        case("a header of one quoted name without a line end", "\"a\"").loads([col(
            "a",
            "text",
            &[],
        )]),
        case("a header and a mark without a line end", "\u{FEFF}a").loads([col("a", "text", &[])]),
        case("a header among carriage returns", "a,b\r")
            .loads([col("a", "text", &[]), col("b", "text", &[])]),
        case("one row", "a,b\n1,1\n").loads(rows(&["1"])),
        case("one row without a line end", "a,b\n1,1").loads(rows(&["1"])),
        case("two rows", "a,b\n1,1\n2,2\n").loads(rows(&["1", "2"])),
        case("two equal rows", "a,b\n1,1\n1,1\n").loads(rows(&["1", "1"])),
        case("one number and nothing else", "7").loads([col("column_1", "integer", &["7"])]),
        case("one cell in one column", "a\n7\n").loads([col("a", "integer", &["7"])]),
        case("one letter in quotes without a line end", "a\n\"x\"").loads([col(
            "a",
            "text",
            &["x"],
        )]),
    ]
}

/// Columns of which each is constant, all different or nearly so.
fn columns() -> Vec<Case> {
    let count = 70_000;
    let numbers: Vec<String> = (0..count).map(|n| n.to_string()).collect();
    let words: Vec<String> = (0..count).map(|n| format!("w{n}")).collect();
    let rows = lines(numbers.iter().zip(&words).map(|(n, w)| format!("{n},{w},k")));
    let all = |of: &[String], name: &str, kind: &str| {
        let cells: Vec<&str> = of.iter().map(String::as_str).collect();
        col(name, kind, &cells)
    };
    let around = |distinct: usize| {
        let cells: Vec<String> = (0..300).map(|n| format!("v{}", n % distinct)).collect();
        let rows = lines(&cells);
        case(format!("{distinct} distinct values"), format!("a\n{rows}"))
            .loads([all(&cells, "a", "text")])
    };
    vec![
        case("all different and all equal", format!("a,b,c\n{rows}")).loads([
            all(&numbers, "a", "integer"),
            all(&words, "b", "text"),
            col("c", "text", &vec!["k"; count]),
        ]),
        around(1),
        around(254),
        around(255),
        around(256),
        case("values that share their first bytes", "a\nabcdefgh\nabcdefghi\nabcdefg\nabcdefgh\n")
            .loads([col("a", "text", &["abcdefgh", "abcdefghi", "abcdefg", "abcdefgh"])]),
    ]
}

fn wide(width: usize) -> Case {
    let line = |text: &dyn Fn(usize) -> String| (0..width).map(text).collect::<Vec<_>>().join(",");
    let header = line(&|column| format!("c{column}"));
    let (first, second) = (line(&|c| c.to_string()), line(&|c| format!("x{c}")));
    let expected: Vec<Cells> = (0..width)
        .map(|c| col(&format!("c{c}"), "text", &[&c.to_string(), &format!("x{c}")]))
        .collect();
    case(format!("{width} columns"), format!("{header}\n{first}\n{second}\n")).loads(expected)
}

fn large() -> Vec<Case> {
    let megabytes = |count: usize| "0123456789abcdef".repeat(count << 16);
    let long = megabytes(10);
    let many = "a line\n".repeat(1_500_000);
    let names: Vec<String> = (0..70_000).map(|c| format!("c{c}")).collect();
    vec![
        case("a cell of ten megabytes", format!("a,b\n1,{long}\n2,x\n"))
            .loads([col("a", "integer", &["1", "2"]), col("b", "text", &[&long, "x"])]),
        case("a quoted cell of ten megabytes", format!("a,b\n1,\"{long}\"\n2,x\n"))
            .loads([col("a", "integer", &["1", "2"]), col("b", "text", &[&long, "x"])]),
        case("a quoted cell of ten megabytes of lines", format!("a,b\n1,\"{many}\"\n2,x\n"))
            .loads([col("a", "integer", &["1", "2"]), col("b", "text", &[&many, "x"])]),
        case("a record of seventy megabytes", format!("a,b\n1,{CANARY}{}\n", megabytes(70)))
            .fails(Problem::LongRecord(64 << 20))
            .line(2),
        case("a quote that is not closed for seventy megabytes", {
            let row = format!("1,{CANARY}{}\n", "x".repeat(1 << 20));
            format!("a,b\n1,\"{CANARY}\n{}", row.repeat(70))
        })
        .fails(Problem::LongRecord(64 << 20))
        .line(2),
        case("more columns than there may be", names.join(","))
            .fails(Problem::TooManyColumns { found: 70_000, limit: 1 << 16 }),
    ]
}
