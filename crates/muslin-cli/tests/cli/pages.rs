//! Reports in a browser: no error in its console, readable on a desk and on a telephone, light and dark.
//!
//! `./x check` installs Chromium and axe-core where it can; without them the tests say so and pass.
//! Pictures of the pages are left in `target/pages`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::{folder_with, muslin};

fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pages")
}

/// The browser, where there is one.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn browser() -> Option<&'static str> {
    let works = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(works);
    if found.is_none() {
        eprintln!("no browser: the pages were not looked at");
    }
    found
}

/// Opens a page, with more arguments.
fn open(browser: &str, page: &Path, (width, height): (u32, u32), args: &[String]) -> Output {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
        .args(["--disable-dev-shm-usage", "--enable-logging=stderr", "--no-first-run"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--window-size={width},{height}"))
        .args(args)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// What a page's console says.
fn console(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect()
}

/// A scan, and reports of a release for both audiences.
fn written() -> tempfile::TempDir {
    let folder = folder_with(&[]);
    let policy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital.toml");
    let policy = policy.to_str().unwrap();
    let report = ["report", "hospital.csv", "-p", policy, "--release", "release"];
    let runs: [&[&str]; 5] = [
        &["demo-data", "hospital", "--rows", "3000", "-o", "hospital.csv"],
        &["scan", "hospital.csv", "--null", "", "--html", "scan.html"],
        &["protect", "--allow-findings", "hospital.csv", "-p", policy, "-o", "release"],
        &[&report[..], &["-o", "internal.html"]].concat(),
        &[&report[..], &["-o", "external.html", "--audience", "external"]].concat(),
    ];
    for args in runs {
        let output = muslin(folder.path(), args);
        let problem = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {problem}");
    }
    folder
}

const PAGES: [&str; 3] = ["scan", "internal", "external"];
/// A desk and a telephone.
const SIZES: [(&str, (u32, u32)); 2] = [("desk", (1280, 4000)), ("phone", (390, 4000))];

#[test]
fn pages_open_without_an_error() {
    let Some(browser) = browser() else { return };
    let folder = written();
    std::fs::create_dir_all(pages()).unwrap();
    for name in PAGES {
        let page = folder.path().join(format!("{name}.html"));
        for (what, size) in SIZES {
            let picture = pages().join(format!("{name}-{what}.png"));
            let _ = std::fs::remove_file(&picture);
            let shot = format!("--screenshot={}", picture.display());
            let output = open(browser, &page, size, &[shot]);
            assert_eq!(console(&output), Vec::<String>::new(), "{name}");
            let bytes = std::fs::metadata(&picture).unwrap().len();
            assert!(bytes > 20_000, "{name} on a {what} is {bytes} bytes of nothing");
        }
    }
}

/// Runs axe in the page, and says how wide it is.
const LOOK: &str = "axe.run(document, { resultTypes: ['violations'] }).then(found => {
  const told = { wide: document.documentElement.scrollWidth - window.innerWidth, violations:
    found.violations.map(own => own.id + ': ' + own.nodes.slice(0, 3).map(node => node.html).join(' ')) };
  document.body.textContent = 'TOLD' + JSON.stringify(told) + 'DLOT';
});";

#[test]
fn pages_are_accessible_and_fit() {
    let Some(browser) = browser() else { return };
    let Ok(axe) = std::fs::read_to_string(pages().join("node_modules/axe-core/axe.min.js")) else {
        eprintln!("no axe-core in target/pages: accessibility was not looked at");
        return;
    };
    let folder = written();
    for name in PAGES {
        let page = std::fs::read_to_string(folder.path().join(format!("{name}.html"))).unwrap();
        // The page itself forbids scripts; its copy for the test does not.
        let start = page.find("<meta http-equiv=").unwrap();
        let end = start + page[start..].find('>').unwrap() + 1;
        let script = format!("<script>{axe}</script><script>{LOOK}</script></body>");
        let copy = [&page[..start], &page[end..]].concat().replace("</body>", &script);
        let path = folder.path().join(format!("{name}-axe.html"));
        std::fs::write(&path, copy).unwrap();
        for (what, size) in SIZES {
            for scheme in ["0", "1"] {
                let args = [
                    format!("--blink-settings=preferredColorScheme={scheme}"),
                    "--virtual-time-budget=20000".to_owned(),
                    "--dump-dom".to_owned(),
                ];
                let output = open(browser, &path, size, &args);
                let dom = String::from_utf8_lossy(&output.stdout).into_owned();
                let told = dom.split_once("TOLD").and_then(|rest| rest.1.split_once("DLOT"));
                let told = told.map(|told| told.0.replace("&lt;", "<").replace("&gt;", ">"));
                let told = told.expect("axe comes to its end").replace("&amp;", "&");
                let told: Value = serde_json::from_str(&told).unwrap();
                assert_eq!(
                    told["violations"],
                    Value::Array(Vec::new()),
                    "{name}, {what}, {scheme}"
                );
                assert!(told["wide"].as_i64().unwrap() <= 0, "{name} is too wide for a {what}");
            }
        }
    }
}
