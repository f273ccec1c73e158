//! Nothing is destroyed that muslin did not make: what folders and files are written over, and what is
//! left when something goes wrong.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{command, folder_with, muslin, seen};

const PEOPLE: &[u8] = b"name,age,town\nann,30,A\nbob,30,A\ncy,40,B\ndi,40,B\neve,50,C\nflo,50,C\n";
const POLICY: &[u8] = b"schema = 1\n[columns.name]\nrole = \"identifier\"\n[columns.town]\nrole = \"quasi-identifier\"\n\
    hierarchy.file = \"h.csv\"\n[release]\nk = 2\nundeclared = \"quasi-identifier\"\naccept = [\"downcoding\"]\n";
const TOWNS: &[u8] = b"A,north\nB,north\nC,south\n";

/// All files of a folder and what is in them; links as where they lead.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            all.insert(path.clone(), Vec::new());
            all.extend(tree(&path));
        } else if kind.is_symlink() {
            let to = std::fs::read_link(&path).unwrap().into_os_string();
            all.insert(path, to.into_encoded_bytes());
        } else {
            let content = std::fs::read(&path).unwrap();
            all.insert(path, content);
        }
    }
    all
}

fn project() -> tempfile::TempDir {
    let folder = folder_with(&[("people.csv", PEOPLE), ("p.toml", POLICY), ("h.csv", TOWNS)]);
    let proj = folder.path().join("proj");
    std::fs::create_dir_all(proj.join("src")).unwrap();
    std::fs::create_dir(proj.join(".git")).unwrap();
    std::fs::write(proj.join("src/main.js"), "code").unwrap();
    // Hierarchies are looked for where the command runs.
    std::fs::write(proj.join("src/h.csv"), TOWNS).unwrap();
    std::fs::write(proj.join("manifest.json"), "{\"manifest_version\":3}").unwrap();
    for (name, content) in [("people.csv", PEOPLE), ("p.toml", POLICY), ("h.csv", TOWNS)] {
        std::fs::write(proj.join(name), content).unwrap();
    }
    folder
}

const PROTECT: [&str; 5] = ["protect", "--allow-findings", "people.csv", "-p", "p.toml"];

/// The command refuses a folder, changes nothing, and names another one that can be pasted.
fn refuses(folder: &Path, args: &[&str], why: &str) {
    let before = tree(folder);
    let refused = muslin(folder, args);
    let said = seen(&refused);
    assert_eq!(refused.status.code(), Some(6), "{args:?}: {said}");
    assert!(said.contains(why), "{said}");
    assert_eq!(tree(folder), before, "{said}");
    let free = said.split("pass `-o ").nth(1).unwrap().split('`').next().unwrap();
    let at = args.iter().position(|arg| *arg == "-o").unwrap();
    let pasted = [&args[..=at], &[free.trim_matches('\'')]].concat();
    let made = muslin(folder, &pasted);
    assert!(made.status.success(), "{pasted:?}: {}", seen(&made));
    let mut after = tree(folder);
    let free = folder.join(free.trim_matches('\''));
    after.retain(|path, _| !path.starts_with(&free));
    assert_eq!(after, before);
    std::fs::remove_dir_all(free).unwrap();
}

#[test]
fn protect_replaces_no_folder_that_is_not_wholly_its_own() {
    let folder = project();
    let path = folder.path();
    let with = |output: &'static str| [&PROTECT[..], &["-o", output]].concat();
    let not_ours = "is not wholly a release of muslin: it has no `manifest.json` that muslin wrote";
    refuses(&path.join("proj"), &with("."), "is the working folder or holds it");
    refuses(
        &path.join("proj/src"),
        &["protect", "--allow-findings", "../people.csv", "-p", "../p.toml", "-o", ".."],
        "is the working folder or holds it",
    );
    refuses(path, &with("proj"), not_ours);
    refuses(path, &with("proj/"), not_ours);
    std::fs::write(path.join("proj/manifest.json"), "{}").unwrap();
    std::fs::write(path.join("proj/my thesis.tex"), "years of work").unwrap();
    refuses(path, &with("proj"), not_ours);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("proj", path.join("my link")).unwrap();
        refuses(path, &with("my link"), not_ours);
    }
    // Of its own, as long as nothing else is in it.
    for _ in 0..2 {
        assert!(muslin(path, &with("release")).status.success());
    }
    std::fs::write(path.join("release/notes.md"), "mine").unwrap();
    refuses(
        path,
        &with("release"),
        "is not wholly a release of muslin: muslin did not write `notes.md`",
    );
}

