//! Every call of every writer made to fail, one after the other: the destinations are as they were or
//! complete, nothing is left beside them, and the error says in plain words what was refused.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use muslin_engine::Run;
use muslin_table::{Changes, EncodedTable};
use rustix::io::Errno;

use super::disk::fault::{Fault, Plan, under};
use super::{
    Destination, Prepared, ResultWriter, SafeFolder, WriteOptions, write, write_text,
    write_together,
};
use crate::{Cause, Input, ReadOptions, Release, Result, RowOrder, read};

const CALLS: u64 = 100;
const ERRNOS: [Errno; 8] = [
    Errno::NOSPC,
    Errno::IO,
    Errno::MFILE,
    Errno::DQUOT,
    Errno::ROFS,
    Errno::FBIG,
    Errno::ACCESS,
    Errno::NFILE,
];

static TABLE: LazyLock<EncodedTable> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.csv");
    let row = |row: u32| format!("{},{},town {}\n", row * 7 % 101, row % 9, row * 31 % 997);
    fs::write(&path, "a,b,c\n".to_owned() + &(0..1_500).map(row).collect::<String>()).unwrap();
    read(&Input::named(&path), &ReadOptions::default(), &Run::new()).unwrap().table
});

fn release() -> Release {
    Release::new(&TABLE, &Changes::none(&TABLE), RowOrder::AsRead).unwrap()
}

fn write_release(path: &Path) -> Result<()> {
    write(&release(), &Destination::named(path), &WriteOptions::default(), &Run::new())
}

fn result(path: &Path) -> Result<Prepared> {
    let field = |name: &str, kind| Field::new(name, kind, false);
    let schema = Schema::new(vec![field("row", DataType::UInt32), field("set", DataType::Utf8)]);
    let schema = Arc::new(schema);
    let options = WriteOptions::default();
    let mut writer = ResultWriter::create(&Destination::named(path), &schema, &options)?;
    for from in (0..1_000).step_by(50) {
        let sets = (from..from + 50).map(|row| format!("a|b|{}", row * 37 % 101));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from_iter_values(from..from + 50)),
            Arc::new(StringArray::from_iter_values(sets)),
        ];
        writer.push(&RecordBatch::try_new(Arc::clone(&schema), columns).unwrap())?;
    }
    writer.prepare()
}

fn write_result(path: &Path) -> Result<()> {
    Prepared::place_all(vec![result(path)?])
}

fn write_folder(path: &Path) -> Result<()> {
    let folder = SafeFolder::create(path, &[], |_| Ok(()))?;
    let written = || {
        write_release(&folder.path().join("data.csv"))?;
        write_text("what holds", &folder.path().join("manifest.json"), &[])?;
        write_text("why", &folder.inner("internal")?.join("ledger.csv"), &[])
    };
    written().map_err(|error| folder.in_its_place(error))?;
    folder.commit()
}

/// All that a folder holds.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.insert(path.clone(), Vec::new());
            all.extend(tree(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

/// A place where syncing takes no time, if there is one.
fn place() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = memory.is_dir().then(|| tempfile::tempdir_in(memory));
    made.and_then(std::result::Result::ok).unwrap_or_else(|| tempfile::tempdir().unwrap())
}

/// Makes each call of a writer fail in turn; `old` puts into a folder what was there before.
fn every_call(write: impl Fn(&Path) -> Result<()>, old: impl Fn(&Path)) {
    let place = place();
    let clear = || {
        tree(place.path()).into_keys().rev().for_each(|path| {
            let _ = if path.is_dir() { fs::remove_dir(&path) } else { fs::remove_file(&path) };
        });
    };
    for is_plain in [false, true] {
        for has_old in [false, true] {
            clear();
            write(place.path()).unwrap();
            let complete = tree(place.path());
            let mut at = 1;
            while at <= CALLS {
                let errno = ERRNOS[usize::try_from(at).unwrap() % ERRNOS.len()];
                let number = errno.raw_os_error();
                let mut is_met = false;
                for fault in [Fault::Once(number), Fault::FromThen(number), Fault::Slow] {
                    clear();
                    if has_old {
                        old(place.path());
                    }
                    let before = tree(place.path());
                    let folder = place.path().to_owned();
                    let plan = Plan { folder, at, fault, is_plain, calls: 0, is_met: false };
                    let (done, plan) = under(plan, || write(place.path()));
                    let what = format!("call {at} of {plan:?}, {has_old}");
                    is_met |= plan.is_met;
                    let found = tree(place.path());
                    match done {
                        Err(error) if fault != Fault::Slow => {
                            assert!(plan.is_met, "{what}: {error}");
                            assert!(found == before, "{what}: {error}: {:?}", found.keys());
                            let cause = Cause::from(std::io::Error::from(errno)).to_string();
                            assert!(error.to_string().contains(&cause), "{what}: {error}");
                        }
                        done => {
                            assert!(!plan.is_met || fault == Fault::Slow, "{what}");
                            assert!(done.is_ok() && found == complete, "{what}: {done:?}");
                        }
                    }
                }
                // No call was left to fail.
                at = if is_met { at + 1 } else { CALLS + 1 };
            }
        }
    }
}

fn old_file(name: &'static str) -> impl Fn(&Path) {
    move |folder| fs::write(folder.join(name), "what was there before").unwrap()
}

#[test]
fn releases_of_every_format() {
    for name in ["r.csv", "r.tsv", "r.parquet", "r.arrow"] {
        every_call(|folder| write_release(&folder.join(name)), old_file(name));
    }
}

#[test]
fn tables_of_results_of_every_format() {
    for name in ["t.csv", "t.parquet", "t.arrow"] {
        every_call(|folder| write_result(&folder.join(name)), old_file(name));
    }
}

#[test]
fn texts() {
    let text = "a figure\n".repeat(1_000);
    every_call(|folder| write_text(&text, &folder.join("p.svg"), &[]), old_file("p.svg"));
}

#[test]
fn outputs_that_belong_together() {
    let write = |folder: &Path| {
        let [csv, text, table] = ["r.csv", "p.svg", "t.arrow"].map(|name| folder.join(name));
        let options = WriteOptions::default();
        let prepared = vec![
            Prepared::release(&release(), &Destination::named(csv), &options, &Run::new())?,
            Prepared::text("a figure", &text, &[])?,
            result(&table)?,
        ];
        Prepared::place_all(prepared)
    };
    // Calls at the end: few are made for the contents.
    let few = |folder: &Path| {
        let names = ["1.svg", "2.svg", "3.svg", "4.svg"].map(|name| folder.join(name));
        let prepared = names.iter().map(|name| Prepared::text("a figure", name, &[]));
        Prepared::place_all(prepared.collect::<Result<_>>()?)
    };
    every_call(write, old_file("p.svg"));
    every_call(few, |folder| ["1.svg", "3.svg"].into_iter().for_each(|own| old_file(own)(folder)));
    let both = |folder: &Path| {
        let [one, other] = ["1.csv", "2.parquet"].map(|name| Destination::named(folder.join(name)));
        let (release, options) = (release(), WriteOptions::default());
        write_together(&[(&release, &one, &options), (&release, &other, &options)], &Run::new())
    };
    every_call(both, old_file("2.parquet"));
}

#[test]
fn folders() {
    let old = |folder: &Path| {
        fs::create_dir(folder.join("release")).unwrap();
        old_file("release/data.csv")(folder);
    };
    every_call(|folder| write_folder(&folder.join("release")), old);
}
