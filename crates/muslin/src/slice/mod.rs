//! The job that slices: columns that belong together stay together, and the links between them are
//! cut within buckets of rows.

mod decide;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;

use muslin_engine::{Coverage, Error as EngineError, Run, Stop};
use muslin_io::{Input, ReadOptions, Release, RowOrder};
use muslin_protect::{
    Associations, BUCKET_NAME, Combinations, Error as ProtectError, MatchingBuckets, SliceCheck,
    Weighting,
};
use muslin_table::{ColumnId, ColumnSet, MissingRule, Ratio, Role};
use muslin_verify::{BucketFacts, BucketJudge};

pub use self::report::{
    AssociationsReport, MatchingReport, MembershipReport, SliceLevelReport, SliceLoss, SliceReport,
};

use self::decide::Decided;
use crate::buckets::{
    check_diverse, check_kept, check_missing, feasible, largest_l, order_warnings, sensitive,
    sensitive_warning,
};
use crate::claims::Claim;
use crate::hierarchies::Hierarchies;
use crate::input::{InputReport, names};
use crate::policy::unused_warning;
use crate::release::{Made, ReleaseOutput};
use crate::whole::{Whole, nearly_unique};
use crate::{Error, Result};

/// Which columns stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceSetting {
    /// These, by name. Every published column is in one, the sensitive one in exactly one.
    Given(Vec<Vec<String>>),
    /// By how strongly columns are associated.
    Found {
        /// How many slices; where nothing is said, so many that they have about two columns each.
        count: Option<usize>,
        /// How many columns the sensitive column's slice has, itself among them; two, where nothing
        /// is said, or one where two do not allow the l.
        with_sensitive: Option<usize>,
    },
}

/// Cuts the links between slices of a table, so that nobody's sensitive value is told with a
/// probability above 1/l.
///
/// # Guarantee
/// The release shows in each bucket, slice by slice, the rows it had, and in no bucket has a sensitive
/// value more than one in l of the rows that are alike in its slice, by the count of a judge that
/// shares no code with the search; where it did not, the job would fail and write nothing. With
/// [`SliceCheck::Matches`] and `relaxed`, the latter holds for the average over the buckets that match
/// somebody, which the judge does not count. Identifiers are not published.
///
/// # Cost
/// Reading, then what [`muslin_protect::Slice`] and, unless it is left out,
/// [`muslin_protect::MatchingBuckets`] say.
///
/// # Example
/// ```
/// use muslin::{Input, Run, SliceJob, SliceSetting};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// std::fs::write(&file, "age,disease\n31,flu\n33,gout\n52,gout\n58,flu\n")?;
/// let mut job = SliceJob::new(Input::named(&file), 2);
/// job.sensitive = Some("disease".into());
/// job.slices = SliceSetting::Given(vec![vec!["age".into()], vec!["disease".into()]]);
/// let report = job.run(&Run::new())?;
/// assert_eq!((report.buckets, report.effective_l), (2, Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SliceJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What a missing cell matches; only as a value of its own.
    pub missing: MissingRule,
    /// The diversity: nobody's sensitive value is told with a probability above one in so many.
    pub l: u32,
    /// The sensitive column; where nothing is said, the only one with that role.
    pub sensitive: Option<String>,
    /// Which columns stay together.
    pub slices: SliceSetting,
    /// Whether a bucket is final when the split of its widest column is not accepted.
    pub one_attempt: bool,
    /// Whether rows at a median go to either side, so that buckets may overlap.
    pub relaxed: bool,
    /// What is looked at before a split is accepted.
    pub check: SliceCheck,
    /// Columns that are taken to a level of their hierarchy before the table is cut.
    pub levels: BTreeMap<String, usize>,
    /// Where hierarchies come from.
    pub hierarchies: Hierarchies,
    /// A folder with hierarchies in files named after columns, for those that have none yet.
    pub hierarchy_folder: Option<PathBuf>,
    /// Whether to look at which buckets match which rows, and how well it is told who is in the table;
    /// where nothing is said, up to 100,000 rows.
    pub membership: Option<bool>,
    /// The name of the published column of buckets.
    pub bucket_name: String,
    /// The release to write. Its order is also that of values within buckets: drawn by the operating
    /// system's randomness, unless it is sorted or seeded.
    pub output: Option<ReleaseOutput>,
    /// Keys of a policy that say nothing here; the report names them.
    pub unused_keys: Vec<String>,
}

