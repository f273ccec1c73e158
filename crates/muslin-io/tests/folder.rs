//! Folders that appear whole or not at all.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use muslin_io::{Error, Kept, OutputProblem, SafeFolder};

const MARK: &str = "manifest.json";

/// Whether a folder is one that [`make`] made.
fn is_ours(folder: &Path) -> Result<(), String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut others = names.filter(|name| name != MARK && name != "internal");
    others.next().map_or(Ok(()), |name| Err(format!("`{}` is another's", name.display())))
}

/// A release of one file.
fn make(destination: &Path, text: &str) -> muslin_io::Result<()> {
    let folder = SafeFolder::create(destination, &[], is_ours)?;
    fs::write(folder.path().join(MARK), text).unwrap();
    fs::write(folder.inner("internal")?.join("ledger"), text).unwrap();
    folder.commit()
}

/// What a folder holds besides the release.
fn others(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count() - 1
}

#[test]
fn a_folder_appears_when_it_is_complete_and_replaces_what_was_there() {
    let place = tempfile::tempdir().unwrap();
    let release = place.path().join("release");
    let begun = SafeFolder::create(&release, &[], is_ours).unwrap();
    fs::write(begun.path().join("data"), "x").unwrap();
    assert!(!release.exists());
    drop(begun);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);

    for text in ["one", "two"] {
        make(&place.path().join("release/"), text).unwrap();
        assert_eq!(fs::read_to_string(release.join(MARK)).unwrap(), text);
        assert_eq!(fs::read_to_string(release.join("internal/ledger")).unwrap(), text);
        assert_eq!((fs::read_dir(&release).unwrap().count(), others(place.path())), (2, 0));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&release), mode(&release.join("internal"))), (0o700, 0o700));
    }
}

#[test]
fn what_is_no_release_is_never_replaced() {
    let place = tempfile::tempdir().unwrap();
    let problem = |path: &Path| match make(path, "x") {
        Err(Error::Output { problem, .. }) => problem,
        other => panic!("{other:?}"),
    };
    let file = place.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert_eq!(problem(&file), OutputProblem::NotAFolder);
    let other = place.path().join("other");
    fs::create_dir(&other).unwrap();
    make(&other, "an empty one is").unwrap();
    fs::write(other.join("thesis"), "mine").unwrap();
    let kept = |path: &Path, reason: Kept| {
        let free = format!("{}-2", path.display());
        assert_eq!(problem(path), OutputProblem::Kept { reason, free });
    };
    kept(&other, Kept::NotOurs("`thesis` is another's".into()));
    assert!(other.join("internal/ledger").exists() && other.join("thesis").exists());
    assert!(matches!(problem(&place.path().join("a/b")), OutputProblem::Unwritable(_)));
    // What comes into a folder while its successor is made stays as well.
    fs::remove_file(other.join("thesis")).unwrap();
    let begun = SafeFolder::create(&other, &[], is_ours).unwrap();
    fs::write(begun.path().join(MARK), "new").unwrap();
    fs::write(other.join("thesis"), "mine").unwrap();
    assert!(begun.commit().is_err());
    assert_eq!(fs::read_to_string(other.join("thesis")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(other.join(MARK)).unwrap(), "an empty one is");
    fs::create_dir(place.path().join("other-2")).unwrap();
    let Err(Error::Output { problem, .. }) = make(&other, "x") else { panic!() };
    assert!(problem.hint().ends_with("other-3`"), "{}", problem.hint());
}

/// A look that finds something of another only once the folders have changed names.
#[test]
fn what_came_between_the_look_and_the_exchange_goes_back() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static LOOKS: AtomicU32 = AtomicU32::new(0);
    let third_fails = |_: &Path| match LOOKS.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => Ok(()),
        _ => Err("something came".to_owned()),
    };
    let place = tempfile::tempdir().unwrap();
    let release = place.path().join("release");
    make(&release, "old").unwrap();
    let folder = SafeFolder::create(&release, &[], third_fails).unwrap();
    fs::write(folder.path().join(MARK), "new").unwrap();
    let done = folder.commit();
    if cfg!(target_os = "linux") {
        assert!(done.is_err());
        assert_eq!(fs::read_to_string(release.join(MARK)).unwrap(), "old");
    }
    assert_eq!(others(place.path()), 0);
}

#[test]
fn leftovers_go_and_folders_in_the_making_stay() {
    let place = tempfile::tempdir().unwrap();
    let release = place.path().join("release");
    let living = SafeFolder::create(&release, &[], is_ours).unwrap();
    fs::write(living.path().join(MARK), "living").unwrap();
    // As killed programs leave them: nobody holds the lock, or it is gone.
    let dead = place.path().join(".muslin-0123456789abcdef-1-0.tmp.d");
    fs::create_dir(&dead).unwrap();
    fs::write(place.path().join(".muslin-0123456789abcdef-1-0.tmp"), "").unwrap();
    fs::create_dir(place.path().join(".muslin-0123456789abcdef-2-0.tmp.d")).unwrap();
    make(&release, "second").unwrap();
    assert!(!dead.exists() && living.path().exists());
    living.commit().unwrap();
    assert_eq!(fs::read_to_string(release.join(MARK)).unwrap(), "living");
    assert_eq!(others(place.path()), 0);
}

#[test]
fn of_many_makers_one_wins_and_no_mixture_is_seen() {
    let place = tempfile::tempdir().unwrap();
    let release = place.path().join("release");
    std::thread::scope(|scope| {
        for maker in 0..4 {
            let release = &release;
            scope.spawn(move || {
                for round in 0..25 {
                    make(release, &format!("{maker} {round}")).unwrap();
                }
            });
        }
    });
    let texts = [MARK, "internal/ledger"].map(|name| fs::read_to_string(release.join(name)));
    let [mark, ledger] = texts.map(Result::unwrap);
    assert_eq!(mark, ledger);
    assert_eq!(others(place.path()), 0);
}
