//! The parts of a scan beyond columns and classes, each in a few lines.

use muslin::{
    Coverage, DependenciesReport, DependencyReport, InfluenceReport, MinimalUniquesReport,
    PartCoverage, PresetReport, ScanReport, SetReport, SetsReport, SingledOutReport,
};

use crate::layout::Column;
use crate::style::{Style, count, counted, list, percent, ratio};

/// Lines of a list that are shown.
const SHOWN: usize = 6;

pub(super) fn render(report: &ScanReport, style: &Style) -> String {
    let mut text = String::new();
    if let Some(part) = &report.singled_out {
        text += &singled_out(part, style);
    }
    text += &sets(report, style);
    if let Some(part) = &report.minimal_uniques {
        text += &uniques(part, style);
    }
    if let Some(part) = report.dependencies.as_ref().filter(|part| !part.found.is_empty()) {
        text += &dependencies(part, style);
    }
    if let Some(part) =
        report.influence.as_ref().filter(|part| part.rows_below > 0 && !part.columns.is_empty())
    {
        text += &influence(part, style);
    }
    if !report.presets.is_empty() {
        text += &presets(&report.presets, style);
    }
    let cut = cut_short(report);
    if !cut.is_empty() {
        let line =
            format!("Cut short by the budget: {}; pass a larger `--budget`.", cut.join(", "));
        text.push('\n');
        text += &style.wrap(&line, 2);
    }
    text
}

/// Parts that are not whole, or not there at all.
fn cut_short(report: &ScanReport) -> Vec<&'static str> {
    let is_cut = |part: Option<PartCoverage>| {
        part.is_none_or(|part| matches!(part.coverage, Coverage::Stopped { .. }))
    };
    let is_asked = !report.known.is_empty() && report.rows > 1;
    let parts = [
        (
            "effect of one column",
            report.influence.as_ref().map(|part| part.part),
            !report.presets.is_empty(),
        ),
        ("dependencies", report.dependencies.as_ref().map(|part| part.part), report.rows >= 20),
        ("keys", report.keys.as_ref().map(|part| part.part), is_asked),
        ("minimal uniques", report.minimal_uniques.as_ref().map(|part| part.part), is_asked),
    ];
    parts
        .into_iter()
        .filter(|(_, part, asked)| *asked && is_cut(*part))
        .map(|(name, ..)| name)
        .collect()
}

fn heading(title: &str, style: &Style) -> String {
    let title = style.wrap(title, 0);
    format!("\n{}\n", style.heading(title.trim_end()))
}

fn singled_out(part: &SingledOutReport, style: &Style) -> String {
    let mut text = heading("Rows unique on one, two or three columns", style);
    let rows = part.sizes.iter().map(|size| {
        let at_least = if size.at_least { "at least " } else { "" };
        let worst = size.worst.as_ref().filter(|worst| worst.rows_alone > 0);
        vec![
            size.size.to_string(),
            format!("{at_least}{}", percent(size.share)),
            worst.map_or("-".into(), |worst| {
                format!("{}: {}", list(&worst.columns), percent(worst.share))
            }),
        ]
    });
    let header = [
        Column::number("columns"),
        Column::number("unique rows"),
        Column::words("set with the most"),
    ];
    text += &style.table(&header, rows.collect());
    if let Some(size) = part.sizes.iter().rev().find(|size| size.sets < size.of_sets) {
        let line = format!(
            "{} of {} sets of {} columns were looked at, all rows in each; `--budget` allows more.",
            count(size.sets),
            count(size.of_sets),
            size.size
        );
        text += &style.wrap(&line, 0);
    }
    text
}

