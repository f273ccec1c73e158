//! The job that attacks a release.

mod attempts;
mod report;
mod scene;

use std::collections::BTreeMap;
use std::path::PathBuf;

use muslin_engine::Run;
use muslin_io::{Format, Input, ReadOptions, ReadTable};
use muslin_table::{EncodedTable, Role};

pub use self::report::{AttackReport, AttackResult, AttackedColumnReport, SkippedAttack};

use self::attempts::{Attempts, Tried};
use self::scene::{Known, Scene};
use crate::claims::Claim;
use crate::hierarchies::Hierarchies;
use crate::input::{InputReport, warnings};
use crate::label_format::{self, LabelFormat};
use crate::pair::{Pair, PairSettings, joined, read_alike, unnamed, with_token};
use crate::published::{self, Folder, data_of, release_read, with_null};
use crate::suppressed_cells::with_suppressed;
use crate::{Error, Result, SuppressNotion};

/// Attacks a release as an attacker would, and reports what each attack infers.
///
/// # Guarantee
/// Attacks know the release and what the job says they know. The original, where it is there, judges their
/// guesses; only the guess at seeds looks at it. Each success stands beside its baseline and its 95 % interval.
/// An attack without success proves nothing: others are possible.
///
/// # Cost
/// Reading, and what the attacks of [`muslin_attack`] say; one that would take too long is skipped.
///
/// # Example
/// ```
/// use muslin::{AttackJob, Input, Run};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("release.csv");
/// std::fs::write(&file, "age,town,illness\n30,A,flu\n30,A,flu\n50,B,flu\n50,B,gout\n")?;
/// let mut job = AttackJob::new(Input::named(&file));
/// job.sensitive = Some("illness".into());
/// let report = job.run(&Run::new())?;
/// // Every person of 30 has the flu.
/// let found = report.attacks.iter().find(|own| own.name == "homogeneity").unwrap();
/// assert_eq!((report.met, found.certain), (false, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AttackJob {
    /// The release: a file, or the folder that `muslin protect` wrote, whose claims then fill in what
    /// the job does not say.
    pub release: Input,
    /// The table that it was made from, which judges guesses.
    pub original: Option<Input>,
    /// How to read the release.
    pub read: ReadOptions,
    /// How to read the original; with the release's spellings of missing, where nothing is said.
    pub original_read: Option<ReadOptions>,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// The columns that an attacker may know; where nothing is said, those with that role, or all that are
    /// nothing else.
    pub quasi_identifiers: Option<Vec<String>>,
    /// The column that the attacker wants to infer; all with that role, where nothing is said.
    pub sensitive: Option<String>,
    /// The column of the release that numbers buckets.
    pub bucket: Option<String>,
    /// Columns whose cells stayed together in buckets.
    pub slices: Option<Vec<Vec<String>>>,
    /// The table of the sensitive values of each bucket, where the release has two tables.
    pub sensitive_table: Option<Input>,
    /// Cells of the release that are suppressed, besides `*`.
    pub token: Option<String>,
    /// The k that the release was made for.
    pub k: Option<u32>,
    /// What the release was made for; classes of equal rows, unless its claims say otherwise.
    pub notion: Option<SuppressNotion>,
    /// A file of people, to be looked up in the release.
    pub aux: Option<Input>,
    /// The columns to look people up by; quasi-identifiers that all tables have, where nothing is said.
    pub on: Vec<String>,
    /// The column that says who is who, for the judge alone: of the original and the release, or of the
    /// original and the file of people.
    pub id: Option<String>,
    /// Another release of the same people.
    pub previous: Option<Input>,
    /// How many seeds are guessed.
    pub seeds: u64,
    /// Hierarchies whose labels the release may have.
    pub hierarchies: Hierarchies,
    /// A folder with hierarchies in files named after columns.
    pub hierarchy_folder: Option<PathBuf>,
    /// Forms of labels that are none of muslin's.
    pub label_formats: Vec<LabelFormat>,
    /// The attacks to try; all, where nothing is said.
    pub only: Option<Vec<String>>,
    /// The most that an attack may gain over what one gets without it.
    pub max_advantage: f64,
}

