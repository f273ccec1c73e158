//! Line feeds, carriage returns, both, and the end of the file.

use muslin_io::Problem;

use crate::case::{CANARY, Case, Cells, case, col};

fn table() -> [Cells; 2] {
    [col("a", "integer", &["1", "3"]), col("b", "text", &["x", "y"])]
}

fn stray(name: &str, text: &str, line: u64) -> Case {
    case(name, text.replace('#', CANARY)).fails(Problem::StrayLineEnd("carriage return")).line(line)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all = whole();
    all.extend(blank());
    all.extend([
        stray("a lone carriage return in a cell", "a,b\n1,#\n2,#\r#\n", 3),
        stray("a lone carriage return at the start of a cell", "a,b\n1,#\n2,\r#\n", 3),
        stray("a lone carriage return among CR LF", "a,b\r\n1,#\r\n2\r,#\r\n", 3),
        stray("two carriage returns before a line feed", "a,b\r\r\n1,#\r\r\n", 1),
        stray("two carriage returns before one line feed", "a,b\r\n1,#\r\r\n", 2),
        stray("a lone carriage return in the header", "a\rx,b\n1,#\n", 1),
        stray("a carriage return after a quoted line end", "a,b\n\"#\n\",1\n2,#\r#\n", 4),
        stray("lines that end with carriage returns, and one line feed", "a,b\r1,#\r2,#\n", 1),
    ]);
    let returns = format!("a,b\r{}", "1,x\r".repeat(80_000));
    all.push(
        case("a line feed far down among carriage returns", returns + "2,y\nz\r")
            .fails(Problem::StrayLineEnd("line feed"))
            .line(80_002),
    );
    all
}

fn whole() -> Vec<Case> {
    vec![
        case("line feeds", "a,b\n1,x\n3,y\n").loads(table()).blank(0),
        case("no line end at the end", "a,b\n1,x\n3,y").loads(table()).blank(0),
        case("CR LF", "a,b\r\n1,x\r\n3,y\r\n").loads(table()).blank(0),
        case("CR LF and none at the end", "a,b\r\n1,x\r\n3,y").loads(table()).blank(0),
        case("CR LF of which the last is cut", "a,b\r\n1,x\r\n3,y\r").loads(table()),
        case("carriage returns alone", "a,b\r1,x\r3,y\r").loads(table()).blank(0),
        case("carriage returns alone and none at the end", "a,b\r1,x\r3,y").loads(table()),
        case("line feeds and CR LF mixed", "a,b\r\n1,x\n3,y\r\n").loads(table()),
        case("CR LF in a quoted cell", "a,b\n1,\"x\r\ny\"\n")
            .loads([col("a", "integer", &["1"]), col("b", "text", &["x\r\ny"])]),
        case("a carriage return in a quoted cell", "a,b\n1,\"x\ry\"\n2,\"\r\"\n")
            .loads([col("a", "integer", &["1", "2"]), col("b", "text", &["x\ry", "\r"])]),
        case("quoted cells before CR LF", "\"a\",\"b\"\r\n\"1\",\"x\"\r\n\"3\",\"y\"\r\n")
            .loads(table()),
        case("a quoted carriage return before CR LF", "a,b\r\n1,\"x\r\"\r\n")
            .loads([col("a", "integer", &["1"]), col("b", "text", &["x\r"])]),
        case("an empty last cell before CR LF", "a,b\r\n1,\r\n2,\r\n")
            .loads([col("a", "integer", &["1", "2"]), col("b", "text", &["", ""])]),
    ]
}

fn blank() -> Vec<Case> {
    vec![
        case("blank lines between rows", "a,b\n\n1,x\n\n\n3,y\n").loads(table()).blank(3),
        case("blank lines of CR LF", "a,b\r\n1,x\r\n\r\n3,y\r\n").loads(table()).blank(1),
        case("blank lines at the end", "a,b\n1,x\n3,y\n\n\n").loads(table()).blank(2),
        case("blank lines of carriage returns", "a,b\r1,x\r\r3,y\r").loads(table()).blank(1),
        case("a blank line in one column is an empty value", "a\nx\n\ny\n")
            .loads([col("a", "text", &["x", "", "y"])])
            .blank(0),
        case("a blank last line in one column is an empty value", "a\nx\n\n").loads([col(
            "a",
            "text",
            &["x", ""],
        )]),
        case("a quoted empty value in one column", "a\nx\n\"\"\n").loads([col(
            "a",
            "text",
            &["x", ""],
        )]),
        case("a line of spaces is not blank", format!("a,b\n{CANARY},x\n  \n3,y\n"))
            .fails(Problem::Ragged { expected: 2, found: 1 })
            .line(3),
        case("a line of a delimiter is a row", "a,b\n1,x\n,\n")
            .loads([col("a", "text", &["1", ""]), col("b", "text", &["x", ""])]),
    ]
}
