//! What a protection takes out is in no byte of what it publishes, says or leaves behind.
//!
//! Inputs hold canaries where values hide: in identifiers, in cells that are blanked or generalized, in a
//! column that numbers rows, under nulls, in dictionaries and in notes of the file. Each command writes
//! each format; then the bytes are searched here, without the code that `verify` looks with.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use super::{muslin, seen};

const ROWS: usize = 60;
/// Nobody else lives there.
const TOWN: &str = "canary-town";
/// Nobody else has it, and its bytes are no chance.
const CODE: i64 = 0x5A51_5837;
const TOWN_ROW: usize = 17;
const CODE_ROW: usize = 41;
/// The number of the first row.
const NUMBER: i64 = 7_700_123_000;

/// What must be gone whatever is done.
const ALWAYS: [&str; 6] =
    ["canary-name", "canary-unused", "canary-null", "canary-metadata", "canary-file", "number"];
/// What is gone where quasi-identifiers are made less.
const RARE: [&str; 2] = [TOWN, "code"];

const INPUTS: [&str; 3] = ["csv", "parquet", "arrow"];
const FORMATS: [&str; 4] = ["csv", "tsv", "parquet", "arrow"];
const TOWNS: [&str; 4] = ["Amber", "Birch", "Cedar", "Delta"];

/// How a canary may be spelled.
fn needles(canary: &str) -> Vec<Vec<u8>> {
    let numbers = |numbers: &[i64]| {
        let spelled = |number: &i64| {
            let doubled = number.to_string().parse::<f64>().unwrap();
            [
                number.to_string().into_bytes(),
                number.to_le_bytes().to_vec(),
                number.to_be_bytes().to_vec(),
                doubled.to_le_bytes().to_vec(),
            ]
        };
        numbers.iter().flat_map(spelled).collect()
    };
    match canary {
        "code" => numbers(&[CODE]),
        "number" => numbers(&[NUMBER, NUMBER + 1, NUMBER + 59]),
        text => vec![text.as_bytes().to_vec()],
    }
}

/// Which of some canaries are in some bytes.
fn found<'a>(canaries: &[&'a str], bytes: &[u8]) -> Vec<&'a str> {
    let holds = |needle: &Vec<u8>| bytes.windows(needle.len()).any(|window| window == needle);
    canaries.iter().copied().filter(|canary| needles(canary).iter().any(holds)).collect()
}

/// The bytes of a file, and those of its pages without their compression.
fn bytes_of(file: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(file).unwrap();
    if bytes.starts_with(b"PAR1") {
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).unwrap();
            for column in 0..group.num_columns() {
                for page in group.get_column_page_reader(column).unwrap() {
                    bytes.extend_from_slice(page.unwrap().buffer());
                }
            }
        }
    }
    bytes
}

fn number(row: usize) -> i64 {
    NUMBER + i64::try_from(row).unwrap()
}

fn code(row: usize) -> i64 {
    let usual = 1_500_000_000 + i64::try_from(row % 5).unwrap() * 10_000_000;
    if row == CODE_ROW { CODE } else { usual }
}

/// Whether a row has a note and a ward.
fn is_shown(row: usize) -> bool {
    !row.is_multiple_of(4)
}

