//! Reports about what is lost as text.

use muslin::{Coverage, DiffColumnReport, DiffReport, printable};

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, bar, count, counted, list, number, percent};

/// The report.
pub(super) fn render(report: &DiffReport, style: &Style) -> String {
    let mut text = title(&report.original, report.rows_before, report.columns.len(), style);
    let columns = usize::try_from(report.release_columns).unwrap_or(usize::MAX);
    text += &title(&report.release, report.rows_after, columns, style);
    text += &style.wrap(&looked_at(report), 2);
    if let Coverage::Stopped { .. } = report.coverage {
        text += &style.wrap("! A limit left some measures out; the others are complete.", 2);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    text += &columns_table(report, style);
    text += &style.wrap(
        "Total variation: half the sum of the differences between the shares of values before and after.",
        2,
    );
    text.push('\n');
    text += &measures(report, style);
    text.push('\n');
    text += &style.wrap(&format!("Counts: {}.", report.queries.definition), 2);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap(&next_step(report), 2)
}

fn looked_at(report: &DiffReport) -> String {
    let mut parts = vec![format!("Quasi-identifiers: {}.", list(&report.quasi_identifiers))];
    if let Some(sensitive) = &report.sensitive {
        parts.push(format!("Sensitive: {}.", printable(sensitive)));
    }
    if let Some(slices) = &report.slices {
        let slices: Vec<String> = slices.iter().map(|slice| list(slice)).collect();
        parts.push(format!("Slices: {}.", slices.join(" | ")));
    }
    parts.join(" ")
}

fn headline(report: &DiffReport) -> String {
    let loss =
        format!("Information loss on the quasi-identifiers: {} (GCP)", percent(report.loss.gcp));
    let mut parts = vec![loss];
    parts.extend(report.most_changed().map(most_changed));
    let suppression = &report.suppression;
    if suppression.suppressed_cells > 0 {
        parts.push(format!("{} of the cells suppressed", percent(suppression.suppressed_share)));
    }
    parts.push(match suppression.rows_removed {
        0 => "no row removed".to_owned(),
        rows => {
            format!("{} removed ({})", counted(rows, "row"), percent(suppression.removed_share))
        }
    });
    if let Some(kept) = report.association.ratio {
        parts.push(format!("{} of the association kept", percent_of(kept)));
    }
    if let Some(error) = report.queries.median {
        parts.push(format!("median error of counts {}", percent_of(error)));
    }
    parts.join("; ")
}

/// What was done to the column with the most changed cells.
fn most_changed(column: &DiffColumnReport) -> String {
    let parts =
        [("generalized", column.generalized_share), ("suppressed", column.suppressed_share)];
    let parts = parts.iter().filter(|(_, share)| *share > 0.0);
    let parts: Vec<String> = parts
        .enumerate()
        .map(|(at, (what, share))| {
            let cells = if at == 0 {
                format!(" of `{}` cells", printable(&column.name))
            } else {
                String::new()
            };
            format!("{}{cells} {what}", percent(*share))
        })
        .collect();
    parts.join(", ")
}

fn columns_table(report: &DiffReport, style: &Style) -> String {
    let most = style.bar_width().min(12);
    let row = |column: &DiffColumnReport| {
        let of = |share: f64| if column.withheld { "-".to_owned() } else { percent(share) };
        vec![
            printable(&column.name).into_owned(),
            of(column.suppressed_share),
            of(column.generalized_share),
            percent(column.ncp),
            percent(column.entropy_share),
            column.total_variation.map_or("withheld".into(), percent),
            bar(column.ncp, most),
        ]
    };
    let header = [
        Column::words("column"),
        Column::number("suppressed").optional(),
        Column::number("generalized").optional(),
        Column::number("NCP"),
        Column::number("entropy"),
        Column::number("total variation"),
        Column::bar(),
    ];
    style.table(&header, report.columns.iter().map(row).collect())
}

/// Each measure by name, with its convention.
fn measures(report: &DiffReport, style: &Style) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut add = |name: &str, figure: String, convention: &str| {
        rows.push(vec![name.to_owned(), figure, convention.to_owned()]);
    };
    let loss = &report.loss;
    add("GCP", percent(loss.gcp), "mean NCP: width by the column's; text by values covered");
    add("GCP by values", percent(loss.gcp_by_values), "(covered - 1) / (values - 1)");
    let arx = loss.arx_loss.map_or("-".into(), percent);
    let why = match loss.arx_loss {
        Some(_) => "(leaves - 1) / (all leaves - 1) of hierarchies",
        None => "by leaves; some labels are of no hierarchy that was given",
    };
    add("Loss (ARX)", arx, why);
    let bits = "non-uniform; share of what is lost when all is suppressed";
    add("entropy", percent(loss.entropy_share), bits);
    let classes = &report.classes;
    let what = if report.slices.is_some() { "buckets" } else { "rows alike in what they show" };
    add("classes", count(classes.classes), what);
    let squares = "sum of squared sizes; a removed row counts all rows";
    add("discernibility", number(classes.discernibility), squares);
    add("AECS", number(classes.aecs), "rows by classes");
    if let Some(c_avg) = classes.c_avg {
        let k = report.k.unwrap_or(1);
        add(
            "C_AVG",
            number(c_avg),
            &format!("AECS by k = {k}; 1 or more where each class has k rows"),
        );
    }
    let kl = &report.kl;
    match (kl.nats, kl.unreached, &kl.left_out) {
        (Some(nats), ..) => {
            add("KL", number(nats.max(0.0)), "nats, of rows as the release has them");
        }
        (_, Some(unreached), _) => {
            let why = format!("{} of the rows are expected nowhere", percent(unreached));
            add("KL", "infinite".into(), &why);
        }
        (.., left_out) => add("KL", "-".into(), left_out.as_deref().unwrap_or("left out")),
    }
    if let Some(rce) = report.rce {
        add("RCE", number(rce), "squared error of sensitive values, over all rows");
    }
    let found = &report.association;
    let ratio = |of: Option<f64>| of.map_or("-".into(), percent_of);
    let kept = found.left_out.as_deref().unwrap_or("sum of phi2 after by before, all pairs");
    add("association kept", ratio(found.ratio), kept);
    if found.across.is_some() {
        add("  within", ratio(found.within), "pairs of one slice, or both published");
        add("  across", ratio(found.across), "pairs of two slices, or one withheld");
    }
    if found.with_sensitive.is_some() {
        add("  sensitive", ratio(found.with_sensitive), "pairs with the sensitive column");
    }
    let queries = &report.queries;
    let error = |of: Option<f64>| of.map_or("-".into(), percent_of);
    let answered = format!("relative error of {} counts; mean", count(queries.answered));
    add("counts off by", error(queries.mean), queries.left_out.as_deref().unwrap_or(&answered));
    if queries.left_out.is_none() {
        add("", error(queries.median), "median");
        add("", error(queries.p95), "95 of 100 are below");
    }
    let header = [Column::text("measure"), Column::number("figure"), Column::words("convention")];
    style.table(&header, rows)
}

/// A ratio that may be above one, in percent.
pub(super) fn percent_of(ratio: f64) -> String {
    if ratio < 1.0 { percent(ratio) } else { format!("{:.0} %", ratio * 100.0) }
}

fn next_step(report: &DiffReport) -> String {
    match &report.written[..] {
        [] => "Nothing was written. Next: the same with `--plots FOLDER`, or `--json`.".into(),
        [first, others @ ..] => {
            format!("Plots written: {} and {} more.", printable(first), others.len())
        }
    }
}