/// Where a release is, and how it is read.
#[derive(Clone, Copy)]
struct ReleaseSource<'a> {
    data: &'a Input,
    /// The table that says which of its cells are suppressed, where its format does not show it.
    suppressed: Option<&'a Input>,
    read: &'a ReadOptions,
}

/// A release that was read for something else.
pub(crate) struct Held {
    pub(crate) release: EncodedTable,
    /// The release with its original, where that was read.
    pub(crate) pair: Option<Pair>,
    pub(crate) report: InputReport,
    /// Whether suppressed cells are told from missing ones.
    pub(crate) is_marked: bool,
}

/// What is read.
struct Tables {
    /// The release, where there is no original.
    alone: Option<EncodedTable>,
    pair: Option<Pair>,
    report: InputReport,
    /// Whether suppressed cells of the release do not look like missing ones.
    is_marked: bool,
    aux: Option<EncodedTable>,
    previous: Option<EncodedTable>,
    warnings: Vec<String>,
}

impl Tables {
    fn release(&self) -> &EncodedTable {
        let of_pair = self.pair.as_ref().map(|pair| &pair.release);
        self.alone.as_ref().or(of_pair).expect("one of both was read")
    }
}

impl AttackJob {
    /// The most that an attack may gain over its baseline, unless something else is accepted.
    pub const MAX_ADVANTAGE: f64 = 0.05;

    /// Every attack, in the order in which they are tried.
    pub const NAMES: [&'static str; 11] = [
        "disambiguation",
        "row-order",
        "dependencies",
        "within-groups",
        "homogeneity",
        "skewness",
        "definetti",
        "membership",
        "linkage",
        "composition",
        "seed",
    ];

    /// Attacks `release` by all means that need nothing else.
    pub fn new(release: Input) -> Self {
        Self {
            release,
            original: None,
            read: ReadOptions::default(),
            original_read: None,
            roles: BTreeMap::new(),
            quasi_identifiers: None,
            sensitive: None,
            bucket: None,
            slices: None,
            sensitive_table: None,
            token: None,
            k: None,
            notion: None,
            aux: None,
            on: Vec::new(),
            id: None,
            previous: None,
            seeds: 1_000,
            hierarchies: Hierarchies::new(),
            hierarchy_folder: None,
            label_formats: Vec::new(),
            only: None,
            max_advantage: Self::MAX_ADVANTAGE,
        }
    }

    /// Reads the tables, and attacks.
    pub fn run(&self, run: &Run) -> Result<AttackReport> {
        self.check()?;
        let (data, folder) = data_of(&self.release)?;
        let release_read = release_read(&self.read, folder.as_ref());
        let claims = folder.as_ref().map(|folder| folder.manifest.claims.clone());
        let known = Known::of(self, &claims.unwrap_or_default());
        let tables = self.read(&data, &release_read, folder.as_ref(), &known, run)?;
        self.report(&known, &tables, run)
    }

    /// Attacks a release that was read, and its original where that was.
    pub(crate) fn on(&self, held: Held, claims: &[Claim], run: &Run) -> Result<AttackReport> {
        self.check()?;
        let Held { release, pair, report, is_marked } = held;
        let alone = Some(release).filter(|_| pair.is_none());
        let (aux, previous, warnings) = (None, None, Vec::new());
        let tables = Tables { alone, pair, report, is_marked, aux, previous, warnings };
        self.report(&Known::of(self, claims), &tables, run)
    }

