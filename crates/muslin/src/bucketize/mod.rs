//! The job that bucketizes: rows go into buckets, and sensitive values change places within them.

mod report;
mod tables;

use std::collections::BTreeMap;

use muslin_engine::{Coverage, Run, Stop};
use muslin_io::{Input, ReadOptions, Release, RowOrder};
use muslin_protect::{BUCKET_NAME, BucketMethod, Bucketize, Bucketized};
use muslin_table::{ColumnId, MissingRule, Role};
use muslin_verify::{BucketFacts, BucketJudge};

pub use self::report::{BucketizeLoss, BucketizeReport};

use crate::Result;
use crate::buckets::{
    check_diverse, check_kept, check_missing, feasible, largest_l, order, order_warnings,
    sensitive, sensitive_warning, setting,
};
use crate::claims::Claim;
use crate::input::InputReport;
use crate::policy::unused_warning;
use crate::release::{Made, ReleaseOutput};
use crate::whole::{Whole, nearly_unique};

/// Puts rows into buckets in which no sensitive value is that of more than one in l rows.
///
/// # Guarantee
/// What the report claims holds for the release, by the count of a judge that shares no code with the
/// search; where it did not, the job would fail and write nothing. Every bucket publishes the rows it
/// had, but for who of them has which sensitive value. All other columns are published as they are,
/// so that it is told who is in the table; identifiers are not published.
///
/// # Cost
/// Reading, then what [`muslin_protect::Bucketize`] says, and the sorting of the rows.
///
/// # Example
/// ```
/// use muslin::{BucketizeJob, Input, Run};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// std::fs::write(&file, "age,disease\n31,flu\n33,gout\n52,gout\n58,flu\n")?;
/// let mut job = BucketizeJob::new(Input::named(&file), 2);
/// job.sensitive = Some("disease".into());
/// let report = job.run(&Run::new())?;
/// assert_eq!((report.buckets, report.effective_l), (2, Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BucketizeJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What a missing cell matches; only as a value of its own.
    pub missing: MissingRule,
    /// The diversity: no sensitive value is that of more than one in so many rows of a bucket.
    pub l: u32,
    /// The sensitive column; where nothing is said, the only one with that role.
    pub sensitive: Option<String>,
    /// How buckets are made.
    pub method: BucketMethod,
    /// The name of the published column of buckets.
    pub bucket_name: String,
    /// The release to write. Its order is also that of the sensitive values within buckets: drawn by the
    /// operating system's randomness, unless it is sorted or seeded.
    pub output: Option<ReleaseOutput>,
    /// Where a table of the sensitive values of each bucket goes, in order; the release then does
    /// without the sensitive column.
    pub sensitive_output: Option<ReleaseOutput>,
    /// Keys of a policy that say nothing here; the report names them.
    pub unused_keys: Vec<String>,
}

