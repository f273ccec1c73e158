//! Example data: a made-up hospital.
//!
//! Every cell is a function of seed, row and column, so the same seed gives the same table of any
//! length on any number of threads. Names, towns and codes are invented.

use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use muslin_engine::{Run, Seed};
use muslin_io::{Destination, ReadOptions, Release, RowOrder, WriteOptions, encode_batches, write};
use muslin_table::{Changes, EncodedTable};
use rayon::prelude::*;

use crate::Result;

/// A synthetic hospital: stays of made-up patients.
///
/// It has what real tables have: an identifier, skewed and correlated columns (town by postcode,
/// diagnosis by age and sex, occupation by education), missing cells, and rows that come twice.
///
/// ```
/// use muslin::{DemoData, Run, Seed};
/// let table = DemoData::new(1_000, Seed::new(1)).table(&Run::new())?;
/// assert_eq!((table.rows(), table.columns().len()), (1_000, 20));
/// # Ok::<(), muslin::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DemoData {
    rows: u64,
    seed: Seed,
}

/// Rows made at a time.
const BATCH_ROWS: u64 = 1 << 16;

impl DemoData {
    /// A hospital of so many rows.
    pub fn new(rows: u64, seed: Seed) -> Self {
        Self { rows, seed }
    }

    /// The table.
    pub fn table(&self, run: &Run) -> Result<EncodedTable> {
        let schema = schema();
        let starts = (0..self.rows.div_ceil(BATCH_ROWS)).map(|batch| batch * BATCH_ROWS);
        let starts: Vec<u64> = starts.collect();
        // A few batches at a time: made in parallel, encoded, and dropped.
        let batches = starts.chunks(8).flat_map(|starts| {
            starts.par_iter().map(|&start| self.batch(&schema, start)).collect::<Vec<_>>()
        });
        Ok(encode_batches("demo data", &schema, batches, &ReadOptions::default(), run)?)
    }

    /// Writes the table, rows in the order they were made.
    pub fn write(&self, to: &Destination, options: &WriteOptions, run: &Run) -> Result<()> {
        let table = self.table(run)?;
        let release = Release::new(&table, &Changes::none(&table), RowOrder::AsRead)?;
        Ok(write(&release, to, options, run)?)
    }

    fn batch(&self, schema: &SchemaRef, start: u64) -> RecordBatch {
        let end = self.rows.min(start + BATCH_ROWS);
        let stays: Vec<Stay> = (start..end).map(|row| Stay::draw(self.seed, row)).collect();
        let text = |cell: fn(&Stay) -> Option<String>| -> ArrayRef {
            Arc::new(stays.iter().map(cell).collect::<StringArray>())
        };
        let words = |cell: fn(&Stay) -> Option<&'static str>| -> ArrayRef {
            Arc::new(stays.iter().map(cell).collect::<StringArray>())
        };
        let whole = |cell: fn(&Stay) -> Option<i64>| -> ArrayRef {
            Arc::new(stays.iter().map(cell).collect::<Int64Array>())
        };
        let day = |cell: fn(&Stay) -> i32| -> ArrayRef {
            Arc::new(stays.iter().map(cell).map(Some).collect::<Date32Array>())
        };
        let charge = stays.iter().map(|stay| Some(stay.charge_cents)).collect::<Vec<_>>();
        #[expect(clippy::cast_precision_loss, reason = "cents of a bill fit a double")]
        let charge: Float64Array =
            charge.into_iter().map(|cents| cents.map(|cents| cents as f64 / 100.0)).collect();
        let columns = vec![
            text(|s| Some(format!("P{:010}", s.patient))),
            text(|s| Some(name(s.name))),
            day(|s| s.birth_day),
            whole(|s| Some(s.age)),
            words(|s| Some(s.sex)),
            text(|s| Some(format!("{:05}", s.postcode))),
            text(|s| Some(town(s.postcode))),
            words(|s| Some(s.country)),
            words(|s| Some(s.marital)),
            words(|s| s.education),
            words(|s| s.occupation),
            words(|s| Some(s.insurance)),
            words(|s| Some(s.blood)),
            whole(|s| s.height),
            whole(|s| s.weight),
            day(|s| s.admission),
            whole(|s| Some(s.days)),
            text(|s| Some(format!("{}{:02}", GROUPS[s.group].1, s.code))),
            words(|s| Some(GROUPS[s.group].0)),
            Arc::new(charge),
        ];
        RecordBatch::try_new(Arc::clone(schema), columns).expect("columns of the schema's types")
    }
}

