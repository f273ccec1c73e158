//! The job that makes a release by a policy: every method in its order, judged, and written as a
//! folder.

mod folder;
mod plan;
mod rehearsal;
mod report;
mod settle;
mod steps;

use std::collections::BTreeMap;
use std::path::PathBuf;

use muslin_engine::{Run, Seed};
use muslin_io::{
    Input, Memory, ReadOptions, RowOrder, SafeFolder, Source, WriteFormat, WriteOptions,
};
use muslin_protect::Spread;
use muslin_table::Role;

pub use self::plan::{Candidate, PlanReport};
pub use self::rehearsal::{Rehearsal, RehearsalReport};
pub use self::report::{ChangedColumn, ProtectLoss, ProtectReport};
pub use self::settle::UndecidedColumn;
pub use self::steps::ProtectStep;

pub(crate) use self::settle::{of_column, refusal};
pub(crate) use self::steps::wrong;

use self::settle::Settled;
use self::steps::{Work, ks, unreachable};
use crate::claims::{Claim, SpreadSetting};
use crate::policy::{Policy, ProtectMethod};
use crate::presets::Preset;
use crate::release_folder::wholly_ours;
use crate::verdict::MAX_UNIQUE;
use crate::whole::Whole;
use crate::{Recoding, Result};

/// Makes a release by a policy.
///
/// # Guarantee
/// What the policy asks for holds for the file that is written, by the count of a judge that reads it
/// again; where it does not, or more is lost than the policy allows, nothing is written. The folder
/// appears as a whole or not at all. With a seed the same input and policy make the same bytes, on
/// any number of threads.
///
/// # Cost
/// Reading, what the methods take, writing, and reading both files again for the judge and for what
/// is lost.
///
/// # Example
/// ```
/// use muslin::{Input, Policy, ProtectJob, Run};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// std::fs::write(&file, "age,town\n31,A\n33,A\n52,B\n58,B\n")?;
/// let policy = Policy::parse("muslin.toml", r#"
///     schema = 1
///     [release]
///     k = 2
///     undeclared = "quasi-identifier"
///     accept = ["downcoding"]
///     [protect]
///     methods = ["generalize"]
/// "#)?;
/// let release = folder.path().join("release");
/// let report = ProtectJob::new(Input::named(&file), policy, &release).run(&Run::new())?;
/// assert!(report.verification.met && release.join("data.csv").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProtectJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What the release must meet, and how it is made.
    pub policy: Policy,
    /// The policy as it was written, for its hash.
    pub policy_text: Option<String>,
    /// The folder to write.
    pub output: PathBuf,
    /// Where the release goes instead of the folder, if it is to stay in memory.
    pub memory: Option<Memory>,
    /// The largest share of rows that columns beside the quasi-identifiers may make unique without that
    /// being a finding.
    pub max_unique: f64,
    /// The most that an attack may gain over its baseline without that being a finding.
    pub max_advantage: f64,
    /// Decides every draw, so that the release is reproducible; the operating system does, where
    /// nothing is said.
    pub seed: Option<Seed>,
}

impl ProtectJob {
    /// Makes a release of `input` in the folder `output`.
    pub fn new(input: Input, policy: Policy, output: impl Into<PathBuf>) -> Self {
        Self {
            input,
            read: policy.to_read_options(),
            roles: policy.roles(),
            max_unique: policy.release.max_unique.unwrap_or(MAX_UNIQUE),
            max_advantage: policy.release.max_advantage.unwrap_or(crate::AttackJob::MAX_ADVANTAGE),
            policy,
            policy_text: None,
            output: output.into(),
            memory: None,
            seed: None,
        }
    }

    /// Reads the input, takes the steps, judges, and writes the folder, or leaves the release in memory.
    pub fn run(&self, run: &Run) -> Result<ProtectReport> {
        self.check()?;
        if let Some(memory) = &self.memory {
            let Settled { job, whole, choices } = self.settled(run)?;
            let mut work = job.worked(&whole, run)?;
            work.choices = choices;
            return job.hold(memory, &work, run);
        }
        // Before anything is read: who cannot write need not wait.
        let folder = self.folder()?;
        let Settled { job, whole, choices } = self.settled(run)?;
        let mut work = job.worked(&whole, run)?;
        work.choices = choices;
        job.write(folder, &work, run)
    }

