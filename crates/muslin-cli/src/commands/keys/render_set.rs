//! Reports about one set of columns as text.

use muslin::{
    BoundsReport, Coverage, ExplanationReport, GivenSetReport, KeysReport, MinimumMethod,
    MinimumReport, RatiosReport, SampleReport,
};

use super::render::{ceiling, columns, curve, heading, measure_of, no_key, set_of, unreached};
use crate::layout::Column;
use crate::style::{Style, count, number, percent, ratio, share};

/// A set that was looked for.
pub(super) fn minimum(report: &KeysReport, minimum: &MinimumReport, style: &Style) -> String {
    let name = match minimum.target.measure {
        None if minimum.ratios.unseparated_pairs != Some(0) => "Nearly a key".to_owned(),
        None => "A key".to_owned(),
        Some(_) => format!("A {} quasi-identifier", minimum.target.target),
    };
    let Some(set) = &minimum.set else {
        return without_set(report, minimum, style);
    };
    let title = format!("{name} of {}: {}", columns(set.len()), set_of(set));
    let mut text = heading(&title, style);
    text += &style.wrap(&how(report, minimum), 0);
    text += &figures(&minimum.ratios, report.rows, style);
    if let Some(sample) = &minimum.sample {
        text.push('\n');
        text += &sampled(sample, style);
    }
    text + &looked_into(&minimum.curve, minimum.explanation.as_ref(), report.rows, style)
}

fn without_set(report: &KeysReport, minimum: &MinimumReport, style: &Style) -> String {
    let mut text = match (&minimum.sample, minimum.target.measure) {
        _ if minimum.whole.reachable => heading("No set was found in time", style),
        (None, None) => no_key(report, &minimum.whole, style),
        (None, Some(_)) => unreached(report, &minimum.target, &minimum.whole, style),
        (Some(sample), _) => {
            let title = "No set of columns does it: some rows of the sample match in all columns";
            let mut text = heading(title, style) + &ceiling(&minimum.whole, style);
            text.push('\n');
            text += &sampled(sample, style);
            text
        }
    };
    if let Some(nearest) = minimum.nearest.as_ref().filter(|_| !minimum.curve.is_empty()) {
        text.push('\n');
        let title = if minimum.whole.reachable {
            format!("Taken so far: {}", set_of(nearest))
        } else {
            let does = if nearest.len() == 1 { "does" } else { "do" };
            format!("{} of {} {does} as much as all", columns(nearest.len()), report.columns)
        };
        text += &heading(&title, style);
        text += &curve(&minimum.curve, report.rows, style);
    }
    text
}

/// How a set was found, and what that says.
fn how(report: &KeysReport, minimum: &MinimumReport) -> String {
    let weighted = !minimum.costs.is_empty();
    let less = if weighted { "cost less" } else { "have fewer columns" };
    let at_least = minimum.lower_bound.map_or("0".into(), number);
    let bound = if weighted { "costs at least" } else { "has at least" };
    let unit = if weighted { "" } else { " columns" };
    let line = match (minimum.method, minimum.optimal, &minimum.dropped[..]) {
        (MinimumMethod::Exact, Some(true), _) => {
            format!("Proven: no set that does it can {less}.")
        }
        (MinimumMethod::Exact, ..) => format!(
            "Another set may {less}; proven is that every set that does it {bound} {at_least}{unit}."
        ),
        (MinimumMethod::Greedy, ..) if matches!(report.coverage, Coverage::Stopped { .. }) => {
            "Found greedily; there was no time to leave out what is not needed.".into()
        }
        (MinimumMethod::Greedy, _, []) => format!(
            "Found greedily: no column can be left out, but another set may {less} (`--exact` finds out)."
        ),
        (MinimumMethod::Greedy, _, dropped) => format!(
            "Found greedily, then without {}, which turned out not to be needed; another set may {less} (`--exact` finds out).",
            set_of(dropped)
        ),
        (MinimumMethod::Sampled, ..) if report.coverage == Coverage::Complete => {
            "Found greedily; all rows were held, so that nothing was left to chance.".into()
        }
        (MinimumMethod::Sampled, ..) => "Found greedily, in a sample of the rows.".into(),
    };
    match minimum.weight.filter(|_| weighted) {
        Some(weight) => format!("{line} It costs {}.", number(weight)),
        None => line,
    }
}

/// A sample, and what it promises.
fn sampled(sample: &SampleReport, style: &Style) -> String {
    let line = format!(
        "One pass: {} rows went by, {} were held (seed {}); looked at as {}.",
        count(sample.rows_passed),
        count(sample.rows_held),
        sample.seed,
        match (sample.bound.as_str(), sample.rows_used, sample.pairs_used) {
            ("rows", Some(rows), _) => format!("{} rows, all pairs of which count", count(rows)),
            (_, _, Some(pairs)) => format!("{} independent pairs of rows", count(pairs)),
            (other, ..) => other.to_owned(),
        }
    );
    let text = style.wrap(&line, 2);
    if sample.rows_held == sample.rows_passed && sample.pairs_used.is_none() {
        return text;
    }
    let kept = match sample.promise_kept {
        Some(true) => " It is.",
        Some(false) => " It is not.",
        None => "",
    };
    let line = format!(
        "Promised by `--epsilon {}` and `--delta {}`: with probability at least {} the {} is at least {}.{kept}",
        sample.epsilon,
        sample.delta,
        ratio(1.0 - sample.delta),
        measure_of(sample.measure),
        ratio(sample.promised_ratio),
    );
    text + &style.wrap(&line, 2)
}

