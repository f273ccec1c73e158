//! The work folder of an executor: nobody else reads it, and nothing stays of it or goes with it.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use muslin_cluster::connect;
use muslin_engine::{Engine, Run};
use muslin_engine_datafusion::DataFusionEngine;
use muslin_io::ReadOptions;
use muslin_table::{ColumnSet, MissingRule};

use super::strangers::files;
use super::{Cluster, free_port, in_files, node, people, wait_for};

/// An executor in a folder of somebody's, for the scheduler of a cluster.
fn executor(cluster: &Cluster, folder: &Path) -> Child {
    let (of, own) = (cluster.address.to_string(), free_port());
    let of = of.rsplit(':').next().unwrap();
    let all = std::env::temp_dir();
    let args =
        ["executor", of, &own.to_string(), folder.to_str().unwrap(), all.to_str().unwrap(), "-"];
    let executor = node(&args);
    wait_for(own);
    executor
}

fn ask(cluster: &Cluster, table: &Path) {
    let (run, read) = (Run::new(), ReadOptions::default());
    let place = connect(&cluster.address, None, &run).unwrap();
    let engine = DataFusionEngine::open(place, table.to_str().unwrap(), None, &read, &run).unwrap();
    let sizes = engine.class_sizes(&ColumnSet::first(2), MissingRule::Category).unwrap();
    assert!(sizes.classes() > Some(1));
}

/// Files and folders that executors have made.
fn made(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_one = |path: &std::path::PathBuf| {
        path.file_name().is_some_and(|name| name.to_str().unwrap().starts_with("muslin-executor-"))
    };
    entries.filter(is_one).collect()
}

#[cfg(unix)]
#[test]
fn cells_on_disk_are_private_and_do_not_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    // A folder that others may see, with what somebody keeps there.
    fs::create_dir_all(work.join("thesis/1/0")).unwrap();
    fs::set_permissions(&work, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(work.join("thesis/1/0/data-0.arrow"), "important").unwrap();
    fs::write(work.join("notes.txt"), "important").unwrap();
    let before = files(&work);
    let table = in_files(&people(2_000), 3);
    let mut cluster = Cluster::start(0);

    cluster.nodes.push(executor(&cluster, &work));
    ask(&cluster, table.path());
    let own = made(&work);
    let is_arrow = |(path, _): &(std::path::PathBuf, Vec<u8>)| {
        path.extension().is_some_and(|own| own == "arrow")
    };
    let answers = |own: &[std::path::PathBuf]| {
        own.iter()
            .filter(|path| path.is_dir())
            .flat_map(|path| files(path))
            .filter(is_arrow)
            .count()
    };
    assert!(answers(&own) > 0, "no answer is on its way");
    // Whatever is in a folder that nobody else may enter is out of reach, too.
    for path in &own {
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o077,
            0,
            "{}",
            path.display()
        );
    }
    // Killed, it leaves them; the next one removes them, and nothing else.
    let mut killed = cluster.nodes.pop().unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(answers(&made(&work)) > 0);
    cluster.nodes.push(executor(&cluster, &work));
    for path in &own {
        assert!(!path.exists(), "{} is left", path.display());
    }
    assert_eq!(made(&work).len(), 2, "a folder and its lock");
    // Told to end, it takes its own folder with it.
    let next = cluster.nodes.last_mut().unwrap();
    let id = next.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let start = Instant::now();
    while next.try_wait().unwrap().is_none() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "an executor that is told to end goes on"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(files(&work), before);
}