impl BucketizeJob {
    /// Puts the rows of `input` into buckets by Anatomy, and writes nothing.
    pub fn new(input: Input, l: u32) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            missing: MissingRule::default(),
            l,
            sensitive: None,
            method: BucketMethod::default(),
            bucket_name: BUCKET_NAME.into(),
            output: None,
            sensitive_output: None,
            unused_keys: Vec::new(),
        }
    }

    /// Reads the input, puts its rows into buckets, checks that, and writes what was asked for.
    pub fn run(&self, run: &Run) -> Result<BucketizeReport> {
        self.check()?;
        let mut whole = Whole::of(&self.input, &self.read, &self.roles, false, run)?;
        whole.check_decided(&self.roles)?;
        let (Made { release, mut report, .. }, counts) = self.both(&mut whole, run)?;
        let is_interrupted = report.coverage == Coverage::Stopped { by: Stop::Interrupted };
        if let Some(output) = self.output.as_ref().filter(|_| !is_interrupted) {
            let mut outputs = vec![(output, &release)];
            outputs.extend(self.sensitive_output.as_ref().zip(counts.as_ref()));
            ReleaseOutput::write_together(&outputs, &self.input, &whole.source, run)?;
            let mut names = outputs.iter().map(|(output, _)| output.destination.written());
            (report.written, report.sensitive_written) =
                (names.next().flatten(), names.next().flatten());
        }
        Ok(report)
    }

    /// Puts the rows of a table in memory into buckets and checks that.
    pub(crate) fn on(&self, whole: &mut Whole, run: &Run) -> Result<Made<BucketizeReport>> {
        Ok(self.both(whole, run)?.0)
    }

    /// The release, and the table of sensitive values where one is asked for.
    fn both(
        &self,
        whole: &mut Whole,
        run: &Run,
    ) -> Result<(Made<BucketizeReport>, Option<Release>)> {
        let sensitive = sensitive(whole, self.sensitive.as_deref(), &self.roles)?;
        let name = whole.name(sensitive);
        whole.leave_sensitive(&self.roles, &[&name]);
        let found = Bucketize::new(self.l, sensitive)
            .method(self.method)
            .masked(whole.identifiers.clone())
            .order(order(self.output.as_ref())?)
            .bucket_name(&self.bucket_name)
            .run(&whole.table, run)?;
        let mut changes = found.changes().clone();
        let counts = self.sensitive_output.is_some().then(|| {
            changes.mask(sensitive);
            tables::sensitive_table(whole.table.column(sensitive), &found, &self.bucket_name)
        });
        // Judged and written whatever limit is over: what it left keeps its promises.
        let counting = run.clone().time_limit(None);
        let order = self.output.as_ref().map_or(RowOrder::AsRead, |output| output.order);
        let release = Release::new(&whole.table, &changes, order)?;
        let counts = counts.transpose()?;
        let facts = self.judge(whole, &name, &found, (&release, counts.as_ref()), &counting)?;
        let report = self.report(whole, sensitive, &found, &facts);
        Ok((Made { changes, release, report }, counts))
    }

    /// Before anything is read: who cannot write need not wait.
    fn check(&self) -> Result<()> {
        check_missing(self.missing)?;
        ReleaseOutput::check_all(self.output.iter().chain(&self.sensitive_output), &self.input)?;
        if self.output.is_none() && self.sensitive_output.is_some() {
            return Err(setting(
                "a table of the sensitive values needs one of the others beside it\n  hint: pass `-o FILE` too",
            ));
        }
        Ok(())
    }

    /// Counts the buckets of what is published; an error where they are not what was promised.
    fn judge(
        &self,
        whole: &Whole,
        sensitive: &str,
        found: &Bucketized,
        (release, counts): (&Release, Option<&Release>),
        run: &Run,
    ) -> Result<BucketFacts> {
        let others = others(whole, sensitive);
        let own = vec![vec![sensitive.to_owned()]];
        let judged = |slices: Vec<Vec<String>>| BucketJudge::new(&self.bucket_name, slices);
        let of = (&whole.table, found.bucket_of());
        let facts = match counts {
            None => {
                let slices = [others].into_iter().filter(|own| !own.is_empty()).chain(own);
                let judge = judged(slices.collect()).sensitive(sensitive);
                judge.run(of.0, of.1, release.table(), run)?
            }
            Some(counts) => {
                let slices = vec![others].into_iter().filter(|own| !own.is_empty());
                let facts = judged(slices.collect()).run(of.0, of.1, release.table(), run)?;
                check_kept(&facts)?;
                // As many rows as each value is said to have.
                let rows = tables::expanded(counts.table())?;
                judged(own).sensitive(sensitive).run(of.0, of.1, &rows, run)?
            }
        };
        check_kept(&facts)?;
        check_diverse(&facts, self.l)?;
        Ok(facts)
    }

    fn report(
        &self,
        whole: &Whole,
        sensitive: ColumnId,
        found: &Bucketized,
        facts: &BucketFacts,
    ) -> BucketizeReport {
        let mut unmeasured = whole.unmeasured();
        unmeasured.remove(sensitive);
        let name = whole.name(sensitive);
        let others = others(whole, &name);
        let mut published = whole.names(&whole.published());
        published.push(self.bucket_name.clone());
        BucketizeReport {
            schema: 1,
            command: "bucketize".into(),
            coverage: found.coverage(),
            input: InputReport::new(&whole.source),
            rows: whole.table.rows() as u64,
            quasi_identifiers: whole.names(&whole.measured),
            unmeasured: whole.names(&unmeasured),
            sensitive: name.clone(),
            identifiers_dropped: whole.names(&whole.identifiers),
            method: method_name(self.method).into(),
            bucket: self.bucket_name.clone(),
            l: self.l,
            feasible_l: feasible(found.feasible_l()),
            effective_l: largest_l(facts.max_p()),
            buckets: facts.buckets() as u64,
            smallest: facts.smallest(),
            largest: facts.largest(),
            max_p: facts.max_p().as_f64(),
            loss: BucketizeLoss { rce: found.rce(), rce_bound: found.rce_bound().as_f64() },
            claims: vec![
                Claim::bucketized(self.l, &name, &self.bucket_name, &others)
                    .of_rows(whole.table.rows() as u64)
                    .of_columns(published),
            ],
            row_order: self.output.as_ref().map(|output| output.order_name().into()),
            written: None,
            sensitive_written: None,
            warnings: self.warnings(whole, sensitive),
        }
    }

    /// What to look at before relying on the release.
    fn warnings(&self, whole: &Whole, sensitive: ColumnId) -> Vec<String> {
        let mut warnings: Vec<String> =
            sensitive_warning(whole, &self.roles, &whole.name(sensitive)).into_iter().collect();
        let is_sorted = self.output.as_ref().is_some_and(|output| output.order == RowOrder::Sorted);
        if is_sorted && self.method == BucketMethod::Anatomy {
            warnings.push(
                "buckets are chosen by the seed, so that the release is reproducible: who guesses it and knows the input's order may narrow values down; `--row-order shuffled` draws them for good".into(),
            );
        }
        let mut others = whole.published();
        others.remove(sensitive);
        warnings.extend(nearly_unique(&whole.table, &others));
        warnings.extend(order_warnings(self.output.as_ref()));
        warnings.extend(unused_warning("bucketize", &self.unused_keys));
        warnings.extend(whole.warnings.iter().cloned());
        warnings
    }
}

/// Published columns but the sensitive one.
fn others(whole: &Whole, sensitive: &str) -> Vec<String> {
    let mut names = whole.names(&whole.published());
    names.retain(|name| name != sensitive);
    names
}

/// A method's name, as flags spell it.
fn method_name(method: BucketMethod) -> &'static str {
    match method {
        BucketMethod::Mondrian => "mondrian",
        _ => "anatomy",
    }
}
