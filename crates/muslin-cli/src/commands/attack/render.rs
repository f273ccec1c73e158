//! Attacks as text.

use muslin::{AttackReport, AttackResult, AttackedColumnReport, printable};

use muslin_command::args::command_for_shell;

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, count, list, percent};

/// The report of an attack; `again` is the command that tried it.
pub(super) fn render(report: &AttackReport, again: Option<&[String]>, style: &Style) -> String {
    let columns = usize::try_from(report.columns).unwrap_or(usize::MAX);
    let mut text = title(&report.release, report.rows, columns, style);
    if let Some(original) = &report.original {
        let rows = report.original_rows.unwrap_or(0);
        let columns = usize::try_from(report.original_columns.unwrap_or(0)).unwrap_or(usize::MAX);
        text += &title(original, rows, columns, style);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    if !report.attacks.is_empty() {
        text += &table(report, style);
        text.push('\n');
    }
    for attack in &report.attacks {
        text += &explained(attack, report.max_advantage, style);
    }
    text += &columns_attacked(report, style);
    if !report.quasi_identifiers.is_empty() {
        let line =
            format!("The attacker may know, of a person: {}.", list(&report.quasi_identifiers));
        text += &style.wrap(&line, 2);
    }
    if !report.sensitive.is_empty() {
        let line = format!("The attacker wants to infer: {}.", list(&report.sensitive));
        text += &style.wrap(&line, 2);
    }
    if !report.skipped.is_empty() {
        text += "\nNot tried:\n";
        for skipped in &report.skipped {
            let hint = skipped.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
            let name = aimed(&skipped.name, skipped.sensitive.as_ref());
            text += &style.wrap(&format!("- {name}: {}{hint}", skipped.reason), 2);
        }
    }
    if let Some(next) = again.and_then(|again| with_more(report, again)) {
        text.push('\n');
        text += &style.with_copied("next:", &next, 0);
    }
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text
}

/// Where nothing was tried: the command again, with what one of the attacks lacks.
fn with_more(report: &AttackReport, again: &[String]) -> Option<String> {
    if !report.attacks.is_empty() {
        return None;
    }
    let lacks = report.skipped.iter().find(|own| own.name == "homogeneity" && own.hint.is_some());
    let more = match lacks.and(report.quasi_identifiers.last()) {
        Some(name) => command_for_shell(&["--sensitive".to_owned(), name.clone()]),
        None => {
            let hint = report.skipped.iter().find_map(|own| own.hint.as_ref())?;
            hint.split('`').nth(1)?.to_owned()
        }
    };
    Some(format!("{} {more}", command_for_shell(again)))
}

/// An attack, and the sensitive column that it aims at.
fn aimed(name: &str, sensitive: Option<&String>) -> String {
    sensitive.map_or(name.to_owned(), |column| format!("{name} of {}", printable(column)))
}

fn name(attack: &AttackResult) -> String {
    aimed(&attack.name, attack.sensitive.as_ref())
}

fn headline(report: &AttackReport) -> String {
    let tried = report.attacks.len() as u64;
    let found: Vec<&AttackResult> = report.attacks.iter().filter(|own| own.finding).collect();
    let worst = found.iter().find(|own| report.worst.as_ref() == Some(&own.name)).or(found.first());
    match (tried, worst) {
        (0, _) => "No attack could be tried".into(),
        (tried, None) => format!(
            "No attack did better than its baseline by more than {} and by more than chance ({} tried)",
            percent(report.max_advantage),
            count(tried)
        ),
        (tried, Some(worst)) => {
            let verb = if found.len() == 1 { "succeeds" } else { "succeed" };
            format!(
                "{} of {} attacks {verb}: {}, {}",
                found.len(),
                count(tried),
                name(worst),
                worst.achieved()
            )
        }
    }
}

/// A share and what chance leaves of it.
fn interval(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => {
            format!("{}-{}", percent(low).trim_end_matches(" %"), percent(high))
        }
        _ => "-".into(),
    }
}

/// How many guesses are certain, and how many of those are known to be wrong.
fn certain(all: u64, scored: u64, right: Option<u64>) -> String {
    match right.map_or(0, |right| scored - right) {
        0 => count(all),
        wrong => format!("{} ({} wrong)", count(all), count(wrong)),
    }
}