fn schema() -> SchemaRef {
    let field = |(name, data_type): (&str, DataType)| Field::new(name, data_type, true);
    let fields = [
        ("patient_id", DataType::Utf8),
        ("name", DataType::Utf8),
        ("birth_date", DataType::Date32),
        ("age", DataType::Int64),
        ("sex", DataType::Utf8),
        ("postcode", DataType::Utf8),
        ("town", DataType::Utf8),
        ("country_of_birth", DataType::Utf8),
        ("marital_status", DataType::Utf8),
        ("education", DataType::Utf8),
        ("occupation", DataType::Utf8),
        ("insurance", DataType::Utf8),
        ("blood_group", DataType::Utf8),
        ("height_cm", DataType::Int64),
        ("weight_kg", DataType::Int64),
        ("admission_date", DataType::Date32),
        ("days_in_ward", DataType::Int64),
        ("diagnosis", DataType::Utf8),
        ("diagnosis_group", DataType::Utf8),
        ("charge", DataType::Float64),
    ];
    Arc::new(Schema::new(fields.map(field).to_vec()))
}

/// One row before it is spelled.
struct Stay {
    patient: u64,
    name: u64,
    birth_day: i32,
    age: i64,
    sex: &'static str,
    postcode: u64,
    country: &'static str,
    marital: &'static str,
    education: Option<&'static str>,
    occupation: Option<&'static str>,
    insurance: &'static str,
    blood: &'static str,
    height: Option<i64>,
    weight: Option<i64>,
    admission: i32,
    days: i64,
    group: usize,
    code: u64,
    charge_cents: i64,
}

/// A choice with its weight.
type Choice<T> = (T, u32);

const SEXES: [Choice<&str>; 3] = [("female", 515), ("male", 480), ("other", 5)];
const COUNTRIES: [Choice<&str>; 12] = [
    ("Norland", 780),
    ("Ostria", 70),
    ("Vesmark", 50),
    ("Suderland", 30),
    ("Galmora", 20),
    ("Tirenia", 15),
    ("Kasteria", 12),
    ("Belvaria", 9),
    ("Andoria", 6),
    ("Pelagia", 4),
    ("Morvania", 3),
    ("Zembla", 1),
];
const SCHOOLS: [Choice<&str>; 6] = [
    ("primary", 150),
    ("lower secondary", 250),
    ("upper secondary", 350),
    ("bachelor", 160),
    ("master", 75),
    ("doctorate", 15),
];
/// Occupations by level of education; a few are held at every level.
const JOBS: [&[Choice<&str>]; 3] = [
    &[
        ("cleaner", 20),
        ("farm worker", 12),
        ("driver", 18),
        ("cook", 15),
        ("seller", 25),
        ("retired", 30),
        ("none", 20),
        ("lighthouse keeper", 1),
    ],
    &[
        ("clerk", 25),
        ("electrician", 14),
        ("nurse", 18),
        ("seller", 20),
        ("driver", 8),
        ("police officer", 7),
        ("retired", 25),
        ("none", 12),
        ("organ builder", 1),
    ],
    &[
        ("engineer", 22),
        ("teacher", 25),
        ("physician", 8),
        ("lawyer", 7),
        ("manager", 18),
        ("scientist", 6),
        ("retired", 20),
        ("none", 6),
        ("bishop", 1),
    ],
];
const INSURERS: [Choice<&str>; 4] =
    [("public", 850), ("private", 120), ("military", 25), ("none", 5)];
