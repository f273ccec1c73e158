//! A report of a table as it is.

use muslin_report::{Block, Cell, Document, Finding, Quantity, Section, Table, VerdictBox};
use muslin_table::Role;

use super::{document, figures, sorted};
use crate::scan::{FindingKind, PartCoverage, ScanReport};

/// A report of a table alone.
pub(super) fn document_of(scan: &ScanReport) -> Document {
    let verdict = VerdictBox {
        state: None,
        headline: headline(scan),
        findings: sorted(findings(scan)),
        not_claimed: vec![
            "That nobody can be found: whoever knows other things finds other people.".into(),
            "That the roles of columns are right: they are suggestions until a person has looked at them.".into(),
        ],
    };
    let mut sections = vec![situation(scan), columns(scan), risk(scan)];
    sections.extend([searched(scan), dependencies(scan), helps(scan), presets(scan), next(scan)]);
    document(title(scan), scan.rows, subtitle(scan), verdict, sections)
}

pub(super) fn title(scan: &ScanReport) -> String {
    let file = scan.input.file.as_str();
    let name = std::path::Path::new(file).file_name().and_then(|name| name.to_str());
    name.unwrap_or(file).to_owned()
}

fn subtitle(scan: &ScanReport) -> String {
    let rows = Quantity::Count(scan.rows).of("row");
    let columns = Quantity::Count(scan.columns.len() as u64).of("column");
    format!("What gives people away in {rows} and {columns}")
}

fn headline(scan: &ScanReport) -> String {
    let Some(classes) = &scan.quasi_identifiers else {
        return "No column was found that somebody may know of a person".into();
    };
    let alone = classes.below.first().map_or(0, |own| own.rows);
    let share = Quantity::Share { part: alone, of: scan.rows };
    if alone == 0 {
        let columns = Quantity::Count(classes.columns.len() as u64).of("column");
        return format!("No row is a sample unique on {columns} that an attacker may know");
    }
    let columns = Quantity::Count(classes.columns.len() as u64).of("quasi-identifier");
    format!("{share} of the rows are sample uniques on {columns}")
}

fn findings(scan: &ScanReport) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(found) = &scan.singled_out {
        for size in &found.sizes {
            if let Some(worst) = size.worst.as_ref().filter(|own| own.rows_alone > 0) {
                let share = Quantity::Share { part: worst.rows_alone, of: scan.rows };
                let names = worst.columns.join(", ");
                findings.push(Finding::look(format!("{share} of the rows are alone on {names}.")));
            }
        }
    }
    for own in &scan.findings {
        findings.push(match own.kind {
            FindingKind::DirectIdentifier => Finding::bad(own.text.clone()),
            _ => Finding::look(own.text.clone()),
        });
    }
    findings.extend(scan.warnings.iter().map(|own| Finding::look(own.clone())));
    findings
}

fn with_role(scan: &ScanReport, role: Role) -> Vec<&str> {
    let own = scan.columns.iter().filter(|column| column.role == role);
    own.map(|column| column.name.as_str()).collect()
}

/// What the table is.
pub(super) fn situation(scan: &ScanReport) -> Section {
    let mut section = Section::new("situation", "The table");
    let mut table = Table::new("What was read", &["what", "is"]);
    let mut row = |what: &str, is: Cell| table.rows.push(vec![Cell::text(what), is]);
    row("file", Cell::text(title(scan)));
    row("format", Cell::text(&scan.input.format));
    row("rows", Cell::count(scan.rows));
    row("columns", Cell::text(scan.columns.len().to_string()));
    let known = scan.quasi_identifiers.as_ref().map(|own| own.columns.join(", "));
    row("somebody may know", Cell::text(known.unwrap_or_else(|| "nothing that was found".into())));
    let sensitive = with_role(scan, Role::Sensitive).join(", ");
    row(
        "nobody should learn",
        Cell::text(if sensitive.is_empty() { "-".into() } else { sensitive }),
    );
    section.table(table);
    section
}

/// What the columns are.
pub(super) fn columns(scan: &ScanReport) -> Section {
    let mut section = Section::new("columns", "Columns and roles");
    section.text("Roles that nobody gave are suggestions: look at each of them.");
    let header = ["column", "type", "distinct values", "missing", "rows alone", "role", "why"];
    let mut table = Table::new("Columns", &header);
    for own in &scan.columns {
        table.rows.push(vec![
            Cell::text(&own.name),
            Cell::text(&own.data_type),
            Cell::count(own.distinct),
            Cell::share(own.missing, scan.rows),
            Cell::share(own.rows_alone, scan.rows),
            Cell::text(own.role.name()),
            Cell::text(&own.reason),
        ]);
    }
    section.table(table);
    section
}

/// How many stand out.
fn risk(scan: &ScanReport) -> Section {
    let mut section = Section::new("risk", "Who stands out");
    if let Some(classes) = &scan.quasi_identifiers {
        section.text(format!("On {}.", classes.columns.join(", ")));
        let mut table = Table::new("Rows in classes of fewer than k", &["k", "rows", "share"]);
        for own in &classes.below {
            let k = Cell::text(own.k.to_string());
            table.rows.push(vec![k, Cell::count(own.rows), Cell::share(own.rows, scan.rows)]);
        }
        section.table(table);
    }
    section.figure(figures::class_sizes(scan, None));
    section.figure(figures::survival(scan, None));
    section
}