    /// The folder, begun where nothing is lost by it.
    fn folder(&self) -> Result<SafeFolder> {
        let hierarchies = self.policy.hierarchies();
        let of_input = match &self.input {
            Input::Path(path) => Some(path.clone()),
            Input::Stdin | Input::Memory(_) => None,
        };
        let inputs: Vec<PathBuf> = of_input.into_iter().chain(hierarchies.files()).collect();
        Ok(SafeFolder::create(&self.output, &inputs, wholly_ours)?)
    }

    /// Takes the steps, with as large a k as the policy needs.
    fn worked(&self, whole: &Whole, run: &Run) -> Result<Work> {
        self.check_columns(whole)?;
        let risk = self.policy.preset().and_then(|preset| preset.global_risk());
        let ks = ks(&self.policy);
        for &k in &ks {
            let mut work = Work::new(whole.clone());
            self.steps(&mut work, k, self.order(), run)?;
            let is_rare = match risk {
                Some(risk) => work.global_risk(run)? < risk,
                None => true,
            };
            if is_rare && self.has_combinations(&work, run)? {
                return Ok(work);
            }
        }
        Err(unreachable("the methods of the policy do not make what it asks for"))
    }

    fn methods(&self) -> Vec<ProtectMethod> {
        let methods = &self.policy.protect.methods;
        methods.clone().unwrap_or_else(|| vec![ProtectMethod::Generalize])
    }

    fn order(&self) -> RowOrder {
        match (self.policy.release.order.as_deref(), self.seed) {
            (Some("sorted"), _) => RowOrder::Sorted,
            (_, Some(seed)) => RowOrder::Seeded(seed),
            _ => RowOrder::Shuffled,
        }
    }

    /// The format of the data: tabs make a file that is named after them.
    fn format(&self, source: &Source) -> WriteFormat {
        let delimiter = self.policy.release_style().delimiter;
        let delimiter = delimiter.or(source.dialect.as_ref().map(|own| own.delimiter));
        let of_input = if delimiter == Some('\t') { WriteFormat::Tsv } else { WriteFormat::Csv };
        self.policy.format().unwrap_or(of_input)
    }

    /// How the data is written.
    fn write_options(&self, source: &Source) -> WriteOptions {
        let format = Some(self.format(source));
        let csv = self.policy.release_style().of(source);
        WriteOptions { format, csv, ..WriteOptions::default() }
    }

    /// Sensitive columns that the policy spreads.
    fn sensitive(&self) -> Vec<String> {
        self.policy.spreads().into_iter().map(|setting| setting.column).collect()
    }

    /// What is wrong before anything is read.
    fn check(&self) -> Result<()> {
        if self.input == Input::Stdin {
            return Err(wrong(
                "the input is read again to judge the release, which standard input cannot be",
                "name a file",
            ));
        }
        let methods = self.methods();
        let is_bucketed = |method: &ProtectMethod| {
            matches!(method, ProtectMethod::Bucketize | ProtectMethod::Slice)
        };
        let Some((_, others)) = methods.split_last() else {
            return Err(wrong(
                "the policy names no method",
                "write `protect.methods = [\"generalize\"]`",
            ));
        };
        if others.iter().any(is_bucketed) {
            return Err(wrong(
                "buckets and slices are made last, and once",
                "put `bucketize` or `slice` at the end of `protect.methods`",
            ));
        }
        if let Some(preset) = self.policy.preset().filter(|preset| preset.global_risk().is_some())
            && self.policy.release.population.is_none()
        {
            return Err(wrong(
                &format!("the preset `{}` is not decided: {}", preset.name(), Preset::POPULATION),
                "write `release.population = \"table\"` if the table holds every person of the population; otherwise name a preset of a k, such as `release.preset = \"ihsn-5\"`",
            ));
        }
        let is_beyond = |own: &SpreadSetting| !matches!(own.spread, Spread::Probabilistic { .. });
        if methods.iter().any(is_bucketed)
            && !methods.iter().any(|method| makes_classes(*method))
            && let Some(own) = self.policy.spreads().into_iter().find(is_beyond)
        {
            let is_close = matches!(own.spread, Spread::Close { .. });
            let key = if is_close { "closeness" } else { "diversity" };
            return Err(wrong(
                &format!(
                    "`columns.{}.{key}` asks for more than buckets and slices have",
                    own.column
                ),
                "write `diversity = \"3\"` and the like, or `protect.methods = [\"generalize\"]`",
            ));
        }
        for (method, attack, instead) in self.known_attacks() {
            if !self.policy.release.accept.iter().any(|own| own == attack) {
                return Err(wrong(
                    &format!(
                        "the method `{}` is open to the attack `{attack}`, which the policy does not accept",
                        method.name()
                    ),
                    &format!("write `release.accept = [\"{attack}\"]`, or {instead}"),
                ));
            }
        }
        Ok(())
    }

