//! What everybody may see of a report.

use crate::document::{Block, Cell, Document, Section, Table};
use crate::figure::{Chart, Figure};
use crate::quantity::Quantity;

impl Document {
    /// The document for everybody.
    ///
    /// # Guarantee
    /// No section for those who have the data alone, no row number, no value that fewer than `k` rows
    /// have, no count of people from 1 to `k` - 1, in sentences neither; shares of people in whole percent. `is_rare` tells texts that are
    /// values of fewer than `k` rows: where one stands in a sentence or a label all the same, as a word of
    /// its own, it is replaced by `…`.
    #[must_use]
    pub fn for_release(mut self, k: u64, is_rare: &dyn Fn(&str) -> bool) -> Self {
        "external".clone_into(&mut self.audience);
        self.sections.retain(|section| !section.internal);
        let words = |text: &mut String| *text = without(text, k, is_rare);
        for finding in &mut self.verdict.findings {
            words(&mut finding.text);
        }
        words(&mut self.verdict.headline);
        self.verdict.not_claimed.iter_mut().for_each(words);
        let rows = self.rows;
        for Section { blocks, .. } in &mut self.sections {
            blocks.retain(|block| !has_rows(block));
            for block in blocks {
                match block {
                    Block::Text(text) => words(text),
                    Block::List(items) | Block::Commands(items) => {
                        items.iter_mut().for_each(words);
                    }
                    Block::Table(table) => of_table(table, (k, rows), &words),
                    Block::Figure(figure) => of_figure(figure, (k, rows), &words),
                }
            }
        }
        self
    }

    /// Every text of the document that a reader may see, for those who check it.
    pub fn texts(&self) -> Vec<String> {
        let mut texts = vec![self.title.clone(), self.subtitle.clone()];
        texts.push(self.verdict.headline.clone());
        texts.extend(self.verdict.findings.iter().map(|finding| finding.text.clone()));
        texts.extend(self.verdict.not_claimed.iter().cloned());
        for section in &self.sections {
            texts.push(section.title.clone());
            for block in &section.blocks {
                match block {
                    Block::Text(text) => texts.push(text.clone()),
                    Block::List(items) | Block::Commands(items) => texts.extend(items.clone()),
                    Block::Table(table) => {
                        texts.push(table.caption.clone());
                        texts.extend(table.header.iter().cloned());
                        texts.extend(table.rows.iter().flatten().map(Cell::said));
                    }
                    Block::Figure(figure) => {
                        texts.extend([figure.title.clone(), figure.says.clone()]);
                        texts.extend(figure.chart.labels());
                    }
                }
            }
        }
        texts
    }
}

/// Whether a block has numbers of rows.
fn has_rows(block: &Block) -> bool {
    let is_row = |cell: &Cell| matches!(cell, Cell::Row(_));
    matches!(block, Block::Table(table) if table.rows.iter().flatten().any(is_row))
}

fn of_table(table: &mut Table, (k, all): (u64, u64), words: &impl Fn(&mut String)) {
    words(&mut table.caption);
    for cell in table.rows.iter_mut().flatten() {
        match cell {
            Cell::Quantity(quantity) => *quantity = quantity.rounded(k, all),
            Cell::Value { rows, .. } if *rows < k => *cell = Cell::text("(rare)"),
            // It stays as a value; how many have it is a count like others.
            Cell::Value { text, .. } => *cell = Cell::Text(std::mem::take(text)),
            Cell::Text(text) => words(text),
            Cell::Row(_) | Cell::Met(_) | Cell::Nothing => {}
        }
    }
}

fn of_figure(figure: &mut Figure, (k, all): (u64, u64), words: &impl Fn(&mut String)) {
    words(&mut figure.says);
    let round = |quantity: &mut Quantity| *quantity = quantity.rounded(k, all);
    match &mut figure.chart {
        Chart::Bars(chart) | Chart::Histogram(chart) => {
            for (label, values) in &mut chart.bars {
                words(label);
                values.iter_mut().for_each(round);
            }
        }
        Chart::Curves(chart) => {
            for curve in &mut chart.curves {
                curve.values.iter_mut().for_each(round);
            }
        }
        Chart::Heat(map) => {
            let fields = map.panels.iter_mut().flat_map(|panel| &mut panel.fields);
            fields.for_each(|field| round(&mut field.value));
        }
        Chart::Scatter(plot) => {
            for point in plot.groups.iter_mut().flat_map(|group| &mut group.points) {
                round(&mut point.x);
                round(&mut point.y);
            }
        }
    }
}

