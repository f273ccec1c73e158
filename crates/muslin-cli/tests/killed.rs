//! The program killed or interrupted: the destination is absent, old or complete.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn write_demo(folder: &Path, name: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_muslin"))
        .current_dir(folder)
        .args(["demo-data", "hospital", "--rows", "30000", "--seed", "5", "-o", name])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn leftovers(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".muslin-")).collect()
}

/// A moment at random, in the given one of so many equal stretches.
fn moment(stretch: u32, of: u32, longest: Duration) -> Duration {
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    let within = u32::try_from(random % 1_000).unwrap();
    longest * (stretch * 1_000 + within) / (of * 1_000)
}

#[test]
fn killed_at_any_moment_the_destination_is_absent_old_or_complete() {
    let folder = tempfile::tempdir().unwrap();
    let started = Instant::now();
    for name in ["h.csv", "h.parquet"] {
        assert!(write_demo(folder.path(), name).wait().unwrap().success());
    }
    let longest = started.elapsed() / 2;
    let complete =
        ["h.csv", "h.parquet"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    let old = b"what was there before".to_vec();
    let mut residue = 0;
    for round in 0..50 {
        let which = usize::from(round % 2 == 1);
        let name = ["h.csv", "h.parquet"][which];
        let path = folder.path().join(name);
        let _ = std::fs::remove_file(&path);
        let before = round % 4 < 2;
        if before {
            std::fs::write(&path, &old).unwrap();
        }
        let mut child = write_demo(folder.path(), name);
        std::thread::sleep(moment(round, 50, longest * 11 / 10));
        child.kill().unwrap();
        child.wait().unwrap();
        match std::fs::read(&path) {
            Ok(found) => assert!(
                found == complete[which] || (before && found == old),
                "round {round}: {} bytes of {}",
                found.len(),
                complete[which].len()
            ),
            Err(_) => assert!(!before, "round {round}: the old file is gone"),
        }
        residue = residue.max(leftovers(folder.path()).len());
    }
    assert!(residue <= 1, "each run removes what the one before it left");
    assert!(write_demo(folder.path(), "h.csv").wait().unwrap().success());
    assert_eq!(leftovers(folder.path()), Vec::<String>::new());
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
