//! Names of columns: sniffed, empty, twice, odd.

use muslin_io::{ColumnChoice, Problem};

use crate::case::{CANARY, Case, case, col};

pub(crate) fn cases() -> Vec<Case> {
    let mut all = names();
    all.extend(sniffed());
    all.extend(twice());
    all
}

fn names() -> Vec<Case> {
    let one_two =
        |first: &str, second: &str| [col(first, "integer", &["1"]), col(second, "integer", &["2"])];
    vec![
        case("an empty name", ",b\n1,2\n").loads(one_two("column_1", "b")),
        case("no name but empty ones", ",\n1,2\n").loads(one_two("column_1", "column_2")),
        case("a quoted empty name", "a,\"\"\n1,2\n").loads(one_two("a", "column_2")),
        case("a name of spaces", "a,   \n1,2\n").loads(one_two("a", "column_2")),
        case("names with spaces around", " a ,\tb \n1,2\n")
            .reading(|o| o.csv.delimiter = Some(','))
            .loads(one_two("a", "b")),
        case("a name with a line end", "\"a\nx\",b\n1,2\n").loads(one_two("a\nx", "b")),
        case("a name with a doubled quote", "\"a\"\"x\",b\n1,2\n").loads(one_two("a\"x", "b")),
        case("names that are words of SQL", "select,drop table\n1,2\n")
            .loads(one_two("select", "drop table")),
        case("names that differ in case", "a,A\n1,2\n").loads(one_two("a", "A")),
        case("names that differ in composition", "é,e\u{301}\n1,2\n")
            .loads(one_two("é", "e\u{301}")),
        case("a name of ten thousand letters", format!("{},b\n1,2\n", "n".repeat(10_000)))
            .loads(one_two(&"n".repeat(10_000), "b")),
        case("a delimiter after the last name and value", "a,b,\n1,2,\n").loads([
            col("a", "integer", &["1"]),
            col("b", "integer", &["2"]),
            col("column_3", "text", &[""]),
        ]),
        case("blank lines before the header", "\n\na,b\n1,2\n").loads(one_two("a", "b")),
        case("a column left out by name", "a,b\n1,2\n")
            .reading(|o| o.columns = ColumnChoice::Except(vec!["a".into()]))
            .loads([col("b", "integer", &["2"])]),
    ]
}

fn sniffed() -> Vec<Case> {
    let rows = |first: [&str; 2], second: [&str; 2], kinds: [&str; 2]| {
        [
            col("column_1", kinds[0], &[first[0], second[0]]),
            col("column_2", kinds[1], &[first[1], second[1]]),
        ]
    };
    vec![
        case("numbers from the first line on", "1,2\n3,4\n").loads(rows(
            ["1", "2"],
            ["3", "4"],
            ["integer", "integer"],
        )),
        case("quoted numbers from the first line on", "\"1\",\"2\"\n\"3\",\"4\"\n").loads(rows(
            ["1", "2"],
            ["3", "4"],
            ["integer", "integer"],
        )),
        case("numbers in single quotes from the first line on", "'1','2'\n'3','4'\n").loads(rows(
            ["1", "2"],
            ["3", "4"],
            ["integer", "integer"],
        )),
        case("a date in the first line", "ann,1980-01-02\nbob,1990-01-02\n").loads(rows(
            ["ann", "1980-01-02"],
            ["bob", "1990-01-02"],
            ["text", "date"],
        )),
        case("decimals with a comma in the first line", "x;1,5\ny;2,5\n").loads(rows(
            ["x", "1.5"],
            ["y", "2.5"],
            ["text", "number"],
        )),
        case("a header that is denied", "a,b\nc,d\n")
            .reading(|o| o.csv.header = Some(false))
            .loads(rows(["a", "b"], ["c", "d"], ["text", "text"])),
        case("a header of numbers that is asked for", "2010,2011\n1,2\n")
            .reading(|o| o.csv.header = Some(true))
            .loads([col("2010", "integer", &["1"]), col("2011", "integer", &["2"])]),
        case("a year as a name of words", "name,2010\nx,y\n")
            .loads([col("name", "text", &["x"]), col("2010", "text", &["y"])]),
        case("names that are made up are not taken twice", "column_2,\n1,2\n")
            .fails(Problem::SameName { first: 1, second: 2 }),
    ]
}

fn twice() -> Vec<Case> {
    let fails = |name: &str, header: &str, first: usize, second: usize| {
        let row = vec![CANARY; header.split(',').count()].join(",");
        case(name, format!("{header}\n{row}\n")).fails(Problem::SameName { first, second })
    };
    vec![
        fails("a name twice", "a,b,a", 1, 3),
        fails("a name twice after trimming", "a, a", 1, 2),
        fails("a name twice, once quoted", "a,\"a\"", 1, 2),
        fails("a name three times", "x,a,a,a", 2, 3),
    ]
}
