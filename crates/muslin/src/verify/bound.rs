//! How near the blanks of a release are to the fewest, by a certificate.

use muslin_assess::Weight;
use muslin_engine::Run;
use muslin_io::Input;
use muslin_table::{Column, ColumnId, printable};
use muslin_verify::Error as VerifyError;
use muslin_verify::loss::Cover;

use super::claimed::{Bounded, Claimed};
use super::judge::to_millionths;
use super::report::{VerifyBound, VerifyCheck};
use super::{Tables, VerifyJob};
use crate::claims::Claim;
use crate::input::names;
use crate::pair::Pair;
use crate::suppress::{CellCost, read_certificate, units};
use crate::{Error, Result};

/// What a certificate proves, and whether that is what is claimed.
pub(super) struct Proven {
    pub(super) check: VerifyCheck,
    /// Nothing where the release cannot be compared with it.
    pub(super) bound: Option<VerifyBound>,
}

/// The blanks of a release.
struct Blanks {
    cells: u64,
    /// In millionths.
    cost: u64,
    /// Whether some may be taken for cells that were missing before.
    is_least: bool,
}

impl VerifyJob {
    /// Computes the bound again, from the original and the certificate alone, and compares the blanks.
    pub(super) fn proven(
        &self,
        file: &Input,
        claims: &[Claim],
        claimed: &Claimed,
        tables: &Tables<'_>,
        run: &Run,
    ) -> Result<Proven> {
        let anonymity = claims.iter().find(|claim| claim.claim == "k-anonymity");
        let Some((k, claim)) = anonymity.and_then(|claim| Some((claim.k?, claim))) else {
            return Err(setting(
                "a certificate is about a k and columns, and nothing says which\n  hint: pass `-k` and `--qi`, or `--claims` with the report of `muslin suppress`",
            ));
        };
        let verdict = |met: bool, decided: bool, reason: String| VerifyCheck {
            claim: format!("least blanks for {}", claim.name()),
            met,
            decided,
            reason,
            columns: claim.columns.clone(),
            violations: 0,
            rows: Vec::new(),
            of_original: false,
        };
        let undecided =
            |reason: String| Ok(Proven { check: verdict(false, false, reason), bound: None });
        let Some(pair) = &tables.pair else {
            return undecided("the release has cells that are nothing of the original's".into());
        };
        let costs = self.costs(&claim.columns, claimed.bounded.as_ref())?;
        let proof = read_certificate(file, &costs, k, &pair.whole.table, run)?;
        let blanks = match blanks(pair, &costs)? {
            Ok(blanks) => blanks,
            Err(why) => return undecided(why),
        };
        let bound = match proof.bound(&pair.whole.table, run) {
            Err(VerifyError::TooManyPatterns { .. }) => {
                return undecided("there are too many sets of columns to look at".into());
            }
            bound => bound?,
        };
        let told = claimed.bounded.as_ref().filter(|told| told.bound_checked);
        let found = VerifyBound {
            lower_bound: units(bound),
            claimed_bound: told.map(|told| told.lower_bound),
            suppressed_cells: blanks.cells,
            cost: units(blanks.cost),
            gap: (bound > 0).then(|| units(blanks.cost) / units(bound) - 1.0),
        };
        let is_less = told.is_some_and(|told| to_millionths(told.lower_bound) > bound);
        let is_below = blanks.cost < bound;
        let proves = bound > 0 || blanks.cost == 0;
        let one = [CellCost::Weight(Weight::ONE), CellCost::Never];
        let is_plain = costs.iter().all(|(_, cost)| one.contains(cost));
        let check = verdict(
            proves && !is_less && !is_below,
            !(is_below && blanks.is_least),
            in_words(&found, is_less, is_below, is_plain),
        );
        Ok(Proven { check, bound: Some(found) })
    }

