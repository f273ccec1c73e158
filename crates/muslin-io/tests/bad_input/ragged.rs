//! Rows with fewer or more fields than the first record.

use muslin_io::Problem;

use crate::case::{CANARY, Case, case};

fn ragged(name: &str, text: impl AsRef<str>, expected: usize, found: usize, line: u64) -> Case {
    case(name, text.as_ref().replace('#', CANARY))
        .fails(Problem::Ragged { expected, found })
        .line(line)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all = near();
    all.extend(far_down());
    all
}

fn near() -> Vec<Case> {
    vec![
        ragged("a row that is too short", "a,b,c\n1,2,#\n1,#\n", 3, 2, 3),
        ragged("a row that is too long", "a,b,c\n1,2,#\n1,2,3,#\n", 3, 4, 3),
        ragged("a first row that is too short", "a,b,c\n1,#\n1,2,#\n1,2,#\n", 3, 2, 2),
        ragged("a last row that is too short", "a,b\n1,#\n1,#\n#", 2, 1, 4),
        ragged("a last row that is too long and has no end", "a,b\n1,#\n1,#,3", 2, 3, 3),
        ragged("a header that is too short", "a,b\n1,2,#\n1,2,#\n", 2, 3, 2),
        ragged("a header that is too long", "a,b,c\n1,#\n1,#\n", 3, 2, 2),
        ragged("a delimiter after every row but the first", "a,b\n1,#,\n3,#,\n", 2, 3, 2),
        ragged("a comma in a cell that is not quoted", "a,b\n1,#\n2,# and, #\n3,#\n", 2, 3, 3),
        ragged("a row of one quoted cell", "a,b\n1,#\n\"#,2\"\n", 2, 1, 3),
        ragged("a title before the header", "Report of #\na,b,c\n1,2,#\n4,5,#\n", 1, 3, 2),
        ragged("a total after the rows", "a,b,c\n1,2,#\n4,5,#\ntotal: #\n", 3, 1, 4),
        ragged("a comment among the rows", "a,b\n1,#\n# a comment\n2,#\n", 2, 1, 3),
        ragged("a short row with CR LF", "a,b\r\n1,#\r\n#\r\n", 2, 1, 3),
        ragged("a short row among carriage returns", "a,b\r1,#\r#\r", 2, 1, 3),
        ragged("a short row after blank lines", "a,b\n\n\n1,#\n\n#\n", 2, 1, 6),
        ragged("a short row after quoted line ends", "a,b\n\"#\n\n\",1\n#\n", 2, 1, 5),
        ragged("two tables in one file", "a,b\n1,#\n\nx,y,z\n1,2,#\n", 2, 3, 4),
        ragged("a semicolon for a comma in one row", "a,b,c\n1,2,#\n4;5;#\n6,7,#\n", 3, 1, 3),
    ]
}

fn far_down() -> Vec<Case> {
    let long = format!("a,b\n{}", "1,#\n".repeat(100_000));
    let quoted = format!("a,b\n{}", "1,\"#\n\"\n".repeat(60_000));
    vec![
        ragged("a short row far down", long.clone() + "#\n1,2\n", 2, 1, 100_002),
        ragged("a long row far down", long + "1,2,#\n1,2\n", 2, 3, 100_002),
        ragged("a short row far down after quoted line ends", quoted + "#\n1,2\n", 2, 1, 120_002),
        case("a row of many delimiters", format!("a,b\n{CANARY},2\n{}\n", ",".repeat(1_000_000)))
            .fails(Problem::Ragged { expected: 2, found: 1_000_001 })
            .line(3),
    ]
}
