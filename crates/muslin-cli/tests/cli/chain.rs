//! From the first scan to the report by what muslin prints alone: each `next:` is pasted into a shell as it stands.

use std::path::Path;
use std::process::{Command, Stdio};

use muslin_testkit::data::real;
use serde_json::Value;
use tempfile::TempDir;

use super::{folder_with, with_demo};

/// A command that was pasted, and what came of it.
struct Step {
    command: String,
    code: i32,
    said: String,
}

impl Step {
    /// The command itself, without the name of the program: `protect --dry-run` is one of its own.
    fn name(&self) -> String {
        let verb = self.command.split(' ').nth(1).unwrap().to_owned();
        let is_asking = self.command.contains(" --decide ") || self.command.ends_with(" --dry-run");
        if is_asking { verb + "?" } else { verb }
    }
}

fn pasted(folder: &Path, command: &str) -> Step {
    let program = Path::new(env!("CARGO_BIN_EXE_muslin")).parent().unwrap();
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("PATH=\"$0:$PATH\"; export PATH; {command}"))
        .arg(program)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let both = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(both).unwrap();
    Step { command: command.to_owned(), code: output.status.code().unwrap(), said }
}

/// The command after the last `next:`.
fn next(said: &str) -> Option<&str> {
    let rest = said.rsplit_once("next:")?.1.trim_start();
    Some(rest.lines().next().unwrap_or_default()).filter(|command| !command.is_empty())
}

/// Pastes until nothing more is printed.
fn chain(folder: &Path, first: &str) -> Vec<Step> {
    let mut steps = vec![pasted(folder, first)];
    while let Some(command) = next(&steps.last().unwrap().said).map(str::to_owned) {
        assert!(steps.len() < 12, "the chain has no end");
        let step = pasted(folder, &command);
        steps.push(step);
    }
    // Seen where a test fails, and with `--no-capture`.
    for step in &steps {
        println!("$ {}\n{}[exit {}]\n", step.command, step.said, step.code);
    }
    steps
}

/// What holds for every file: every command works, no undecided column is published, and the
/// verdict is the same wherever it stands.
fn checked(folder: &Path, first: &str) -> Value {
    let steps = chain(folder, first);
    let names: Vec<String> = steps.iter().map(Step::name).collect();
    let said: Vec<String> =
        steps.iter().map(|own| format!("$ {}\n{}", own.command, own.said)).collect();
    let said = said.join("\n");
    let of = |name: &str| steps.iter().find(|own| own.name() == name).expect(&said);
    let order = ["scan", "init", "plan", "protect?", "protect", "verify", "attack", "report"];
    let in_order: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| *name != "init?").collect();
    // Before them at most a scan that says how the file must be read.
    let is_hinted = in_order.starts_with(&["scan", "scan"]);
    assert_eq!(in_order[usize::from(is_hinted)..], order, "{said}");
    for step in &steps {
        let may_find = ["protect", "protect?", "verify", "attack"].contains(&&*step.name());
        let is_hint = step.code == 3 && step.name() == "scan" && step.command == first;
        assert!(step.code == 0 || is_hint || step.code == 1 && may_find, "{said}");
    }
    let policy = std::fs::read_to_string(folder.join("muslin.toml")).unwrap();
    assert!(!policy.contains("role = \"undecided\""), "{policy}");
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(folder.join("release/manifest.json")).unwrap())
            .unwrap();
    let verdict = manifest["verdict"].as_str().unwrap();
    for name in ["protect", "verify"] {
        let line = match verdict {
            "passed" => "Passed: ",
            "findings" => "Passed with findings: ",
            other => panic!("{other}: {said}"),
        };
        assert!(of(name).said.contains(line), "{name}: {said}");
        assert_eq!(of(name).code, i32::from(verdict != "passed"), "{said}");
    }
    assert!(folder.join("report.html").exists(), "{said}");
    manifest
}

fn columns(manifest: &Value) -> Vec<&str> {
    let columns = manifest["columns"].as_array().unwrap();
    columns.iter().map(|name| name.as_str().unwrap()).collect()
}

/// A copy of a real data set, under a name that has to be quoted.
fn real_data(name: &str) -> Option<TempDir> {
    let Some(path) = real(name) else {
        println!("{name} is absent: skipped");
        return None;
    };
    let bytes = std::fs::read(path).unwrap();
    Some(folder_with(&[("the survey (2024).csv", &bytes)]))
}

const FIRST: &str = "muslin scan 'the survey (2024).csv'";

