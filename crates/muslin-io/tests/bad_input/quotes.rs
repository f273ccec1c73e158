//! Delimiters, quotes and escapes.

use muslin_io::Problem;

use crate::case::{CANARY, Case, case, col};

pub(crate) fn cases() -> Vec<Case> {
    let mut all = delimiters();
    all.extend(quotes());
    all.extend(unbalanced());
    all
}

fn ab(name: &str, text: &str) -> Case {
    case(name, text).loads([col("a", "integer", &["1", "3"]), col("b", "text", &["x", "y"])])
}

fn delimiters() -> Vec<Case> {
    let asked =
        |delimiter: char| move |o: &mut muslin_io::ReadOptions| o.csv.delimiter = Some(delimiter);
    vec![
        ab("semicolons", "a;b\n1;x\n3;y\n"),
        ab("tabs", "a\tb\n1\tx\n3\ty\n"),
        ab("bars", "a|b\n1|x\n3|y\n"),
        ab("carets that are asked for", "a^b\n1^x\n3^y\n").reading(asked('^')),
        ab("control characters that are asked for", "a\u{1}b\n1\u{1}x\n3\u{1}y\n")
            .reading(asked('\u{1}')),
        ab("spaces that are asked for", "a b\n1 x\n3 y\n").reading(asked(' ')),
        case("commas in quoted cells between semicolons", "a;b\n\"1,2,3\";x\n\"4,5,6\";y\n")
            .loads([col("a", "text", &["1,2,3", "4,5,6"]), col("b", "text", &["x", "y"])]),
        case("semicolons in quoted cells between commas", "a,b\n\"1;2\",x\n\"3;4\",y\n")
            .loads([col("a", "text", &["1;2", "3;4"]), col("b", "text", &["x", "y"])]),
        case("one column of sentences", "a\nwell, yes\nno\nnever; not once\n").loads([col(
            "a",
            "text",
            &["well, yes", "no", "never; not once"],
        )]),
        case("a delimiter that is asked for and not there", "a,b\nx,y\n")
            .reading(asked(';'))
            .loads([col("a,b", "text", &["x,y"])]),
        ab("single quotes that are asked for and not there", "a,b\n1,x\n3,y\n")
            .reading(|o| o.csv.quote = Some(Some('\''))),
        case("a delimiter of several bytes", format!("a→b\n1→{CANARY}\n"))
            .reading(asked('→'))
            .refused(),
        case("a delimiter of Latin-1", format!("a§b\n1§{CANARY}\n")).reading(asked('§')).refused(),
    ]
}

