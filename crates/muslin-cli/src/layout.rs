//! The layout of texts and tables by display width. Bold comes after it and takes no width.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Terminals narrower than this show lists instead of tables.
const NARROWEST: usize = 60;
/// Spaces between two columns.
const GAP: usize = 2;
/// Marks that are left of a long bar before anything else is made narrower.
const SHORT_BAR: usize = 10;
/// The width at which columns of words still read well, and the one below which they never go.
const COMFORTABLE: usize = 24;
const LEAST: usize = 8;
/// Signs after which a long word is broken rather than elsewhere.
const SIGNS: [char; 6] = ['_', '-', '/', '.', ',', ';'];
/// Words and their parts are never broken up to this length.
const LONG_WORD: usize = 16;

/// A column of a printed table: its heading, and what its cells are.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    heading: &'a str,
    kind: Kind,
    is_optional: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Words,
    Number,
    Bar,
}

impl<'a> Column<'a> {
    const fn of(heading: &'a str, kind: Kind) -> Self {
        Self { heading, kind, is_optional: false }
    }

    /// Short texts, never broken.
    pub(crate) const fn text(heading: &'a str) -> Self {
        Self::of(heading, Kind::Text)
    }

    /// Texts that are broken into lines where the width asks for it.
    pub(crate) const fn words(heading: &'a str) -> Self {
        Self::of(heading, Kind::Words)
    }

    /// Figures, aligned to the right and never broken.
    pub(crate) const fn number(heading: &'a str) -> Self {
        Self::of(heading, Kind::Number)
    }

    /// Bars, which repeat a figure: they are shortened, or left out, where there is no room for them.
    pub(crate) const fn bar() -> Self {
        Self::of("", Kind::Bar)
    }

    /// May be left out of a table that is too wide; a line below the table says so.
    #[must_use]
    pub(crate) const fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }
}

/// The columns that a text takes on a terminal.
pub(crate) fn width_of(text: &str) -> usize {
    text.width()
}

/// A table of at most `width`: columns of words are broken into lines first, optional columns are left
/// out next, and what still does not fit becomes a list. Headings go through `bold`.
pub(crate) fn table(
    columns: &[Column<'_>],
    rows: &[Vec<String>],
    width: usize,
    bold: &dyn Fn(&str) -> String,
) -> String {
    if width < NARROWEST {
        return list(columns, rows, width, bold);
    }
    let needs: Vec<Needs> =
        columns.iter().enumerate().map(|(at, own)| Needs::of(own, at, rows, width)).collect();
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    loop {
        if let Some(widths) = fit(&needs, &shown, Floor::WithoutBars, width) {
            let drawing = Drawing { columns, rows, shown: &shown, widths: &widths, bold };
            return drawing.to_text() + &left_out(columns, &shown, width);
        }
        let Some(last) = shown.iter().rposition(|&at| columns[at].is_optional) else { break };
        shown.remove(last);
    }
    match fit(&needs, &shown, Floor::Least, width) {
        Some(widths) => {
            let drawing = Drawing { columns, rows, shown: &shown, widths: &widths, bold };
            drawing.to_text() + &left_out(columns, &shown, width)
        }
        None => list(columns, rows, width, bold),
    }
}

/// Says which columns are not in a table.
fn left_out(columns: &[Column<'_>], shown: &[usize], width: usize) -> String {
    let missing = (0..columns.len()).filter(|at| !shown.contains(at));
    let names: Vec<&str> = missing.map(|at| columns[at].heading).collect();
    if names.is_empty() {
        return String::new();
    }
    let line = format!(
        "Left out for lack of width: {}. A wider terminal or `--json` shows all columns.",
        names.join(", ")
    );
    wrap(&line, 2, width)
}

/// How narrow a column may become, in the order in which tables are made narrower.
#[derive(Clone, Copy)]
enum Floor {
    /// Headings are broken, bars shortened.
    Headings,
    /// Words are broken as far as they read well.
    Comfortable,
    /// Bars are left out.
    WithoutBars,
    /// Words are broken as far as it goes.
    Least,
}

impl Floor {
    const ALL: [Self; 4] = [Self::Headings, Self::Comfortable, Self::WithoutBars, Self::Least];
}

/// What a column takes.
struct Needs {
    /// In one line each.
    natural: usize,
    /// By [`Floor`].
    floors: [usize; 4],
}

impl Needs {
    fn of(column: &Column<'_>, at: usize, rows: &[Vec<String>], most: usize) -> Self {
        let cells = || rows.iter().filter_map(|row| row.get(at));
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(width_of).max().unwrap_or(0).min(most)
        };
        let own = widest(&mut cells().map(String::as_str));
        let word = widest(&mut words(column.heading));
        let floors = match column.kind {
            Kind::Text | Kind::Number => [own.max(word); 4],
            Kind::Words => {
                let longest = widest(&mut cells().flat_map(|cell| parts(cell))).min(LONG_WORD);
                let comfortable = own.min(COMFORTABLE).max(word);
                [own.max(word), comfortable, comfortable, own.min(longest.max(LEAST)).max(word)]
            }
            Kind::Bar => {
                let text = widest(&mut cells().map(String::as_str).filter(|cell| !is_bar(cell)));
                let short = own.min(SHORT_BAR).max(text);
                [short, short, text, text]
            }
        };
        Self { natural: own.max(width_of(column.heading)).min(most), floors }
    }
}

fn is_bar(cell: &str) -> bool {
    cell.bytes().all(|mark| mark == b'#')
}

/// The widths of the shown columns in a table of at most `width`, if there are any that go no lower
/// than `lowest`.
fn fit(needs: &[Needs], shown: &[usize], lowest: Floor, width: usize) -> Option<Vec<usize>> {
    let mut widths: Vec<usize> = shown.iter().map(|&at| needs[at].natural).collect();
    for floor in &Floor::ALL[..=lowest as usize] {
        while total(&widths) > width {
            let above = |&own: &usize| widths[own] > needs[shown[own]].floors[*floor as usize];
            // The widest gives first.
            let Some(widest) = (0..shown.len()).filter(above).max_by_key(|&own| widths[own]) else {
                break;
            };
            widths[widest] -= 1;
        }
    }
    (total(&widths) <= width).then_some(widths)
}

fn total(widths: &[usize]) -> usize {
    let shown = widths.iter().filter(|&&own| own > 0);
    shown.map(|own| own + GAP).sum::<usize>().saturating_sub(GAP)
}

/// A table whose widths are known.
struct Drawing<'a> {
    columns: &'a [Column<'a>],
    rows: &'a [Vec<String>],
    shown: &'a [usize],
    widths: &'a [usize],
    bold: &'a dyn Fn(&str) -> String,
}