    /// Attacks that the methods are open to, and what is not.
    fn known_attacks(&self) -> Vec<(ProtectMethod, &'static str, &'static str)> {
        let protect = &self.policy.protect;
        let of = |method: ProtectMethod| match method {
            ProtectMethod::Mask => None,
            ProtectMethod::Generalize => {
                let is_local = protect.generalize.levels.is_empty()
                    && protect.generalize.recoding != Some(Recoding::FullDomain);
                is_local.then_some((
                    method,
                    "downcoding",
                    "`protect.generalize.recoding = \"full-domain\"`",
                ))
            }
            ProtectMethod::Suppress => (!protect.suppress.robust).then_some((
                method,
                "disambiguation",
                "`protect.suppress.robust = true`",
            )),
            ProtectMethod::Bucketize | ProtectMethod::Slice => {
                Some((method, "definetti", "use `generalize` with `diversity`"))
            }
        };
        self.methods().into_iter().filter_map(of).collect()
    }

    /// The preset, and where it comes from.
    fn preset_text(&self) -> Option<String> {
        let preset = self.policy.preset()?;
        Some(format!("{}: {} ({})", preset.name(), preset.reading(), preset.source()))
    }

    /// Columns that the policy names are there.
    fn check_columns(&self, whole: &Whole) -> Result<()> {
        if whole.published().is_empty() {
            return Err(unreachable("every column is an identifier: nothing is left to publish"));
        }
        let policy = &self.policy;
        let combined = policy.release.combination.iter().flat_map(|of| &of.columns);
        let slices = policy.protect.slice.slices.iter().flatten().flatten();
        let levels = policy.protect.generalize.levels.keys();
        for name in combined.chain(slices).chain(&policy.utility.keep).chain(levels) {
            whole.table.find(name)?;
        }
        Ok(())
    }

    /// What the policy asks for and what its methods promise, of a table of these columns.
    fn claims(&self, work: &Work) -> Vec<Claim> {
        let methods = self.methods();
        let makes_classes = methods.iter().any(|method| makes_classes(*method));
        let notion = self.policy.protect.suppress.notion.unwrap_or_default();
        let mut claims = Vec::new();
        if let Some(k) =
            self.policy.k().filter(|_| makes_classes || methods == [ProtectMethod::Mask])
        {
            claims.push(if methods.contains(&ProtectMethod::Generalize) {
                Claim::k_anonymity(k, &work.quasi)
            } else {
                Claim::notion(notion, k, &work.quasi)
            });
        }
        for of in &self.policy.release.combination {
            let columns = steps::published(work, &of.columns);
            if !columns.is_empty() {
                claims.push(Claim::k_anonymity(of.k, &columns));
            }
        }
        if let Some(risk) = self.policy.preset().and_then(|preset| preset.global_risk()) {
            claims.push(Claim::below_ratio(risk, &work.quasi));
        }
        if makes_classes || methods == [ProtectMethod::Mask] {
            claims.extend(self.policy.spreads().iter().map(|of| Claim::spread(of, &work.quasi)));
        }
        claims.extend(work.claims.iter().cloned());
        let rows = work.whole.table.rows() as u64;
        // Later steps may publish other columns; the manifest names them.
        claims.into_iter().map(|claim| Claim { published: None, ..claim.of_rows(rows) }).collect()
    }
}

/// Whether a method makes classes that have a k and are diverse.
fn makes_classes(method: ProtectMethod) -> bool {
    matches!(method, ProtectMethod::Generalize | ProtectMethod::Suppress)
}