    fn report(&self, known: &Known, tables: &Tables, run: &Run) -> Result<AttackReport> {
        let mut told = Vec::new();
        run.reporter().stage("attacking", None);
        let tried = self.attack(known, tables, &mut told, run);
        run.reporter().finish();
        let Found { attacks, skipped, quasi_identifiers, wanted } = tried?;
        let original = tables.pair.as_ref().map(|pair| &pair.whole);
        told.extend(tables.warnings.iter().cloned());
        Ok(AttackReport {
            schema: 1,
            command: "attack".into(),
            met: !attacks.is_empty() && !attacks.iter().any(|own| own.finding),
            max_advantage: self.max_advantage,
            rows: tables.release().rows() as u64,
            columns: tables.release().columns().len() as u64,
            release: tables.report.clone(),
            original: original.map(|whole| InputReport::new(&whole.source)),
            original_rows: original.map(|whole| whole.table.rows() as u64),
            original_columns: original.map(|whole| whole.table.columns().len() as u64),
            quasi_identifiers,
            sensitive: wanted,
            worst: report::worst(&attacks),
            attacks,
            skipped,
            warnings: told,
        })
    }

    fn check(&self) -> Result<()> {
        let inputs = [Some(&self.release), self.original.as_ref(), self.aux.as_ref()];
        let others = [self.previous.as_ref(), self.sensitive_table.as_ref()];
        let inputs = inputs.into_iter().chain(others).flatten();
        if inputs.filter(|input| **input == Input::Stdin).count() > 1 {
            return Err(wrong(
                "only one table can come from standard input\n  hint: name files for the others",
            ));
        }
        if self.k.is_some_and(|k| k < 2) {
            return Err(wrong("`k` must be at least 2\n  hint: pass the `-k` of the release"));
        }
        if !(0.0..=1.0).contains(&self.max_advantage) {
            return Err(wrong(
                "`--max-advantage` must be a share between 0 and 1\n  hint: pass `--max-advantage 0.05`",
            ));
        }
        let mut named = self.only.iter().flatten();
        if named.any(|name| !Self::NAMES.contains(&name.as_str())) {
            return Err(wrong(&format!(
                "an attack is named that does not exist\n  hint: the attacks are {}",
                Self::NAMES.join(", ")
            )));
        }
        Ok(())
    }

    fn read(
        &self,
        data: &Input,
        release_read: &ReadOptions,
        folder: Option<&Folder>,
        known: &Known,
        run: &Run,
    ) -> Result<Tables> {
        let suppressed = folder.and_then(Folder::suppressed);
        let release = ReleaseSource { data, suppressed: suppressed.as_ref(), read: release_read };
        let mut tables = match &self.original {
            Some(original) => {
                let read = self.original_read.clone().unwrap_or_else(|| ReadOptions {
                    null: self.read.null.clone(),
                    ..ReadOptions::default()
                });
                let read = with_null(read, folder);
                self.read_pair(release, (original, &read), known, run)?
            }
            None => self.read_alone(release, known, run)?,
        };
        let original = tables.pair.as_ref().map(|pair| &pair.whole.table);
        let source = tables.pair.as_ref().map(|pair| &pair.whole.source);
        let of = original.unwrap_or(tables.release());
        let found = ReadOptions { null: self.read.null.clone(), ..ReadOptions::default() };
        let other = |input: &Input, folder: Option<&Folder>| {
            let read = published::release_read(&found, folder);
            Ok::<_, Error>(read_alike(input, &read, of, source, run)?.table)
        };
        // Columns of a release are text where they have labels, though their values are numbers. So people are read by
        // their own types, unless the original says otherwise.
        let people = |input: &Input| match original {
            Some(_) => other(input, None),
            None => {
                let read = published::release_read(&found, None);
                Ok(muslin_io::read(input, &read, run)?.table)
            }
        };
        let aux = self.aux.as_ref().map(people).transpose()?;
        let previous = self.previous.as_ref().map(|previous| {
            let (data, folder) = data_of(previous)?;
            let suppressed = folder.as_ref().and_then(Folder::suppressed);
            let table = other(&data, folder.as_ref())?;
            let table = with_suppressed(table, suppressed.as_ref(), run)?;
            let table = with_token(table, self.token.as_deref())?;
            label_format::spelled(table, &self.label_formats, Some(of))
        });
        let previous = previous.transpose()?;
        (tables.aux, tables.previous) = (aux, previous);
        Ok(tables)
    }