fn sets(report: &ScanReport, style: &Style) -> String {
    let mut text = String::new();
    if let Some(part) = &report.keys {
        let exact: Vec<&SetReport> = part.sets.iter().filter(|set| set.exact).collect();
        let line = match (exact.first(), part.sets.first()) {
            (Some(smallest), _) => {
                let more = exact.len() - 1;
                let more = if more > 0 { format!(" ({more} more found)") } else { String::new() };
                format!("Smallest key: {}{more}", list(&smallest.columns))
            }
            (None, Some(near)) => format!("No key found; {}", nearly(near, report.rows)),
            (None, None) if !part.reachable => {
                "No key: some rows are equal in all columns that an attacker may know".into()
            }
            (None, None) => match part.complete_to {
                Some(size) => format!("No key of up to {}", counted(size as u64, "column")),
                None => "No key found".into(),
            },
        };
        text += &style.wrap(&format!("{line}{}.", sampled(part)), 2);
    }
    if let Some(part) = report.nearly_keys.as_ref().filter(|part| !part.sets.is_empty()) {
        let smallest = part.sets.iter().find(|set| set.exact).unwrap_or(&part.sets[0]);
        let line = format!("Nearly a key: {}", nearly(smallest, report.rows));
        text += &style.wrap(&format!("{line}{}.", sampled(part)), 2);
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// What a set does that need not be a key.
fn nearly(set: &SetReport, rows: u64) -> String {
    let of = if set.counted_rows < rows { " of the sample" } else { "" };
    let (name, reached) = match set.distinct_ratio {
        Some(reached) => ("distinct ratio", reached),
        None => ("separation", set.separation_ratio),
    };
    let alone = percent(set.share);
    format!("{} ({name} {}, {alone} of rows{of} unique)", list(&set.columns), ratio(reached))
}

fn sampled(part: &SetsReport) -> String {
    how_far(&part.part).map_or(String::new(), |how| format!("; {how}"))
}

/// What was not looked at, in words.
fn how_far(part: &PartCoverage) -> Option<String> {
    match part.coverage {
        Coverage::Complete => None,
        Coverage::Sampled { .. } => {
            Some(format!("sampled: {} of {} rows", count(part.rows), count(part.of_rows)))
        }
        _ if part.rows < part.of_rows => Some(format!(
            "stopped by the budget, in {} of {} rows",
            count(part.rows),
            count(part.of_rows)
        )),
        _ => Some("stopped by the budget".into()),
    }
}

fn uniques(part: &MinimalUniquesReport, style: &Style) -> String {
    let sizes = part.by_size.iter().map(|(size, number)| format!("{size}: {}", count(*number)));
    let sizes: Vec<_> = sizes.collect();
    let upto = part
        .max_size
        .map_or("of any size".into(), |size| format!("of up to {}", counted(size as u64, "value")));
    let found = if sizes.is_empty() { "none".into() } else { sizes.join("; ") };
    let mut line = format!("Minimal uniques {upto}, by size: {found}");
    if part.rows_with_uniques > 0 {
        let more = format!("; {} of rows have one", percent(part.share));
        line += &more;
    }
    if let Coverage::Sampled { .. } = part.part.coverage {
        let more =
            format!("; sampled: {} of {} rows", count(part.part.rows), count(part.part.of_rows));
        line += &more;
    }
    let mut text = format!("\n{}", style.wrap(&format!("{line}."), 2));
    let most = part.contributions.iter().take(4).filter(|share| share.share > 0.0);
    let most: Vec<_> = most
        .map(|share| {
            format!("{} {}", list(std::slice::from_ref(&share.name)), percent(share.share))
        })
        .collect();
    if !most.is_empty() {
        text += &style.wrap(&format!("Contribution to the SUDA scores: {}.", most.join(", ")), 2);
    }
    text
}

fn dependencies(part: &DependenciesReport, style: &Style) -> String {
    let mut text = heading("Functional dependencies", style);
    let line = |one: &DependencyReport| {
        let of_sample = if one.counted_rows < part.part.of_rows { " of a sample" } else { "" };
        let how = if one.exact {
            "always".into()
        } else {
            format!("{} of rows{of_sample}", percent(one.share))
        };
        style.wrap(
            &format!("{} -> {}: {how}", list(&one.from), list(std::slice::from_ref(&one.to))),
            2,
        )
    };
    text += &part.found.iter().take(SHOWN).map(line).collect::<String>();
    if part.found.len() > SHOWN {
        let more = format!("and {} more\n", part.found.len() - SHOWN);
        text += &more;
    }
    text
}

fn influence(part: &InfluenceReport, style: &Style) -> String {
    let title = format!(
        "Effect of dropping or generalizing one column on rows in classes below {}, now {}",
        part.k,
        percent(part.share)
    );
    let mut text = heading(&title, style);
    let helps = part.columns.iter().filter(|column| {
        column.dropped.gain > 0.0 || column.coarsened.is_some_and(|coarsened| coarsened.gain > 0.0)
    });
    let rows: Vec<Vec<String>> = helps
        .take(SHOWN)
        .map(|column| {
            vec![
                list(std::slice::from_ref(&column.name)),
                percent(column.dropped.share),
                column.coarsened.map_or("-".into(), |gain| percent(gain.share)),
            ]
        })
        .collect();
    text += &if rows.is_empty() {
        style.wrap("No single column lowers it.", 0)
    } else {
        let header = [
            Column::words("column"),
            Column::number("if dropped"),
            Column::number("if generalized"),
        ];
        style.table(&header, rows)
    };
    text
}

/// One line for each thing that presets ask for, with the presets that do.
fn presets(all: &[PresetReport], style: &Style) -> String {
    let mut text = heading("Published thresholds", style);
    let mut seen: Vec<(Option<u32>, Vec<String>)> = Vec::new();
    for preset in all {
        match seen.iter_mut().find(|(k, _)| *k == preset.k) {
            Some((_, names)) => names.push(preset.name.clone()),
            None => seen.push((preset.k, vec![preset.name.clone()])),
        }
    }
    seen.sort_by_key(|(k, _)| k.unwrap_or(u32::MAX));
    let rows = seen.into_iter().filter_map(|(k, names)| {
        let preset = all.iter().find(|preset| preset.k == k)?;
        let asks = match (preset.k, preset.global_risk) {
            (Some(k), _) => format!("k = {k}"),
            (None, limit) => format!("risk < {}", percent(limit.unwrap_or(0.0))),
        };
        let at_risk = match (preset.share, preset.risk) {
            (Some(share), _) => format!("{} at risk", percent(share)),
            (None, Some(risk)) => percent(risk),
            _ => "-".into(),
        };
        let met = match preset.met {
            Some(true) => "met",
            Some(false) => "not met",
            None => "unknown",
        };
        Some(vec![asks, at_risk, met.into(), names.join(", ")])
    });
    let header = [
        Column::text("threshold"),
        Column::number("rows"),
        Column::text(""),
        Column::words("presets"),
    ];
    text += &style.table(&header, rows.collect());
    for preset in all {
        if let Some(why) = &preset.undecided {
            text += &style.wrap(&format!("`{}` is not decided: {why}.", preset.name), 2);
        }
    }
    text
}
