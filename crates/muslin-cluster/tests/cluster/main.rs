//! A scheduler and two executors, processes of their own on loopback, answer as memory does; what
//! happens when one of them dies; and what strangers are refused.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod folders;
mod played_scheduler;
mod strangers;

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
use muslin_assess::{Method, MinimalUniques, Score};
use muslin_cluster::{Address, UniquesSettings, connect, uniques};
use muslin_engine::{Cancel, Engine, Error, Fault, Run, Seed, Stop};
use muslin_engine_datafusion::DataFusionEngine;
use muslin_io::ReadOptions;
use muslin_table::{ColumnSet, MissingRule};
use muslin_testkit::engines::{assert_same_answers, assert_same_table};
use parquet::arrow::ArrowWriter;

/// A cluster that ends with the test.
struct Cluster {
    address: Address,
    /// The scheduler, then executors.
    nodes: Vec<Child>,
    /// Ports of the executors.
    ports: Vec<u16>,
    folder: tempfile::TempDir,
}

/// What a cluster is started with.
#[derive(Default)]
struct Start<'a> {
    executors: usize,
    /// What may be read: all temporary files, where nothing is said.
    root: Option<&'a Path>,
    token: Option<&'a Path>,
    /// Bytes that an executor may use.
    memory: Option<&'a str>,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for node in &mut self.nodes {
            let _ = node.kill();
            let _ = node.wait();
        }
    }
}

