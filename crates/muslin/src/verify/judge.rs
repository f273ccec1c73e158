//! Claims, one by one, against the release and, where there is one, the original.

use std::collections::HashSet;

use muslin_assess::Beta;
use muslin_engine::{Engine, Run};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};
use muslin_verify::loss::Reading;
use muslin_verify::{ClassFacts, ClassJudge, Condition, Counts, Matching, Outsider, SpreadFacts};

use super::report::VerifyCheck;
use crate::Result;
use crate::claims::Claim;
use crate::input::names;

const NO_RATIO: &str =
    "the claim names no ratio from 0 to 1 with at most 18 decimals, or two different ones";
const UNREAD: &str =
    "the release cannot be compared with the original, which lacks some of its values";

/// Rows that are named at most.
pub(super) const MOST_ROWS: usize = 10;

/// What claims are judged by.
pub(super) struct Bench<'a> {
    /// The release, or its columns alone where an engine counts its rows.
    pub(super) release: &'a EncodedTable,
    pub(super) engine: Option<&'a dyn Engine>,
    pub(super) original: Option<&'a EncodedTable>,
    /// How the cells of the release relate to the original; nothing where labels are nothing of it.
    pub(super) reading: Option<&'a Reading>,
    pub(super) run: &'a Run,
}

/// What became of a claim.
struct Verdict {
    met: bool,
    decided: bool,
    reason: String,
    violations: u64,
    rows: Vec<u32>,
    of_original: bool,
}

impl Verdict {
    fn new(met: bool, reason: String) -> Self {
        Self { met, decided: true, reason, violations: 0, rows: Vec::new(), of_original: false }
    }

    fn undecided(reason: impl Into<String>) -> Self {
        Self { decided: false, ..Self::new(false, reason.into()) }
    }

    fn against(mut self, violations: u64, rows: Vec<u32>) -> Self {
        (self.violations, self.rows) = (violations, rows);
        self
    }

    fn of_original(mut self) -> Self {
        self.of_original = true;
        self
    }
}

