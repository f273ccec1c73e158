//! `--engine` and `--sql`: the same answers wherever the table is.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};

use super::{folder_with, muslin, seen, with_demo};

/// Columns of the example data that say too much by themselves are left out.
const READ: [&str; 4] = ["--null", "", "--exclude", "patient_id,name,charge"];

fn report(folder: &Path, args: &[&str]) -> Value {
    let output = muslin(folder, &[args, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", seen(&output)))
}

/// Commands whose whole report is the same on every engine.
const SAME: [&[&str]; 13] = [
    &["keys"],
    &["keys", "--all"],
    &["keys", "--all", "--measure", "distinct", "--beta", "0.9", "--max-size", "3"],
    &["keys", "--all", "--method", "levelwise", "--max-size", "2"],
    &["keys", "--minimum"],
    &["keys", "--minimum", "--exact", "--measure", "separation", "--beta", "0.999"],
    &["keys", "--minimum", "--epsilon", "0.01"],
    &["keys", "--set", "age,sex"],
    &["keys", "--set", "age,sex", "--sample", "100"],
    &["mask", "--measure", "distinct", "--beta", "0.3"],
    &["mask", "--measure", "separation", "--beta", "0.9", "--exact"],
    &["uniques", "--max-size", "3", "--method", "agree-sets"],
    &["uniques", "-k", "2", "--missing", "distinct", "--max-size", "2", "--method", "agree-sets"],
];

/// Tables of other shapes: rows that are there twice, a constant, an empty column, one row, none.
const SHAPES: [&str; 3] = ["twice.parquet", "one.parquet", "none.parquet"];

/// Commands that are asked about these.
const OF_SHAPES: [&[&str]; 5] = [
    &["keys", "--all"],
    &["keys", "--minimum", "--measure", "distinct", "--beta", "0.4"],
    &["mask", "--measure", "separation", "--beta", "0.7"],
    &["uniques", "--method", "agree-sets"],
    &["uniques", "-k", "3", "--missing", "distinct", "--method", "agree-sets"],
];

fn write(batch: &RecordBatch, path: &Path) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn shapes(folder: &Path) {
    let rows = || 0..120_i64;
    let columns: [(&str, ArrayRef); 5] = [
        ("half", Arc::new(rows().map(|row| row / 2).collect::<Int64Array>())),
        ("same", Arc::new(rows().map(|_| 7).collect::<Int64Array>())),
        ("empty", Arc::new(rows().map(|_| None).collect::<Int64Array>())),
        (
            "few",
            Arc::new(
                rows().map(|row| (row % 5 > 0).then_some(row / 2 % 3)).collect::<Int64Array>(),
            ),
        ),
        (
            "größe \"x\"",
            Arc::new(rows().map(|row| Some(format!("é{}", row / 8))).collect::<StringArray>()),
        ),
    ];
    let twice =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
            .unwrap();
    let lengths = [120, 1, 0];
    for (name, rows) in SHAPES.into_iter().zip(lengths) {
        write(&twice.slice(0, rows), &folder.join(name));
    }
}

fn assert_same(folder: &Path, engine: &str) {
    let asked = |command: &[&str], table: &str, read: &[&str]| {
        let args = [&command[..1], &[table], &command[1..], read].concat();
        let here = report(folder, &args);
        let there = report(folder, &[&args[..], &["--engine", engine]].concat());
        assert_eq!(there, here, "{command:?} of {table}");
    };
    for command in SAME {
        asked(command, "h.parquet", &READ);
    }
    shapes(folder);
    for table in SHAPES {
        for command in OF_SHAPES {
            asked(command, table, &[]);
        }
    }
    for command in [
        &["scan", "h.parquet", "--budget", "2s"][..],
        &["verify", "h.parquet", "-k", "2", "--qi", "sex"],
        &["verify", "h.parquet", "-k", "9", "--qi", "age,sex"],
        &["verify", "h.parquet", "-k", "2", "--qi", "sex", "--diversity", "diagnosis=2"],
        // A column that numbers rows.
        &["verify", "n.parquet", "-k", "2", "--qi", "sex"],
    ] {
        let mut here = report(folder, command);
        let there = report(folder, &[command, &["--engine", engine]].concat());
        assert_eq!(there["checks"], here["checks"], "{command:?}");
        if command[0] == "scan" {
            // The next command reads a file.
            here["next"] = Value::Null;
            assert_eq!(there, here);
        }
    }
    let released = |name: &str, engine: &[&str]| {
        let asked = ["mask", "h.parquet", "--measure", "distinct", "--beta", "0.3"];
        let written = ["--order", "as-read", "-o", name];
        let output = muslin(folder, &[&asked[..], &written, &READ, engine].concat());
        assert!(output.status.success(), "{}", seen(&output));
        std::fs::read(folder.join(name)).unwrap()
    };
    assert_eq!(released("a.csv", &["--engine", engine]), released("b.csv", &[]));
}

/// Example data, and a table with a column that numbers its rows.
fn with_tables() -> tempfile::TempDir {
    let folder = with_demo("600", "h.parquet");
    let numbers: ArrayRef = Arc::new((0..60).collect::<Int64Array>());
    let sexes: ArrayRef = Arc::new((0..60).map(|row| row % 2).collect::<Int64Array>());
    let numbered = RecordBatch::try_from_iter([("number", numbers), ("sex", sexes)]).unwrap();
    write(&numbered, &folder.path().join("n.parquet"));
    folder
}

#[test]
fn datafusion_answers_as_memory_does() {
    let folder = with_tables();
    assert_same(folder.path(), "datafusion");
}

#[test]
fn what_does_not_fit_memory_is_counted() {
    let folder = with_demo("400000", "h.parquet");
    // Half of it does not hold these columns of 400,000 rows; their classes are few.
    let few = ["--columns", "age,sex,marital_status,occupation,blood_group", "--null", ""];
    let little = ["--engine", "datafusion", "--memory", "15MB", "--threads", "2"];
    let asked = |args: &[&str], memory: &[&str]| {
        report(folder.path(), &[&args[..1], &["h.parquet"], &args[1..], &few, memory].concat())
    };
    let small = ["uniques", "--max-size", "3", "-k", "2", "--missing", "distinct"];
    let (counted, found) = (asked(&small, &little), asked(&small, &[]));
    assert_eq!(counted["rows_with_uniques"], Value::Null, "it was counted");
    assert!(counted["by_size"]["3"].as_u64() > Some(0), "{counted}");
    for field in ["by_size", "total", "sets"] {
        assert_eq!(counted[field], found[field], "{field}");
    }
    for field in ["alone", "paired"] {
        assert_eq!(counted["dis"][field], found["dis"][field], "{field}");
    }
    let none =
        [&["uniques", "h.parquet", "-k", "0", "--max-size", "2"], &few[..], &little].concat();
    let none = muslin(folder.path(), &none);
    assert_eq!(none.status.code(), Some(2), "{}", seen(&none));
    let text = [&["uniques", "h.parquet", "--max-size", "2"], &few[..], &little].concat();
    insta::assert_snapshot!(seen(&muslin(folder.path(), &text)));
    let keys = ["keys", "--all", "--measure", "distinct", "--beta", "0.02"];
    let (counted, found) = (asked(&keys, &little), asked(&keys, &[]));
    assert_eq!(counted, found);
    let refused = muslin(folder.path(), &[&["uniques", "h.parquet"], &few[..], &little].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", seen(&refused));
    assert!(seen(&refused).contains("--max-size 3"), "{}", seen(&refused));
    // Classes of columns that are all different do not fit thirty kilobytes, and no disk helps.
    let refused =
        muslin(folder.path(), &["keys", "h.parquet", "--engine", "datafusion", "--memory", "30kB"]);
    assert_eq!(refused.status.code(), Some(5), "{}", seen(&refused));
}

#[cfg(unix)]
#[test]
fn nothing_is_left_of_what_was_put_on_disk() {
    let folder = with_demo("400000", "h.parquet");
    let scratch = folder.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let asked = ["keys", "h.parquet", "--engine", "datafusion", "--memory", "60MB"];
    let mut program = super::command(folder.path(), &asked)
        .env("TMPDIR", &scratch)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_spilled = || {
        let inner = std::fs::read_dir(&scratch).unwrap().flatten();
        inner.flat_map(|entry| std::fs::read_dir(entry.path())).flatten().flatten().count() > 0
    };
    let start = Instant::now();
    while !is_spilled() {
        assert!(start.elapsed() < Duration::from_secs(60), "memory was enough");
        assert!(program.try_wait().unwrap().is_none(), "memory was enough");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Somebody who cannot wait.
    for _ in 0..2 {
        let id = program.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        std::thread::sleep(Duration::from_millis(30));
    }
    assert_eq!(program.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "cells are left on the disk");
}

#[test]
fn a_query_and_a_folder_are_tables() {
    let folder = with_demo("500", "h.parquet");
    std::fs::create_dir(folder.path().join("all")).unwrap();
    for part in ["1", "2"] {
        let made = ["demo-data", "hospital", "--rows", "200", "--seed", part, "-o"];
        let name = format!("all/{part}.parquet");
        assert!(muslin(folder.path(), &[&made[..], &[&name]].concat()).status.success());
    }
    for location in ["all", "all/*.parquet"] {
        let scan = report(folder.path(), &["scan", location, "--engine", "datafusion"]);
        assert_eq!(scan["rows"], json!(400), "{location}");
        let verify = ["verify", location, "-k", "2", "--qi", "sex", "--engine", "datafusion"];
        assert_eq!(report(folder.path(), &verify)["rows"], json!(400), "{location}");
    }
    let sql = "select age, sex from input where age >= 50";
    let keys = report(folder.path(), &["keys", "h.parquet", "--sql", sql]);
    assert_eq!(
        (&keys["input"]["format"], &keys["column_names"]),
        (&json!("query"), &json!(["age", "sex"]))
    );
    let csv = muslin(folder.path(), &["demo-data", "hospital", "--rows", "50", "-o", "h.csv"]);
    assert!(csv.status.success());
    let of_text = report(folder.path(), &["scan", "h.csv", "--sql", "select age, sex from input"]);
    assert_eq!(of_text["rows"], json!(50));
    let sql = "select count(*) as people, age from 'h.parquet' group by age";
    let grouped = report(folder.path(), &["scan", "h.parquet", "--sql", sql]);
    assert_eq!(grouped["columns"][0]["name"], json!("people"));
}

#[test]
fn what_cannot_be_asked_elsewhere_is_told() {
    let folder = folder_with(&[("people.csv", b"a,b\n1,2\n")]);
    let told: Vec<String> = [
        &["keys", "people.csv", "--engine", "datafusion"][..],
        &["keys", "absent.parquet", "--engine", "datafusion"],
        &["keys", "-", "--engine", "datafusion"],
        &["keys", "people.csv", "--engine", "spark"],
        &["keys", "people.csv", "--engine", "ballista://127.0.0.1:9"],
        &["keys", "people.csv", "--engine", "datafusion", "--distinct-rows"],
        &["uniques", "people.csv", "--engine", "datafusion", "--dry-run"],
    ]
    .iter()
    .map(|args| format!("$ muslin {}\n{}", args.join(" "), seen(&muslin(folder.path(), args))))
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}

/// Programs that end with the test.
struct Cluster(Vec<Child>);

impl Drop for Cluster {
    fn drop(&mut self) {
        for node in &mut self.0 {
            let _ = node.kill();
            let _ = node.wait();
        }
    }
}

/// An address of loopback with a free port, and a free one after it.
fn free_address() -> String {
    loop {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = first.local_addr().unwrap();
        let next = address.port().checked_add(1);
        if next.is_some_and(|next| TcpListener::bind(("127.0.0.1", next)).is_ok()) {
            return address.to_string();
        }
    }
}

fn wait_for(address: &str) {
    let start = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(start.elapsed() < Duration::from_secs(60), "nobody listens at {address}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A scheduler and two executors of this program, in an environment, which read below a root; and where they are.
fn cluster(root: &str, more: &[&str], env: &[(&str, &str)]) -> (Cluster, String) {
    let node = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_muslin"));
        command.arg("cluster").args(args).args(["--threads", "1", "--root", root]).args(more);
        command.envs(env.iter().copied()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let scheduler = free_address();
    let mut cluster = Cluster(vec![node(&["scheduler", "--bind", &scheduler])]);
    wait_for(&scheduler);
    for _ in 0..2 {
        let own = free_address();
        cluster.0.push(node(&["executor", "--scheduler", &scheduler, "--bind", &own]));
        wait_for(&own);
    }
    (cluster, format!("ballista://{scheduler}"))
}

#[test]
fn a_cluster_of_this_program_answers_as_memory_does() {
    let folder = with_tables();
    let (_cluster, address) = cluster(folder.path().to_str().unwrap(), &[], &[]);
    assert_same(folder.path(), &address);
}

#[cfg(unix)]
#[test]
fn a_cluster_asks_for_its_token_and_reads_below_its_roots() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with_demo("300", "h.parquet");
    std::fs::create_dir(folder.path().join("inside")).unwrap();
    std::fs::copy(folder.path().join("h.parquet"), folder.path().join("inside/h.parquet")).unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "correct-horse-battery-staple-0123456789\n").unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (root, token) = (folder.path().join("inside"), token.to_str().unwrap());
    let (_cluster, address) = cluster(root.to_str().unwrap(), &["--token-file", token], &[]);
    let asked = |table: &str, more: &[&str]| {
        let args = ["keys", table, "--all", "--json", "--engine", &address];
        let args = [&args[..], &READ, more].concat();
        let output = muslin(folder.path(), &args);
        (output.status.code(), seen(&output).replace(&address, "ballista://CLUSTER"))
    };
    let with_token = ["--token-file", token];
    let here =
        muslin(folder.path(), &[&["keys", "h.parquet", "--all", "--json"], &READ[..]].concat());
    let (here, there) = (seen(&here), asked("inside/h.parquet", &with_token));
    assert_eq!(there.0, Some(0), "{}", there.1);
    let keys = |text: &str| -> Value {
        let json = &text[text.find('{').unwrap()..=text.rfind('}').unwrap()];
        serde_json::from_str::<Value>(json).unwrap()["keys"].clone()
    };
    assert_eq!(keys(&there.1), keys(&here));
    let outside = asked("h.parquet", &with_token);
    assert_eq!(outside.0, Some(3), "{}", outside.1);
    assert!(outside.1.contains("not below a root of the cluster"), "{}", outside.1);
    assert!(
        outside.1.contains("hint: start the scheduler and the executors with `--root`"),
        "{}",
        outside.1
    );
    let query = [
        "--sql",
        "select i.* from input as i join 'h.parquet' as h on i.age = h.age",
        "--token-file",
        token,
    ];
    let joined = asked("inside/h.parquet", &query);
    assert_eq!(joined.0, Some(3), "{}", joined.1);
    let without = asked("inside/h.parquet", &[]);
    assert_eq!(without.0, Some(3), "{}", without.1);
    assert!(without.1.contains("the cluster requires a token"), "{}", without.1);
}

#[cfg(unix)]
#[test]
fn a_cluster_is_not_open_to_others_by_mistake() {
    use std::os::unix::fs::PermissionsExt;
    let folder =
        folder_with(&[("a.csv", b"a,b\n1,2\n"), ("token", b"short"), ("shared", &[b'x'; 40])]);
    for (name, mode) in [("token", 0o600), ("shared", 0o644)] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.path().join(name), permissions).unwrap();
    }
    let told: Vec<String> = [
        &["cluster", "scheduler"][..],
        &["cluster", "scheduler", "--root", "absent"],
        &["cluster", "scheduler", "--root", "ftp://host/visits"],
        &["cluster", "scheduler", "--root", ".", "--bind", "0.0.0.0:50050"],
        &[
            "cluster",
            "scheduler",
            "--root",
            ".",
            "--bind",
            "10.0.0.1:50050",
            "--token-file",
            "token",
        ],
        &["cluster", "scheduler", "--root", ".", "--token-file", "shared"],
        &["cluster", "scheduler", "--root", ".", "--token-file", "absent"],
        &["cluster", "executor", "--root", ".", "--bind", "0.0.0.0:50051"],
        &["cluster", "executor", "--root", ".", "--scheduler", "10.0.0.1:50050"],
        &["keys", "a.csv", "--sql", "select * from input", "--engine", "ballista://10.0.0.1:50050"],
        &["keys", "a.csv", "--engine", "ballista://127.0.0.1:9", "--token-file", "shared"],
    ]
    .iter()
    .map(|args| format!("$ muslin {}\n{}", args.join(" "), seen(&muslin(folder.path(), args))))
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}

/// Serves one file on loopback as object stores do, to whoever signs with the key `right`.
#[cfg(feature = "object-stores")]
fn object_store(content: Vec<u8>) -> String {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = move |stream: TcpStream| -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        loop {
            let mut lines = Vec::new();
            for line in reader.by_ref().lines() {
                match line? {
                    line if line.is_empty() => break,
                    line => lines.push(line),
                }
            }
            let Some(first) = lines.first() else { return Ok(()) };
            let header = |name: &str| {
                let named = |line: &&String| line.to_lowercase().starts_with(&format!("{name}:"));
                lines.iter().find(named).map(|line| line[name.len() + 1..].trim().to_owned())
            };
            let mut stream = &stream;
            if !header("authorization").is_some_and(|signed| signed.contains("Credential=right/")) {
                write!(stream, "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")?;
                continue;
            }
            let range = header("range").and_then(|range| {
                let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
                let from: usize = from.parse().ok()?;
                Some(
                    from..to.parse::<usize>().map_or(content.len(), |to| to + 1).min(content.len()),
                )
            });
            let part = range.clone().unwrap_or(0..content.len());
            let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
            write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\ncontent-range: bytes {}-{}/{}\r\netag: \"1\"\r\n\
                 last-modified: Mon, 05 Jan 2026 00:00:00 GMT\r\n\r\n",
                part.len(),
                part.start,
                part.end.saturating_sub(1),
                content.len()
            )?;
            if !first.starts_with("HEAD") {
                stream.write_all(&content[part])?;
            }
        }
    };
    let answer = std::sync::Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = std::sync::Arc::clone(&answer);
            std::thread::spawn(move || answer(stream));
        }
    });
    format!("http://{address}")
}