/// A port with a free one after it.
fn free_port() -> u16 {
    loop {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = first.local_addr().unwrap().port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
}

fn node(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muslin-cluster-node"));
    command.args(args).stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap()
}

fn wait_for(port: u16) {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(start.elapsed() < Duration::from_secs(60), "nobody listens at {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

impl Cluster {
    fn start(executors: usize) -> Self {
        Self::start_with(&Start { executors, ..Start::default() })
    }

    fn start_with(start: &Start<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let all = std::env::temp_dir();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let root = text(start.root.unwrap_or(&all));
        let token = start.token.map_or("-".to_owned(), text);
        let mut nodes = vec![node(&["scheduler", &port.to_string(), &root, &token])];
        wait_for(port);
        let mut ports = Vec::new();
        for at in 0..start.executors {
            let own = free_port();
            let work = text(&folder.path().join(at.to_string()));
            let (of, at) = (port.to_string(), own.to_string());
            let args = ["executor", &of, &at, &work, &root, &token];
            nodes.push(node(&[&args[..], start.memory.as_slice()].concat()));
            wait_for(own);
            ports.push(own);
        }
        let address = Address::parse(&format!("ballista://127.0.0.1:{port}")).unwrap();
        Self { address, nodes, ports, folder }
    }

    fn open<'a>(&self, path: &Path, sql: Option<&str>, run: &'a Run) -> DataFusionEngine<'a> {
        let place = connect(&self.address, None, run).unwrap();
        let read = ReadOptions::default();
        DataFusionEngine::open(place, path.to_str().unwrap(), sql, &read, run).unwrap()
    }
}

fn drawn(row: usize, column: u64, values: u64) -> i64 {
    i64::try_from(Seed::new(column).draw(row as u64) % values).unwrap()
}

fn people(rows: usize) -> RecordBatch {
    let some = |row, column| drawn(row, column, 13) > 0;
    let whole = |column, values| -> ArrayRef {
        let cell = |row| some(row, column).then(|| drawn(row, column, values));
        Arc::new((0..rows).map(cell).collect::<Int64Array>())
    };
    let text = |row| {
        some(row, 3).then(|| ["a", "", "NA", "it's"][usize::try_from(drawn(row, 3, 4)).unwrap()])
    };
    let float = |row| {
        some(row, 4).then(|| [0.0, -0.0, f64::NAN, 2.5][usize::try_from(drawn(row, 4, 4)).unwrap()])
    };
    let columns: [(&str, ArrayRef); 5] = [
        ("age", whole(1, 30)),
        ("The town", whole(2, 200)),
        ("name", Arc::new((0..rows).map(text).collect::<StringArray>())),
        ("weight", Arc::new((0..rows).map(float).collect::<Float64Array>())),
        ("job", whole(5, 9)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn write(batch: &RecordBatch, path: &Path) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn in_files(batch: &RecordBatch, files: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let each = batch.num_rows().div_ceil(files);
    for at in 0..files {
        let start = at * each;
        let part = batch.slice(start, each.min(batch.num_rows() - start));
        write(&part, &folder.path().join(format!("part-{at:03}.parquet")));
    }
    folder
}

#[test]
fn a_cluster_answers_as_memory_does() {
    let cluster = Cluster::start(2);
    let run = Run::new();
    let batch = people(3_000);
    let folder = in_files(&batch, 5);
    let engine = cluster.open(folder.path(), None, &run);
    let table = engine.collect(&engine.head().all_columns()).unwrap();
    assert_eq!(table.rows(), 3_000);
    assert_same_answers(&engine, &table);
    let query = cluster.open(folder.path(), Some("select age, job from input where age > 3"), &run);
    let table = query.collect(&query.head().all_columns()).unwrap();
    assert_same_answers(&query, &table);
}

#[test]
fn executors_search_for_uniques_as_one_machine_does() {
    let cluster = Cluster::start(2);
    let run = Run::new();
    let folder = in_files(&people(2_500), 3);
    let engine = cluster.open(folder.path(), None, &run);
    let table = engine.collect(&engine.head().all_columns()).unwrap();
    for (k, max_size, missing) in [
        (1, None, MissingRule::Category),
        (2, Some(3), MissingRule::Distinct),
        (1, Some(4), MissingRule::Wildcard),
    ] {
        let settings =
            UniquesSettings { k, max_size, missing, score: Score::default(), contributions: true };
        let found = uniques(&engine, &table, settings, &run).unwrap();
        let search = MinimalUniques::new().k(k).max_size(max_size).missing(missing);
        let alone =
            search.contributions(true).method(Some(Method::AgreeSets)).run(&table, &run).unwrap();
        assert!(found.total() > 0);
        assert_eq!(format!("{found:?}"), format!("{alone:?}"));
    }
}

#[test]
fn executors_read_drawn_rows_of_partitioned_folders() {
    let cluster = Cluster::start(2);
    let run = Run::new();
    let batch = people(4_000);
    let names: Vec<String> = (0..4_000).map(|row| format!("n{}", drawn(row, 9, 50))).collect();
    let packed: DictionaryArray<Int32Type> = names.iter().map(String::as_str).collect();
    let mut columns: Vec<(&str, ArrayRef)> = vec![("row", Arc::new(packed))];
    columns.push(("age", Arc::clone(batch.column(0))));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (at, year) in ["year=2023", "year=2024", "year=2025"].into_iter().enumerate() {
        std::fs::create_dir(folder.path().join(year)).unwrap();
        let part = batch.slice(at * 1_300, 1_300);
        write(&part, &folder.path().join(year).join("part.parquet"));
    }
    let engine = cluster.open(folder.path(), None, &run);
    let table = engine.collect(&engine.head().all_columns()).unwrap();
    let memory = muslin_engine::MemoryEngine::new(&table, &run);
    assert_eq!((table.rows(), table.columns().len()), (3_900, 3));
    for wanted in [1, 700, 3_899] {
        let seed = Seed::new(wanted);
        assert_same_table(
            &engine.sample(wanted, seed).unwrap(),
            &memory.sample(wanted, seed).unwrap(),
        );
    }
    // Rows that are gone are missed.
    write(&batch.slice(0, 600), &folder.path().join("year=2024/part.parquet"));
    let fewer = engine.sample(3_899, Seed::new(1));
    assert!(matches!(fewer, Err(Error::Elsewhere { fault: Fault::Table, .. })));
}

#[test]
fn a_table_that_changed_is_not_searched() {
    let cluster = Cluster::start(1);
    let run = Run::new();
    let (before, after) = (people(900), people(1_800).slice(900, 900));
    let folder = in_files(&before, 1);
    let engine = cluster.open(folder.path(), None, &run);
    let table = engine.collect(&engine.head().all_columns()).unwrap();
    write(&after, &folder.path().join("part-000.parquet"));
    let settings = UniquesSettings {
        k: 1,
        max_size: Some(3),
        missing: MissingRule::Category,
        score: Score::default(),
        contributions: false,
    };
    let error = uniques(&engine, &table, settings, &run).expect_err("executors read other cells");
    assert!(error.to_string().contains("the table changed"), "{error}");
    write(&before, &folder.path().join("part-000.parquet"));
    let found = uniques(&engine, &table, settings, &run).unwrap();
    let alone = MinimalUniques::new().max_size(Some(3)).method(Some(Method::AgreeSets));
    assert_eq!(format!("{found:?}"), format!("{:?}", alone.run(&table, &run).unwrap()));
}

/// Rows of many columns, so that a search takes long.
fn wide(rows: usize, columns: u64) -> RecordBatch {
    let column = |at: u64| -> (String, ArrayRef) {
        let cells = (0..rows).map(|row| drawn(row, at, 6)).collect::<Int64Array>();
        (format!("c{at}"), Arc::new(cells))
    };
    RecordBatch::try_from_iter((0..columns).map(column)).unwrap()
}

#[test]
fn executors_are_free_again_once_nobody_waits() {
    let cluster = Cluster::start(1);
    let folder = in_files(&wide(20_000, 30), 2);
    let cancel = Cancel::default();
    let run = Run::new().cancel(cancel.clone());
    let engine = cluster.open(folder.path(), None, &run);
    let table = engine.collect(&engine.head().all_columns()).unwrap();
    let settings = UniquesSettings {
        k: 1,
        max_size: None,
        missing: MissingRule::Category,
        score: Score::default(),
        contributions: false,
    };
    let searched = std::thread::scope(|scope| {
        let searched = scope.spawn(|| uniques(&engine, &table, settings, &run));
        // Until the executor is in the middle of it.
        std::thread::sleep(Duration::from_secs(3));
        assert!(!searched.is_finished(), "there is nothing left to end");
        cancel.cancel();
        searched.join().unwrap()
    });
    assert!(
        matches!(searched, Err(muslin_assess::Error::Engine(Error::Stopped(Stop::Interrupted)))),
        "{searched:?}"
    );
    // The only executor has one thread: it answers only if it does not search any more.
    let in_time = Run::new().time_limit(Some(Duration::from_secs(60)));
    let engine = cluster.open(folder.path(), None, &in_time);
    let sizes = engine.class_sizes(&ColumnSet::first(2), MissingRule::Category).unwrap();
    assert_eq!(sizes.classes(), Some(36));
}

#[test]
fn a_table_that_an_executor_has_no_room_for_is_told() {
    let cluster =
        Cluster::start_with(&Start { executors: 1, memory: Some("300000"), ..Start::default() });
    let run = Run::new();
    let folder = in_files(&wide(20_000, 30), 1);
    let engine = cluster.open(folder.path(), None, &run);
    let table = engine.collect(&engine.head().all_columns()).unwrap();
    let settings = UniquesSettings {
        k: 1,
        max_size: Some(2),
        missing: MissingRule::Category,
        score: Score::default(),
        contributions: false,
    };
    let error = uniques(&engine, &table, settings, &run).err();
    let Some(muslin_assess::Error::Engine(Error::Elsewhere { fault, reason, .. })) = error else {
        panic!("{error:?}");
    };
    assert_eq!(fault, Fault::Limit);
    assert_eq!(reason, "the table does not fit the memory of an executor");
}

#[test]
fn an_executor_that_dies_costs_time_and_nothing_else() {
    let mut cluster = Cluster::start(2);
    let run = Run::new();
    let folder = in_files(&people(60_000), 12);
    let engine = cluster.open(folder.path(), None, &run);
    let table = engine.collect(&engine.head().all_columns()).unwrap();
    let all = engine.head().all_columns();
    let memory = muslin_engine::MemoryEngine::new(&table, &run);
    let expected = memory.class_sizes(&all, MissingRule::Category).unwrap();
    let (found, searched) = std::thread::scope(|scope| {
        let counted = scope.spawn(|| engine.class_sizes(&all, MissingRule::Category));
        let settings = UniquesSettings {
            k: 1,
            max_size: None,
            missing: MissingRule::Category,
            score: Score::default(),
            contributions: false,
        };
        let searched = scope.spawn({
            let (engine, table, run) = (&engine, &table, &run);
            move || uniques(engine, table, settings, run)
        });
        std::thread::sleep(Duration::from_millis(700));
        assert!(
            !counted.is_finished() || !searched.is_finished(),
            "there is nothing left to disturb"
        );
        // The last one: no sign of life any more, in the middle of its work.
        let mut last = cluster.nodes.pop().unwrap();
        last.kill().unwrap();
        last.wait().unwrap();
        (counted.join().unwrap(), searched.join().unwrap())
    });
    assert_eq!(found.unwrap(), expected);
    let alone = MinimalUniques::new().method(Some(Method::AgreeSets)).run(&table, &run).unwrap();
    assert_eq!(format!("{:?}", searched.unwrap()), format!("{alone:?}"));
    // One is left, and goes on.
    let again = engine.class_sizes(&ColumnSet::first(3), MissingRule::Category).unwrap();
    assert_eq!(again, memory.class_sizes(&ColumnSet::first(3), MissingRule::Category).unwrap());
}

#[test]
fn what_is_not_there_is_told() {
    let run = Run::new();
    let nobody = Address::parse(&format!("ballista://127.0.0.1:{}", free_port())).unwrap();
    let Err(Error::Elsewhere { fault: Fault::Table, reason, .. }) = connect(&nobody, None, &run)
    else {
        panic!("nobody is there");
    };
    assert!(reason.contains("no scheduler answers"), "{reason}");

    let mut cluster = Cluster::start(1);
    let folder = in_files(&people(500), 2);
    let engine = cluster.open(folder.path(), None, &run);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let gone = engine.class_sizes(&ColumnSet::first(2), MissingRule::Category);
    assert!(matches!(gone, Err(Error::Elsewhere { fault: Fault::Table, .. })), "{gone:?}");

    // All executors go away.
    let folder = in_files(&people(500), 2);
    let engine = cluster.open(folder.path(), None, &run);
    let mut last = cluster.nodes.pop().unwrap();
    last.kill().unwrap();
    last.wait().unwrap();
    // A query that is under way when the last one dies is given up by the scheduler after a while.
    let Err(Error::Elsewhere { fault: Fault::Table, reason, .. }) =
        engine.class_sizes(&ColumnSet::first(2), MissingRule::Category)
    else {
        panic!("nobody can count");
    };
    assert_eq!(reason, "the cluster has no executor");

    // The scheduler goes away.
    let mut scheduler = cluster.nodes.remove(0);
    scheduler.kill().unwrap();
    scheduler.wait().unwrap();
    let gone = engine.class_sizes(&ColumnSet::first(2), MissingRule::Category);
    assert!(matches!(gone, Err(Error::Elsewhere { fault: Fault::Table, .. })), "{gone:?}");
}