impl Bench<'_> {
    /// Judges one claim about columns that the release has; of others it lacks the `withheld` ones.
    pub(super) fn judge(&self, claim: &Claim, withheld: &[String]) -> Result<VerifyCheck> {
        let mut verdict = self.verdict(claim, withheld)?;
        if !withheld.is_empty() {
            let lacking: Vec<&str> = withheld.iter().map(String::as_str).collect();
            verdict.reason = format!("{}; not published: {}", verdict.reason, names(&lacking));
        }
        Ok(VerifyCheck {
            claim: claim.name(),
            met: verdict.met,
            decided: verdict.decided,
            reason: verdict.reason,
            columns: claim.columns.clone(),
            violations: verdict.violations,
            rows: verdict.rows,
            of_original: verdict.of_original,
        })
    }

    fn verdict(&self, claim: &Claim, withheld: &[String]) -> Result<Verdict> {
        let of_release = claim.columns.iter().chain(&claim.sensitive).chain(&claim.bucket);
        let lacking: Vec<&str> = of_release
            .filter(|name| self.release.find(name).is_err())
            .map(String::as_str)
            .collect();
        if !lacking.is_empty() {
            return Ok(Verdict::undecided(format!("the release lacks {}", names(&lacking))));
        }
        if claim.columns.is_empty() && !withheld.is_empty() {
            return Ok(Verdict::new(true, "no column of the claim is published".into()));
        }
        if claim.missing != "category" && !claim.missing.is_empty() {
            return Ok(Verdict::undecided(
                "only a missing cell that is a value of its own is judged",
            ));
        }
        if let Some(engine) = self.engine {
            return self.counted(claim, engine);
        }
        if self.release.rows() == 0 {
            return Ok(Verdict::new(true, "there are no rows".into()));
        }
        match claim.claim.as_str() {
            "k-anonymity" => self.classes(claim, &[], Condition::AtLeast { k: some(claim.k) }),
            "ambiguity" | "1k" | "k1" | "kk" => self.notion(claim),
            "distinct-ratio" | "separation-ratio" => self.ratio(claim),
            "l-diverse-slicing" => self.sliced(claim),
            _ => match condition(claim) {
                Some(condition) => self.spread(claim, condition),
                None => Ok(Verdict::undecided("no such claim is known")),
            },
        }
    }

    /// Judges by counts alone. Which rows are against it is not told.
    fn counted(&self, claim: &Claim, engine: &dyn Engine) -> Result<Verdict> {
        let by = self.columns(&claim.columns)?;
        let sizes = engine.class_sizes(&by, MissingRule::Category)?;
        if sizes.rows() == 0 {
            return Ok(Verdict::new(true, "there are no rows".into()));
        }
        let kind = claim.claim.as_str();
        match kind {
            "k-anonymity" => {
                let k = u64::from(some(claim.k));
                let smallest = sizes.smallest().unwrap_or(0);
                let rows = if smallest == 1 { "row" } else { "rows" };
                let reason = format!("the smallest class has {smallest} {rows}");
                Ok(Verdict::new(smallest >= k, reason).against(sizes.rows_below(k), Vec::new()))
            }
            "distinct-ratio" | "separation-ratio" => {
                let Some(beta) = claim.beta() else {
                    return Ok(Verdict::undecided(NO_RATIO));
                };
                let (ratio, what) = match (kind, sizes.distinct_ratio()) {
                    ("distinct-ratio", Some(ratio)) => (ratio, "classes by rows"),
                    _ => (sizes.separation_ratio(), "row pairs told apart by all pairs"),
                };
                Ok(Verdict::new(ratio <= beta.ratio(), format!("{what}: {}", shown(ratio, beta))))
            }
            "distinct-l-diversity" | "probabilistic-l-diversity" => {
                let (Some(sensitive), Some(l)) = (&claim.sensitive, claim.l) else {
                    return Ok(Verdict::undecided("the claim names no sensitive column, or no l"));
                };
                let found = engine.class_diversity(&by, self.release.find(sensitive)?)?;
                if kind == "distinct-l-diversity" {
                    let fewest = found.fewest_distinct().unwrap_or(0);
                    let reason = format!("the fewest different values of a class are {fewest}");
                    return Ok(Verdict::new(fewest >= u64::from(l), reason));
                }
                let share = found.largest_share().unwrap_or(Ratio::new(1, 1));
                let reason = format!("the largest share of a value is {}", fraction(share));
                Ok(Verdict::new(share <= Ratio::new(1, u128::from(l.max(1))), reason))
            }
            _ => Ok(Verdict::undecided(
                "counts alone do not tell: the release is larger than the memory that may be used",
            )),
        }
    }

    fn columns(&self, columns: &[String]) -> Result<ColumnSet> {
        columns.iter().map(|name| Ok(self.release.find(name)?)).collect()
    }

    fn facts(&self, claim: &Claim, sensitive: &[ColumnId]) -> Result<ClassFacts> {
        let mut judge = ClassJudge::new(self.columns(&claim.columns)?);
        for &id in sensitive {
            judge = judge.sensitive(id, self.original_column(id));
        }
        Ok(judge.run(self.release, self.run)?)
    }

    /// The column of the original that one of the release was made from.
    fn original_column(&self, id: ColumnId) -> Option<&Column> {
        let original = self.original?;
        let found = original.find(self.release.column(id).name()).ok()?;
        Some(original.column(found))
    }

    /// Why the shares of a column cannot be compared with the original's.
    fn incomparable(&self, id: ColumnId) -> Option<String> {
        let (own, original) = (self.release.column(id), self.original_column(id)?);
        let name = names(&[own.name()]);
        if own.data_type() != original.data_type() {
            return Some(format!("{name} was read as another type than in the original"));
        }
        let theirs: HashSet<String> = original.dictionary().texts().into_iter().collect();
        let mut texts = own.dictionary().texts().into_iter();
        let has_other = texts.any(|text| !theirs.contains(&text));
        has_other.then(|| format!("{name} has values that the original lacks"))
    }

    fn classes(
        &self,
        claim: &Claim,
        sensitive: &[ColumnId],
        condition: Condition,
    ) -> Result<Verdict> {
        let is_close = matches!(condition, Condition::Close { .. });
        if let Some(reason) = sensitive.iter().find_map(|&id| self.incomparable(id)) {
            if is_close {
                return Ok(Verdict::undecided(format!(
                    "shares cannot be compared with the original's: {reason}"
                )));
            }
            // Other claims are about the release alone.
            return Bench { original: None, ..*self }.classes(claim, sensitive, condition);
        }
        let facts = self.facts(claim, sensitive)?;
        let met = facts.is_met(condition, 0);
        let mut reason = found(&facts, condition);
        if is_close && self.original_column(sensitive[0]).is_none() {
            reason += if self.original.is_none() {
                ", against the release's own shares, as there is no original"
            } else {
                ", against the release's own shares, as the original lacks the column"
            };
        }
        let verdict = Verdict::new(met, reason);
        Ok(match condition {
            Condition::AtLeast { k } => {
                let small = facts.histogram().range(..k);
                let count =
                    small.map(|(&size, &classes)| u64::from(size) * u64::from(classes)).sum();
                verdict.against(count, facts.small_rows(k, MOST_ROWS))
            }
            // How many rows are in such classes is not counted; here are some of the worst one.
            _ => {
                let rows = facts.violating_rows(condition, 0, MOST_ROWS);
                verdict.against(rows.len() as u64, rows)
            }
        })
    }

    fn spread(&self, claim: &Claim, condition: Condition) -> Result<Verdict> {
        let Some(sensitive) = &claim.sensitive else {
            return Ok(Verdict::undecided("the claim names no sensitive column"));
        };
        let id = self.release.find(sensitive)?;
        self.classes(claim, &[id], condition)
    }

    fn notion(&self, claim: &Claim) -> Result<Verdict> {
        let k = some(claim.k);
        let Some(original) = self.original else {
            return Ok(Verdict::undecided(
                "which values of people fit cannot be checked without the original: pass `--original FILE`",
            ));
        };
        let Some(reading) = self.reading else { return Ok(Verdict::undecided(UNREAD)) };
        let columns: ColumnSet =
            claim.columns.iter().map(|name| original.find(name)).collect::<Result<_, _>>()?;
        let outsider = Outsider::new(columns);
        let seen = outsider.compare(original, self.release, reading, self.run)?;
        let least = |counts: &Counts| counts.smallest().unwrap_or(u32::MAX);
        let (counts, of_original, what) = match claim.claim.as_str() {
            "ambiguity" => match seen.n1() {
                Some(counts) => (counts, false, "rows that agree where both are visible"),
                None => return Ok(Verdict::undecided("it takes too long to count")),
            },
            "1k" => (seen.n2(), true, "published rows that a person fits"),
            "k1" => (seen.n3(), false, "people that a published row fits"),
            _ if least(seen.n2()) < least(seen.n3()) => {
                (seen.n2(), true, "published rows that a person fits")
            }
            _ => (seen.n3(), false, "people that a published row fits"),
        };
        let (count, rows) = (counts.rows_below(k) as u64, counts.below(k, MOST_ROWS));
        let reason = match counts.smallest() {
            Some(smallest) => format!("at least {smallest} {what}"),
            None => "there are no rows".into(),
        };
        let verdict = Verdict::new(count == 0, reason).against(count, rows);
        Ok(if of_original { verdict.of_original() } else { verdict })
    }

    fn ratio(&self, claim: &Claim) -> Result<Verdict> {
        let Some(beta) = claim.beta() else {
            return Ok(Verdict::undecided(NO_RATIO));
        };
        let facts = self.facts(claim, &[])?;
        let (ratio, what) = match claim.claim.as_str() {
            "distinct-ratio" => (facts.distinct_ratio(), "classes by rows"),
            _ => (facts.separation_ratio(), "row pairs told apart by all pairs"),
        };
        let met = facts.rows() == 0 || ratio <= beta.ratio();
        let found = format!("{what}: {}", shown(ratio, beta));
        Ok(Verdict::new(met, found))
    }

    fn sliced(&self, claim: &Claim) -> Result<Verdict> {
        let l = some(claim.l).max(1);
        let (Some(sensitive), Some(bucket), Some(slices)) =
            (&claim.sensitive, &claim.bucket, &claim.slices)
        else {
            return Ok(Verdict::undecided(
                "the claim names no sensitive column, no buckets or no slices",
            ));
        };
        let both = self.original.zip(self.reading);
        if let Some((original, reading)) = both.filter(|(_, own)| own.has_buckets()) {
            let matching = Matching::new(original.find(sensitive)?);
            let facts = matching.run(original, self.release, reading, self.run)?;
            if facts.is_exact() {
                let (count, rows) = facts.exceeding(l);
                let max = facts.max_p();
                let reason = format!("the largest probability is {}", fraction(max));
                return Ok(Verdict::new(count == 0, reason).against(count, rows).of_original());
            }
        }
        // Where each bucket that matches somebody tells a value with at most 1/l, so do all together.
        let own = slices.iter().find(|slice| slice.contains(sensitive)).map(Vec::as_slice);
        let known = own.unwrap_or_default().iter().filter(|name| *name != sensitive);
        let columns = [bucket].into_iter().chain(known).cloned().collect();
        let local = Claim { columns, ..claim.clone() };
        let verdict = self.spread(&local, Condition::Probabilistic { l })?;
        if verdict.met {
            let reason = format!("{}, bucket by bucket", verdict.reason);
            return Ok(Verdict { reason, ..verdict });
        }
        let without = if self.original.is_some() && self.reading.is_none() {
            UNREAD
        } else {
            "what several buckets show together needs the original: pass `--original FILE`"
        };
        let reason = format!("{} in a bucket; {without}", verdict.reason);
        Ok(Verdict { decided: both.is_some(), reason, ..verdict })
    }
}

