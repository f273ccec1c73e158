//! Releases with a fault, and claims that are too bold: the judge sees them.
//!
//! Each fault is put into releases of mask, suppress, generalize, bucketize and slice, at places that
//! a seed decides.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::unnecessary_wraps, reason = "faults have one type")]
#![expect(clippy::assigning_clones, reason = "both sides are rows of one list")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use muslin::{
    BucketMethod, BucketizeJob, Claim, ColumnChoice, DemoData, Destination, GeneralizeJob, Input,
    MaskJob, Measure, Recoding, ReleaseOutput, Role, RowOrder, Run, Seed, SliceJob, SuppressJob,
    Target, VerifyJob, VerifyReport, WriteOptions,
};
use tempfile::TempDir;

const QUASI: [&str; 4] = ["age", "sex", "marital_status", "education"];
const SENSITIVE: &str = "diagnosis_group";
const BUCKET: &str = "bucket";
/// Places at which each fault is tried in each release.
const PLACES: u64 = 12;

/// A release as text, and what it claims.
struct Made {
    name: &'static str,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    claims: Vec<Claim>,
    /// Columns that a mask took out, with their cells in the order of the rows.
    masked: Vec<(String, Vec<String>)>,
}

struct Bench {
    folder: TempDir,
    original: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let original = folder.path().join("original.csv");
        let demo = DemoData::new(400, Seed::new(11));
        demo.write(&Destination::named(&original), &WriteOptions::default(), &Run::new()).unwrap();
        Self { folder, original }
    }

    fn columns() -> ColumnChoice {
        ColumnChoice::Only(QUASI.into_iter().chain([SENSITIVE]).map(str::to_owned).collect())
    }

    fn roles() -> BTreeMap<String, Role> {
        let quasi = QUASI.map(|name| (name.to_owned(), Role::QuasiIdentifier));
        quasi.into_iter().chain([(SENSITIVE.to_owned(), Role::Sensitive)]).collect()
    }

    fn input(&self) -> Input {
        Input::named(&self.original)
    }

    fn output(&self) -> (PathBuf, Option<ReleaseOutput>) {
        let path = self.folder.path().join("release.csv");
        let order = RowOrder::Seeded(Seed::new(5));
        let output = ReleaseOutput { order, ..ReleaseOutput::new(Destination::named(&path)) };
        (path, Some(output))
    }

    fn read(path: &Path, name: &'static str, claims: Vec<Claim>) -> Made {
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(fields);
        let header = lines.next().unwrap();
        Made { name, header, rows: lines.collect(), claims, masked: Vec::new() }
    }

    fn releases(&self) -> Vec<Made> {
        let run = Run::new();
        let (path, output) = self.output();
        let mut made = Vec::new();
        let mut suppress = SuppressJob::new(self.input(), 3);
        (suppress.read.columns, suppress.roles) = (Self::columns(), Self::roles());
        suppress.output.clone_from(&output);
        made.push(Self::read(&path, "suppress", suppress.run(&run).unwrap().claims));
        for (name, recoding) in [("mondrian", Recoding::Mondrian), ("local", Recoding::Local)] {
            let mut job = GeneralizeJob::new(self.input(), 4);
            (job.read.columns, job.roles) = (Self::columns(), Self::roles());
            (job.recoding, job.output) = (recoding, output.clone());
            let claims = job.run(&run).unwrap().claims;
            made.push(Self::read(&path, name, claims));
        }
        for (name, method) in
            [("anatomy", BucketMethod::Anatomy), ("bucketize", BucketMethod::Mondrian)]
        {
            let mut job = BucketizeJob::new(self.input(), 3);
            (job.read.columns, job.roles) = (Self::columns(), Self::roles());
            (job.method, job.output) = (method, output.clone());
            let claims = job.run(&run).unwrap().claims;
            made.push(Self::read(&path, name, claims));
        }
        for (name, measure, beta) in [
            ("distinct mask", Measure::Distinct, "0.3"),
            ("separation mask", Measure::Separation, "0.97"),
        ] {
            made.push(self.masked(name, measure, beta));
        }
        let mut slice = SliceJob::new(self.input(), 3);
        (slice.read.columns, slice.roles) = (Self::columns(), Self::roles());
        slice.output = output;
        let claims = slice.run(&run).unwrap().claims;
        made.push(Self::read(&path, "slice", claims));
        made
    }

    /// A mask, and beside it what it took out: the same seed orders rows the same.
    fn masked(&self, name: &'static str, measure: Measure, beta: &str) -> Made {
        let (path, output) = self.output();
        let made = |beta: &str| {
            let target = Target::new(measure, beta.parse().unwrap());
            let mut job = MaskJob::new(self.input(), target);
            (job.read.columns, job.roles) = (Self::columns(), Self::roles());
            job.output.clone_from(&output);
            let claims = job.run(&Run::new()).unwrap().claims;
            Self::read(&path, name, claims)
        };
        let all = made("1");
        let mut own = made(beta);
        let cells = |at: usize| all.rows.iter().map(|row| row[at].clone()).collect();
        for (at, name) in all.header.iter().enumerate() {
            if own.at(name).is_none() {
                own.masked.push((name.clone(), cells(at)));
            }
        }
        assert!(!own.masked.is_empty() && own.masked.len() < QUASI.len());
        own
    }

    /// Judges a release as somebody who has the original.
    fn verify(&self, made: &Made) -> VerifyReport {
        let path = self.folder.path().join("judged.csv");
        let line = |row: &Vec<String>| {
            row.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",") + "\n"
        };
        let text: String = [&made.header].into_iter().chain(&made.rows).map(line).collect();
        std::fs::write(&path, text).unwrap();
        let mut job = VerifyJob::new(Input::named(&path));
        job.read.csv.header = Some(true);
        job.original = Some(self.input());
        job.original_read =
            Some(muslin::ReadOptions { columns: Self::columns(), ..Default::default() });
        job.roles = Self::roles();
        job.claims.clone_from(&made.claims);
        job.run(&Run::new()).unwrap()
    }
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // Two of them within quotes are one.
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

