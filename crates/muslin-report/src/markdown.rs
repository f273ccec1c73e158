//! A document as Markdown; figures as their numbers.

use std::fmt::Write as _;

use muslin_table::printable;

use crate::document::{Block, Document, Table};
use crate::figure::{Chart, Figure};
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
        let mut of = Table::new(&figure.title, &["columns", "of", "value"]);
        for panel in &map.panels {
            for field in &panel.fields {
                let (Some(a), Some(b)) = (map.names.get(field.a), map.names.get(field.b)) else {
                    continue;
                };
                let names = crate::Cell::text(format!("{a}, {b}"));
                let title = crate::Cell::text(&panel.title);
                of.rows.push(vec![names, title, crate::Cell::Quantity(field.value)]);
            }
        }
        table(text, &of);
    }
    if let Chart::Scatter(plot) = &figure.chart {
        let mut of = Table::new(&figure.title, &["what", &plot.x, &plot.y]);
        for point in plot.groups.iter().flat_map(|group| &group.points) {
            let cells = [point.x, point.y].map(crate::Cell::Quantity);
            of.rows.push(std::iter::once(crate::Cell::text(&point.label)).chain(cells).collect());
        }
        table(text, &of);
    }
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