/// A number that a claim must have; one that nothing meets where it has none.
fn some(number: Option<u32>) -> u32 {
    number.unwrap_or(u32::MAX)
}

/// The condition of a claim about a sensitive column.
fn condition(claim: &Claim) -> Option<Condition> {
    Some(match claim.claim.as_str() {
        "distinct-l-diversity" => Condition::Distinct { l: claim.l? },
        "probabilistic-l-diversity" => Condition::Probabilistic { l: claim.l? },
        "entropy-l-diversity" => Condition::Entropy { l: claim.l? },
        "recursive-l-diversity" => {
            Condition::Recursive { c_millionths: to_millionths(claim.c?), l: claim.l? }
        }
        "t-closeness" => Condition::Close { t_millionths: to_millionths(claim.t?), ordered: false },
        "ordered-t-closeness" => {
            Condition::Close { t_millionths: to_millionths(claim.t?), ordered: true }
        }
        _ => return None,
    })
}

/// What the worst class is like.
fn found(facts: &ClassFacts, condition: Condition) -> String {
    let spread = facts.spreads().first();
    let figure = |of: Option<String>| of.unwrap_or_else(|| "-".into());
    match condition {
        Condition::Distinct { .. } => format!(
            "the fewest different values of a class are {}",
            figure(spread.and_then(SpreadFacts::fewest_distinct).map(|n| n.to_string()))
        ),
        Condition::Probabilistic { .. } => format!(
            "the largest share of a value is {}",
            figure(spread.and_then(SpreadFacts::largest_share).map(fraction))
        ),
        Condition::Entropy { .. } => format!(
            "the least entropy is that of {} equally frequent values",
            figure(spread.and_then(SpreadFacts::least_entropy_values).map(|n| format!("{n:.3}")))
        ),
        Condition::Close { ordered, .. } => {
            let far = |own: &SpreadFacts| {
                if ordered { own.farthest_ordered() } else { own.farthest_equal() }
            };
            let far = spread.and_then(far).map(|far| format!("{:.4}", far.as_f64()));
            format!("the farthest class is at a distance of {}", figure(far))
        }
        _ => format!(
            "the smallest class has {} {}",
            facts.smallest().unwrap_or(0),
            if facts.smallest() == Some(1) { "row" } else { "rows" }
        ),
    }
}

fn fraction(ratio: Ratio) -> String {
    format!("{:.4}", ratio.as_f64())
}

/// A ratio with as many digits as tell it from a threshold.
fn shown(ratio: Ratio, beta: Beta) -> String {
    let is_allowed = ratio <= beta.ratio();
    let digits = (4..18).find(|&digits| {
        let text = format!("{:.digits$}", ratio.as_f64());
        text.parse::<Beta>().is_ok_and(|shown| (shown.ratio() <= beta.ratio()) == is_allowed)
    });
    format!("{:.*}", digits.unwrap_or(18), ratio.as_f64())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "claims are of millionths, and not negative"
)]
pub(super) fn to_millionths(number: f64) -> u64 {
    (number.max(0.0) * 1e6).round() as u64
}