/// The table: identifiers, three quasi-identifiers, a sensitive column, and two that are published as
/// they are.
fn batch() -> RecordBatch {
    let rows = 0..ROWS;
    let name = rows.clone().map(|row| Some(format!("canary-name-{row}")));
    let number = rows.clone().map(number);
    let sex = rows.clone().map(|row| Some(["f", "m"][row % 2]));
    let code = rows.clone().map(code);
    // The fifth town is one row's, the sixth nobody's.
    let towns: StringArray =
        TOWNS.into_iter().chain([TOWN, "canary-unused-town"]).map(Some).collect();
    let town = rows.clone().map(|row| match row {
        TOWN_ROW => 4,
        row => i32::try_from(row / 2 % 4).unwrap(),
    });
    let town =
        DictionaryArray::<Int32Type>::new(Int32Array::from_iter_values(town), Arc::new(towns));
    let illness = rows.clone().map(|row| Some(["flu", "gout", "mumps"][row % 3]));
    let shown: NullBuffer = rows.clone().map(is_shown).collect::<Vec<bool>>().into();
    let note = |row| Some(if is_shown(row) { "dull" } else { "canary-null-note" });
    let (offsets, values, _) = rows.clone().map(note).collect::<StringArray>().into_parts();
    let note = StringArray::new(offsets, values, Some(shown.clone()));
    // Where there is nothing, a key points to a value.
    let wards = StringArray::from(vec!["east", "west", "canary-unused-ward", "canary-null-ward"]);
    let ward = rows.map(|row| if is_shown(row) { i32::try_from(row % 2).unwrap() } else { 3 });
    let ward = Int32Array::new(ward.collect::<Vec<i32>>().into(), Some(shown));
    let ward = DictionaryArray::<Int32Type>::new(ward, Arc::new(wards));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("name", Arc::new(name.collect::<StringArray>())),
        ("row_number", Arc::new(Int64Array::from_iter_values(number))),
        ("sex", Arc::new(sex.collect::<StringArray>())),
        ("code", Arc::new(Int64Array::from_iter_values(code))),
        ("town", Arc::new(town)),
        ("illness", Arc::new(illness.collect::<StringArray>())),
        ("note", Arc::new(note)),
        ("ward", Arc::new(ward)),
    ];
    let notes = HashMap::from([("source".to_owned(), "canary-metadata".to_owned())]);
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new_with_metadata(columns.iter().map(field).collect::<Vec<_>>(), notes);
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|own| own.1).collect()).unwrap()
}

/// The same as text; what hides in columns of Arrow has no place there.
fn text() -> String {
    let mut text = "name,row_number,sex,code,town,illness,note,ward\n".to_owned();
    for row in 0..ROWS {
        let town = if row == TOWN_ROW { TOWN } else { TOWNS[row / 2 % 4] };
        let (code, number) = (code(row), number(row));
        let (sex, illness) = (["f", "m"][row % 2], ["flu", "gout", "mumps"][row % 3]);
        let (note, ward) =
            if is_shown(row) { ("dull", ["east", "west"][row % 2]) } else { ("", "") };
        writeln!(text, "canary-name-{row},{number},{sex},{code},{town},{illness},{note},{ward}")
            .unwrap();
    }
    text
}

fn write_arrow(path: &Path) {
    let batch = batch();
    let file = File::create(path).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

fn write_parquet(path: &Path) {
    let note = KeyValue::new("source".to_owned(), "canary-metadata".to_owned());
    let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![note])).build();
    let batch = batch();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

const POLICY: &str = r#"schema = 1
[input]
null = [""]
[columns.name]
role = "identifier"
[columns.row_number]
role = "identifier"
[columns.sex]
role = "quasi-identifier"
[columns.code]
role = "quasi-identifier"
[columns.town]
role = "quasi-identifier"
hierarchy.file = "towns.csv"
[columns.illness]
role = "sensitive"
[columns.note]
role = "other"
[columns.ward]
role = "other"
[release]
k = 3
accept = ["definetti", "disambiguation", "downcoding"]
format = "FORMAT"
[protect]
"#;

/// A folder of nothing but an input and what is known about it.
struct Place {
    folder: tempfile::TempDir,
    input: String,
}

impl Place {
    fn new(format: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let input = format!("canary-file.{format}");
        let path = folder.path().join(&input);
        match format {
            "csv" => std::fs::write(path, text()).unwrap(),
            "parquet" => write_parquet(&path),
            _ => write_arrow(&path),
        }
        let mut towns = String::new();
        for (town, region) in
            TOWNS.iter().chain([&TOWN]).zip(["north", "north", "south", "south", "south"])
        {
            writeln!(towns, "{town},{region},*").unwrap();
        }
        std::fs::write(folder.path().join("towns.csv"), towns).unwrap();
        Self { folder, input }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What is there besides what was there before.
    fn made(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| ![&self.input, "towns.csv", "policy.toml"].contains(&name.as_str()));
        names.sort();
        names
    }

    /// Runs a command and sees that neither its words nor its files hold a canary.
    fn publish(&self, args: &[&str], gone: &[&str], files: &[PathBuf]) -> Vec<u8> {
        let output = muslin(self.path(), args);
        let shown = seen(&output);
        assert!(output.status.success(), "{args:?}\n{shown}");
        // The program may say which file it read; nothing else of it.
        let said = shown.replace(&self.input, "");
        assert_eq!(found(gone, said.as_bytes()), [""; 0], "{args:?}\n{said}");
        for file in files {
            let path = self.path().join(file);
            assert_eq!(found(gone, &bytes_of(&path)), [""; 0], "{args:?}: {}", file.display());
            assert!(path.metadata().unwrap().len() > 0);
        }
        output.stdout
    }