impl Drawing<'_> {
    fn to_text(&self) -> String {
        let mut text = String::new();
        if self.columns.iter().any(|column| !column.heading.is_empty()) {
            let header = self.shown.iter().zip(self.widths);
            let mut cells: Vec<_> =
                header.map(|(&at, &width)| broken(self.columns[at].heading, width)).collect();
            // The last line of a heading stands right above its figures.
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for lines in &mut cells {
                let above = height - lines.len();
                lines.splice(0..0, vec![String::new(); above]);
            }
            text += &self.lines(&cells, self.bold);
        }
        let longest = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at)).filter(|cell| is_bar(cell));
            cells.map(String::len).max().unwrap_or(0)
        };
        let longest: Vec<usize> = self.shown.iter().map(|&at| longest(at)).collect();
        for row in self.rows {
            let cell = |own: usize| {
                let (cell, width) =
                    (row.get(self.shown[own]).map_or("", |cell| cell), self.widths[own]);
                match self.columns[self.shown[own]].kind {
                    Kind::Bar if is_bar(cell) => vec![shortened(cell, longest[own], width)],
                    _ => broken(cell, width),
                }
            };
            let cells: Vec<_> = (0..self.shown.len()).map(cell).collect();
            text += &self.lines(&cells, &str::to_owned);
        }
        text
    }

    /// The lines of one row, given those of each cell.
    fn lines(&self, cells: &[Vec<String>], dress: &dyn Fn(&str) -> String) -> String {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = String::new();
        for line in 0..height {
            let mut written = String::new();
            for ((lines, &at), &width) in cells.iter().zip(self.shown).zip(self.widths) {
                if width == 0 {
                    continue;
                }
                let part = lines.get(line).map_or("", |part| part);
                let room = " ".repeat(width.saturating_sub(width_of(part)));
                let part = if part.is_empty() { String::new() } else { dress(part) };
                let (before, after) = if self.columns[at].kind == Kind::Number {
                    (room, String::new())
                } else {
                    (String::new(), room)
                };
                written += &before;
                written += &part;
                written += &after;
                written += &" ".repeat(GAP);
            }
            text += written.trim_end();
            text.push('\n');
        }
        text
    }
}

/// A bar where the longest one has only so much room.
fn shortened(bar: &str, longest: usize, room: usize) -> String {
    let marks = if longest > room { (bar.len() * room).div_ceil(longest) } else { bar.len() };
    "#".repeat(marks)
}

