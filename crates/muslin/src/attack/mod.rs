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
use crate::hierarchies::Hierarchies;
use crate::input::{InputReport, warnings};
use crate::pair::{Pair, PairSettings, joined, read_alike, unnamed, with_token};
use crate::published::data_of;
use crate::{Error, Result, SuppressNotion};

/// Attacks a release as somebody with bad intentions would, and says how much that gains.
///
/// # Guarantee
/// Attacks know the release and what the job says they know. The original, where it is there, judges their
/// guesses; only the guess at seeds looks at it. Each success stands beside what one gets without the
/// attack. An attack that gains nothing proves nothing: others are possible.
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
/// // Whoever is 30 has the flu.
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
    /// The columns that somebody may know; where nothing is said, those with that role, or all that are
    /// nothing else.
    pub quasi_identifiers: Option<Vec<String>>,
    /// The column that the attacker wants to know; the only one with that role, where nothing is said.
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
    /// The attacks to try; all, where nothing is said.
    pub only: Option<Vec<String>>,
    /// The most that an attack may gain over what one gets without it.
    pub max_advantage: f64,
}

/// What is read.
struct Tables {
    /// The release, where there is no original.
    alone: Option<EncodedTable>,
    pair: Option<Pair>,
    report: InputReport,
    format: Format,
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
    /// Every attack, in the order in which they are tried.
    pub const NAMES: [&'static str; 10] = [
        "disambiguation",
        "row-order",
        "dependencies",
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
            only: None,
            max_advantage: 0.05,
        }
    }

    /// Reads the tables, and attacks.
    pub fn run(&self, run: &Run) -> Result<AttackReport> {
        self.check()?;
        let (data, folder) = data_of(&self.release)?;
        let claims = folder.map(|folder| folder.manifest.claims).unwrap_or_default();
        let known = Known::of(self, &claims);
        let tables = self.read(&data, &known, run)?;
        let mut told = Vec::new();
        run.reporter().stage("attacking", None);
        let tried = self.attack(&known, &tables, &mut told, run);
        run.reporter().finish();
        let Found { attacks, skipped, quasi_identifiers } = tried?;
        let original = tables.pair.as_ref().map(|pair| &pair.whole);
        told.extend(tables.warnings.iter().cloned());
        Ok(AttackReport {
            schema: 1,
            command: "attack".into(),
            met: !attacks.iter().any(|own| own.finding),
            max_advantage: self.max_advantage,
            rows: tables.release().rows() as u64,
            columns: tables.release().columns().len() as u64,
            release: tables.report.clone(),
            original: original.map(|whole| InputReport::new(&whole.source)),
            original_rows: original.map(|whole| whole.table.rows() as u64),
            original_columns: original.map(|whole| whole.table.columns().len() as u64),
            quasi_identifiers,
            sensitive: known.sensitive,
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
            return Err(wrong(
                "every row is one of one already\n  hint: pass the `-k` of the release, 2 or more",
            ));
        }
        if !(0.0..=1.0).contains(&self.max_advantage) {
            return Err(wrong(
                "the most that an attack may gain is a share between 0 and 1\n  hint: 0.05 is a good start",
            ));
        }
        let mut named = self.only.iter().flatten();
        if named.any(|name| !Self::NAMES.contains(&name.as_str())) {
            return Err(wrong(&format!(
                "an attack is named that is not known\n  hint: known are {}",
                Self::NAMES.join(", ")
            )));
        }
        Ok(())
    }

    fn read(&self, data: &Input, known: &Known, run: &Run) -> Result<Tables> {
        let mut tables = match &self.original {
            Some(original) => self.read_pair(data, original, known, run)?,
            None => self.read_alone(data, known, run)?,
        };
        let of = tables.pair.as_ref().map_or(tables.release(), |pair| &pair.whole.table);
        let mut read = ReadOptions { null: self.read.null.clone(), ..ReadOptions::default() };
        read.csv.header = Some(true);
        let other = |input: &Input| Ok::<_, Error>(read_alike(input, &read, of, run)?.table);
        let aux = self.aux.as_ref().map(other).transpose()?;
        let previous = self.previous.as_ref().map(|previous| {
            let (data, _) = data_of(previous)?;
            with_token(other(&data)?, self.token.as_deref())
        });
        let previous = previous.transpose()?;
        (tables.aux, tables.previous) = (aux, previous);
        Ok(tables)
    }

    fn read_pair(
        &self,
        data: &Input,
        original: &Input,
        known: &Known,
        run: &Run,
    ) -> Result<Tables> {
        let read = self.original_read.clone().unwrap_or_else(|| ReadOptions {
            null: self.read.null.clone(),
            ..ReadOptions::default()
        });
        let mut pair = Pair::of(
            &PairSettings {
                original,
                release: data,
                read: &read,
                release_read: Some(&self.read),
                roles: &self.roles,
                sensitive: known.sensitive.as_deref(),
                hierarchies: &self.hierarchies,
                hierarchy_folder: self.hierarchy_folder.as_deref(),
                bucket: known.bucket.as_deref(),
                slices: known.slices.as_deref(),
                sensitive_table: self.sensitive_table.as_ref(),
                token: self.token.as_deref(),
            },
            run,
        )?;
        let warnings = std::mem::take(&mut pair.warnings);
        let report = InputReport::new(&pair.release_source);
        let format = pair.release_source.format;
        let (alone, aux, previous) = (None, None, None);
        Ok(Tables { alone, pair: Some(pair), report, format, aux, previous, warnings })
    }

    fn read_alone(&self, data: &Input, known: &Known, run: &Run) -> Result<Tables> {
        let ReadTable { table, source } = muslin_io::read(data, &self.read, run)?;
        let warnings = warnings(&table, &source, &self.read);
        let mut release = with_token(table, self.token.as_deref())?;
        if let Some(input) = &self.sensitive_table {
            let sensitive = known.sensitive.as_deref().ok_or_else(unnamed)?;
            let counts = read_alike(input, &self.read, &release, run)?.table;
            release = joined(release, &counts, known.bucket.as_deref(), sensitive)?;
        }
        let alone = Some(release);
        let (report, format) = (InputReport::new(&source), source.format);
        Ok(Tables { alone, pair: None, report, format, aux: None, previous: None, warnings })
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
            match attempts.attempt(name)? {
                Tried::Ran(attack) => attacks.push(AttackResult::new(&attack, self.max_advantage)),
                Tried::Skipped(text) => skipped.push(SkippedAttack::new(name, &text)),
            }
        }
        Ok(Found { attacks, skipped, quasi_identifiers: scene.names(&scene.quasi) })
    }
}

/// What came out of the attacks.
struct Found {
    attacks: Vec<AttackResult>,
    skipped: Vec<SkippedAttack>,
    quasi_identifiers: Vec<String>,
}

/// An error about settings.
fn wrong(text: &str) -> Error {
    Error::Attack(muslin_attack::Error::Setting(text.into()))
}