#[test]
fn eusilc_is_released_by_pasting() {
    let Some(folder) = real_data("eusilc.csv") else { return };
    let manifest = checked(folder.path(), FIRST);
    // Neither the number of a household nor a survey weight nor an income that numbers households.
    for name in ["db030", "rb030", "db090", "rb050", "eqIncome", "py010n"] {
        assert!(!columns(&manifest).contains(&name), "{name} is published");
    }
    for name in ["db040", "hsize", "age", "rb090"] {
        assert!(columns(&manifest).contains(&name), "{name} is not published");
    }
    assert_eq!(manifest["verdict"], "passed", "{manifest:#}");
}

#[test]
fn the_household_survey_is_released_by_pasting() {
    let Some(folder) = real_data("sdcmicro_testdata.csv") else { return };
    let manifest = checked(folder.path(), FIRST);
    assert!(!columns(&manifest).contains(&"sampling_weight"));
}

#[test]
fn adult_is_released_by_pasting() {
    let Some(folder) = real_data("adult.csv") else { return };
    let file = folder.path().join("the survey (2024).csv");
    // As many as the test has time for.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.split_inclusive('\n').take(6_001).collect::<String>()).unwrap();
    let manifest = checked(folder.path(), FIRST);
    assert!(!columns(&manifest).contains(&"fnlwgt"));
}

#[test]
fn the_hospital_is_released_by_pasting() {
    let folder = with_demo("1000", "hospital.csv");
    let manifest = checked(folder.path(), "muslin scan hospital.csv");
    for name in ["patient_id", "name"] {
        assert!(!columns(&manifest).contains(&name), "{name} is published");
    }
}

/// As a small office has it: Latin-1, semicolons, decimal commas, days before months, empty cells, `k.A.` and
/// `-9` for missing, a household's number, a survey weight.
fn german() -> Vec<u8> {
    let mut text = String::from(
        "Lfd;Haushaltsnummer;Vorname;Name;Geburtsdatum;Geschlecht;PLZ;Bundesland;Haushaltseinkommen;Chronisch krank;Hochrechnungsfaktor\n",
    );
    let first = ["Käthe", "Noah", "Sophie", "Jörg", "Anna", "Uwe", "Zoë", "Emil", "Ida", "Max"];
    let last = ["Schäfer", "Jäger", "Meier", "Krüger", "Köhler", "Weiß", "Vogt", "Huber", "Lang"];
    let lands = ["Thüringen", "Bayern", "Hessen", "Saarland"];
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        // A linear congruential generator (Knuth, MMIX).
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut household = 0;
    let (mut land, mut income) = (0, String::new());
    for row in 0..3_000_u64 {
        if row % 3 == 0 || draw(4) == 0 {
            household += 1;
            land = usize::try_from(draw(4)).unwrap();
            income = match draw(12) {
                0 => String::new(),
                1 => "k.A.".to_owned(),
                _ => format!("{},{:02}", 900 + draw(4_000), draw(100)),
            };
        }
        let pick = |from: &[&str], at: u64| from[usize::try_from(at).unwrap()].to_owned();
        let name = pick(&first, draw(10));
        let family = pick(&last, draw(9));
        let ill = pick(&["ja", "nein", "nein", "nein", "-9"], draw(5));
        text += &format!(
            "{row};{household};{name};{name} {family};{:02}.{:02}.{};{};{:05};{};{income};{ill};{},{:03}\n",
            1 + draw(28),
            1 + draw(12),
            1930 + draw(80),
            pick(&["m", "w"], draw(2)),
            1_000 + land as u64 * 20_000 + draw(12) * 7,
            lands[land],
            8 + land,
            111 * (1 + land),
        );
    }
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

#[test]
fn a_latin_1_survey_is_released_by_pasting() {
    let folder = folder_with(&[("umfrage.csv", &german())]);
    let manifest = checked(folder.path(), "muslin scan umfrage.csv");
    for name in ["Lfd", "Haushaltsnummer", "Vorname", "Name", "Hochrechnungsfaktor"] {
        assert!(!columns(&manifest).contains(&name), "{name} is published");
    }
    assert_eq!(manifest["dialect"]["encoding"], "windows-1252");
    assert_eq!(manifest["dialect"]["delimiter"], ";");
    let bytes = std::fs::read(folder.path().join("release/data.csv")).unwrap();
    let data: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    // No set of names or of dates.
    assert!(!data.contains('{') || !data.contains("Schäfer"), "{}", &data[..400]);
    assert!(data.contains(" to "), "dates are published in ranges: {}", &data[..400]);
}