#[test]
fn protect_replaces_no_folder_that_holds_what_it_reads() {
    let folder = project();
    let path = folder.path();
    let with = |args: [&'static str; 3], output: &'static str| {
        ["protect", "--allow-findings", args[0], args[1], args[2], "-o", output]
    };
    refuses(
        path,
        &with(["proj/people.csv", "-p", "p.toml"], "proj"),
        "holds `proj/people.csv`, which this command reads",
    );
    refuses(path, &with(["people.csv", "-p", "proj/p.toml"], "proj"), "holds `proj/p.toml`");
    let policy = String::from_utf8(POLICY.to_vec()).unwrap().replace("h.csv", "proj/h.csv");
    std::fs::write(path.join("q.toml"), policy).unwrap();
    refuses(path, &with(["people.csv", "-p", "q.toml"], "proj"), "proj/h.csv");
    // Also where the folder is a release, wholly its own.
    assert!(muslin(path, &[&PROTECT[..], &["-o", "release"]].concat()).status.success());
    std::fs::write(path.join("r.toml"), "schema = 1\n[release]\nk = 2\nundeclared = \"quasi-identifier\"\naccept = [\"downcoding\"]\n").unwrap();
    refuses(
        path,
        &with(["release/data.csv", "-p", "r.toml"], "release"),
        "holds `release/data.csv`",
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("release/data.csv", path.join("link.csv")).unwrap();
        refuses(path, &with(["link.csv", "-p", "r.toml"], "release"), "holds `link.csv`");
    }
}

#[test]
fn a_rehearsal_refuses_the_same_folders() {
    let folder = project();
    let args = [&PROTECT[..], &["-o", "proj", "--dry-run"]].concat();
    let refused = muslin(folder.path(), &args);
    assert_eq!(refused.status.code(), Some(6), "{}", seen(&refused));
}

/// Whatever a command writes is at a place of its own, and never where something is that it reads.
#[test]
fn outputs_are_apart_from_each_other_and_from_what_is_read() {
    let folder = project();
    let path = folder.path();
    std::fs::hard_link(path.join("people.csv"), path.join("hard.csv")).unwrap();
    std::fs::create_dir(path.join("hs")).unwrap();
    std::fs::write(path.join("hs/town.csv"), TOWNS).unwrap();
    std::fs::copy(path.join("people.csv"), path.join("release.csv")).unwrap();
    std::fs::write(path.join("plain.toml"), "schema = 1\n[release]\nk = 2\n").unwrap();
    let before = tree(path);
    let suppress = ["suppress", "people.csv", "-k", "2", "--qi", "age,town", "-o"];
    let generalize = ["generalize", "people.csv", "-k", "2", "--qi", "age,town"];
    let mask =
        ["mask", "people.csv", "--measure", "distinct", "--beta", "0.9", "--format", "csv", "-o"];
    let all: Vec<Vec<&str>> = vec![
        [&suppress[..], &["o.csv", "--ledger", "o.csv"]].concat(),
        [&suppress[..], &["o.csv", "--ledger", "proj/../o.csv"]].concat(),
        [&suppress[..], &["o.csv", "--certificate", "o.csv"]].concat(),
        [&suppress[..], &["o.csv", "--certificate", "c.csv", "--ledger", "c.csv"]].concat(),
        [&suppress[..], &["o.csv", "--certificate", "people.csv"]].concat(),
        vec![
            "suppress",
            "people.csv",
            "-p",
            "plain.toml",
            "--qi",
            "age",
            "-o",
            "plain.toml",
            "--format",
            "csv",
        ],
        [&generalize[..], &["--hierarchy", "town=h.csv", "-o", "h.csv"]].concat(),
        [&generalize[..], &["--hierarchies", "hs", "-o", "hs/town.csv"]].concat(),
        [&generalize[..], &["--hierarchies", "hs", "-o", "hs/age.csv"]].concat(),
        [&generalize[..], &["-p", "p.toml", "-o", "h.csv"]].concat(),
        [&mask[..], &["people.csv"]].concat(),
        [&mask[..], &["hard.csv"]].concat(),
        vec![
            "mask",
            "people.csv",
            "-p",
            "plain.toml",
            "--measure",
            "distinct",
            "--beta",
            "0.9",
            "--format",
            "csv",
            "-o",
            "plain.toml",
        ],
        vec![
            "bucketize",
            "people.csv",
            "-l",
            "2",
            "--sensitive",
            "town",
            "-o",
            "b.csv",
            "--sensitive-table",
            "b.csv",
        ],
        vec![
            "slice",
            "people.csv",
            "-l",
            "2",
            "--sensitive",
            "town",
            "--hierarchy",
            "town=h.csv",
            "-o",
            "h.csv",
        ],
        vec!["uniques", "people.csv", "--list", "-o", "people.csv"],
        vec!["keys", "people.csv", "--all", "-o", "people.csv"],
        vec!["scan", "people.csv", "-p", "p.toml", "--html", "p.toml"],
        vec!["init", "people.csv", "-o", "people.csv", "--force"],
        vec!["report", "people.csv", "--release", "release.csv", "-o", "release.csv"],
    ];
    for args in all {
        let refused = muslin(path, &args);
        let said = seen(&refused);
        assert_eq!(refused.status.code(), Some(6), "{args:?}: {said}");
        let whys = ["two outputs", "a file that this command reads", "part of `hs`"];
        assert!(whys.iter().any(|why| said.contains(why)), "{args:?}: {said}");
        assert!(said.contains("hint: "), "{said}");
        assert_eq!(tree(path), before, "{args:?}: {said}");
    }
}

/// A limit on the size of files is an error like a full disk, for every writer; nothing is left.
#[test]
#[cfg(unix)]
fn a_file_that_grows_too_large_is_an_error() {
    let folder = folder_with(&[("p.toml", b"schema = 1\n[columns.patient_id]\nrole = \"identifier\"\n[release]\nk = 5\nundeclared = \"quasi-identifier\"\naccept = [\"downcoding\", \"disambiguation\"]\n")]);
    let path = folder.path();
    let made =
        muslin(path, &["demo-data", "hospital", "--rows", "3000", "--seed", "2", "-o", "h.csv"]);
    assert!(made.status.success());
    let before = tree(path);
    for (args, named) in [
        (&["demo-data", "hospital", "--rows", "3000", "-o", "new.csv"][..], "new.csv"),
        (&["demo-data", "hospital", "--rows", "3000", "-o", "new.parquet"], "new.parquet"),
        (&["demo-data", "hospital", "--rows", "3000", "-o", "new.arrow"], "new.arrow"),
        (&["uniques", "h.csv", "--list", "--max-size", "2", "-o", "u.csv"], "u.csv"),
        (
            &[
                "suppress",
                "h.csv",
                "-k",
                "2",
                "--qi",
                "age,sex,education",
                "-o",
                "r.csv",
                "--ledger",
                "l.csv",
                "--row-order",
                "sorted",
            ],
            ".csv",
        ),
        (&["report", "h.csv", "--budget", "50ms", "-o", "page.html"], "page.html"),
        (
            &["protect", "--allow-findings", "h.csv", "-p", "p.toml", "-o", "release"],
            "release/data.csv",
        ),
    ] {
        let script = "ulimit -f 16; exec \"$0\" \"$@\"";
        let limited = Command::new("sh")
            .current_dir(path)
            .args(["-c", script, env!("CARGO_BIN_EXE_muslin")])
            .args(args)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&limited.stderr).into_owned();
        assert_eq!(limited.status.code(), Some(6), "{args:?}: {said}");
        let plain =
            format!("{named}: cannot be written: the file would be larger than the system allows");
        assert!(said.contains(&plain) && !said.contains(".muslin-"), "{args:?}: {said}");
        assert_eq!(tree(path), before, "{args:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn too_many_open_files_are_named() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let script = "ulimit -n 4; exec \"$0\" scan people.csv";
    let limited = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", script, env!("CARGO_BIN_EXE_muslin")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&limited.stderr).into_owned();
    assert_eq!(limited.status.code(), Some(3), "{said}");
    assert!(
        said.contains("people.csv: cannot be read: this program has too many files open"),
        "{said}"
    );
    assert!(said.contains("ulimit -n"), "{said}");
}

/// What killed runs left goes with the next one, whatever that writes.
#[test]
fn every_writer_removes_what_a_killed_release_left() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let path = folder.path();
    for args in [
        &["mask", "people.csv", "--measure", "distinct", "--beta", "0.9", "-o", "m.csv"][..],
        &["uniques", "people.csv", "--list", "-o", "u.csv"],
        &["report", "people.csv", "-o", "p.html"],
        &["init", "people.csv", "-o", "n.toml"],
    ] {
        let left = path.join(".muslin-0123456789abcdef-4000000-0.tmp.d");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("data.csv"), PEOPLE).unwrap();
        std::fs::write(path.join(".muslin-0123456789abcdef-4000000-0.tmp"), "").unwrap();
        std::fs::write(path.join(".muslin-notes.tmp"), "mine").unwrap();
        let made = muslin(path, args);
        assert!(made.status.success(), "{}", seen(&made));
        let names = tree(path).into_keys().map(|path| path.display().to_string());
        let hidden: Vec<String> = names.filter(|name| name.contains("/.muslin-")).collect();
        assert!(
            hidden.len() == 1 && hidden[0].ends_with(".muslin-notes.tmp"),
            "{args:?}: {hidden:?}"
        );
    }
}