    /// Sees that `verify` finds nothing either.
    fn verify(&self, release: &str, args: &[&str]) {
        let own = ["verify", "--allow-findings", release, "--original", &self.input, "--json"];
        let output = muslin(self.path(), &[&own[..], args].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let checks = report["checks"].as_array();
        let checks = checks.unwrap_or_else(|| panic!("{release} {args:?}\n{}", seen(&output)));
        let is_hygiene = |check: &&Value| check["claim"].as_str().unwrap().starts_with("hygiene");
        // Bytes, row numbers and, but for buckets, the order of rows.
        assert!(checks.iter().filter(is_hygiene).count() >= 2, "{checks:?}");
        assert_eq!(report["met"], true, "{release} {args:?}\n{}", seen(&output));
    }
}

const ROLES: [&str; 18] = [
    "--role",
    "name=identifier",
    "--role",
    "row_number=identifier",
    "--role",
    "sex=quasi-identifier",
    "--role",
    "code=quasi-identifier",
    "--role",
    "town=quasi-identifier",
    "--role",
    "illness=sensitive",
    "--role",
    "note=other",
    "--role",
    "ward=other",
    "--null",
    "",
];

/// A command, what it takes out besides what always goes, and how its labels are read.
struct Way {
    args: &'static [&'static str],
    rare: bool,
    labels: &'static [&'static str],
    /// Whether sensitive values go to a file of their own.
    in_two: bool,
}

const HIERARCHY: &[&str] = &["--hierarchy", "town=towns.csv"];

fn ways() -> Vec<Way> {
    let way = |args, rare, labels| Way { args, rare, labels, in_two: false };
    vec![
        way(&["mask", "--measure", "distinct", "--beta", "0.5", "--drop", "code,town"], true, &[]),
        way(&["suppress", "-k", "3"], true, &[]),
        way(
            &[
                "generalize",
                "-k",
                "3",
                "--recoding",
                "mondrian",
                "--max-set",
                "1",
                "--hierarchy",
                "town=towns.csv",
            ],
            true,
            HIERARCHY,
        ),
        way(
            &["generalize", "-k", "3", "--recoding", "local", "--hierarchy", "town=towns.csv"],
            true,
            HIERARCHY,
        ),
        way(
            &[
                "generalize",
                "-k",
                "3",
                "--recoding",
                "full-domain",
                "--hierarchy",
                "town=towns.csv",
            ],
            true,
            HIERARCHY,
        ),
        way(&["bucketize", "-l", "2", "--sensitive", "illness"], false, &[]),
        Way {
            in_two: true,
            ..way(&["bucketize", "-l", "2", "--sensitive", "illness"], false, &[])
        },
        way(
            &[
                "slice",
                "-l",
                "2",
                "--sensitive",
                "illness",
                "--slices",
                "sex,code,note,ward|town|illness",
            ],
            false,
            &[],
        ),
    ]
}

fn every_format_of_every_command(input: &str) {
    let place = Place::new(input);
    let reports = tempfile::tempdir().unwrap();
    for way in ways() {
        let gone = if way.rare { [&ALWAYS[..], &RARE].concat() } else { ALWAYS.to_vec() };
        for format in FORMATS {
            let (release, sensitive) = (format!("release.{format}"), format!("sensitive.{format}"));
            let mut args =
                [&way.args[..1], &[&place.input], &way.args[1..], &ROLES, &["-o", &release]]
                    .concat();
            let mut files = vec![PathBuf::from(&release)];
            let mut labels = way.labels.to_vec();
            if way.in_two {
                args.extend(["--sensitive-table", &sensitive]);
                labels.extend(["--sensitive-table", &sensitive]);
                files.push(sensitive.clone().into());
            }
            if format == "csv" {
                place.publish(&args, &gone, &files);
            }
            args.push("--json");
            let report = place.publish(&args, &gone, &files);
            let made: Vec<PathBuf> = place.made().into_iter().map(PathBuf::from).collect();
            assert_eq!(made, files, "{args:?}");
            let claims = reports.path().join("report.json");
            std::fs::write(&claims, report).unwrap();
            let claims = ["--claims", claims.to_str().unwrap()];
            place.verify(&release, &[&claims[..], &ROLES, &labels].concat());
            files.iter().for_each(|file| std::fs::remove_file(place.path().join(file)).unwrap());
        }
    }
}

