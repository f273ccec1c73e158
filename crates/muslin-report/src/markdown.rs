//! A document as Markdown; figures as their numbers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use muslin_table::printable;

use crate::document::{Block, Cell, Document, Table};
use crate::figure::{Chart, Figure, HeatMap};
use crate::html::numbers;

impl Document {
    /// The document as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}\n", plain(&self.title), plain(&self.subtitle));
        if self.audience == "internal" {
            text += "\n**Internal.** For those who have the data: it tells of small groups. Do not hand it on.\n";
        }
        let _ = writeln!(text, "\n## Verdict\n\n**{}**\n", plain(&self.verdict.headline));
        for finding in &self.verdict.findings {
            let mark = match finding.tone.as_str() {
                "good" => "✓",
                "bad" => "✗",
                _ => "!",
            };
            let _ = writeln!(text, "- {mark} {}", plain(&finding.text));
        }
        if !self.verdict.not_claimed.is_empty() {
            text += "\nNot claimed:\n\n";
            list(&mut text, &self.verdict.not_claimed);
        }
        for section in &self.sections {
            let _ = writeln!(text, "\n## {}", plain(&section.title));
            for block in &section.blocks {
                text.push('\n');
                match block {
                    Block::Text(words) => {
                        let _ = writeln!(text, "{}", plain(words));
                    }
                    Block::List(items) => list(&mut text, items),
                    Block::Commands(lines) => {
                        let lines: Vec<_> = lines.iter().map(|line| printable(line)).collect();
                        let _ = writeln!(text, "```sh\n{}\n```", lines.join("\n"));
                    }
                    Block::Table(of) => table(&mut text, of),
                    Block::Figure(of) => figure(&mut text, of),
                }
            }
        }
        let _ = writeln!(text, "\nMade by {}.", plain(&self.made_by));
        text
    }
}

fn list(text: &mut String, items: &[String]) {
    for item in items {
        let _ = writeln!(text, "- {}", plain(item));
    }
}

fn table(text: &mut String, table: &Table) {
    let _ = writeln!(text, "{}:\n", plain(&table.caption));
    let header: Vec<String> = table.header.iter().map(|name| plain(name)).collect();
    let _ = writeln!(text, "| {} |", header.join(" | "));
    let _ = writeln!(text, "|{}", " --- |".repeat(header.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| plain(&cell.said())).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

fn figure(text: &mut String, figure: &Figure) {
    let _ = writeln!(text, "### {}\n\n{}\n", plain(&figure.title), plain(&figure.says));
    if let Some(of) = numbers(figure) {
        table(text, &of);
    }
    if let Chart::Heat(map) = &figure.chart {
        table(text, &pairs(&figure.title, map));
    }
    if let Chart::Scatter(plot) = &figure.chart {
        let mut of = Table::new(&figure.title, &["what", &plot.x, &plot.y]);
        for point in plot.groups.iter().flat_map(|group| &group.points) {
            let cells = [point.x, point.y].map(Cell::Quantity);
            of.rows.push(std::iter::once(Cell::text(&point.label)).chain(cells).collect());
        }
        table(text, &of);
    }
}

/// A line for each pair, with what each panel says of it.
fn pairs(title: &str, map: &HeatMap) -> Table {
    let header: Vec<&str> =
        std::iter::once("columns").chain(map.panels.iter().map(|own| own.title.as_str())).collect();
    let mut table = Table::new(title, &header);
    let mut values: BTreeMap<(usize, usize), Vec<Cell>> = BTreeMap::new();
    for (at, panel) in map.panels.iter().enumerate() {
        for field in &panel.fields {
            let row = values.entry((field.a, field.b)).or_default();
            row.resize(at, Cell::Nothing);
            row.push(Cell::Quantity(field.value));
        }
    }
    for ((a, b), mut row) in values {
        let (Some(a), Some(b)) = (map.names.get(a), map.names.get(b)) else { continue };
        row.resize(map.panels.len(), Cell::Nothing);
        row.insert(0, Cell::text(format!("{a}, {b}")));
        table.rows.push(row);
    }
    table
}

/// Text that Markdown takes for nothing else. Names in backticks stay as they are.
fn plain(text: &str) -> String {
    let text = printable(text).replace('\n', " ");
    let mut made = String::with_capacity(text.len());
    let mut is_code = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '`' => is_code = !is_code,
            '|' => made.push('\\'),
            // A `<5` is read as it stands; a tag is not.
            '<' if !is_code && rest.peek().is_some_and(|next| !next.is_ascii_digit()) => {
                made.push('\\');
            }
            '*' | '_' | '[' | ']' | '\\' | '#' if !is_code => made.push('\\'),
            _ => {}
        }
        made.push(c);
    }
    made
}
