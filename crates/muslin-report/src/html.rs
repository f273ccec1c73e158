//! A document as a page of its own: no script, nothing from elsewhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::document::{Block, Cell, Document, Finding, Section, Table, Verdict, VerdictBox};
use crate::figure::{BarChart, Chart, Figure};

const STYLE: &str = include_str!("page.css");
/// Characters of a text that stays on one line.
const SHORT: usize = 24;
const PLOT_STYLE: &str = include_str!("plot.css");

impl Document {
    /// The document as one HTML file.
    ///
    /// # Guarantee
    /// It loads nothing and runs nothing, can be read without colours, follows the reader's choice of light
    /// or dark, and prints. Whatever a name or value is, it is text.
    pub fn to_html(&self) -> String {
        let is_internal = self.audience == "internal";
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="referrer" content="no-referrer";
                    meta http-equiv="Content-Security-Policy"
                        content="default-src 'none'; style-src 'unsafe-inline'; img-src data:";
                    meta name="color-scheme" content="light dark";
                    // An icon of nothing: browsers ask for one otherwise.
                    link rel="icon" href="data:,";
                    title { (self.title) " – muslin" }
                    style { (PreEscaped(PLOT_STYLE)) (PreEscaped(STYLE)) }
                }
                body {
                    a class="skip" href="#content" { "Skip to the content" }
                    header {
                        p class="brand" { "muslin" }
                        h1 { (self.title) }
                        p class="sub" { (self.subtitle) }
                        @if is_internal {
                            p class="banner" {
                                strong { "Internal. " }
                                "For those who have the data: it tells of small groups. Do not hand it on."
                            }
                        }
                    }
                    nav aria-label="Contents" {
                        ul {
                            li { a href="#verdict" { "Verdict" } }
                            @for section in &self.sections {
                                li { a href={ "#" (section.id) } { (section.title) } }
                            }
                        }
                    }
                    main id="content" {
                        (self.verdict_box())
                        @for section in &self.sections { (of_section(section)) }
                    }
                    footer { p { "Made by " (self.made_by) ". This page holds everything it shows." } }
                }
            }
        };
        page.into_string() + "\n"
    }

    fn verdict_box(&self) -> Markup {
        html! {
            section id="verdict" class={ "verdict " (self.verdict.tone()) } {
                h2 { (words(&self.verdict.headline)) }
                @if !self.verdict.findings.is_empty() {
                    ul class="findings" {
                        @for finding in &self.verdict.findings {
                            li class=(finding.tone) {
                                span class="mark" aria-hidden="true" { (mark(finding)) }
                                span { span class="hidden" { (spoken(finding)) ": " } (words(&finding.text)) }
                            }
                        }
                    }
                }
                @if !self.verdict.not_claimed.is_empty() {
                    h3 { "Not claimed" }
                    ul { @for text in &self.verdict.not_claimed { li { (words(text)) } } }
                }
            }
        }
    }
}

impl VerdictBox {
    /// How the box is coloured: by the verdict on the release, or by the worst finding of a table.
    fn tone(&self) -> &'static str {
        let has = |tone: &str| self.findings.iter().any(|own| own.tone == tone);
        match self.state {
            Some(Verdict::Failed) => "bad",
            None if has("bad") => "bad",
            Some(Verdict::Findings) => "look",
            None if has("look") => "look",
            Some(Verdict::Passed) | None => "good",
        }
    }
}

/// Words, and code between backticks.
fn words(text: &str) -> Markup {
    // Without a partner a backtick is a backtick.
    if !text.matches('`').count().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

/// A sign that is told apart without colours.
fn mark(finding: &Finding) -> &'static str {
    match finding.tone.as_str() {
        "good" => "✓",
        "bad" => "✗",
        _ => "!",
    }
}

fn spoken(finding: &Finding) -> &'static str {
    match finding.tone.as_str() {
        "good" => "in order",
        "bad" => "not in order",
        _ => "to be looked at",
    }
}