/// Draws that depend on a place alone.
struct Draws(Seed, u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.1 += 1;
        usize::try_from(self.0.below(self.1, bound as u64)).unwrap()
    }
}

impl Made {
    fn copy(&self) -> Self {
        Self {
            name: self.name,
            header: self.header.clone(),
            rows: self.rows.clone(),
            claims: self.claims.clone(),
            masked: self.masked.clone(),
        }
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|own| own == name)
    }

    /// The columns of quasi-identifiers.
    fn all_quasi(&self) -> Vec<usize> {
        QUASI.iter().filter_map(|name| self.at(name)).collect()
    }

    /// A column of quasi-identifiers.
    fn quasi(&self, draws: &mut Draws) -> usize {
        let all = self.all_quasi();
        all[draws.below(all.len())]
    }

    /// A column that was taken out.
    fn any_masked(&self, draws: &mut Draws) -> Option<(String, Vec<String>)> {
        let count = self.masked.len();
        (count > 0).then(|| self.masked[draws.below(count)].clone())
    }

    fn add(&mut self, name: &str, cells: Vec<String>) {
        self.header.push(name.to_owned());
        self.rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }

    /// Rows that agree on what a claim names.
    fn class_sizes(&self, claim: &Claim) -> Vec<u64> {
        let at: Vec<usize> = claim.columns.iter().map(|name| self.at(name).unwrap()).collect();
        let mut sizes: BTreeMap<Vec<&String>, u64> = BTreeMap::new();
        for row in &self.rows {
            *sizes.entry(at.iter().map(|&at| &row[at]).collect()).or_default() += 1;
        }
        sizes.into_values().collect()
    }

    /// Two rows that differ in all of some columns.
    fn two(&self, draws: &mut Draws, columns: &[usize]) -> Option<(usize, usize)> {
        (0..500).find_map(|_| {
            let (a, b) = (draws.below(self.rows.len()), draws.below(self.rows.len()));
            let differ = |&at: &usize| self.rows[a][at] != self.rows[b][at];
            columns.iter().all(differ).then_some((a, b))
        })
    }

    fn swap(&mut self, (a, b): (usize, usize), at: usize) {
        let field = std::mem::take(&mut self.rows[a][at]);
        self.rows[a][at] = std::mem::replace(&mut self.rows[b][at], field);
    }
}

/// A fault; nothing where a release has no place for it.
type Fault = fn(&mut Made, &mut Draws) -> Option<()>;

fn a_bolder_k(made: &mut Made, _: &mut Draws) -> Option<()> {
    let at = made.claims.iter().position(|claim| claim.k.is_some())?;
    let smallest = made.class_sizes(&made.claims[at]).into_iter().min()?;
    made.claims[at].k = Some(u32::try_from(smallest).unwrap() + 1);
    Some(())
}