const BLOODS: [Choice<&str>; 8] = [
    ("O+", 380),
    ("A+", 340),
    ("B+", 90),
    ("O-", 70),
    ("A-", 60),
    ("AB+", 30),
    ("B-", 20),
    ("AB-", 10),
];
/// Groups of diagnoses with the letter of their codes and weights for the young, the middle and the old.
const GROUPS: [(&str, char, [u32; 3]); 10] = [
    ("injury", 'S', [30, 15, 14]),
    ("respiratory", 'J', [28, 10, 14]),
    ("digestive", 'K', [14, 18, 10]),
    ("circulatory", 'I', [1, 18, 34]),
    ("neoplasm", 'C', [2, 12, 18]),
    ("pregnancy", 'O', [6, 14, 0]),
    ("mental", 'F', [8, 10, 5]),
    ("infection", 'A', [10, 4, 5]),
    ("endocrine", 'E', [2, 6, 8]),
    ("rare disease", 'Q', [2, 1, 1]),
];
/// 2025-01-01, counted from 1970-01-01.
const YEAR_START: i32 = 20_089;

/// Draws of one row, one after the other.
struct Dice {
    seed: Seed,
    next: u64,
}

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.next += 1;
        self.seed.below(self.next, bound)
    }

    fn chance(&mut self, per_thousand: u64) -> bool {
        self.below(1_000) < per_thousand
    }

    fn choose<T: Copy>(&mut self, choices: &[Choice<T>]) -> T {
        let total: u32 = choices.iter().map(|(_, weight)| weight).sum();
        let mut draw = self.below(u64::from(total));
        for &(choice, weight) in choices {
            if draw < u64::from(weight) {
                return choice;
            }
            draw -= u64::from(weight);
        }
        choices[choices.len() - 1].0
    }

    /// The sum of three draws: small and large numbers are rarer than the middle.
    fn bell(&mut self, from: i64, width: u64) -> i64 {
        let sum = self.below(width) + self.below(width) + self.below(width);
        from + i64::try_from(sum / 3).expect("a small number")
    }

    /// Smaller numbers more often: the product of two even shares.
    fn skewed(&mut self, bound: u64) -> u64 {
        let most = self.below(bound) + 1;
        self.below(most)
    }
}

impl Stay {
    fn draw(seed: Seed, row: u64) -> Self {
        // One row in a hundred is entered twice: it repeats an earlier one.
        let is_copy = |row: u64| row > 0 && seed.part(1).below(row, 100) == 0;
        let mut row = row;
        while is_copy(row) {
            row = seed.part(2).below(row, row);
        }
        let dice = &mut Dice { seed: seed.part(3).part(row), next: 0 };

        let age = if dice.chance(80) { dice.bell(0, 3) } else { dice.bell(2, 98) };
        let admission = YEAR_START + i32::try_from(dice.below(365)).expect("a day of the year");
        let lived = i32::try_from(age * 365 + age / 4).expect("an age in days");
        let birth_day =
            admission - lived - i32::try_from(dice.below(365)).expect("a day of the year");
        let sex = dice.choose(&SEXES);
        let postcode = 1_000 + dice.skewed(40) * 200 + dice.skewed(60);
        let band = usize::from(age >= 30) + usize::from(age >= 60);
        let (education, occupation) = Self::draw_work(dice, age);
        let group = Self::draw_group(dice, band, sex, age);
        let grown = age.min(18);
        let tall = if sex == "male" { 13 } else { 0 };
        let height = 50 + grown * 6 + dice.bell(-12, 30) * grown / 18 + tall * grown / 18;
        let weight = (height - 95).max(3) + dice.bell(-15, 60) * grown / 18;
        let days = 1 + i64::try_from(dice.skewed(8 + 6 * band as u64)).expect("a small number");
        Self {
            // An odd factor and a power of two: no two rows share a number.
            patient: row.wrapping_mul(0x9E37_79B1).wrapping_add(seed.number()) % (1 << 32),
            name: dice.below(u64::MAX),
            birth_day,
            age,
            sex,
            postcode,
            country: dice.choose(&COUNTRIES),
            marital: Self::draw_marital(dice, age),
            education,
            occupation,
            insurance: dice.choose(&INSURERS),
            blood: dice.choose(&BLOODS),
            height: (!dice.chance(60)).then_some(height),
            weight: (!dice.chance(90)).then_some(weight.max(2)),
            admission,
            days,
            group,
            code: dice.skewed(40),
            charge_cents: days * (41_000 + i64::try_from(dice.skewed(90_000)).expect("cents")),
        }
    }

