//! What the program is made of: the crates that `muslin-cli` links, with default features.

use std::collections::BTreeSet;

use crate::failure::{Failure, Result};
use crate::process::Call;

/// More crates than this are more than anyone reviews.
const MOST_CRATES: usize = 150;

/// Crates that open connections: the program never talks to a network.
const BANNED: &[&str] = &["hyper", "native-tls", "openssl-sys", "reqwest", "ureq"];

/// Crates as `name version`, sorted.
type Closure = BTreeSet<String>;

/// Banned crates on any target, and too many crates on this one. Prints how many there are.
pub(super) fn findings() -> Result<Vec<Failure>> {
    let here = closure(&[])?;
    println!("muslin-cli is made of {} crates, ours included; {MOST_CRATES} at most", here.len());
    let mut findings = ban_findings(&closure(&["--target", "all"])?);
    if here.len() > MOST_CRATES {
        let message = format!("crate `muslin-cli`: {} crates, {MOST_CRATES} at most", here.len());
        findings.push(Failure::new(message, "`cargo tree -p muslin-cli -e normal` lists them"));
    }
    Ok(findings)
}

fn closure(args: &[&str]) -> Result<Closure> {
    let output = Call::cargo(["tree", "--locked", "-p", "muslin-cli", "-e", "normal"])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(args)
        .captured()?;
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Lines such as `serde v1.0.0 (*)`, where a mark or a folder may follow the version.
fn parse(tree: &str) -> Closure {
    let name_and_version = |line: &str| {
        let mut words = line.split_whitespace();
        Some(format!("{} {}", words.next()?, words.next()?.trim_start_matches('v')))
    };
    tree.lines().filter_map(name_and_version).collect()
}

fn ban_findings(closure: &Closure) -> Vec<Failure> {
    let banned = closure.iter().filter_map(|entry| {
        let (name, _) = entry.split_once(' ')?;
        BANNED.contains(&name).then_some(name)
    });
    let finding = |name: &str| {
        let message = format!("crate `muslin-cli`: uses `{name}`, which opens connections");
        let hint = format!("`cargo tree -p muslin-cli -e normal --target all -i {name}` says why");
        Failure::new(message, hint)
    };
    banned.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
muslin-cli v0.1.0 (/w/crates/muslin-cli)
serde_derive v1.0.1 (proc-macro)
hyper v1.0.0

syn v1.0.0
syn v2.0.0
syn v2.0.0 (*)
";

    #[test]
    fn every_version_counts_once() {
        let closure = parse(TREE);
        let expected =
            ["hyper 1.0.0", "muslin-cli 0.1.0", "serde_derive 1.0.1", "syn 1.0.0", "syn 2.0.0"];
        assert!(closure.iter().eq(expected.iter()), "{closure:?}");
    }

    #[test]
    fn a_banned_crate_is_reported() {
        let findings = ban_findings(&parse(TREE));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].to_string().contains("uses `hyper`"));
    }
}
