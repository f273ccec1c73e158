//! The program killed or interrupted: every destination is absent, old or complete, and the next run
//! removes what was left.
//!
//! `MUSLIN_KILLS=1000` kills as often; without it there are as many as take some seconds.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Kills where nothing else is asked for.
const KILLS: u32 = 60;

const POLICY: &str = "schema = 1\n[columns.patient_id]\nrole = \"identifier\"\n[release]\nk = 3\n\
    order = \"sorted\"\nundeclared = \"quasi-identifier\"\naccept = [\"downcoding\"]\n";

/// A command that writes, and what it writes; alike every time.
struct Writer {
    args: &'static [&'static str],
    outputs: &'static [&'static str],
}

const WRITERS: [Writer; 12] = [
    Writer {
        args: &["demo-data", "hospital", "--rows", "9000", "-o", "h.csv"],
        outputs: &["h.csv"],
    },
    Writer {
        args: &["demo-data", "hospital", "--rows", "9000", "-o", "h.parquet"],
        outputs: &["h.parquet"],
    },
    Writer {
        args: &["demo-data", "hospital", "--rows", "9000", "-o", "h.arrow"],
        outputs: &["h.arrow"],
    },
    Writer {
        args: &[
            "mask",
            "in.csv",
            "--measure",
            "distinct",
            "--beta",
            "0.5",
            "--row-order",
            "sorted",
            "-o",
            "m.csv",
        ],
        outputs: &["m.csv"],
    },
    Writer {
        args: &[
            "suppress",
            "in.csv",
            "-k",
            "2",
            "--qi",
            "age,sex",
            "--row-order",
            "sorted",
            "-o",
            "s.csv",
            "--certificate",
            "c.csv",
            "--ledger",
            "l.parquet",
        ],
        outputs: &["s.csv", "c.csv", "l.parquet"],
    },
    Writer {
        args: &[
            "bucketize",
            "in.csv",
            "-l",
            "2",
            "--sensitive",
            "diagnosis_group",
            "--row-order",
            "sorted",
            "-o",
            "b.arrow",
            "--sensitive-table",
            "st.csv",
        ],
        outputs: &["b.arrow", "st.csv"],
    },
    Writer {
        args: &["uniques", "in.csv", "--list", "--max-size", "2", "-o", "u.csv"],
        outputs: &["u.csv"],
    },
    Writer {
        args: &["uniques", "in.csv", "--list", "--max-size", "2", "-o", "u.arrow"],
        outputs: &["u.arrow"],
    },
    Writer {
        args: &["keys", "in.csv", "--all", "--max-size", "2", "-o", "k.parquet"],
        outputs: &["k.parquet"],
    },
    Writer { args: &["init", "in.csv", "--force", "-o", "n.toml"], outputs: &["n.toml"] },
    Writer { args: &["diff", "in.csv", "in.csv", "--plots", "plots"], outputs: &["plots"] },
    Writer {
        args: &[
            "protect",
            "--allow-findings",
            "in.csv",
            "-p",
            "p.toml",
            "--reproducible",
            "-o",
            "release",
        ],
        outputs: &["release"],
    },
];