/// A table as a list: a block for each row, with a line for each column.
fn list(
    columns: &[Column<'_>],
    rows: &[Vec<String>],
    width: usize,
    bold: &dyn Fn(&str) -> String,
) -> String {
    let mut text = String::new();
    // Where only the first column has a heading, or none has, its cells name what stands beside them.
    let is_named = columns.iter().skip(1).all(|column| column.heading.is_empty());
    for row in rows {
        let cells = columns.iter().zip(row);
        let mut cells = cells.filter(|(own, cell)| own.kind != Kind::Bar || !is_bar(cell));
        if is_named {
            let name = cells.next().map_or("", |(_, cell)| cell.trim_start());
            let others = cells.map(|(_, cell)| cell.as_str()).filter(|cell| !cell.is_empty());
            let others = others.collect::<Vec<_>>().join("; ");
            text += &entry(
                if others.is_empty() { "" } else { name },
                if others.is_empty() { name } else { &others },
                0,
                width,
                bold,
            );
            continue;
        }
        for (at, (column, cell)) in cells.enumerate() {
            if !cell.is_empty() {
                let indent = if at == 0 { 0 } else { 2 };
                text += &entry(column.heading, cell.trim_start(), indent, width, bold);
            }
        }
    }
    text
}

/// A line of a list, and more where it is too long for one.
fn entry(
    name: &str,
    value: &str,
    indent: usize,
    width: usize,
    bold: &dyn Fn(&str) -> String,
) -> String {
    let line = if name.is_empty() { value.to_owned() } else { format!("{name}: {value}") };
    let mut rest = name;
    let mut text = String::new();
    for (at, line) in broken(&line, width.saturating_sub(indent + 2).max(LEAST)).iter().enumerate()
    {
        text += &" ".repeat(if at == 0 { indent } else { indent + 2 });
        let part = if line.starts_with(rest) { rest } else { line };
        if rest.starts_with(part) && !part.is_empty() {
            text += &bold(part);
            text += &line[part.len()..];
            rest = rest[part.len()..].trim_start();
        } else {
            text += line;
            rest = "";
        }
        text.push('\n');
    }
    text
}

/// The words of a text; a sign stays with its number.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let own = rest?;
        let ends = |(at, _): &(usize, &str)| !own[at + 1..].starts_with('%');
        let end = own.match_indices(' ').find(ends).map(|(at, _)| at);
        rest = end.map(|end| &own[end + 1..]);
        Some(end.map_or(own, |end| &own[..end]))
    })
}

/// The words of a text, and the parts of those that a sign joins.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    words(text).flat_map(|word| word.split_inclusive(SIGNS))
}