/// Rows up to which matching buckets are looked at unless somebody says otherwise.
const LOOKED_AT: usize = 100_000;

/// Attacks that are right more often than this tell who is in the table.
const TOLD: f64 = 0.9;

/// What matching buckets tell, or why not.
struct Measured {
    matching: Option<MatchingBuckets>,
    stop: Option<Stop>,
}

impl SliceJob {
    /// Finds slices of `input` and cuts it up, and writes nothing.
    pub fn new(input: Input, l: u32) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            missing: MissingRule::default(),
            l,
            sensitive: None,
            slices: SliceSetting::Found { count: None, with_sensitive: None },
            one_attempt: false,
            relaxed: false,
            check: SliceCheck::default(),
            levels: BTreeMap::new(),
            hierarchies: Hierarchies::new(),
            hierarchy_folder: None,
            membership: None,
            bucket_name: BUCKET_NAME.into(),
            output: None,
            unused_keys: Vec::new(),
        }
    }

    /// Reads the input, cuts it up, checks that, and writes what was asked for.
    pub fn run(&self, run: &Run) -> Result<SliceReport> {
        check_missing(self.missing)?;
        if let Some(output) = &self.output {
            output.check(&self.input)?;
        }
        let mut whole = Whole::of(&self.input, &self.read, &self.roles, false, run)?;
        whole.check_decided(&self.roles)?;
        let Made { release, mut report, .. } = self.on(&mut whole, run)?;
        let is_interrupted = report.coverage == Coverage::Stopped { by: Stop::Interrupted };
        if let Some(output) = self.output.as_ref().filter(|_| !is_interrupted) {
            output.write(&release, &self.input, &whole.source, run)?;
            report.written = output.destination.written();
        }
        Ok(report)
    }

    /// Cuts up a table in memory and checks that.
    pub(crate) fn on(&self, whole: &mut Whole, run: &Run) -> Result<Made<SliceReport>> {
        let sensitive = sensitive(whole, self.sensitive.as_deref(), &self.roles)?;
        let name = whole.name(sensitive);
        whole.leave_sensitive(&self.roles, &[&name]);
        let decided = self.decide(whole, sensitive, run)?;
        let mut changes = decided.found.changes().clone();
        for (id, column) in &decided.generalized {
            changes.replace(*id, column.clone())?;
        }
        // Judged and written whatever limit is over: what it left keeps its promises.
        let counting = run.clone().time_limit(None);
        let order = self.output.as_ref().map_or(RowOrder::AsRead, |output| output.order);
        let release = Release::new(&whole.table, &changes, order)?;
        let facts = self.judge(whole, &name, &decided, &release, &counting)?;
        let measured = self.measure(&decided, sensitive, run)?;
        let report = self.report(whole, sensitive, &decided, &facts, &measured);
        Ok(Made { changes, release, report })
    }

    /// Whether what is promised holds in each bucket by itself.
    fn is_bucketwise(&self) -> bool {
        !self.relaxed || self.check == SliceCheck::Buckets
    }

    /// Counts the buckets of what is published; an error where they are not what was promised.
    fn judge(
        &self,
        whole: &Whole,
        sensitive: &str,
        decided: &Decided,
        release: &Release,
        run: &Run,
    ) -> Result<BucketFacts> {
        let slices = names_of(whole, decided.found.slices());
        let judge = BucketJudge::new(&self.bucket_name, slices).sensitive(sensitive);
        let facts = judge.run(&decided.table, decided.found.bucket_of(), release.table(), run)?;
        check_kept(&facts)?;
        if self.is_bucketwise() {
            check_diverse(&facts, self.l)?;
        } else if decided.found.effective_l() < self.l {
            let claim = format!("an l of {}", self.l);
            return Err(Error::NotHeld { claim, found: decided.found.effective_l().into() });
        }
        Ok(facts)
    }

    /// Looks at which buckets match which rows, unless that is not wanted or a limit is over.
    fn measure(&self, decided: &Decided, sensitive: ColumnId, run: &Run) -> Result<Measured> {
        let rows = decided.table.rows();
        if !self.membership.unwrap_or(rows <= LOOKED_AT) {
            return Ok(Measured { matching: None, stop: None });
        }
        let found = &decided.found;
        run.reporter().stage("looking at matching buckets", None);
        let matching =
            MatchingBuckets::new(&decided.table, found.slices(), sensitive, found.bucket_of(), run);
        run.reporter().finish();
        match matching {
            Ok(matching) => Ok(Measured { matching: Some(matching), stop: None }),
            Err(ProtectError::Engine(EngineError::Stopped(by))) => {
                Ok(Measured { matching: None, stop: Some(by) })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn report(
        &self,
        whole: &Whole,
        sensitive: ColumnId,
        decided: &Decided,
        facts: &BucketFacts,
        measured: &Measured,
    ) -> SliceReport {
        let found = &decided.found;
        let slices = names_of(whole, found.slices());
        let mut others = whole.published();
        others.remove(sensitive);
        let mut published = whole.names(&whole.published());
        published.push(self.bucket_name.clone());
        let matching = measured.matching.as_ref();
        let max_p = matching.map_or(found.max_p(), |of| of.max_p(Weighting::Equal));
        let max_p_bayes = matching.map(|of| of.max_p(Weighting::BySize));
        let histogram = |of: &MatchingBuckets| {
            let one = |&(buckets, rows): &(u32, u64)| MatchingReport { buckets, rows };
            of.histogram().iter().map(one).collect()
        };
        SliceReport {
            schema: 1,
            command: "slice".into(),
            coverage: measured.stop.map_or(found.coverage(), |by| Coverage::Stopped { by }),
            input: InputReport::new(&whole.source),
            rows: whole.table.rows() as u64,
            quasi_identifiers: whole.names(&others),
            sensitive: whole.name(sensitive),
            identifiers_dropped: whole.names(&whole.identifiers),
            generalized: decided.levels.clone(),
            slices_by: match self.slices {
                SliceSetting::Given(_) => "given".into(),
                SliceSetting::Found { .. } => "found".into(),
            },
            associations: decided
                .associations
                .as_ref()
                .map(|found| associations(whole, found, &decided.left_out)),
            bucket: self.bucket_name.clone(),
            l: self.l,
            feasible_l: feasible(found.feasible_l()),
            effective_l: largest_l(max_p_bayes.map_or(max_p, |bayes: Ratio| bayes.max(max_p))),
            buckets: facts.buckets() as u64,
            smallest: facts.smallest(),
            largest: facts.largest(),
            max_p: max_p.as_f64(),
            max_p_bayes: max_p_bayes.map(Ratio::as_f64),
            matching: matching.map(histogram),
            membership: matching.map(membership),
            loss: SliceLoss { rce: facts.rce() },
            claims: vec![
                Claim::sliced(
                    self.l,
                    &whole.name(sensitive),
                    &self.bucket_name,
                    &slices,
                    self.is_bucketwise(),
                )
                .of_rows(whole.table.rows() as u64)
                .of_columns(published),
            ],
            slices,
            row_order: self.output.as_ref().map(|output| output.order_name().into()),
            written: None,
            warnings: self.warnings(whole, sensitive, decided, max_p_bayes, measured),
        }
    }

    /// What to look at before relying on the release.
    fn warnings(
        &self,
        whole: &Whole,
        sensitive: ColumnId,
        decided: &Decided,
        max_p_bayes: Option<Ratio>,
        measured: &Measured,
    ) -> Vec<String> {
        let mut warnings: Vec<String> =
            sensitive_warning(whole, &self.roles, &whole.name(sensitive)).into_iter().collect();
        warnings.extend(within(decided.found.slices()));
        if decided.is_alone {
            warnings.push(format!(
                "the sensitive column is alone in its slice: with the column most associated with it, an l of {} is out of reach",
                self.l
            ));
        }
        if decided.found.slices().len() == 1 {
            warnings.push(
                "there is one slice, so that no link is cut: rows are published as they are".into(),
            );
        }
        if let Some(bayes) = max_p_bayes.filter(|p| largest_l(*p).is_some_and(|l| l < self.l)) {
            warnings.push(format!(
                "where larger buckets are likelier, a sensitive value is told with a probability of {:.3}, above 1/{}: leave `--check matches` out to rule that out",
                bayes.as_f64(),
                self.l
            ));
        }
        if !self.is_bucketwise() {
            warnings.push(
                "buckets overlap and were checked together: that the probability is at most 1/l was counted by the code that searched, not by the judge".into(),
            );
        }
        let matching = measured.matching.as_ref().map(MatchingBuckets::membership);
        let attacks =
            matching.into_iter().flat_map(|of| [of.matching_auc(), of.multiplicity_auc()]);
        if attacks.flatten().any(|auc| auc > TOLD) {
            warnings.push(
                "who is in the table is told nearly always: an attack rates a real row above nearly every fake one".into(),
            );
        }
        if !decided.left_out.is_empty() {
            let all = whole.names(&decided.left_out);
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            warnings.push(format!(
                "too many values to tell what they are associated with: {}",
                names(&all)
            ));
        }
        if measured.stop.is_some() {
            warnings.push(
                "which buckets match which rows was not found out before the limit: pass `--membership no`, or a larger limit".into(),
            );
        }
        let mut others = whole.published();
        others.remove(sensitive);
        warnings.extend(nearly_unique(&decided.table, &others));
        warnings.extend(order_warnings(self.output.as_ref()));
        warnings.extend(unused_warning("slice", &self.unused_keys));
        warnings.extend(whole.warnings.iter().cloned());
        warnings
    }
}

/// Slices that say nothing that another does not.
fn within(slices: &[ColumnSet]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (at, own) in slices.iter().enumerate() {
        let holds = |&(other, slice): &(usize, &ColumnSet)| {
            other != at && own.is_subset(slice) && (own != slice || other < at)
        };
        if let Some((other, slice)) = slices.iter().enumerate().find(holds) {
            let how = if own == slice { "repeats" } else { "lies within" };
            warnings.push(format!(
                "slice {} {how} slice {}, which keeps its columns together already: leave it out of `--slices`",
                at + 1,
                other + 1
            ));
        }
    }
    warnings
}

fn names_of(whole: &Whole, slices: &[ColumnSet]) -> Vec<Vec<String>> {
    slices.iter().map(|slice| whole.names(slice)).collect()
}

fn associations(whole: &Whole, found: &Associations, left_out: &ColumnSet) -> AssociationsReport {
    AssociationsReport {
        columns: found.columns().iter().map(|&id| whole.name(id)).collect(),
        binned: whole.names(found.binned()),
        left_out: whole.names(left_out),
        matrix: found.matrix().map(<[f64]>::to_vec).collect(),
    }
}

fn membership(of: &MatchingBuckets) -> MembershipReport {
    let found = of.membership();
    MembershipReport {
        real: found.real(),
        consistent: found.consistent().number(),
        fakes: found.fakes().number(),
        draws: match found.consistent() {
            Combinations::About { draws, .. } => Some(draws),
            _ => None,
        },
        matching_auc: found.matching_auc(),
        multiplicity_auc: found.multiplicity_auc(),
    }
}