impl Writer {
    fn start(&self, folder: &Path) -> Child {
        Command::new(env!("CARGO_BIN_EXE_muslin"))
            .current_dir(folder)
            .args(self.args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Kills it at moments over all the time that it takes; how many of them left something.
    fn kill(&self, place: &Path, kills: u32) -> u32 {
        assert!(self.start(place).wait().unwrap().success(), "{:?}", self.args);
        let started = Instant::now();
        assert!(self.start(place).wait().unwrap().success());
        let longest = started.elapsed();
        let complete = self.outputs.map_to(|name| tree(&place.join(name)));
        let mut left = 0;
        for round in 0..kills {
            let had = round % 2 == 0;
            for name in self.outputs {
                remove(&place.join(name));
                if had {
                    put_old(&place.join(name), &complete[name]);
                }
            }
            let before = self.outputs.map_to(|name| tree(&place.join(name)));
            let mut child = self.start(place);
            std::thread::sleep(moment(round, kills, longest * 11 / 10));
            child.kill().unwrap();
            child.wait().unwrap();
            left += u32::from(!leftovers(place).is_empty());
            for name in self.outputs {
                let found = tree(&place.join(name));
                let is_whole = |part: &PathBuf| {
                    let is = |all: &BTreeMap<PathBuf, Vec<u8>>| found.get(part) == all.get(part);
                    is(&complete[name]) || is(&before[name])
                };
                // Plots are files of their own in a folder; a release is one thing.
                let fine = if *name == "plots" {
                    found.keys().all(is_whole)
                } else {
                    found == complete[name] || found == before[name]
                };
                assert!(fine, "{:?}, round {round}: {name}: {:?}", self.args, found.keys());
            }
        }
        assert!(self.start(place).wait().unwrap().success());
        assert_eq!(leftovers(place), Vec::<PathBuf>::new(), "{:?}", self.args);
        for name in self.outputs {
            assert!(tree(&place.join(name)) == complete[name], "{name}");
        }
        left
    }
}

/// A value for each name.
trait MapTo {
    fn map_to<T>(&self, value: impl Fn(&str) -> T) -> BTreeMap<&'static str, T>;
}

impl MapTo for &'static [&'static str] {
    fn map_to<T>(&self, value: impl Fn(&str) -> T) -> BTreeMap<&'static str, T> {
        self.iter().map(|name| (*name, value(name))).collect()
    }
}

/// What is at a path, file by file; what is in the making is no part of it.
fn tree(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    if !path.is_dir() {
        return std::fs::read(path).map(|content| (path.to_owned(), content)).into_iter().collect();
    }
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| !is_temporary(path)).flat_map(|path| tree(&path)).collect()
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().unwrap().to_str().unwrap().starts_with(".muslin-")
}

fn remove(path: &Path) {
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

/// Something of the same kind that was there before: of a folder, its files as they are.
fn put_old(path: &Path, complete: &BTreeMap<PathBuf, Vec<u8>>) {
    for (file, content) in complete {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = if file == path { b"what was there before".as_slice() } else { content };
        std::fs::write(file, text).unwrap();
    }
}

/// What is in the making, here and one folder further down.
fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let within = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let here = within(folder);
    let below: Vec<PathBuf> = here
        .iter()
        .filter(|path| path.is_dir() && !is_temporary(path))
        .flat_map(|p| within(p))
        .collect();
    here.into_iter().chain(below).filter(|path| is_temporary(path)).collect()
}

/// A moment at random, in the given one of so many equal stretches.
fn moment(stretch: u32, of: u32, longest: Duration) -> Duration {
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    let within = u32::try_from(random % 1_000).unwrap();
    longest * (stretch * 1_000 + within) / (of * 1_000)
}

#[test]
fn killed_at_any_moment_every_destination_is_absent_old_or_complete() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("p.toml"), POLICY).unwrap();
    let input = Command::new(env!("CARGO_BIN_EXE_muslin"))
        .current_dir(place.path())
        .args(["demo-data", "hospital", "--rows", "400", "-o", "in.csv"])
        .status();
    assert!(input.unwrap().success());
    #[expect(clippy::disallowed_methods, reason = "more kills than a test has time for")]
    let asked = std::env::var("MUSLIN_KILLS");
    let kills = asked.ok().map_or(KILLS, |kills| kills.parse().unwrap());
    let each = kills.div_ceil(u32::try_from(WRITERS.len()).unwrap());
    let left: u32 = WRITERS.iter().map(|writer| writer.kill(place.path(), each)).sum();
    let kills = each * u32::try_from(WRITERS.len()).unwrap();
    println!("{kills} kills, of which {left} left temporary files for the next run to remove");
}

#[test]
fn interrupted_it_ends_with_130_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut waiting = Command::new(env!("CARGO_BIN_EXE_muslin"))
        .args(["scan", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut writing = Command::new(env!("CARGO_BIN_EXE_muslin"))
        .current_dir(folder.path())
        .args(["demo-data", "hospital", "--rows", "3000000", "-o", "h.csv"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Kept open: what it waits for does not come.
    let input = waiting.stdin.take();
    std::thread::sleep(Duration::from_secs(1));
    for child in [&mut waiting, &mut writing] {
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
    for child in [&mut waiting, &mut writing] {
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
    drop(input);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