fn table(report: &AttackReport, style: &Style) -> String {
    let shown = |share: Option<f64>| share.map_or("-".into(), percent);
    let row = |attack: &AttackResult| {
        vec![
            name(attack),
            count(attack.targets),
            count(attack.guessed),
            attack.right.map_or("-".into(), count),
            shown(attack.success),
            interval(attack.low, attack.high),
            shown(attack.baseline),
            shown(attack.advantage.filter(|&own| own > 0.0)),
            count(attack.certain),
        ]
    };
    let header = [
        Column::words("attack"),
        Column::number("targets"),
        Column::number("guesses"),
        Column::number("right"),
        Column::number("success").optional(),
        Column::number("95 % interval"),
        Column::number("baseline"),
        Column::number("advantage").optional(),
        Column::number("certain"),
    ];
    style.table(&header, report.attacks.iter().map(row).collect())
}

/// What the attacker knows, what came of it, and what defends; of an attack that did not succeed, what its figures do
/// not say.
fn explained(attack: &AttackResult, max_advantage: f64, style: &Style) -> String {
    let certain = match (attack.certain, attack.certain_right) {
        (0, _) => String::new(),
        (certain, Some(right)) if attack.certain_scored == certain => {
            format!("Certain of {}: {} right. ", count(certain), all_of(right, certain))
        }
        (certain, Some(right)) if attack.certain_scored > 0 => format!(
            "Certain of {}: {} of the {} that can be checked are right. ",
            count(certain),
            count(right),
            count(attack.certain_scored)
        ),
        (certain, _) => format!("Certain of {}, not checked. ", count(certain)),
    };
    let note = attack.note.as_ref().map(|note| format!("{}. ", capital(note))).unwrap_or_default();
    if !attack.finding {
        // What has no figures, or figures that say less than it seems.
        let is_odd = attack.success.is_none() || attack.advantage > Some(max_advantage);
        return match (certain.is_empty(), is_odd && !note.is_empty()) {
            (true, false) => String::new(),
            (_, with_note) => {
                let note = if with_note { &note[..] } else { "" };
                style.wrap(format!("{}: {certain}{note}", name(attack)).trim_end(), 2)
            }
        };
    }
    // What is certain and not checked is said already.
    let certain = if attack.success.is_none() { String::new() } else { certain };
    let text = format!(
        "! {}: {}. {certain}{note}The attacker knows {}. Defence: {}.",
        name(attack),
        attack.achieved(),
        attack.knows,
        attack.defence
    );
    style.wrap(&text, 2)
}

fn all_of(right: u64, all: u64) -> String {
    match right {
        0 => "none is".into(),
        _ if right == all && all > 1 => "all are".into(),
        1 if all == 1 => "it is".into(),
        1 => "1 is".into(),
        _ => format!("{} are", count(right)),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The columns that attacks on cells succeed at.
fn columns_attacked(report: &AttackReport, style: &Style) -> String {
    let found = report.attacks.iter().filter(|own| own.finding);
    let each = found.flat_map(|attack| attack.columns.iter().map(move |own| (attack, own)));
    let rows: Vec<Vec<String>> = each
        .filter(|(_, own)| own.guessed > 0)
        .map(|(attack, own)| column_row(attack, own))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let header = [
        Column::words("column, attack"),
        Column::number("targets"),
        Column::number("guesses").optional(),
        Column::number("right"),
        Column::number("baseline"),
        Column::number("certain").optional(),
        Column::words("by"),
    ];
    format!("\n{}\n", style.table(&header, rows))
}

fn column_row(attack: &AttackResult, own: &AttackedColumnReport) -> Vec<String> {
    let right = own.right.map_or("-".into(), count);
    let baseline = own.baseline.map_or("-".into(), percent);
    let certain = certain(own.certain, own.certain_scored, own.certain_right);
    let mut by: Vec<String> = own.by.iter().take(3).map(|names| list(names)).collect();
    if own.by.len() > by.len() {
        by.push(format!("{} more", own.by.len() - by.len()));
    }
    vec![
        format!("{}, {}", printable(&own.name), attack.name),
        count(own.targets),
        count(own.guessed),
        right,
        baseline,
        certain,
        by.join("; "),
    ]
}