#[cfg(feature = "object-stores")]
#[test]
fn an_object_store_is_read_with_the_right_key_alone() {
    use super::command;
    let folder = with_demo("300", "h.parquet");
    let store = object_store(std::fs::read(folder.path().join("h.parquet")).unwrap());
    let right = [
        ("AWS_ENDPOINT", store.as_str()),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "right"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];
    let wrong = right.map(|(name, own)| (name, if own == "right" { "wrong" } else { own }));
    let asked = |env: &[(&str, &str)], engine: &str| {
        let args = ["keys", "s3://bucket/h.parquet", "--all", "--json", "--engine", engine];
        let args = [&args[..], &READ[..]].concat();
        command(folder.path(), &args).envs(env.iter().copied()).output().unwrap()
    };
    let here = report(folder.path(), &[&["keys", "h.parquet", "--all"][..], &READ[..]].concat());
    let assert_right = |output: &std::process::Output| {
        let there: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", seen(output)));
        assert_eq!((&there["keys"], &there["rows"]), (&here["keys"], &here["rows"]));
    };
    let assert_wrong = |output: &std::process::Output| {
        assert_eq!(output.status.code(), Some(3), "{}", seen(output));
        let told = seen(output);
        assert!(told.contains("may not be read with these credentials"), "{told}");
    };
    assert_wrong(&asked(&wrong, "datafusion"));
    assert_right(&asked(&right, "datafusion"));
    let (_cluster, address) = cluster("s3://bucket/", &[], &right);
    assert_wrong(&asked(&wrong, &address));
    assert_right(&asked(&right, &address));
    // The program has the right key, and the cluster has not.
    let (_cluster, address) = cluster("s3://bucket/", &[], &wrong);
    let output = asked(&right, &address);
    assert_eq!(output.status.code(), Some(3), "{}", seen(&output));
    assert!(seen(&output).contains("with its credentials"), "{}", seen(&output));
}