    fn read_pair(
        &self,
        release: ReleaseSource<'_>,
        (original, read): (&Input, &ReadOptions),
        known: &Known,
        run: &Run,
    ) -> Result<Tables> {
        let mut pair = Pair::of(
            &PairSettings {
                original,
                release: release.data,
                suppressed: release.suppressed,
                read,
                release_read: release.read,
                roles: &self.roles,
                sensitive: known.sensitive.first().map(String::as_str),
                hierarchies: &self.hierarchies,
                hierarchy_folder: self.hierarchy_folder.as_deref(),
                bucket: known.bucket.as_deref(),
                slices: known.slices.as_deref(),
                sensitive_table: self.sensitive_table.as_ref(),
                token: self.token.as_deref(),
                label_formats: &self.label_formats,
            },
            run,
        )?;
        let warnings = std::mem::take(&mut pair.warnings);
        let report = InputReport::new(&pair.release_source);
        let is_marked = pair.release_source.format == Format::Csv || release.suppressed.is_some();
        let (alone, aux, previous) = (None, None, None);
        Ok(Tables { alone, pair: Some(pair), report, is_marked, aux, previous, warnings })
    }

    fn read_alone(&self, release: ReleaseSource<'_>, known: &Known, run: &Run) -> Result<Tables> {
        let ReadTable { table, source } = muslin_io::read(release.data, release.read, run)?;
        let (suppressed, read) = (release.suppressed, release.read);
        let warnings = warnings(&table, &source, read);
        let table = with_suppressed(table, suppressed, run)?;
        label_format::check(&table, &self.label_formats)?;
        let release = with_token(table, self.token.as_deref())?;
        let mut release = label_format::spelled(release, &self.label_formats, None)?;
        if let Some(input) = &self.sensitive_table {
            let sensitive = known.sensitive.first().ok_or_else(unnamed)?;
            let counts = read_alike(input, read, &release, None, run)?.table;
            release = joined(release, &counts, known.bucket.as_deref(), sensitive)?;
        }
        let alone = Some(release);
        let report = InputReport::new(&source);
        let is_marked = source.format == Format::Csv || suppressed.is_some();
        Ok(Tables { alone, pair: None, report, is_marked, aux: None, previous: None, warnings })
    }

    fn attack(
        &self,
        known: &Known,
        tables: &Tables,
        told: &mut Vec<String>,
        run: &Run,
    ) -> Result<Found> {
        let scene = Scene::new(self, known, tables, told, run)?;
        let attempts = Attempts { job: self, tables, scene: &scene, run };
        let is_asked = |name: &&&str| {
            self.only.as_ref().is_none_or(|only| only.iter().any(|own| own == **name))
        };
        let (mut attacks, mut skipped) = (Vec::new(), Vec::new());
        for name in Self::NAMES.iter().filter(is_asked) {
            for (sensitive, tried) in attempts.attempt(name)? {
                let aim = sensitive.map(|id| scene.name(id));
                match tried {
                    Tried::Ran(attack) => {
                        attacks.push(AttackResult::new(
                            &attack,
                            aim,
                            self.max_advantage,
                            tables.pair.is_some(),
                        ));
                    }
                    Tried::Skipped(text) => skipped.push(SkippedAttack::new(name, aim, &text)),
                }
            }
        }
        let wanted = scene.sensitive.iter().map(|&id| scene.name(id)).collect();
        Ok(Found { attacks, skipped, quasi_identifiers: scene.names(&scene.quasi), wanted })
    }
}

/// What came out of the attacks.
struct Found {
    attacks: Vec<AttackResult>,
    skipped: Vec<SkippedAttack>,
    quasi_identifiers: Vec<String>,
    /// The sensitive columns.
    wanted: Vec<String>,
}

/// An error about settings.
fn wrong(text: &str) -> Error {
    Error::Attack(muslin_attack::Error::Setting(text.into()))
}
