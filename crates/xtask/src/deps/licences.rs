//! The licences of everything we build with.

use super::spdx;
use crate::failure::Failure;
use crate::workspace::{Package, Workspace};

/// Licences that let anyone use, change and pass on the program; deny.toml has the same list.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

/// Crates that cannot be used under the allowed licences alone.
///
/// All crates are looked at: those of the program, of its build, and of tests and benchmarks,
/// with all features and for all targets.
pub(super) fn findings(workspace: &Workspace) -> Vec<Failure> {
    let crates = workspace.packages.iter();
    let finding = |package: &Package| {
        let reason = fault(package.license.as_deref())?;
        let message = format!("crate `{} {}`: {reason}", package.name, package.version);
        let hint = "use another crate, or allow the licence in crates/xtask/src/deps/licences.rs \
                    and in deny.toml";
        Some(Failure::new(message, hint))
    };
    crates.filter_map(finding).collect()
}

/// Why a crate with this expression cannot be used; `None` when it can.
fn fault(expression: Option<&str>) -> Option<String> {
    let Some(expression) = expression else {
        return Some("its manifest names no licence".into());
    };
    match spdx::is_satisfied(expression, ALLOWED) {
        Ok(true) => None,
        Ok(false) => Some(format!("the licence `{expression}` is not allowed")),
        Err(reason) => Some(format!("the licence `{expression}` cannot be read: {reason}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_deny_toml_agree() {
        let deny = include_str!("../../../../deny.toml");
        let (_, rest) = deny.split_once("\nallow = [").unwrap();
        let (list, _) = rest.split_once(']').unwrap();
        let listed: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        assert_eq!(listed, ALLOWED);
    }

    #[test]
    fn no_licence_an_unknown_one_and_a_broken_one_are_faults() {
        assert_eq!(fault(Some("MIT OR GPL-3.0-only")), None);
        assert!(fault(None).is_some());
        assert!(fault(Some("GPL-3.0-only")).is_some());
        assert!(fault(Some("MIT OR")).is_some());
    }
}
