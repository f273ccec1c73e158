//! Text of many megabytes whose quotes and line ends lie where the reader cuts it.

use crate::case::{Case, Cells, case, col};

/// The reader takes blocks of this size, and cuts them into pieces of the second.
const BLOCK: usize = 1 << 20;
const PIECE: usize = 64 << 10;

pub(crate) fn cases() -> Vec<Case> {
    let mut all = vec![mixed("\n"), mixed("\r\n")];
    // Around every cut: the bytes of a quoted cell with line ends, shifted one by one.
    all.extend((0..8).map(|shift| across(BLOCK, shift)));
    all.extend((0..8).map(|shift| across(PIECE, shift)));
    all.push(quoted_throughout());
    all.push(literal_quotes());
    all
}

struct Rows {
    text: String,
    first: Vec<String>,
    second: Vec<String>,
    line_end: &'static str,
}

impl Rows {
    fn new(line_end: &'static str) -> Self {
        Self { text: format!("a,b{line_end}"), first: Vec::new(), second: Vec::new(), line_end }
    }

    /// Adds a row of a plain cell and one that is quoted where it must be.
    fn add(&mut self, first: &str, second: &str) {
        let must = second.contains([',', '\n', '\r']) || second.starts_with('"');
        let written =
            if must { format!("\"{}\"", second.replace('"', "\"\"")) } else { second.to_owned() };
        self.text += &[first, ",", &written, self.line_end].concat();
        self.first.push(first.to_owned());
        self.second.push(second.to_owned());
    }

    fn into_case(self, name: impl Into<String>) -> Case {
        let column = |name: &str, cells: &[String]| -> Cells {
            let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            col(name, "text", &cells)
        };
        let expected = [column("a", &self.first), column("b", &self.second)];
        case(name, self.text).loads(expected)
    }
}

/// Ten megabytes of plain cells, quoted line ends, doubled quotes and quotes that are characters.
fn mixed(line_end: &'static str) -> Case {
    let mut rows = Rows::new(line_end);
    let mut number = 0_usize;
    while rows.text.len() < 10 << 20 {
        let first = format!("r{number}");
        match number % 7 {
            0 => rows.add(&first, "x\ny\n\nz"),
            1 => rows.add("5\" pipe", "plain"),
            2 => rows.add(&first, "\"said\", he\r\nsaid"),
            3 => rows.add(&first, &"long\n,\"".repeat(number % 97)),
            4 => rows.add("a\"b\"c\"", &first),
            5 => rows.add(&first, ""),
            _ => rows.add("", &"w".repeat(number % 301)),
        }
        number += 1;
    }
    let name = if line_end == "\n" { "LF" } else { "CR LF" };
    rows.into_case(format!("ten megabytes of everything, with {name}"))
}

/// A quoted cell of line ends, `shift` bytes before a place where the text is cut.
fn across(cut: usize, shift: usize) -> Case {
    let mut rows = Rows::new("\r\n");
    let row = format!("{},{}\r\n", "p".repeat(30), "q".repeat(30));
    let special = "\"\r\n\",\r\n";
    for _ in 0..3 {
        // The special row begins a few bytes before the next multiple of the cut.
        let target = (rows.text.len() / cut + 1) * cut - shift - 3;
        while rows.text.len() + 2 * row.len() < target {
            rows.add(&"p".repeat(30), &"q".repeat(30));
        }
        let fill = target - rows.text.len() - ",x\r\n".len();
        rows.add(&"f".repeat(fill), "x");
        rows.add("s", special);
    }
    rows.add("end", "x");
    rows.into_case(format!("a quoted cell {shift} bytes before a cut at {cut}"))
}

/// Every line end that a cut could take is inside quotes.
fn quoted_throughout() -> Case {
    let mut rows = Rows::new("\n");
    let cell = "1,2\n".repeat(200_000);
    for number in 0..8 {
        rows.add(&format!("r{number}"), &cell);
    }
    rows.into_case("cells of many lines that look like rows")
}

/// An odd number of quotes that are characters, and then quoted line ends.
fn literal_quotes() -> Case {
    let mut rows = Rows::new("\n");
    for number in 0..120_000 {
        rows.add(if number % 1_000 == 0 { "5\"" } else { "five" }, "x,\n5\",y");
    }
    rows.into_case("quotes that are characters turn the count of quotes")
}
