//! The methods of a policy, one after the other, on a table in memory.

use std::collections::BTreeMap;

use muslin_assess::{Beta, Measure, Target};
use muslin_engine::{Coverage, Run, Stop};
use muslin_io::{Destination, Input, Release, RowOrder};
use muslin_protect::{BucketMethod, MaskMethod, at_level};
use muslin_table::{Changes, Column, Role};
use muslin_verify::ClassJudge;
use serde::Serialize;

use super::ProtectJob;
use crate::claims::Claim;
use crate::policy::{Policy, ProtectMethod};
use crate::release::{Made, ReleaseOutput};
use crate::slice::SliceSetting;
use crate::spelling::Spelling;
use crate::whole::Whole;
use crate::{
    BucketizeJob, Error, GeneralizeJob, MaskJob, Result, SliceJob, SuppressJob, SuppressNotion,
};

/// Times that combinations are gone over. Blanks only become more, so there is an end to it.
const ROUNDS: usize = 100;

/// What was done to a cell, a row or a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The row of the input; none for a column.
    pub(super) row: Option<u32>,
    pub(super) column: Option<String>,
    pub(super) step: usize,
    pub(super) what: &'static str,
}

/// A step that was taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProtectStep {
    /// The method.
    pub method: String,
    /// The k that it worked with.
    pub k: Option<u32>,
    /// Cells that it withheld.
    pub suppressed_cells: u64,
    /// Rows that it withheld.
    pub removed_rows: u64,
    /// Columns that it withheld.
    pub masked: Vec<String>,
    /// Its own report.
    pub report: serde_json::Value,
}

/// A table on its way.
pub(super) struct Work {
    pub(super) whole: Whole,
    /// The input's row of each row.
    row_of: Vec<u32>,
    pub(super) steps: Vec<ProtectStep>,
    pub(super) entries: Vec<Entry>,
    /// What later steps leave as it is.
    pub(super) claims: Vec<Claim>,
    /// Names of the quasi-identifiers that are still there.
    pub(super) quasi: Vec<String>,
    /// What the steps warn about, each warning once.
    pub(super) warnings: Vec<String>,
    /// What the policy leaves unsaid, and what was chosen.
    pub(super) choices: Vec<String>,
}