    /// What a blank of each column costs: as said, as the report says, or one.
    fn costs(
        &self,
        columns: &[String],
        report: Option<&Bounded>,
    ) -> Result<Vec<(String, CellCost)>> {
        if let Some(name) = self.weights.keys().find(|name| !columns.contains(name)) {
            return Err(setting(&format!(
                "column `{}` has a weight, and the certificate is not about it\n  hint: name it in `--qi` too",
                printable(name)
            )));
        }
        let of_report = |name: &String| {
            let own = report?.columns.iter().find(|own| own.name == *name)?;
            Some(match own.weight.filter(|_| own.budget != Some(0)) {
                Some(weight) => CellCost::Weight(Weight::of_millionths(to_millionths(weight))),
                None => CellCost::Never,
            })
        };
        let cost = |name: &String| {
            let said = self.weights.get(name).copied().or_else(|| of_report(name));
            (name.clone(), said.unwrap_or(CellCost::Weight(Weight::ONE)))
        };
        Ok(columns.iter().map(cost).collect())
    }
}

/// Counts the blanks of a release; says why where it is not made of the original by blanks alone.
fn blanks(pair: &Pair, costs: &[(String, CellCost)]) -> Result<Result<Blanks, String>> {
    let (original, release) = (&pair.whole.table, &pair.release);
    if original.rows() != release.rows() {
        return Ok(Err("the bound is for as many rows as the original has".into()));
    }
    let mut found = Blanks { cells: 0, cost: 0, is_least: false };
    let mut lacking: Vec<&str> = Vec::new();
    for (name, cost) in costs {
        let id = original.find(name)?;
        let Some(published) = pair.reading.published(id) else {
            lacking.push(name);
            continue;
        };
        let counted = blanks_of(pair, id, original.column(id), release.column(published));
        let Some((cells, is_least)) = counted else {
            return Ok(Err(format!(
                "the bound is about blanks, and column `{}` has ranges, sets or labels",
                printable(name)
            )));
        };
        let weight = match cost {
            CellCost::Weight(weight) => weight.millionths(),
            CellCost::Never if cells > 0 => {
                return Ok(Err(format!(
                    "the bound is for releases that keep column `{}`, which has blanks",
                    printable(name)
                )));
            }
            CellCost::Never => 0,
        };
        found.cells += cells;
        found.cost = found.cost.saturating_add(cells.saturating_mul(weight));
        found.is_least |= is_least;
    }
    if !lacking.is_empty() {
        return Ok(Err(format!("the release lacks {}", names(&lacking))));
    }
    Ok(Ok(found))
}

/// The blanks of a column, and whether there may be more; nothing where it has other labels.
fn blanks_of(
    pair: &Pair,
    id: ColumnId,
    original: &Column,
    published: &Column,
) -> Option<(u64, bool)> {
    let (mut any, mut missing) = (0, 0);
    for slot in published.codes().slots() {
        match pair.reading.cover(id, slot) {
            Cover::Exact(_) => {}
            Cover::Any => any += 1,
            Cover::Missing => missing += 1,
            _ => return None,
        }
    }
    // Where some were missing before, a file without a mark for blanks shows both alike.
    let more: u64 = u64::saturating_sub(missing, original.missing());
    Some((any + more, more > 0))
}

/// What was found, in words; `is_plain` where a blank costs one.
fn in_words(found: &VerifyBound, is_less: bool, is_below: bool, is_plain: bool) -> String {
    let (bound, cost) = (found.lower_bound, found.cost);
    let (least, has) = if is_plain {
        (format!("at least {bound} cells must go"), format!("the release blanks {cost}"))
    } else {
        (
            format!("what must go costs at least {bound}"),
            format!("the release's blanks cost {cost}"),
        )
    };
    let more = match (found.gap, found.claimed_bound) {
        (_, Some(claimed)) if is_less => {
            return format!("{least} by the certificate, and the report says {claimed}");
        }
        (None, _) if cost > 0.0 => return format!("the certificate proves nothing; {has}"),
        (None, _) => return "nothing is blank".into(),
        _ if is_below => "less than any release with that k".into(),
        (Some(gap), _) if gap > 0.0 => {
            // Rounded up: it is a promise.
            format!("at most {:.1} % above the fewest", (gap * 1000.0).ceil() / 10.0)
        }
        _ => "none is too many".into(),
    };
    format!("{least}; {has}: {more}")
}

fn setting(text: &str) -> Error {
    Error::Verify(VerifyError::Setting(text.into()))
}