    fn draw_work(dice: &mut Dice, age: i64) -> (Option<&'static str>, Option<&'static str>) {
        if age < 16 {
            return (None, None);
        }
        let school = dice.choose(&SCHOOLS);
        let level = match school {
            "primary" | "lower secondary" => 0,
            "upper secondary" => 1,
            _ => 2,
        };
        let drawn = dice.choose(JOBS[level]);
        let job = if age >= 67 {
            "retired"
        } else if age < 60 && drawn == "retired" {
            "none"
        } else {
            drawn
        };
        let (known_school, known_job) = (!dice.chance(50), !dice.chance(110));
        (known_school.then_some(school), known_job.then_some(job))
    }

    fn draw_marital(dice: &mut Dice, age: i64) -> &'static str {
        match age {
            ..18 => "single",
            18..30 => dice.choose(&[("single", 70), ("married", 27), ("divorced", 3)]),
            30..65 => {
                dice.choose(&[("married", 60), ("single", 20), ("divorced", 17), ("widowed", 3)])
            }
            _ => dice.choose(&[("married", 50), ("widowed", 32), ("divorced", 12), ("single", 6)]),
        }
    }

    fn draw_group(dice: &mut Dice, band: usize, sex: &str, age: i64) -> usize {
        let possible =
            |group: &str| group != "pregnancy" || (sex == "female" && (15..50).contains(&age));
        let weighted: Vec<Choice<usize>> = GROUPS
            .iter()
            .enumerate()
            .map(|(index, (group, _, weights))| {
                (index, if possible(group) { weights[band] } else { 0 })
            })
            .collect();
        dice.choose(&weighted)
    }
}

const SYLLABLES: [&str; 16] = [
    "ba", "den", "ri", "sol", "ka", "mo", "ter", "lin", "vo", "sa", "gel", "no", "fa", "rum", "ti",
    "hel",
];

/// A first and a last name from invented syllables.
fn name(draw: u64) -> String {
    let mut rest = draw;
    let mut word = |syllables: usize| {
        let mut word = String::new();
        for _ in 0..syllables {
            word.push_str(SYLLABLES[usize::try_from(rest % 16).expect("below sixteen")]);
            rest /= 16;
        }
        let capital = word[..1].to_uppercase();
        format!("{capital}{}", &word[1..])
    };
    format!("{} {}", word(2), word(3))
}

/// Twenty postcodes in a row belong to one town.
fn town(postcode: u64) -> String {
    const ENDS: [&str; 5] = ["burg", "haven", "field", "mouth", "dorf"];
    let number = postcode / 20;
    let part =
        |shift: u64| SYLLABLES[usize::try_from((number >> shift) % 16).expect("below sixteen")];
    let end = ENDS[usize::try_from(number % 5).expect("below five")];
    let stem = format!("{}{}{}", part(0), part(4), end);
    format!("{}{}", stem[..1].to_uppercase(), &stem[1..])
}