/// What singles people out.
pub(super) fn searched(scan: &ScanReport) -> Section {
    let mut section = Section::new("singled-out", "What singles people out");
    if let Some(found) = &scan.singled_out {
        let header =
            ["columns known", "rows singled out", "share", "the set that singles out most"];
        let mut table = Table::new("Rows that a few columns single out", &header);
        for own in &found.sizes {
            let worst = own.worst.as_ref().map(|worst| worst.columns.join(", "));
            let known = if own.at_least {
                format!("{} (at least)", own.size)
            } else {
                own.size.to_string()
            };
            table.rows.push(vec![
                Cell::text(known),
                Cell::count(own.rows),
                Cell::share(own.rows, scan.rows),
                worst.map_or(Cell::Nothing, Cell::text),
            ]);
        }
        section.table(table);
        section.text(covered("Sets of columns", &found.part));
    }
    figures::pairs(scan).into_iter().for_each(|figure| section.figure(figure));
    if let Some(found) = &scan.minimal_uniques {
        figures::unique_sizes(scan).into_iter().for_each(|figure| section.figure(figure));
        figures::contributions(scan).into_iter().for_each(|figure| section.figure(figure));
        let size = found
            .max_size
            .map_or_else(|| "any size".to_owned(), |size| format!("up to {size} values"));
        section.text(covered(&format!("Minimal uniques of {size}"), &found.part));
    }
    for (title, found) in
        [("Smallest keys", &scan.keys), ("Smallest sets that are nearly keys", &scan.nearly_keys)]
    {
        let Some(found) = found else { continue };
        let mut table = Table::new(title, &["columns", "rows alone", "separation"]);
        for set in &found.sets {
            table.rows.push(vec![
                Cell::text(set.columns.join(", ")),
                Cell::share(set.rows_alone, set.counted_rows),
                Cell::number(set.separation_ratio),
            ]);
        }
        section.table(table);
        section.text(covered(title, &found.part));
    }
    section.figure(figures::column_sets(scan));
    section
}

/// How far a part looked.
fn covered(what: &str, part: &PartCoverage) -> String {
    use muslin_engine::Coverage;
    let (rows, all) = (Quantity::Count(part.rows), Quantity::Count(part.of_rows).of("row"));
    match part.coverage {
        Coverage::Complete => format!("{what}: all of {all} were looked at."),
        Coverage::Sampled { .. } => {
            format!(
                "{what}: {rows} of {all} were drawn and looked at; what is unique among them may not be among all."
            )
        }
        _ => {
            format!("{what}: the budget ended the search in {rows} of {all}; there may be more.")
        }
    }
}

/// Columns that tell others.
pub(super) fn dependencies(scan: &ScanReport) -> Section {
    let mut section = Section::new("dependencies", "Columns that tell others");
    let Some(found) = &scan.dependencies else { return section };
    let header = ["known", "tells", "holds for", "exactly"];
    let mut table = Table::new("Dependencies: withholding one column alone hides nothing", &header);
    for own in found.found.iter().take(40) {
        let kept = own.counted_rows - own.exceptions.min(own.counted_rows);
        table.rows.push(vec![
            Cell::text(own.from.join(", ")),
            Cell::text(&own.to),
            Cell::share(kept, own.counted_rows),
            Cell::Met(own.exact),
        ]);
    }
    section.table(table);
    section
}

/// What would help.
fn helps(scan: &ScanReport) -> Section {
    let mut section = Section::new("helps", "What would help");
    let Some(found) = &scan.influence else { return section };
    let caption = format!("Rows in classes of fewer than {} when one column changes", found.k);
    let header = ["column", "now", "when it is dropped", "when it is coarser"];
    let mut table = Table::new(&caption, &header);
    for own in &found.columns {
        let coarser = own.coarsened.as_ref().map(|gain| Cell::share(gain.rows_below, scan.rows));
        table.rows.push(vec![
            Cell::text(&own.name),
            Cell::share(found.rows_below, scan.rows),
            Cell::share(own.dropped.rows_below, scan.rows),
            coarser.unwrap_or(Cell::Nothing),
        ]);
    }
    section.table(table);
    section
}

/// Thresholds that people use.
pub(super) fn presets(scan: &ScanReport) -> Section {
    let mut section = Section::new("presets", "By the thresholds that are in use");
    let header = ["preset", "asks for", "rows at risk", "met", "from"];
    let mut table = Table::new("Presets: somebody's threshold, not a promise", &header);
    for own in &scan.presets {
        let rows = own.rows_at_risk.map(|rows| Cell::share(rows, scan.rows));
        let risk = own.risk.map(Cell::fraction);
        let asks = own.k.map_or_else(|| own.rule.clone(), |k| format!("k = {k}"));
        table.rows.push(vec![
            Cell::text(&own.name),
            Cell::text(asks),
            rows.or(risk).unwrap_or(Cell::Nothing),
            own.met.map_or(Cell::Nothing, Cell::Met),
            Cell::text(&own.source),
        ]);
    }
    section.table(table);
    section
}

fn next(scan: &ScanReport) -> Section {
    let mut section = Section::new("next", "What to do next");
    if let Some(next) = &scan.next {
        let word = |word: &String| {
            let is_plain = |c: char| c.is_alphanumeric() || "-_./=,".contains(c);
            if !word.is_empty() && word.chars().all(is_plain) {
                word.clone()
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        };
        let words: Vec<String> = next.iter().map(word).collect();
        section.blocks.push(Block::Commands(vec![words.join(" ")]));
    }
    section
}
