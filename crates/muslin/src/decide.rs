//! Roles written into a policy that somebody wrote: everything else stays as it is.

use std::collections::BTreeMap;

use muslin_table::{Role, printable};
use serde::Deserialize;
use toml::Spanned;

use crate::policy::Policy;
use crate::toml_text::{key, quoted};
use crate::{Error, Result};

/// Where a policy says what columns are.
#[derive(Deserialize)]
struct Places {
    #[serde(default)]
    columns: BTreeMap<Spanned<String>, ColumnPlace>,
}

#[derive(Deserialize)]
struct ColumnPlace {
    #[serde(default)]
    role: Option<Spanned<String>>,
}

/// The text of a policy in which columns have these roles; comments and everything else stay.
pub(crate) fn decide(file: &str, text: &str, roles: &BTreeMap<String, Role>) -> Result<String> {
    let mut wanted = Policy::parse(file, text)?;
    let mut text = text.to_owned();
    for (name, &role) in roles {
        wanted.columns.entry(name.clone()).or_default().role = Some(role);
        text = with_role(&text, name, role).ok_or_else(|| by_hand(file, name, role))?;
        // A table may be written in many ways: what is not understood stays as it was.
        let is_done = toml::from_str::<Policy>(&text).is_ok_and(|policy| policy == wanted);
        if !is_done {
            return Err(by_hand(file, name, role));
        }
    }
    // A key that goes with the old role only is an error here, with its line.
    Policy::parse(file, &text)?;
    Ok(text)
}

/// The text with the role of one column.
fn with_role(text: &str, name: &str, role: Role) -> Option<String> {
    let places: Places = toml::from_str(text).ok()?;
    let role = quoted(role.name());
    let mut text = text.to_owned();
    let Some((header, place)) = places.columns.iter().find(|(own, _)| own.get_ref() == name) else {
        let between = if text.is_empty() || text.ends_with('\n') { "\n" } else { "\n\n" };
        return Some(format!("{text}{between}[columns.{}]\nrole = {role}\n", key(name)));
    };
    if let Some(own) = &place.role {
        text.replace_range(own.span(), &role);
        return Some(text);
    }
    let start = header.span().end;
    let end = text.get(start..)?.find('\n').map_or(text.len(), |at| start + at);
    text.insert_str(end, &format!("\nrole = {role}"));
    Some(text)
}

fn by_hand(file: &str, name: &str, role: Role) -> Error {
    Error::Policy {
        file: file.to_owned(),
        line: None,
        reason: format!(
            "the role of column `{}` is written in a way that muslin does not change",
            printable(name)
        ),
        hint: format!("write `role = {}` for it by hand", quoted(role.name())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(text: &str, roles: &[(&str, Role)]) -> Result<String> {
        let roles = roles.iter().map(|(name, role)| ((*name).to_owned(), *role)).collect();
        decide("p.toml", text, &roles)
    }

    #[test]
    fn only_roles_change() {
        let text = "# mine\nschema = 1\n\n[columns.age] # years\nrole = \"undecided\"   # why\nhierarchy.widths = [5]\n\n[columns.\"a b\"]\ntype = 'text'\n[release]\nk = 5 # enough";
        let roles = [("age", Role::QuasiIdentifier), ("a b", Role::Other), ("new.one", Role::Unit)];
        assert_eq!(
            decided(text, &roles).unwrap(),
            "# mine\nschema = 1\n\n[columns.age] # years\nrole = \"quasi-identifier\"   # why\nhierarchy.widths = [5]\n\n[columns.\"a b\"]\nrole = \"other\"\ntype = 'text'\n[release]\nk = 5 # enough\n\n[columns.\"new.one\"]\nrole = \"unit\"\n"
        );
    }

    #[test]
    fn other_spellings_of_tables_are_changed_or_refused_and_never_broken() {
        let changed = [
            "schema = 1\n[columns]\nage = { role = 'other' }\n",
            "schema = 1\ncolumns.age.role = \"other\"\n",
            "schema = 1\n[columns]\nage.role = 'other' # x\n",
        ];
        for text in changed {
            let policy = decided(text, &[("age", Role::Sensitive)]).unwrap();
            assert_eq!(policy.replace("\"sensitive\"", "").matches("role").count(), 1, "{policy}");
            assert_eq!(Policy::parse("p", &policy).unwrap().roles()["age"], Role::Sensitive);
        }
        for text in [
            "schema = 1\ncolumns = { age = { type = 'text' } }\n",
            "schema = 1\n[columns]\nage.type = 'text'\n",
        ] {
            let said = decided(text, &[("age", Role::Sensitive)]).unwrap_err().to_string();
            assert!(said.contains("by hand"), "{said}");
        }
    }

    #[test]
    fn what_belongs_to_the_old_role_is_named() {
        let text = "schema = 1\n[columns.w]\nrole = 'weight'\npublish = true\n";
        let said = decided(text, &[("w", Role::Other)]).unwrap_err().to_string();
        assert!(said.starts_with("p.toml, line 4: `columns.w.publish`"), "{said}");
    }
}