#[test]
fn plots_replace_plots_only() {
    let folder = folder_with(&[("o.csv", PEOPLE), ("r.csv", PEOPLE)]);
    let path = folder.path();
    let plots = ["diff", "o.csv", "r.csv", "--plots", "plots"];
    for _ in 0..2 {
        assert!(muslin(path, &plots).status.success());
    }
    std::fs::write(path.join("plots/loss.svg"), "<svg>drawn by hand</svg>").unwrap();
    std::fs::remove_file(path.join("plots/association.svg")).unwrap();
    let before = tree(path);
    let refused = muslin(path, &plots);
    let said = seen(&refused);
    assert_eq!(refused.status.code(), Some(6), "{said}");
    assert!(said.contains("plots/loss.svg: is there already, was not written by muslin"), "{said}");
    assert_eq!(tree(path), before);
}

#[test]
fn init_replaces_a_policy_only_when_asked() {
    let folder = folder_with(&[("people.csv", PEOPLE), ("muslin.toml", b"# mine\n")]);
    let refused = muslin(folder.path(), &["init", "people.csv"]);
    let said = seen(&refused);
    assert!(!refused.status.success() && said.contains("exists already"), "{said}");
    let policy = || std::fs::read_to_string(folder.path().join("muslin.toml")).unwrap();
    assert_eq!(policy(), "# mine\n");
    assert!(muslin(folder.path(), &["init", "people.csv", "--force"]).status.success());
    assert!(policy().contains("schema = 1"));
}