/// A text in lines of at most `width`, broken at spaces, and within words that are too long for a line.
fn broken(text: &str, width: usize) -> Vec<String> {
    if width_of(text) <= width {
        return vec![text.to_owned()];
    }
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in words(text.trim()) {
        if !line.is_empty() && width_of(&line) + 1 + width_of(word) <= width {
            line.push(' ');
            line += word;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = word;
        while width_of(rest) > width {
            let (first, others) = rest.split_at(end_of_line(rest, width));
            lines.push(first.to_owned());
            rest = others;
        }
        rest.clone_into(&mut line);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Where a word is broken that is too long for a line: after the last sign beyond its first third, or
/// into lines of about the same width, and never within what is one character to a reader.
fn end_of_line(word: &str, width: usize) -> usize {
    let whole = width_of(word);
    let even = whole.div_ceil(whole.div_ceil(width.max(1)));
    let (mut taken, mut end, mut sign) = (0, 0, None);
    for (at, character) in word.grapheme_indices(true) {
        taken += width_of(character);
        // A line takes one character at least.
        if taken > width && at > 0 {
            break;
        }
        let after = at + character.len();
        if taken <= even || at == 0 {
            end = after;
        }
        if taken * 3 > width && character.starts_with(SIGNS) {
            sign = Some(after);
        }
    }
    sign.unwrap_or(end)
}

/// A paragraph broken at spaces to the width, later lines indented. Longer words, such as paths, are
/// left to the terminal: a reader who copies one gets it whole.
pub(crate) fn wrap(text: &str, indent: usize, width: usize) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in words(text) {
        if !line.trim().is_empty() && width_of(&line) + 1 + width_of(word) > width {
            lines += line.trim_end();
            lines.push('\n');
            line = " ".repeat(indent);
        } else if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.to_owned()
    }

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect()
    }

    const HEADER: [Column<'_>; 5] = [
        Column::words("column"),
        Column::number("rows singled out"),
        Column::number("smallest class").optional(),
        Column::words("role, and why"),
        Column::bar(),
    ];

    fn example() -> Vec<Vec<String>> {
        rows(&[
            &["age", "1,020", "1", "quasi-identifier: named `age`, and values repeat", "####"],
            &["郵便番号の長い名前を持つ列", "7", "12", "other", "##############################"],
            &[
                "me\u{301}tier_exerce\u{301}",
                "12,345,678",
                "3",
                "sensitive: 😀 and 12.5 % of it",
                "",
            ],
            &["an_unbroken_name_of_more_than_forty_columns_or_so", "0", "0", "identifier", "#"],
        ])
    }

    /// By display column, as a terminal has it.
    fn cells_of(line: &str) -> Vec<String> {
        let mut cells = Vec::new();
        for character in line.graphemes(true) {
            cells.push(character.to_owned());
            cells.extend((1..width_of(character)).map(|_| String::new()));
        }
        cells
    }

    #[test]
    fn tables_fit_every_width_and_headings_stand_above_their_figures() {
        for width in 60..200 {
            let text = table(&HEADER, &example(), width, &plain);
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.iter().all(|line| width_of(line) <= width), "{width}\n{text}");
            let first = lines.iter().position(|line| line.contains("1,020")).unwrap();
            assert!(first > 0, "a list at {width}\n{text}");
            // The end of a heading and that of its figures.
            let end = |line: &str, text: &str| {
                let start = line.find(text)?;
                Some(cells_of(&line[..start + text.len()]).len())
            };
            let figures = end(lines[first - 1], "out");
            assert!(figures.is_some(), "{width}\n{text}");
            for figure in ["1,020", " 7", "12,345,678", " 0"] {
                let line = lines.iter().find(|line| end(line, figure) == figures);
                assert!(line.is_some(), "{figure} at {width}\n{text}");
            }
            let is_whole = lines[..first].concat().contains("smallest");
            let says_so = text.contains("Left out for lack of width: smallest class.");
            assert_ne!(is_whole, says_so, "{width}\n{text}");
        }
    }

    #[test]
    fn bold_takes_no_width() {
        let bold = |text: &str| format!("\x1b[1m{text}\x1b[0m");
        for width in [30, 50, 60, 80, 100] {
            let dressed = table(&HEADER, &example(), width, &bold);
            let bare = dressed.replace("\x1b[1m", "").replace("\x1b[0m", "");
            assert_eq!(bare, table(&HEADER, &example(), width, &plain));
            assert!(dressed.contains('\x1b'));
        }
    }

    #[test]
    fn narrow_terminals_have_lists_that_lack_nothing() {
        let text = table(&HEADER, &example(), 50, &plain);
        assert!(text.starts_with("column: age\n  rows singled out: 1,020\n  smallest class: 1\n"));
        for width in 20..60 {
            let text = table(&HEADER, &example(), width, &plain);
            assert!(text.lines().all(|line| width_of(line) <= width), "{width}\n{text}");
            let letters = |text: &str| text.replace([' ', '\n'], "");
            for cell in example().iter().flatten().filter(|cell| !cell.starts_with('#')) {
                assert!(letters(&text).contains(&letters(cell)), "{cell} at {width}\n{text}");
            }
        }
    }

    #[test]
    fn figures_with_names_beside_them_are_lists_of_names() {
        let header = [Column::words("figure"), Column::number("")];
        let figures = rows(&[&["l asked for", "2"], &["likeliest value", "50.0 %"]]);
        let text = table(&header, &figures, 40, &plain);
        assert_eq!(text, "l asked for: 2\nlikeliest value: 50.0 %\n");
        let text = table(&header, &figures, 60, &plain);
        assert_eq!(text, "figure\nl asked for           2\nlikeliest value  50.0 %\n");
    }

    #[test]
    fn what_fits_in_no_table_is_a_list() {
        let header: Vec<_> = (0..12).map(|_| Column::number("figure")).collect();
        let figures = vec![vec!["1,234,567".to_owned(); 12]];
        let text = table(&header, &figures, 80, &plain);
        assert_eq!(text.lines().count(), 12);
        assert_eq!(table(&header, &figures, 140, &plain).lines().count(), 2);
    }

    #[test]
    fn words_are_broken_at_spaces_and_long_ones_after_signs() {
        assert_eq!(broken("one two three", 8), ["one two", "three"]);
        assert_eq!(broken("about 12.5 % of it", 11), ["about", "12.5 % of", "it"]);
        assert_eq!(broken("the_long_name_of_it", 10), ["the_long_", "name_of_it"]);
        assert_eq!(broken("日本語の名前", 5), ["日本", "語の", "名前"]);
        assert_eq!(broken("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(broken("日本", 1), ["日", "本"]);
        assert_eq!(broken("abcdefghi", 8), ["abcde", "fghi"]);
        assert_eq!(broken("", 5), [""]);
    }

    #[test]
    fn paragraphs_are_broken_by_the_width_that_they_take() {
        let text = wrap("日本語 の名前 e\u{301}e\u{301} abc", 2, 10);
        assert_eq!(text, "日本語\n  の名前\n  e\u{301}e\u{301} abc\n");
    }
}