fn quotes() -> Vec<Case> {
    let without = |o: &mut muslin_io::ReadOptions| o.csv.quote = Some(None);
    let one = |name: &str, cell: &str, value: &str| {
        case(name, format!("a,b\n{cell},1\nz,2\n"))
            .loads([col("a", "text", &[value, "z"]), col("b", "integer", &["1", "2"])])
    };
    vec![
        one("a delimiter in quotes", "\"x,y\"", "x,y"),
        one("a line end in quotes", "\"x\ny\"", "x\ny"),
        one("a doubled quote", "\"x\"\"y\"", "x\"y"),
        one("only a doubled quote", "\"\"\"\"", "\""),
        one("two doubled quotes", "\"\"\"\"\"\"", "\"\""),
        one("a doubled quote before a delimiter", "\"x\"\",\"", "x\","),
        one("nothing in quotes", "\"\"", ""),
        one("a quote inside a plain cell", "5\" pipe", "5\" pipe"),
        one("a quote at the end of a plain cell", "5\"", "5\""),
        one("two quotes inside a plain cell", "x\"y\"z", "x\"y\"z"),
        one("a quote after a space", " \"x\"", " \"x\""),
        one("single quotes are characters", "'x'", "'x'"),
        one("an apostrophe", "it's", "it's"),
        one("a backslash escapes nothing", "x\\y", "x\\y"),
        one("a backslash before the closing quote", "\"x\\\"", "x\\"),
        one("quotes of typography", "“x”", "“x”"),
        case("quoted numbers are numbers", "a,b\n\"1\",\"2.5\"\n")
            .loads([col("a", "integer", &["1"]), col("b", "number", &["2.5"])]),
        case("one value quoted and not", "a,b\n\"x\",1\nx,2\n")
            .loads([col("a", "text", &["x", "x"]), col("b", "integer", &["1", "2"])]),
        case("single quotes around every cell", "'a','b'\n'x,1','y'\n'x''2','z'\n")
            .loads([col("a", "text", &["x,1", "x'2"]), col("b", "text", &["y", "z"])]),
        case("quotes that are none", "a,b\n\"x,1\n\"y\",2\n")
            .reading(without)
            .loads([col("a", "text", &["\"x", "\"y\""]), col("b", "integer", &["1", "2"])]),
        case("single quotes that are asked for", "a,b\n'x,y',\"1\"\n")
            .reading(|o| o.csv.quote = Some(Some('\'')))
            .loads([col("a", "text", &["x,y"]), col("b", "text", &["\"1\""])]),
        case("spaces that are trimmed", "a,b\n x , 1\n\" y \",2 \n")
            .reading(|o| o.csv.trim = true)
            .loads([col("a", "text", &["x", " y "]), col("b", "integer", &["1", "2"])]),
        case("a quote of several bytes", format!("a,b\n“{CANARY},x”,1\n"))
            .reading(|o| o.csv.quote = Some(Some('“')))
            .refused(),
    ]
}

fn unbalanced() -> Vec<Case> {
    let open = |name: &str, text: String, line: u64| {
        case(name, text.replace('#', CANARY)).fails(Problem::OpenQuote).line(line)
    };
    let after = |name: &str, text: &str, line: u64| {
        case(name, text.replace('#', CANARY)).fails(Problem::TextAfterQuote).line(line)
    };
    let rows = "1,#\n".repeat(150_000);
    let wide_rows = format!("1,{}\n", "#".repeat(100)).repeat(9_000);
    vec![
        open("a quote that is not closed", "a,b\n1,\"#\n2,#\n".into(), 2),
        open("a quote that is not closed at the end", "a,b\n1,#\n2,\"#".into(), 3),
        open("a quote that is the whole last cell", "a,b\n1,#\n2,\"".into(), 3),
        open("three quotes", "a,b\n1,#\n\"\"\",#\n".into(), 3),
        open(
            "a quote that is not closed after a quoted line end",
            "a,b\n\"#\n\",2\n\"#,1\n".into(),
            4,
        ),
        open("a quote that is not closed among CR LF", "a,b\r\n1,#\r\n2,\"#\r\n".into(), 3),
        open("a quote that is not closed before many rows", format!("a,b\n1,\"#\n{rows}"), 2),
        open("a quote that is not closed after many rows", format!("a,b\n{rows}1,\"#\n"), 150_002),
        open(
            "a quote that is not closed across blocks",
            format!("a,b\n{wide_rows}1,\"#\n{wide_rows}"),
            9_002,
        ),
        open("a quote that is not closed in the header", "\"a,b\n1,#\n2,#\n".into(), 1),
        open(
            "a quote that is not closed in the header of many rows",
            format!("\"a,b\n{rows}{rows}"),
            1,
        ),
        after("a letter after a closing quote", "a,b\n1,\"#\"x\n", 2),
        after("a space after a closing quote", "a,b\n\"#\" ,2\n", 2),
        after("a quote cell after a closing quote", "a,b\n1,#\n\"#\" \"#\",2\n", 3),
        after("a quote escaped with a backslash", "a,b\n\"#\\\"x\",2\n", 2),
        after("text after a closing quote on a later line", "a,b\n\"#\n#\"x,2\n", 3),
        after("text after a closing quote in the header", "\"a\"x,b\n1,#\n", 1),
        after("a closing quote that is the next cell's", "a,b\n\"#,1\n\"#\",2\n", 3),
    ]
}