#[test]
fn text_is_published_without_canaries() {
    every_format_of_every_command(INPUTS[0]);
}

#[test]
fn parquet_is_published_without_canaries() {
    every_format_of_every_command(INPUTS[1]);
}

#[test]
fn arrow_is_published_without_canaries() {
    every_format_of_every_command(INPUTS[2]);
}

#[test]
fn folders_hold_canaries_for_their_owner_only() {
    let steps = [
        ("methods = [\"generalize\", \"suppress\"]\ngeneralize.levels = { town = 1 }\n", true),
        (
            "methods = [\"mask\", \"bucketize\"]\nmask.measure = \"distinct\"\nmask.beta = 0.3\nbucketize.l = 2\n",
            false,
        ),
    ];
    for input in INPUTS {
        let place = Place::new(input);
        for ((steps, rare), format) in steps.iter().flat_map(|way| FORMATS.map(|own| (*way, own))) {
            let gone = if rare { [&ALWAYS[..], &RARE].concat() } else { ALWAYS.to_vec() };
            let policy = POLICY.replace("FORMAT", format) + steps;
            let policy = if rare { policy } else { policy.replace("k = 3\n", "") };
            std::fs::write(place.path().join("policy.toml"), policy).unwrap();
            let data = format!("release/data.{format}");
            let files = [data.as_str(), "release/manifest.json", "release/summary.md"];
            let mut files = files.map(PathBuf::from).to_vec();
            // Where a format shows suppressed cells as missing, a table beside the data lists them.
            if rare && !["csv", "tsv"].contains(&format) {
                files.push(format!("release/suppressed.{format}").into());
            }
            let args =
                ["protect", "--allow-findings", &place.input, "-p", "policy.toml", "-o", "release"];
            place.publish(&args, &gone, &files);
            assert_eq!(place.made(), ["release"], "{args:?}");
            let entries = std::fs::read_dir(place.path().join("release")).unwrap();
            let mut names: Vec<PathBuf> =
                entries.map(|own| Path::new("release").join(own.unwrap().file_name())).collect();
            names.retain(|name| !files.contains(name));
            assert_eq!(names, [PathBuf::from("release/internal")]);
            owner_only(&place.path().join("release/internal"));
            place.verify("release", &["-p", "policy.toml"]);
            std::fs::remove_dir_all(place.path().join("release")).unwrap();
        }
    }
}

/// Nobody else may read what is in the folder.
fn owner_only(internal: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(internal), 0o700);
        for entry in std::fs::read_dir(internal).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
    assert!(internal.is_dir());
}

/// Without this, the others could pass by not looking.
#[test]
fn canaries_are_seen_where_they_are() {
    let all = [&ALWAYS[..], &RARE].concat();
    let hidden = ["canary-unused", "canary-null", "canary-metadata"];
    for input in INPUTS {
        let place = Place::new(input);
        let held = found(&all, &bytes_of(&place.path().join(&place.input)));
        let expected: Vec<&str> = match input {
            "arrow" => all.iter().copied().filter(|own| *own != "canary-file").collect(),
            // A Parquet file keeps no value that no cell has.
            "parquet" => vec!["canary-name", "canary-metadata", "number", TOWN, "code"],
            _ => vec!["canary-name", "number", TOWN, "code"],
        };
        assert_eq!(held, expected, "{input}");
        let output = muslin(
            place.path(),
            &["verify", "--allow-findings", &place.input, "-k", "1", "--json"],
        );
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let bytes = checks.iter().find(|check| check["claim"] == "hygiene: bytes").unwrap();
        let hides = hidden.iter().any(|canary| held.contains(canary));
        assert_eq!(bytes["met"], !hides, "{input}");
        let index = checks.iter().find(|check| check["claim"] == "hygiene: index").unwrap();
        assert_eq!(index["met"], false, "{input}");
    }
    // In compressed pages as well.
    let place = Place::new("arrow");
    let args = ["bucketize", &place.input, "-l", "2", "--sensitive", "illness", "-o", "r.parquet"];
    let output = muslin(place.path(), &args);
    assert!(output.status.success(), "{}", seen(&output));
    let held = found(&all, &bytes_of(&place.path().join("r.parquet")));
    assert_eq!(held, ["canary-name", "number", TOWN, "code"]);
}