fn of_section(section: &Section) -> Markup {
    html! {
        section id=(section.id) {
            h2 {
                (section.title)
                @if section.internal { " " span class="tag" { "internal" } }
            }
            @for block in &section.blocks {
                @match block {
                    Block::Text(text) => p { (words(text)) },
                    Block::List(items) => ul { @for item in items { li { (words(item)) } } },
                    Block::Commands(lines) => pre tabindex="0" role="region" aria-label="Commands" {
                        code { @for line in lines { (line) "\n" } }
                    },
                    Block::Table(table) => (of_table(table)),
                    Block::Figure(figure) => (of_figure(figure)),
                }
            }
        }
    }
}

fn of_table(table: &Table) -> Markup {
    let class = |at: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(at));
        let mut said = cells.clone().filter(|cell| **cell != Cell::Nothing).peekable();
        if said.peek().is_some() && said.all(Cell::is_number) {
            "number"
        } else if cells.into_iter().all(|cell| cell.said().chars().count() <= SHORT) {
            "short"
        } else {
            "words"
        }
    };
    html! {
        div class="wide" tabindex="0" role="region" aria-label=(table.caption) {
            table {
                caption { (table.caption) }
                thead { tr {
                    @for (at, name) in table.header.iter().enumerate() {
                        th scope="col" class=(class(at)) { (name) }
                    }
                } }
                tbody { @for row in &table.rows { tr {
                    @for (at, cell) in row.iter().enumerate() {
                        @if at == 0 {
                            th scope="row" class=(class(at)) { (of_cell(cell)) }
                        } @else {
                            td class=(class(at)) { (of_cell(cell)) }
                        }
                    }
                } } }
            }
        }
    }
}

fn of_cell(cell: &Cell) -> Markup {
    match cell {
        Cell::Met(true) => html! { span class="good" { "✓ yes" } },
        Cell::Met(false) => html! { span class="bad" { "✗ no" } },
        other => words(&other.said()),
    }
}

fn of_figure(figure: &Figure) -> Markup {
    html! {
        figure {
            h3 { (figure.title) }
            div class="wide" tabindex="0" role="region" aria-label=(figure.title) {
                (PreEscaped(figure.to_inline_svg()))
            }
            figcaption { (words(&figure.says)) }
            @if let Some(table) = numbers(figure) {
                details { summary { "The numbers" } (of_table(&table)) }
            }
        }
    }
}

/// The numbers of a figure, for those who would rather read them.
pub(crate) fn numbers(figure: &Figure) -> Option<Table> {
    let of_bars = |chart: &BarChart| {
        let header: Vec<&str> =
            std::iter::once("").chain(chart.series.iter().map(String::as_str)).collect();
        let mut table = Table::new(&figure.title, &header);
        "of".clone_into(&mut table.header[0]);
        for (label, values) in &chart.bars {
            let cells = values.iter().map(|&value| Cell::Quantity(value));
            table.rows.push(std::iter::once(Cell::text(label)).chain(cells).collect());
        }
        table
    };
    match &figure.chart {
        Chart::Bars(chart) | Chart::Histogram(chart) => Some(of_bars(chart)),
        Chart::Curves(chart) => {
            let names = chart.curves.iter().map(|curve| curve.name.as_str());
            let header: Vec<&str> = std::iter::once(chart.axis.as_str()).chain(names).collect();
            let mut table = Table::new(&figure.title, &header);
            for (at, step) in chart.steps.iter().enumerate() {
                let value = |curve: &crate::Curve| curve.values.get(at).copied();
                let cells = chart
                    .curves
                    .iter()
                    .map(|curve| value(curve).map_or(Cell::Nothing, Cell::Quantity));
                table.rows.push(std::iter::once(Cell::text(step)).chain(cells).collect());
            }
            Some(table)
        }
        Chart::Heat(_) | Chart::Scatter(_) => None,
    }
}