#[test]
fn names_may_be_as_long_as_the_file_system_allows() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    for length in [237, 251, 255, 256] {
        let name = "n".repeat(length - 4) + ".csv";
        let args = ["mask", "people.csv", "--measure", "distinct", "--beta", "0.9", "-o", &name];
        let output = muslin(folder.path(), &args);
        if length < 256 {
            assert!(output.status.success(), "{}", seen(&output));
        } else {
            assert_eq!(output.status.code(), Some(6));
            assert!(seen(&output).contains("the name is longer than the file system allows"));
        }
    }
}

/// Of two writers of the same files at the same time, one wins with each file.
#[test]
fn of_two_writers_of_one_file_one_wins() {
    let folder = folder_with(&[]);
    let path = folder.path();
    let args = |seed: &'static str| {
        ["demo-data", "hospital", "--rows", "2000", "--seed", seed, "-o", "h.csv"]
    };
    let complete: Vec<Vec<u8>> = ["1", "2"]
        .map(|seed| {
            assert!(muslin(path, &args(seed)).status.success());
            std::fs::read(path.join("h.csv")).unwrap()
        })
        .into();
    for _ in 0..10 {
        let both = ["1", "2"].map(|seed| command(path, &args(seed)).spawn().unwrap());
        assert!(both.into_iter().all(|mut child| child.wait().unwrap().success()));
        assert!(complete.contains(&std::fs::read(path.join("h.csv")).unwrap()));
        assert_eq!(std::fs::read_dir(path).unwrap().count(), 1);
    }
}