/// The largest beta of millionths that is too small.
fn a_bolder_beta(made: &mut Made, _: &mut Draws) -> Option<()> {
    let at = made.claims.iter().position(|claim| claim.beta.is_some())?;
    let sizes = made.class_sizes(&made.claims[at]);
    let rows = made.rows.len() as u64;
    let (part, whole) = if made.claims[at].claim == "distinct-ratio" {
        (sizes.len() as u64, rows)
    } else {
        let together: u64 = sizes.iter().map(|size| size * (size - 1) / 2).sum();
        let pairs = rows * (rows - 1) / 2;
        (pairs - together, pairs)
    };
    let millionths = u32::try_from((part * 1_000_000).div_ceil(whole) - 1).unwrap();
    made.claims[at].beta = Some(f64::from(millionths) / 1e6);
    Some(())
}

/// What holds for classes is said of row pairs.
fn another_measure(made: &mut Made, _: &mut Draws) -> Option<()> {
    let claim = made.claims.iter_mut().find(|claim| claim.claim == "distinct-ratio")?;
    claim.claim = "separation-ratio".into();
    Some(())
}

fn a_masked_column_is_back(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let (name, cells) = made.any_masked(draws)?;
    made.add(&name, cells);
    Some(())
}

fn a_masked_column_is_back_and_claimed(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let (name, cells) = made.any_masked(draws)?;
    made.add(&name, cells);
    for claim in &mut made.claims {
        claim.columns.push(name.clone());
        claim.published.iter_mut().for_each(|all| all.push(name.clone()));
    }
    Some(())
}

fn a_masked_column_has_another_name(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let (name, cells) = made.any_masked(draws)?;
    made.add(&format!("{name}_2"), cells);
    Some(())
}

/// A published column has the cells of one that was taken out.
fn a_masked_column_has_the_name_of_another(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let (_, cells) = made.any_masked(draws)?;
    let at = made.quasi(draws);
    made.rows.iter_mut().zip(cells).for_each(|(row, cell)| row[at] = cell);
    Some(())
}

/// The claim names a column that was taken out instead of one that was not.
fn claimed_columns_are_swapped(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let (name, _) = made.any_masked(draws)?;
    let columns = &mut made.claims[0].columns;
    let at = draws.below(columns.len());
    columns[at] = name;
    Some(())
}

fn a_bolder_l(made: &mut Made, _: &mut Draws) -> Option<()> {
    let (bucket, sensitive) = (made.at(BUCKET)?, made.at(SENSITIVE)?);
    let mut counts: BTreeMap<&String, BTreeMap<&String, u32>> = BTreeMap::new();
    for row in &made.rows {
        *counts.entry(&row[bucket]).or_default().entry(&row[sensitive]).or_default() += 1;
    }
    // One more than the share of a value in its bucket allows.
    let of = |counts: &BTreeMap<&String, u32>| {
        counts.values().sum::<u32>() / counts.values().max().copied().unwrap()
    };
    let l = counts.values().map(of).min()?;
    made.claims.iter_mut().find(|claim| claim.l.is_some())?.l = Some(l + 1);
    Some(())
}

fn a_row_is_lost(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let row = draws.below(made.rows.len());
    made.rows.remove(row);
    Some(())
}

fn a_row_is_there_twice(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let row = made.rows[draws.below(made.rows.len())].clone();
    made.rows.push(row);
    Some(())
}

fn a_row_takes_the_place_of_another(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let all = made.all_quasi();
    let (a, b) = made.two(draws, &all[..1])?;
    made.rows[a] = made.rows[b].clone();
    Some(())
}

fn a_row_moves_to_another_class(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let all = made.all_quasi();
    let (a, b) = made.two(draws, &all[..1])?;
    for at in all {
        made.rows[a][at] = made.rows[b][at].clone();
    }
    Some(())
}

fn a_cell_is_another(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let at = made.quasi(draws);
    let (a, b) = made.two(draws, &[at])?;
    made.rows[a][at] = made.rows[b][at].clone();
    Some(())
}

fn a_blank_is_filled(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let at = made.quasi(draws);
    let is = |row: &Vec<String>, blank: bool| (row[at] == "*") == blank;
    let blank: Vec<usize> = (0..made.rows.len()).filter(|&row| is(&made.rows[row], true)).collect();
    let shown: Vec<usize> =
        (0..made.rows.len()).filter(|&row| is(&made.rows[row], false)).collect();
    if blank.is_empty() || shown.is_empty() {
        return None;
    }
    let (a, b) = (blank[draws.below(blank.len())], shown[draws.below(shown.len())]);
    made.rows[a][at] = made.rows[b][at].clone();
    Some(())
}