/// A set that was given.
pub(super) fn given(report: &KeysReport, set: &GivenSetReport, style: &Style) -> String {
    let mut text = heading(&format!("{}: {}", columns(set.set.len()), set_of(&set.set)), style);
    text += &figures(&set.ratios, report.rows, style);
    if let (Some(held), Coverage::Sampled { seed, .. }) = (set.rows_held, report.coverage) {
        let line = format!(
            "From {} of {} rows, drawn in one pass (seed {seed}).",
            count(held),
            count(report.rows)
        );
        text += &style.wrap(&line, 2);
    }
    text += &looked_into(&set.curve, set.explanation.as_ref(), report.rows, style);
    let adds = |name: &&String| set.curve.iter().any(|step| &step.column == *name);
    let needless: Vec<String> = set.set.iter().filter(|name| !adds(name)).cloned().collect();
    if !set.curve.is_empty() && !needless.is_empty() {
        let line = format!("The others tell nothing more apart: {}.", set_of(&needless));
        text += &style.wrap(&line, 2);
    }
    text
}

/// Ratios and counts, each on a line.
pub(in super::super) fn figures(of: &RatiosReport, rows: u64, style: &Style) -> String {
    let sure = of.confidence.map_or(String::new(), |sure| format!(", {} sure", percent(sure)));
    let between = |bounds: &BoundsReport| {
        format!("between {} and {}{sure}", ratio(bounds.low), ratio(bounds.high))
    };
    let line =
        |name: &str, figure: Option<f64>, bounds: Option<&BoundsReport>, more: Option<String>| {
            let figure = figure.map(ratio);
            let parts = bounds.map(between).into_iter().chain(more).collect::<Vec<_>>().join("; ");
            match (figure, parts.is_empty()) {
                (None, true) => None,
                (None, false) => Some(vec![name.to_owned(), String::new(), parts]),
                (Some(figure), _) => {
                    let about = if bounds.is_some() { "about " } else { "" };
                    Some(vec![name.to_owned(), format!("{about}{figure}"), parts])
                }
            }
        };
    let classes = of.classes.map(|classes| {
        let sizes = match (of.smallest_class, of.largest_class) {
            (Some(1), Some(1)) => " of 1 row".into(),
            (Some(least), Some(most)) if least == most => format!(" of {} rows", count(most)),
            (Some(least), Some(most)) => format!(" of {} to {} rows", count(least), count(most)),
            _ => String::new(),
        };
        format!("{} classes{sizes}", count(classes))
    });
    let pairs = of.unseparated_pairs.map(|pairs| {
        let unit = if pairs == 1 { "pair" } else { "pairs" };
        format!("{} {unit} of rows not told apart", count(pairs))
    });
    let alone = of.rows_alone.map(|alone| {
        vec!["rows singled out".to_owned(), count(alone), percent(share(alone, rows))]
    });
    let lines = [
        line("distinct ratio", of.distinct_ratio, of.distinct_bounds.as_ref(), classes),
        line("separation ratio", of.separation_ratio, of.separation_bounds.as_ref(), pairs),
        alone,
    ];
    let rows: Vec<Vec<String>> = lines.into_iter().flatten().collect();
    style.table(&[Column::text(""), Column::text(""), Column::words("")], rows)
}

/// The order of a set's columns, and the few that do most.
pub(in super::super) fn looked_into(
    steps: &[muslin::StepReport],
    explanation: Option<&ExplanationReport>,
    rows: u64,
    style: &Style,
) -> String {
    let mut text = String::new();
    if steps.len() > 1 {
        text.push('\n');
        text += &heading("Column by column", style);
        text += &curve(steps, rows, style);
    }
    let Some(explanation) = explanation else { return text };
    let line = |share: &muslin::ShareReport| {
        let (columns, reached) = (share.columns.as_ref()?, share.ratio?);
        let exact = if share.exact { "" } else { " (greedily; fewer may do)" };
        Some(vec![percent(share.share), format!("{}{exact}", set_of(columns)), ratio(reached)])
    };
    let lines: Vec<Vec<String>> = explanation.shares.iter().filter_map(line).collect();
    if !lines.is_empty() {
        text.push('\n');
        text += &heading("The fewest of them that reach a share", style);
        let measure = Column::number(measure_of(explanation.measure));
        let header = [Column::number("share"), Column::words("columns"), measure];
        text += &style.table(&header, lines);
    }
    if !explanation.complete {
        text += &style.wrap("A limit was in the way of larger shares.", 2);
    }
    text
}

pub(super) fn next_step(minimum: &MinimumReport) -> &'static str {
    match (&minimum.set, minimum.method) {
        (None, MinimumMethod::Sampled) => {
            "Next: `--measure separation --beta 0.999` looks for a set that tells nearly as much apart."
        }
        (None, _) => {
            "Next: `--distinct-rows` leaves equal rows out; a `--measure` with a smaller `--beta` asks for less."
        }
        (Some(_), MinimumMethod::Greedy) => {
            "Next: `--exact` proves or improves it, `--all` lists every minimal set."
        }
        (Some(_), MinimumMethod::Exact) => {
            "Next: `--all` lists every minimal set, `muslin uniques --columns` with these names says whom they single out."
        }
        (Some(_), MinimumMethod::Sampled) => {
            "Next: without `--epsilon` the whole table is read, and the answer is no matter of chance."
        }
    }
}
