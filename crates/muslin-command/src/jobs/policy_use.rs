//! What commands take from a policy besides how its input is read.
//!
//! Precedence is one rule: a flag, then the policy, then the default. A key that a command has no use for
//! is named in its report, or refused where leaving it out would protect less than the policy asks for.

use std::collections::BTreeMap;

use muslin::{CellCost, Error, Policy, ProtectMethod, Role, Spread, SpreadSetting};

use super::{Asked, Wrong};

/// Keys that every command takes: what the input is and how it is read.
const OF_INPUT: [&str; 5] =
    ["missing", "input.*", "columns.*.role", "columns.*.type", "columns.*.format"];

/// Keys that say how a release is written, which every command that writes one uses.
const OF_OUTPUT: [&str; 5] = [
    "release.format",
    "release.order",
    "release.delimiter",
    "release.decimal_comma",
    "release.encoding",
];

impl Asked {
    /// The policy's keys that a command has no use for; it uses those of these forms. `*` is a name.
    pub(super) fn unused_keys(&self, used: &[&str]) -> Vec<String> {
        let is_used = |key: &String| {
            OF_INPUT.iter().chain(&OF_OUTPUT).chain(used).any(|form| is_of(key, form))
        };
        let keys = self.policy.iter().flat_map(Policy::keys);
        keys.filter(|key| !is_used(key)).collect()
    }

    /// What the policy publishes on request is published as any other column is.
    pub(super) fn publish_on_request(&mut self) {
        let Some(policy) = &self.policy else { return };
        for (name, role) in &mut self.roles {
            if role.is_published_on_request() && policy.publishes(name) {
                *role = Role::Other;
            }
        }
    }

    /// The k of a flag, or else of the policy.
    pub(super) fn k(&self, flag: Option<u32>) -> Result<u32, Wrong> {
        flag.or_else(|| self.policy.as_ref()?.k()).ok_or(Wrong::Usage(
            "the number of rows in each class is missing\n  hint: pass `-k 5`, or write `release.k = 5` in a policy given as `-p`",
        ))
    }

    /// The l of a flag, or else of the policy: what it says for the method, and at least the diversity of
    /// the sensitive column.
    pub(super) fn l(
        &self,
        flag: Option<u32>,
        own: impl Fn(&Policy) -> Option<u32>,
    ) -> Result<u32, Wrong> {
        flag.or_else(|| self.policy.as_ref().and_then(|policy| policy.l(own(policy)))).ok_or(
            Wrong::Usage(
                "the diversity of each bucket is missing\n  hint: pass `-l 3`, or write `diversity = \"3\"` for the sensitive column of a policy given as `-p`",
            ),
        )
    }

    /// How sensitive columns are spread: by flags, and by the policy where flags say nothing of that
    /// column and kind.
    pub(super) fn spreads(&self, flags: &[SpreadSetting]) -> Vec<SpreadSetting> {
        let is_close = |of: &SpreadSetting| matches!(of.spread, Spread::Close { .. });
        let is_flagged = |own: &SpreadSetting| {
            flags.iter().any(|flag| flag.column == own.column && is_close(flag) == is_close(own))
        };
        let of_policy = self.policy.iter().flat_map(Policy::spreads);
        of_policy.filter(|own| !is_flagged(own)).chain(flags.iter().cloned()).collect()
    }

    /// The one column whose values no class may show too often; an error where the policy asks for more
    /// than `command` can reach.
    pub(super) fn only_diversity(
        &self,
        flag: Option<&(String, u32)>,
        command: &str,
    ) -> Result<Option<(String, u32)>, Wrong> {
        let mut found = flag.cloned();
        for own in self.spreads(&[]) {
            if flag.is_some_and(|(name, _)| *name == own.column) && !is_close(&own) {
                continue;
            }
            match own.spread {
                Spread::Probabilistic { l } if found.is_none() => found = Some((own.column, l)),
                _ => return Err(self.beyond(&own, command)),
            }
        }
        Ok(found)
    }

    /// An error where the policy asks for a spread that buckets do not have.
    pub(super) fn check_buckets(&self, command: &str) -> Result<(), Wrong> {
        let beyond = |own: &SpreadSetting| !matches!(own.spread, Spread::Probabilistic { .. });
        match self.spreads(&[]).iter().find(|own| beyond(own)) {
            Some(own) => Err(self.beyond(own, command)),
            None => Ok(()),
        }
    }

    fn beyond(&self, own: &SpreadSetting, command: &str) -> Wrong {
        let key = if is_close(own) { "closeness" } else { "diversity" };
        self.refused(
            &format!("columns.{}.{key}", own.column),
            command,
            "run `muslin generalize -p` or `muslin protect -p` with `protect.methods = [\"generalize\"]`; this command reaches `diversity = \"3\"` and the like for one column",
        )
    }

    /// An error about a key that a command cannot honour.
    pub(super) fn refused(&self, key: &str, command: &str, hint: &str) -> Wrong {
        Wrong::Job(Error::Policy {
            file: self.policy_name.clone(),
            line: None,
            reason: format!("`muslin {command}` cannot do what `{key}` asks for"),
            hint: hint.into(),
        })
    }

    /// What cells and columns cost by the policy.
    pub(super) fn costs(&self) -> BTreeMap<String, CellCost> {
        self.policy.as_ref().map(Policy::costs).unwrap_or_default()
    }

    /// The policy, where a method is one of those by which it makes releases.
    pub(super) fn policy_with(&self, method: ProtectMethod) -> Option<&Policy> {
        let has = |policy: &&Policy| {
            policy.protect.methods.as_ref().is_some_and(|methods| methods.contains(&method))
        };
        self.policy.as_ref().filter(has)
    }
}

fn is_close(own: &SpreadSetting) -> bool {
    matches!(own.spread, Spread::Close { .. })
}

/// Whether a key is of a form such as `release.k`, `input.*` or `columns.*.weight`.
fn is_of(key: &str, form: &str) -> bool {
    match form.split_once('*') {
        None => key == form,
        Some((before, after)) => {
            key.len() >= before.len() + after.len()
                && key.starts_with(before)
                && key.ends_with(after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_name() {
        assert!(is_of("release.k", "release.k") && !is_of("release.k", "release.order"));
        assert!(is_of("input.null", "input.*") && is_of("columns.a.weight", "columns.*.weight"));
        assert!(is_of("columns.\"a.b\".weight", "columns.*.weight"));
        assert!(!is_of("columns.a.role", "columns.*.weight"));
    }
}
