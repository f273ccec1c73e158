//! What was measured, as a report.

use muslin_table::{Column, ColumnId, Role};
use muslin_verify::loss::{Association, Bin, ColumnLoss, LeftOut, Losses, Marginal};

use super::DiffJob;
use super::report::{
    DiffAssociation, DiffBin, DiffClasses, DiffColumnReport, DiffDivergence, DiffLoss,
    DiffMarginal, DiffPair, DiffQueries, DiffReport, DiffSuppression,
};
use crate::generalize::share;
use crate::input::{InputReport, names};
use crate::pair::Pair;

pub(super) fn report(job: &DiffJob, both: &Pair, losses: &Losses) -> DiffReport {
    let whole = &both.whole;
    let column = |loss: &ColumnLoss| column(job, both, losses, loss);
    let marginal = |marginal: &Marginal| told_marginal(job, both, marginal);
    let (cells, classes) = (losses.cells(), losses.classes());
    DiffReport {
        schema: 1,
        command: "diff".into(),
        coverage: losses.coverage(),
        original: InputReport::new(&whole.source),
        release: InputReport::new(&both.release_source),
        rows_before: whole.table.rows() as u64,
        rows_after: both.release.rows() as u64,
        release_columns: both.release.columns().len() as u64,
        quasi_identifiers: whole.names(&whole.measured),
        sensitive: both.sensitive.map(|at| name(both, at)),
        k: job.k,
        slices: both.reading.slices().map(|slices| {
            let names = |slice: &Vec<ColumnId>| {
                slice.iter().map(|id| name(both, id.index())).collect::<Vec<_>>()
            };
            slices.iter().map(names).collect()
        }),
        columns: losses.columns().iter().map(column).collect(),
        suppression: suppression(both, losses),
        loss: DiffLoss {
            gcp: cells.gcp(),
            gcp_by_values: cells.by_values(),
            arx_loss: cells.by_leaves(),
            entropy_bits: cells.bits(),
            entropy_share: cells.bits_share(),
        },
        classes: DiffClasses {
            classes: classes.classes(),
            discernibility: float(classes.discernibility()),
            aecs: classes.average_size(),
            c_avg: classes.c_avg(),
        },
        kl: divergence(losses),
        rce: losses.reconstruction_error(),
        association: association(both, losses),
        queries: queries(job, losses),
        marginals: losses.marginals().iter().map(marginal).collect(),
        written: Vec::new(),
        warnings: warnings(job, both, losses),
    }
}

fn name(both: &Pair, at: usize) -> String {
    both.whole.table.column(ColumnId::new(at)).name().to_owned()
}

fn column(job: &DiffJob, both: &Pair, losses: &Losses, loss: &ColumnLoss) -> DiffColumnReport {
    let (id, rows) = (loss.column(), both.release.rows() as u64);
    let role = if both.whole.measured.contains(id) {
        "quasi-identifier"
    } else if both.sensitive == Some(id.index()) {
        "sensitive"
    } else {
        job.roles.get(&name(both, id.index())).unwrap_or(&Role::Other).name()
    };
    DiffColumnReport {
        name: name(both, id.index()),
        role: role.into(),
        withheld: loss.is_withheld(),
        suppressed_share: share(loss.suppressed(), rows),
        generalized_share: share(loss.generalized(), rows),
        changed_share: if loss.is_withheld() {
            1.0
        } else {
            share(loss.suppressed() + loss.generalized(), rows)
        },
        ncp: loss.ncp(),
        gcp_by_values: loss.by_values(),
        loss_by_leaves: loss.by_leaves(),
        entropy_bits: loss.bits(),
        entropy_share: loss.bits_share(),
        total_variation: losses.marginal(id).map(Marginal::total_variation),
    }
}

fn suppression(both: &Pair, losses: &Losses) -> DiffSuppression {
    let found = losses.suppression();
    DiffSuppression {
        cells: found.cells(),
        suppressed_cells: found.suppressed(),
        suppressed_share: found.share(),
        rows_touched: found.rows_touched(),
        rows_removed: found.rows_removed(),
        removed_share: share(found.rows_removed(), both.whole.table.rows() as u64),
        rows_added: found.rows_added(),
        columns_withheld: both.reading.withheld().map(|id| name(both, id.index())).collect(),
    }
}

fn divergence(losses: &Losses) -> DiffDivergence {
    match losses.divergence() {
        Ok(found) => DiffDivergence {
            nats: Some(found.nats()).filter(|nats| nats.is_finite()),
            unreached: Some(found.unreached()),
            left_out: None,
        },
        Err(reason) => DiffDivergence { nats: None, unreached: None, left_out: Some(why(reason)) },
    }
}

