//! Reports about slices as text.

use muslin::{Coverage, MembershipReport, SliceReport, printable};
use muslin_command::args::slices_for_shell;

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, bar, count, counted, list, number, percent, share};

/// The report.
pub(super) fn render(report: &SliceReport, style: &Style) -> String {
    let read = report.quasi_identifiers.len() + 1 + report.identifiers_dropped.len();
    let mut text = title(&report.input, report.rows, read, style);
    if !report.identifiers_dropped.is_empty() {
        let line = format!("Identifiers, never published: {}.", list(&report.identifiers_dropped));
        text += &style.wrap(&line, 2);
    }
    for column in &report.generalized {
        let line = format!(
            "Column `{}` is published at level {} of {}: {} of {}.",
            printable(&column.name),
            column.level,
            column.levels,
            count(column.distinct_after),
            counted(column.distinct_before, "value")
        );
        text += &style.wrap(&line, 2);
    }
    if let Coverage::Stopped { .. } = report.coverage {
        let line =
            "! The work was stopped by a limit: what is claimed holds, smaller buckets might do.";
        text += &style.wrap(line, 2);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    text += &slices(report, style);
    text.push('\n');
    let copied = format!("--slices {}", slices_for_shell(&report.slices));
    // What slices that share columns lose cannot be measured, so `diff` does not take them.
    let mut names: Vec<&String> = report.slices.iter().flatten().collect();
    names.sort_unstable();
    let is_shared = names.windows(2).any(|pair| pair[0] == pair[1]);
    let next = if is_shared { "For `muslin verify`:" } else { "For `muslin diff`:" };
    text += &style.with_copied(next, &printable(&copied), 2);
    text.push('\n');
    text += &figures(report, style);
    text.push('\n');
    for claim in &report.claims {
        text += &style.wrap(&format!("Holds: {claim}."), 2);
    }
    text += &style.wrap(&told(report), 2);
    let line = "A missing cell is a value of its own. Buckets are counted by a judge that shares no code with the search.";
    text += &style.wrap(line, 2);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap(&next_step(report), 2)
}

fn headline(report: &SliceReport) -> String {
    let (smallest, largest) = (report.smallest.unwrap_or(0), report.largest.unwrap_or(0));
    let rows = if smallest == largest {
        counted(smallest, "row")
    } else {
        format!("{} to {} rows", count(smallest), count(largest))
    };
    format!(
        "{} in {} of {rows}, {}-diverse in `{}`",
        counted(report.slices.len() as u64, "slice"),
        counted(report.buckets, "bucket"),
        report.l,
        printable(&report.sensitive)
    )
}

/// Each column with its slice, and how strongly it is associated with the sensitive one.
fn slices(report: &SliceReport, style: &Style) -> String {
    let strength = |name: &str| {
        let found = report.associations.as_ref()?;
        let place = |name: &str| found.columns.iter().position(|own| own == name);
        Some(found.matrix[place(name)?][place(&report.sensitive)?])
    };
    let mut rows = Vec::new();
    for (at, slice) in report.slices.iter().enumerate() {
        for name in slice {
            let strength = strength(name).filter(|_| *name != report.sensitive);
            rows.push(vec![
                count(at as u64 + 1),
                printable(name).into_owned(),
                strength.map_or(String::new(), |own| format!("{own:.3}")),
                if *name == report.sensitive {
                    "sensitive".into()
                } else {
                    bar(strength.unwrap_or(0.0), style.bar_width())
                },
            ]);
        }
    }
    let header = [
        Column::number("slice"),
        Column::words("column"),
        Column::number("association"),
        Column::bar(),
    ];
    style.table(&header, rows)
}

fn figures(report: &SliceReport, style: &Style) -> String {
    let l = |l: Option<u32>| l.map_or("any".into(), |l| count(l.into()));
    let mut rows = vec![
        vec!["l asked for".into(), count(report.l.into())],
        vec!["l reached".into(), l(report.effective_l)],
        vec!["largest l that the slices allow".into(), l(report.feasible_l)],
        vec!["likeliest value of somebody".into(), percent(report.max_p)],
    ];
    if let Some(bayes) = report.max_p_bayes {
        rows.push(vec!["the same, larger buckets likelier".into(), percent(bayes)]);
    }
    if let Some(matching) = &report.matching {
        let alone = matching.iter().find(|of| of.buckets == 1).map_or(0, |of| of.rows);
        let share = percent(share(alone, report.rows));
        rows.push(vec!["rows that one bucket matches".into(), share]);
    }
    if let Some(membership) = &report.membership {
        let about = if membership.draws.is_some() { "about " } else { "" };
        rows.push(vec!["different rows".into(), count(membership.real)]);
        rows.push(vec![
            "fake rows that fit as well".into(),
            // More than floating point holds.
            membership
                .fakes
                .map_or("more than 1e308".into(), |own| format!("{about}{}", number(own))),
        ]);
        let auc = |auc: Option<f64>| match auc {
            None => "-".into(),
            // Never rounded to all.
            Some(auc) if (0.9995..1.0).contains(&auc) => "> 0.999".into(),
            Some(auc) => format!("{auc:.3}"),
        };
        rows.push(vec!["AUC by matching buckets".into(), auc(membership.matching_auc)]);
        rows.push(vec!["AUC by expected number".into(), auc(membership.multiplicity_auc)]);
    }
    rows.push(vec!["reconstruction error".into(), number(report.loss.rce)]);
    style.table(&[Column::words("figure"), Column::number("")], rows)
}

/// How well it is told who is in the table.
fn told(report: &SliceReport) -> String {
    match &report.membership {
        None => "Who is in the table is not protected, and how well it is told was not looked at.".into(),
        Some(MembershipReport { matching_auc: None, .. }) => {
            "Not protected: who is in the table, as every combination of values that fits the release is somebody's.".into()
        }
        Some(_) => "Not promised: that it is hidden who is in the table. AUC is how often an attack rates a real row above a fake one: 0.5 is guessing, 1 tells everybody.".into(),
    }
}

fn next_step(report: &SliceReport) -> String {
    match &report.written {
        Some(file) => {
            let order = report.row_order.as_deref().unwrap_or("as read");
            let bucket = printable(&report.bucket);
            format!(
                "Release written to {}, rows {order}; column `{bucket}` has the buckets.",
                printable(file)
            )
        }
        None => "Nothing was written. Next: the same with `-o FILE`.".into(),
    }
}