impl Work {
    pub(super) fn new(whole: Whole) -> Self {
        let row_of = (0u32..).take(whole.table.rows()).collect();
        let quasi = whole.names(&whole.measured);
        Self {
            whole,
            row_of,
            steps: Vec::new(),
            entries: Vec::new(),
            claims: Vec::new(),
            quasi,
            warnings: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// Takes over what a step made, and what its report warns about.
    fn take<R: Serialize>(
        &mut self,
        method: ProtectMethod,
        k: Option<u32>,
        made: Made<R>,
        warnings: fn(&R) -> &[String],
    ) -> Result<()> {
        let Made { changes, release, report } = made;
        let step = self.steps.len();
        let masked = self.whole.names(changes.masked());
        for name in &masked {
            let column = Some(name.clone());
            self.entries.push(Entry { row: None, column, step, what: "column withheld" });
        }
        let mut cells = 0;
        for id in self.whole.table.all_columns().difference(changes.masked()).iter() {
            let name = self.whole.name(id);
            for row in changes.suppressed(id) {
                let row = Some(self.row_of[row.index()]);
                let column = Some(name.clone());
                self.entries.push(Entry { row, column, step, what: "cell withheld" });
                cells += 1;
            }
            if let Some(replaced) = changes.replaced(id) {
                cells += kept_blanks(replaced, &changes);
                let column = Some(name.clone());
                self.entries.push(Entry { row: None, column, step, what: "column generalized" });
            }
            if changes.sources(id).is_some() {
                let column = Some(name);
                self.entries.push(Entry { row: None, column, step, what: "column rearranged" });
            }
        }
        for row in changes.removed() {
            let row = Some(self.row_of[row.index()]);
            self.entries.push(Entry { row, column: None, step, what: "row withheld" });
        }
        // Whoever writes a policy reads settings as its keys.
        for warning in warnings(&report).iter().map(|text| Spelling::Policy.of(text)) {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self.steps.push(ProtectStep {
            method: method.name().into(),
            k,
            suppressed_cells: cells,
            removed_rows: changes.removed().len() as u64,
            masked,
            report: serde_json::to_value(report).map_err(|_| internal("a report"))?,
        });
        self.follow(&changes);
        self.whole = self.whole.then(release);
        self.quasi.retain(|name| self.whole.table.find(name).is_ok());
        Ok(())
    }

    /// Rows that are withheld are no rows any more.
    fn follow(&mut self, changes: &Changes) {
        let mut removed = changes.removed().iter().map(|row| row.index()).peekable();
        let mut row = 0;
        self.row_of.retain(|_| {
            let is_removed = removed.next_if_eq(&row).is_some();
            row += 1;
            !is_removed
        });
    }

    /// The highest risk of anybody to be found by the quasi-identifiers, and the mean.
    pub(super) fn risks(&self, run: &Run) -> Result<(f64, f64)> {
        let (smallest, share) = self.classes(&self.quasi, run)?;
        Ok((1.0 / f64::from(smallest), share))
    }

    /// Classes on the quasi-identifiers, as a share of the rows.
    pub(super) fn global_risk(&self, run: &Run) -> Result<f64> {
        Ok(self.classes(&self.quasi, run)?.1)
    }

    /// The smallest class on some columns, and classes as a share of the rows.
    fn classes(&self, names: &[String], run: &Run) -> Result<(u32, f64)> {
        let table = &self.whole.table;
        let columns = names.iter().map(|name| table.find(name)).collect::<Result<_, _>>()?;
        let facts = ClassJudge::new(columns).run(table, run)?;
        Ok((facts.smallest().unwrap_or(u32::MAX), facts.distinct_ratio().as_f64()))
    }
}

impl ProtectJob {
    /// Takes every step of the policy with this k; the last one's rows are in `order`.
    pub(super) fn steps(
        &self,
        work: &mut Work,
        k: Option<u32>,
        order: RowOrder,
        run: &Run,
    ) -> Result<()> {
        let methods = self.methods();
        for (at, &method) in methods.iter().enumerate() {
            let is_last = at + 1 == methods.len();
            let output =
                is_last.then(|| ReleaseOutput { order, ..ReleaseOutput::new(Destination::Stdout) });
            self.step(method, work, k, output, run)?;
            if method == ProtectMethod::Suppress {
                self.combinations(work, k, run)?;
            }
        }
        Ok(())
    }

    fn step(
        &self,
        method: ProtectMethod,
        work: &mut Work,
        k: Option<u32>,
        output: Option<ReleaseOutput>,
        run: &Run,
    ) -> Result<()> {
        let policy = &self.policy;
        let roles = roles(work, &self.roles);
        match method {
            ProtectMethod::Mask => {
                let made = MaskJob { roles, output, ..self.mask()? }.on(&work.whole, run)?;
                if !made.report.reached {
                    return Err(unreachable(
                        "no columns can be published together below `protect.mask.beta`",
                    ));
                }
                work.claims.extend(made.report.claims.iter().cloned());
                work.take(method, None, made, |report| &report.warnings)
            }
            ProtectMethod::Generalize if !policy.protect.generalize.levels.is_empty() => {
                let made =
                    self.at_levels(work, output.map_or(RowOrder::AsRead, |o| o.order), run)?;
                work.take(method, None, made, |_| &[])
            }
            ProtectMethod::Generalize => {
                let k = needed(k)?;
                let job = GeneralizeJob { roles, output, ..self.generalize(k) };
                let made = job.on(&mut work.whole, run)?;
                stopped(made.report.coverage)?;
                work.take(method, Some(k), made, |report| &report.warnings)
            }
            ProtectMethod::Suppress => {
                let k = needed(k)?;
                let job = SuppressJob { roles, output, ..self.suppress(k) };
                let made = job.on(&mut work.whole, run)?;
                stopped(made.report.coverage)?;
                work.take(method, Some(k), made, |report| &report.warnings)
            }
            ProtectMethod::Bucketize => {
                let mut job = BucketizeJob::new(Input::Stdin, self.l(policy.protect.bucketize.l)?);
                if policy.protect.bucketize.method.as_deref() == Some("mondrian") {
                    job.method = BucketMethod::Mondrian;
                }
                let made = BucketizeJob { roles, output, ..job }.on(&mut work.whole, run)?;
                work.claims.extend(made.report.claims.iter().cloned());
                work.take(method, None, made, |report| &report.warnings)
            }
            ProtectMethod::Slice => {
                let mut job = SliceJob::new(Input::Stdin, self.l(policy.protect.slice.l)?);
                if let Some(slices) = &policy.protect.slice.slices {
                    job.slices = SliceSetting::Given(slices.clone());
                }
                let made = SliceJob { roles, output, ..job }.on(&mut work.whole, run)?;
                work.claims.extend(made.report.claims.iter().cloned());
                work.take(method, None, made, |report| &report.warnings)
            }
        }
    }

    fn mask(&self) -> Result<MaskJob> {
        let policy = &self.policy.protect.mask;
        let named = policy.measure.as_deref().unwrap_or("distinct");
        let measure = Measure::ALL.into_iter().find(|own| own.name() == named);
        let beta: Option<Beta> = policy.beta.unwrap_or(0.5).to_string().parse().ok();
        let (Some(measure), Some(beta)) = (measure, beta) else {
            return Err(wrong(
                "`protect.mask` names no measure and ratio that are known",
                "write measure = \"distinct\" or \"separation\", and a beta from 0 to 1",
            ));
        };
        let mut job = MaskJob::new(Input::Stdin, Target::new(measure, beta));
        if policy.exact {
            job.method = MaskMethod::Exact;
        }
        job.costs = self.policy.costs();
        Ok(job)
    }

    pub(super) fn generalize(&self, k: u32) -> GeneralizeJob {
        let policy = &self.policy.protect.generalize;
        GeneralizeJob {
            spreads: self.policy.spreads(),
            recoding: policy.recoding.unwrap_or_default(),
            hierarchies: self.policy.hierarchies(),
            suppression_limit: policy.suppression_limit,
            labels: policy.labels,
            max_set: policy.max_set,
            tight: policy.tight,
            grids: policy.grid.clone(),
            ..GeneralizeJob::new(Input::Stdin, k)
        }
    }

    pub(super) fn suppress(&self, k: u32) -> SuppressJob {
        let policy = &self.policy.protect.suppress;
        let is_classes = policy.notion.is_none_or(|own| own == SuppressNotion::KAnonymity);
        SuppressJob {
            diversity: self.diversity().filter(|_| is_classes),
            notion: policy.notion.unwrap_or(SuppressNotion::KAnonymity),
            costs: self.policy.costs(),
            gap: policy.gap.unwrap_or(0.02),
            robust: policy.robust,
            closed: policy.closed,
            ..SuppressJob::new(Input::Stdin, k)
        }
    }

    /// Columns at levels of their hierarchies that the policy names.
    fn at_levels(
        &self,
        work: &Work,
        order: RowOrder,
        run: &Run,
    ) -> Result<Made<BTreeMap<String, u64>>> {
        let (table, levels) = (&work.whole.table, &self.policy.protect.generalize.levels);
        let hierarchies = self.policy.hierarchies();
        work.whole.check_mark()?;
        let mut changes = Changes::none(table);
        for (name, &level) in levels {
            let id = table.find(name)?;
            let column = table.column(id);
            let hierarchy = hierarchies.build(column, run)?;
            let level = usize::try_from(level).unwrap_or(usize::MAX);
            changes.replace(id, at_level(column, &hierarchy, level)?)?;
        }
        work.whole.identifiers.iter().for_each(|id| changes.mask(id));
        let release = Release::new(table, &changes, order)?;
        Ok(Made { changes, release, report: levels.clone() })
    }

    /// Withholds cells until every combination has its k too, and all of them together theirs.
    fn combinations(&self, work: &mut Work, k: Option<u32>, run: &Run) -> Result<()> {
        let mut wanted: Vec<(Vec<String>, u32)> = self
            .policy
            .release
            .combination
            .iter()
            .map(|of| (published(work, &of.columns), of.k))
            .collect();
        if wanted.is_empty()
            || self.policy.protect.suppress.notion.is_some_and(|n| n != SuppressNotion::KAnonymity)
        {
            return Ok(());
        }
        wanted.extend(k.map(|k| (work.quasi.clone(), k)));
        for _ in 0..ROUNDS {
            let mut is_done = true;
            for (columns, k) in &wanted {
                if columns.is_empty() || work.classes(columns, run)?.0 >= *k {
                    continue;
                }
                is_done = false;
                let quasi = columns.iter().map(|name| (name.clone(), Role::QuasiIdentifier));
                let mut roles: BTreeMap<String, Role> = quasi.collect();
                let others = self.roles.iter().filter(|(_, role)| **role != Role::QuasiIdentifier);
                roles.extend(others.map(|(name, role)| (name.clone(), *role)));
                work.whole.look_at(&roles);
                let mut job = SuppressJob { roles, ..self.suppress(*k) };
                // Cells of other columns are not for a combination to take: all together have their k.
                job.closed = false;
                let made = job.on(&mut work.whole, run)?;
                stopped(made.report.coverage)?;
                work.take(ProtectMethod::Suppress, Some(*k), made, |report| &report.warnings)?;
            }
            if is_done {
                let roles = roles(work, &self.roles);
                work.whole.look_at(&roles);
                return Ok(());
            }
        }
        Err(unreachable("combinations undo each other: no table meets all of them"))
    }

    /// A sensitive column, and its l.
    fn diversity(&self) -> Option<(String, u32)> {
        use muslin_protect::Spread;
        self.policy.spreads().into_iter().find_map(|setting| match setting.spread {
            Spread::Probabilistic { l } => Some((setting.column, l)),
            _ => None,
        })
    }

    /// The l of buckets.
    fn l(&self, said: Option<u32>) -> Result<u32> {
        self.policy.l(said).ok_or_else(|| {
            wrong(
                "the policy says no l for buckets",
                "write `protect.bucketize.l = 3`, or `diversity = \"3\"` for the sensitive column",
            )
        })
    }

    /// Whether combinations have their k.
    pub(super) fn has_combinations(&self, work: &Work, run: &Run) -> Result<bool> {
        for of in &self.policy.release.combination {
            let columns = published(work, &of.columns);
            if !columns.is_empty() && work.classes(&columns, run)?.0 < of.k {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Suppressed cells of a column, of the rows that are not removed.
fn kept_blanks(column: &Column, changes: &Changes) -> u64 {
    let mut removed = changes.removed().iter().map(|row| row.index()).peekable();
    let blank = column.suppressed_slot();
    let is_kept = |&(row, slot): &(usize, u32)| {
        let is_removed = removed.next_if_eq(&row).is_some();
        slot == blank && !is_removed
    };
    column.codes().slots().enumerate().filter(is_kept).count() as u64
}

/// Those of some columns that are still there.
pub(super) fn published(work: &Work, columns: &[String]) -> Vec<String> {
    columns.iter().filter(|name| work.whole.table.find(name).is_ok()).cloned().collect()
}

/// Roles of the columns that are still there.
fn roles(work: &Work, roles: &BTreeMap<String, Role>) -> BTreeMap<String, Role> {
    let mut own = roles.clone();
    own.extend(work.quasi.iter().map(|name| (name.clone(), Role::QuasiIdentifier)));
    own.retain(|name, _| work.whole.table.find(name).is_ok());
    own
}

/// The k that a method needs.
fn needed(k: Option<u32>) -> Result<u32> {
    k.ok_or_else(|| wrong("the policy says no k", "write `release.k = 5`, or name a preset"))
}

/// A step that a user ended leaves nothing to write.
fn stopped(coverage: Coverage) -> Result<()> {
    match coverage {
        Coverage::Stopped { by: by @ Stop::Interrupted } => {
            Err(Error::Engine(muslin_engine::Error::Stopped(by)))
        }
        _ => Ok(()),
    }
}

pub(super) fn unreachable(text: &str) -> Error {
    let hint = "ask for less in the policy, or name other methods";
    Error::Protect(muslin_protect::Error::Unreachable(format!("{text}\n  hint: {hint}")))
}

pub(crate) fn wrong(text: &str, hint: &str) -> Error {
    Error::Protect(muslin_protect::Error::Setting(format!("{text}\n  hint: {hint}")))
}

pub(super) fn internal(what: &str) -> Error {
    Error::Protect(muslin_protect::Error::Internal(format!("{what} could not be written")))
}

/// A policy's k's from the smallest to the largest that could be needed.
pub(super) fn ks(policy: &Policy) -> Vec<Option<u32>> {
    const RISING: [u32; 7] = [2, 3, 5, 8, 13, 21, 34];
    let first = policy.k();
    if first.is_none() && policy.preset().is_some_and(|preset| preset.global_risk().is_some()) {
        return RISING.into_iter().map(Some).collect();
    }
    let mut ks: Vec<Option<u32>> = vec![first];
    let mut more: Vec<u32> = policy.release.combination.iter().map(|of| of.k).collect();
    more.sort_unstable();
    more.dedup();
    ks.extend(more.into_iter().filter(|&k| first.is_none_or(|first| k > first)).map(Some));
    ks
}