fn association(both: &Pair, losses: &Losses) -> DiffAssociation {
    let all = |columns: &[ColumnId]| columns.iter().map(|id| name(both, id.index())).collect();
    let of = |found: &Association| DiffAssociation {
        ratio: found.ratio(),
        within: found.ratio_within(),
        across: found.ratio_across(),
        with_sensitive: both.sensitive.and_then(|at| found.ratio_with(ColumnId::new(at))),
        pairs: found
            .pairs()
            .iter()
            .map(|pair| DiffPair {
                a: name(both, pair.first().index()),
                b: name(both, pair.second().index()),
                before: pair.before(),
                after: pair.after(),
                within: pair.is_within_slice(),
            })
            .collect(),
        binned: all(found.binned()),
        too_many_values: all(found.left_out()),
        left_out: None,
    };
    losses.association().map_or_else(
        |reason| DiffAssociation {
            ratio: None,
            within: None,
            across: None,
            with_sensitive: None,
            pairs: Vec::new(),
            binned: Vec::new(),
            too_many_values: Vec::new(),
            left_out: Some(why(reason)),
        },
        of,
    )
}

/// Why a measure was left out, without the way out.
fn why(reason: LeftOut) -> String {
    reason.to_string().lines().next().unwrap_or_default().to_owned()
}

fn queries(job: &DiffJob, losses: &Losses) -> DiffQueries {
    let found = losses.queries();
    let figures = found.as_ref().ok();
    DiffQueries {
        definition: figures.map_or_else(|| job.workload.to_string(), |found| found.definition()),
        asked: job.workload.queries as u64,
        answered: figures.map_or(0, |found| found.answered() as u64),
        mean: figures.and_then(|found| found.mean()),
        median: figures.and_then(|found| found.median()),
        p95: figures.and_then(|found| found.percentile_95()),
        left_out: found.err().map(why),
    }
}

fn told_marginal(job: &DiffJob, both: &Pair, marginal: &Marginal) -> DiffMarginal {
    let column = both.whole.table.column(marginal.column());
    let is = |wanted: fn(&Bin) -> bool| marginal.bins().iter().any(wanted);
    let kind = if is(|bin| matches!(bin, Bin::Range { .. })) {
        "ranges"
    } else if is(|bin| matches!(bin, Bin::Others(_))) {
        "frequent"
    } else {
        "values"
    };
    let counts = marginal.before().iter().zip(marginal.after());
    let bins = (1..).zip(marginal.bins()).zip(counts);
    let bins = bins.map(|((number, bin), (&before, &after))| DiffBin {
        bin: number,
        label: label(column, bin, job.show_values),
        before,
        after,
    });
    DiffMarginal {
        column: column.name().to_owned(),
        kind: kind.into(),
        total_variation: marginal.total_variation(),
        bins: bins.collect(),
    }
}

/// What is in a bin; a value only where it may be shown.
fn label(column: &Column, bin: &Bin, show_values: bool) -> Option<String> {
    let text = |code: u32| column.dictionary().text(code as usize);
    match *bin {
        Bin::Value(code) => show_values.then(|| text(code)),
        Bin::Range { first, last } if first == last => show_values.then(|| text(first)),
        Bin::Range { first, last } => {
            show_values.then(|| format!("{} to {}", text(first), text(last)))
        }
        Bin::Others(values) => Some(format!("{values} others")),
        Bin::Missing => Some("missing".into()),
        _ => None,
    }
}

/// What to look at before relying on the figures.
fn warnings(job: &DiffJob, both: &Pair, losses: &Losses) -> Vec<String> {
    let mut warnings = both.warnings.clone();
    let sensitive = both.whole.sensitive(job.sensitive.as_deref(), &job.roles).unwrap_or_default();
    if sensitive.len() > 1 {
        let all: Vec<String> = sensitive.iter().map(|&id| both.whole.name(id)).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        warnings.push(format!(
            "several columns are sensitive ({}): association with none of them was measured; pass `--sensitive NAME` for one",
            names(&all)
        ));
    }
    let found = losses.suppression();
    if found.rows_added() > 0 {
        warnings.insert(
            0,
            format!(
                "the release has {} rows more than the original: it may be of another table",
                found.rows_added()
            ),
        );
    }
    if let (Some(at), Ok(queries)) = (both.sensitive, losses.queries())
        && !queries.is_with_sensitive()
    {
        warnings.push(format!(
            "the release lacks the sensitive column `{}`, so that no query asks for it: if it is in a table of its own, pass `--sensitive-table`",
            muslin_table::printable(&name(both, at))
        ));
    }
    let too_many: Vec<String> = match losses.association() {
        Ok(found) => found.left_out().iter().map(|id| name(both, id.index())).collect(),
        Err(_) => Vec::new(),
    };
    if !too_many.is_empty() {
        let all: Vec<&str> = too_many.iter().map(String::as_str).collect();
        warnings.push(format!(
            "too many values for an association with other columns: {}",
            names(&all)
        ));
    }
    warnings
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn float(number: u128) -> f64 {
    number as f64
}