fn two_rows_change_buckets(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let bucket = made.at(BUCKET)?;
    let pair = made.two(draws, &[bucket, made.at("age")?])?;
    made.swap(pair, bucket);
    Some(())
}

fn one_column_changes_places(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let at = made.quasi(draws);
    let pair = made.two(draws, &[at])?;
    made.swap(pair, at);
    Some(())
}

fn a_value_is_too_frequent_in_a_bucket(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let (bucket, sensitive) = (made.at(BUCKET)?, made.at(SENSITIVE)?);
    let row = draws.below(made.rows.len());
    let own = made.rows[row].clone();
    let is_other = |other: &&mut Vec<String>| {
        other[bucket] == own[bucket] && other[sensitive] != own[sensitive]
    };
    made.rows.iter_mut().find(is_other)?[sensitive].clone_from(&own[sensitive]);
    Some(())
}

fn people_are_numbered(made: &mut Made, draws: &mut Draws) -> Option<()> {
    let cells = made.rows.iter().map(|_| draws.below(1_000_000).to_string()).collect();
    made.add("patient_id", cells);
    Some(())
}

fn rows_are_numbered(made: &mut Made, _: &mut Draws) -> Option<()> {
    let cells = (0..made.rows.len()).map(|row| row.to_string()).collect();
    made.add("Unnamed: 0", cells);
    Some(())
}

const FAULTS: [(&str, Fault); 20] = [
    ("a bolder k", a_bolder_k),
    ("a bolder l", a_bolder_l),
    ("a row is lost", a_row_is_lost),
    ("a row is there twice", a_row_is_there_twice),
    ("a row takes the place of another", a_row_takes_the_place_of_another),
    ("a row moves to another class", a_row_moves_to_another_class),
    ("a cell is another", a_cell_is_another),
    ("a blank is filled", a_blank_is_filled),
    ("two rows change buckets", two_rows_change_buckets),
    ("one column changes places", one_column_changes_places),
    ("a value is too frequent in a bucket", a_value_is_too_frequent_in_a_bucket),
    ("rows are numbered", rows_are_numbered),
    ("people are numbered", people_are_numbered),
    ("a bolder beta", a_bolder_beta),
    ("another measure", another_measure),
    ("a masked column is back", a_masked_column_is_back),
    ("a masked column is back and claimed", a_masked_column_is_back_and_claimed),
    ("a masked column has another name", a_masked_column_has_another_name),
    ("a masked column has the name of another", a_masked_column_has_the_name_of_another),
    ("claimed columns are swapped", claimed_columns_are_swapped),
];

/// Faults that are not always seen: they leave every claim met, and nothing shows that they are untrue.
const UNSEEN: [(&str, &str); 2] = [
    ("two rows change buckets", "the result is another release of the same people"),
    ("one column changes places", "a row looks like somebody's whose own row can be anybody's"),
];

#[test]
fn faults_are_seen_and_what_is_not_is_known() {
    let bench = Bench::new();
    let (mut tried, mut unseen): (usize, BTreeMap<(&str, &str), usize>) = (0, BTreeMap::new());
    for made in bench.releases() {
        let report = bench.verify(&made);
        assert!(report.met, "{}: {:?}", made.name, report.checks);
        for (number, (fault, put)) in (0u64..).zip(FAULTS) {
            for place in 0..PLACES {
                let mut draws = Draws(Seed::new(number).part(place), 0);
                let mut wrong = made.copy();
                if put(&mut wrong, &mut draws).is_none() || wrong.rows == made.rows && place > 0 {
                    continue;
                }
                tried += 1;
                if bench.verify(&wrong).met {
                    *unseen.entry((fault, made.name)).or_default() += 1;
                }
            }
        }
    }
    let missed: usize = unseen.values().sum();
    println!("{tried} faults, {missed} unseen: {unseen:?}");
    assert!(tried >= 900, "{tried}");
    let is_known = |fault: &str| UNSEEN.iter().any(|(known, _)| *known == fault);
    assert!(unseen.keys().all(|(fault, _)| is_known(fault)), "{unseen:?}");
    assert!(missed * 20 <= tried, "{missed} of {tried} unseen: {unseen:?}");
}
