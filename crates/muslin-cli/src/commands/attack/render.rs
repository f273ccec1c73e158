//! Attacks as text.

use muslin::{AttackReport, AttackResult, printable};

use super::super::input::title;
use crate::style::{Style, count, counted, list, percent};

/// The report.
pub(super) fn render(report: &AttackReport, style: &Style) -> String {
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
    for attack in report.attacks.iter().filter(|attack| attack.finding) {
        text += &style.wrap(&finding(attack), 2);
    }
    // What has no figures, or figures that say less than it seems.
    let is_odd = |own: &&AttackResult| {
        own.success.is_none() || (!own.finding && own.advantage > Some(report.max_advantage))
    };
    for attack in report.attacks.iter().filter(is_odd) {
        if let Some(note) = &attack.note {
            text += &style.wrap(&format!("{}: {note}.", attack.name), 2);
        }
    }
    if !report.quasi_identifiers.is_empty() {
        let wanted = report.sensitive.as_ref().map_or(String::new(), |name| {
            format!("; the attacker wants to know {}", printable(name))
        });
        let line = format!("May be known: {}{wanted}.", list(&report.quasi_identifiers));
        text += &style.wrap(&line, 2);
    }
    if !report.skipped.is_empty() {
        text += "\nNot tried:\n";
        for skipped in &report.skipped {
            let hint = skipped.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
            text += &style.wrap(&format!("- {}: {}{hint}", skipped.name, skipped.reason), 2);
        }
    }
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text
}

fn headline(report: &AttackReport) -> String {
    let tried = report.attacks.len() as u64;
    let found = report.attacks.iter().filter(|attack| attack.finding).count();
    let worst = report.attacks.iter().find(|own| report.worst.as_ref() == Some(&own.name));
    match (tried, found, worst) {
        (0, ..) => "No attack could be tried".into(),
        (_, 0, _) => format!(
            "None of {} gains more than {}, or is certain of anything",
            counted(tried, "attack"),
            percent(report.max_advantage)
        ),
        (_, found, Some(worst)) => {
            format!("{found} of {} succeed: worst is {}", counted(tried, "attack"), gain(worst))
        }
        (_, found, None) => format!("{found} of {} succeed", counted(tried, "attack")),
    }
}

/// What an attack gains, in a few words.
fn gain(attack: &AttackResult) -> String {
    match (attack.success, attack.baseline) {
        (Some(success), Some(baseline)) => {
            format!("{}, {} right against {}", attack.name, percent(success), percent(baseline))
        }
        _ => format!("{}, certain of {}", attack.name, count(attack.certain)),
    }
}

fn table(report: &AttackReport, style: &Style) -> String {
    let shown = |share: Option<f64>| match share {
        Some(share) if share <= -0.0005 => format!("-{}", percent(-share)),
        share => share.map_or("-".into(), percent),
    };
    let row = |attack: &AttackResult| {
        let guessed = (!style.is_narrow()).then(|| count(attack.guessed));
        let first = [attack.name.clone(), count(attack.targets)].into_iter().chain(guessed);
        let figures = [
            shown(attack.success),
            shown(attack.baseline),
            shown(attack.advantage),
            count(attack.certain),
        ];
        first.chain(figures).collect()
    };
    let (header, numbers): (&[&str], &[usize]) = if style.is_narrow() {
        (&["attack", "targets", "right", "prior", "gain", "certain"], &[1, 2, 3, 4, 5])
    } else {
        let header = &["attack", "targets", "guesses", "success", "prior", "advantage", "certain"];
        (header, &[1, 2, 3, 4, 5, 6])
    };
    style.table(header, numbers, &[0], report.attacks.iter().map(row).collect())
}

/// What the attacker knows, what came of it, and what defends.
fn finding(attack: &AttackResult) -> String {
    let certain = match attack.certain {
        0 => String::new(),
        certain => format!(", certain of {}", count(certain)),
    };
    let note = match (&attack.note, attack.success) {
        (Some(note), Some(_)) => format!(" ({note})"),
        _ => String::new(),
    };
    format!(
        "! {}: knows {}{certain}{note}. Defence: {}.",
        attack.name, attack.knows, attack.defence
    )
}