/// What counts in sentences are of, where they are of people.
const COUNTED: [&str; 8] =
    ["row", "rows", "cell", "cells", "people", "person", "published", "guesses"];

/// A text without words that are rare values, and without small counts of people.
fn without(text: &str, k: u64, is_rare: &dyn Fn(&str) -> bool) -> String {
    if is_rare(text.trim()) {
        return "…".into();
    }
    let bare =
        |part: &str| -> String { part.trim_matches(|c: char| !c.is_alphanumeric()).to_owned() };
    let parts: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let mut made = String::with_capacity(text.len());
    for (at, part) in parts.iter().enumerate() {
        let word = part.trim_end();
        let end = &part[word.len()..];
        let own = bare(word);
        let is_small = own.parse().is_ok_and(|count: u64| (1..k).contains(&count));
        // `one in 2 rows` and `at least 2 rows` are what is asked for, not what was counted.
        let before = at.checked_sub(1).map(|at| bare(parts[at]));
        let is_asked = before.is_some_and(|own| own == "in" || own == "least");
        let is_count = !is_asked
            && parts.get(at + 1).is_some_and(|next| COUNTED.contains(&bare(next).as_str()));
        if !own.is_empty() && (is_rare(word) || is_rare(&own)) {
            made.push('…');
        } else if is_small && is_count {
            made.push_str(&word.replace(&own, &format!("<{k}")));
        } else {
            made.push_str(word);
        }
        made.push_str(end);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Finding, VerdictBox};
    use crate::figure::BarChart;

    fn document() -> Document {
        let mut section = Section::new("risk", "Risk");
        section.text("town: Canaryville, and others");
        section.list(vec!["Canaryville".into()]);
        let mut table = Table::new("rows", &["value", "rows", "share"]);
        let value = |text: &str, rows| Cell::Value { text: text.into(), rows };
        table.rows.push(vec![value("Canaryville", 1), Cell::count(1), Cell::share(1, 200)]);
        table.rows.push(vec![value("Often", 9), Cell::count(9), Cell::share(9, 200)]);
        section.table(table);
        let mut rows = Table::new("riskiest", &["row"]);
        rows.rows.push(vec![Cell::Row(77)]);
        section.table(rows);
        let bars = vec![("Canaryville".to_owned(), vec![Quantity::Count(2)])];
        let chart = Chart::Bars(BarChart { series: vec!["rows".into()], bars });
        section.figure(Figure::new("f", "Rows", "rows of Canaryville", chart));
        let mut ledger = Section::internal("ledger", "Ledger");
        ledger.text("row 5");
        Document {
            schema: 1,
            title: "people.csv".into(),
            subtitle: String::new(),
            rows: 200,
            audience: "internal".into(),
            verdict: VerdictBox {
                state: None,
                headline: "somebody in Canaryville".into(),
                findings: vec![Finding::bad("(Canaryville)")],
                not_claimed: Vec::new(),
            },
            sections: vec![section, ledger],
            made_by: "muslin".into(),
        }
    }

    #[test]
    fn nothing_rare_is_for_everybody() {
        let document = document().for_release(5, &|text| text == "Canaryville");
        let pages = [document.to_html(), document.to_markdown()];
        for page in &pages {
            assert!(!page.contains("Canaryville") && !page.contains("Ledger"), "{page}");
            assert!(!page.contains("77") && page.contains("Often") && page.contains("(rare)"));
        }
        assert!(pages[1].contains("| (rare) | <5 | <3 % |"), "{}", pages[1]);
        assert!(document.texts().iter().all(|text| !text.contains("Canary")));
    }

    #[test]
    fn small_counts_in_sentences_are_not_for_everybody() {
        let told = |text: &str| without(text, 5, &|_| false);
        assert_eq!(
            told("3 rows are alone (1 cell), and 12 people"),
            "<5 rows are alone (<5 cell), and 12 people"
        );
        assert_eq!(
            told("k = 3, one in 2 rows, at least 3 rows; 3-anonymity"),
            "k = 3, one in 2 rows, at least 3 rows; 3-anonymity"
        );
        assert_eq!(told("0 rows; 5 rows; 2 published rows"), "0 rows; 5 rows; <5 published rows");
    }

    #[test]
    fn those_who_have_the_data_see_all() {
        let page = document().to_html();
        assert!(page.contains("Canaryville") && page.contains("Ledger") && page.contains("77"));
    }
}
