//! What every column is before a release is made: what the policy says, the safer choice where it says nothing,
//! and a refusal where nobody has decided.

use std::fmt::Write as _;

use muslin_engine::Run;
use muslin_table::{Column, ColumnSet, Role, printable};

use super::ProtectJob;
use crate::input::names;
use crate::policy::ProtectMethod;
use crate::scan::suggestion;
use crate::toml_text::{key, quoted};
use crate::whole::Whole;
use crate::{Error, Result};

/// A job whose columns all have a role, and its input.
pub(super) struct Settled {
    pub(super) job: ProtectJob,
    pub(super) whole: Whole,
    /// What the policy leaves unsaid, and what was chosen.
    pub(super) choices: Vec<String>,
}

/// A column that cannot be released before somebody decides what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndecidedColumn {
    /// Its name.
    pub name: String,
    /// Why muslin does not decide by itself.
    pub reason: String,
    /// Which roles to consider.
    pub consider: String,
}

impl ProtectJob {
    /// Reads the input and gives every column its role.
    pub(super) fn settled(&self, run: &Run) -> Result<Settled> {
        let mut whole = Whole::of(&self.input, &self.read, &self.roles, false, run)?;
        let (mut undecided, mut undeclared, mut sensitive) = (Vec::new(), Vec::new(), Vec::new());
        let mut job = self.clone();
        let spread = self.sensitive();
        for column in whole.table.columns() {
            let name = column.name().to_owned();
            let role = match self.roles.get(&name) {
                Some(role) => *role,
                None if spread.contains(&name) => {
                    sensitive.push(name.clone());
                    Role::Sensitive
                }
                None => {
                    undeclared.push(name.clone());
                    self.policy.release.undeclared.unwrap_or(Role::Undecided)
                }
            };
            if role == Role::Undecided {
                undecided.push(of_column(column));
            }
            job.roles.insert(name, role);
        }
        if !undecided.is_empty() {
            return Err(Error::Undecided { columns: undecided });
        }
        let has_quasi = self.roles.values().any(|role| *role == Role::QuasiIdentifier);
        whole.look_at(&job.roles);
        let (withheld, published) = job.on_request(&whole);
        whole.withhold(&withheld, &published);
        let spread: Vec<&str> = spread.iter().map(String::as_str).collect();
        whole.leave_sensitive(&job.roles, &spread);
        let mut choices = Vec::new();
        if !sensitive.is_empty() {
            choices.push(format!(
                "{} treated as sensitive, because of `diversity` or `closeness`",
                are(&sensitive)
            ));
        }
        if let Some(role) = self.policy.release.undeclared
            && !undeclared.is_empty()
        {
            choices.push(format!(
                "{} not named by the policy: {} by `release.undeclared`",
                are(&undeclared),
                role.name()
            ));
        }
        if !has_quasi && self.policy.release.undeclared != Some(Role::QuasiIdentifier) {
            choices.push(format!(
                "no column is a quasi-identifier: {} treated as quasi-identifiers",
                are(&whole.names(&whole.measured))
            ));
        }
        choices.extend(withheld.iter().map(|id| job.withheld(&whole.name(id))));
        choices.extend(job.unsaid(&published, &whole));
        Ok(Settled { job, whole, choices })
    }

    /// Columns that are published only on request: those that are not published, and those that are.
    fn on_request(&self, whole: &Whole) -> (ColumnSet, ColumnSet) {
        let of = |is_published: bool| {
            let is_one = |id: &_| {
                let name = whole.name(*id);
                let role = self.roles.get(&name).copied().unwrap_or(Role::Undecided);
                role.is_published_on_request() && self.policy.publishes(&name) == is_published
            };
            whole.table.all_columns().iter().filter(is_one).collect()
        };
        (of(false), of(true))
    }

    fn withheld(&self, name: &str) -> String {
        let what = match self.roles.get(name) {
            Some(Role::Weight) => "a survey weight",
            Some(Role::Unit) => "a number of persons",
            _ => "a number of households",
        };
        format!(
            "column `{}` is {what} and is not published; `publish = true` under `[columns.{}]` publishes it",
            printable(name),
            key(name)
        )
    }

    /// What else the policy leaves unsaid.
    fn unsaid(&self, published: &ColumnSet, whole: &Whole) -> Vec<String> {
        let policy = &self.policy;
        let mut choices = Vec::new();
        let units: Vec<&String> = self
            .roles
            .iter()
            .filter(|(_, role)| **role == Role::Unit)
            .map(|(name, _)| name)
            .collect();
        choices.push(match units[..] {
            [] => "no column has the role `unit`: every row counts as one person".to_owned(),
            [name, ..] => format!(
                "rows are counted, and not yet the persons that `{}` numbers: a person with several rows counts several times",
                printable(name)
            ),
        });
        if policy.protect.methods.is_none() {
            choices.push("`protect.methods` is not given: generalize".to_owned());
        }
        if self.methods().contains(&ProtectMethod::Generalize)
            && policy.protect.generalize.levels.is_empty()
            && policy.protect.generalize.recoding.is_none()
        {
            choices.push("`protect.generalize.recoding` is not given: mondrian".to_owned());
        }
        if policy.release.order.is_none() && self.seed.is_none() {
            choices.push("`release.order` is not given: rows are shuffled".to_owned());
        }
        if !published.is_empty() {
            choices.push(format!(
                "{} published because the policy says `publish = true`",
                are(&whole.names(published))
            ));
        }
        choices
    }
}

/// `column a is`, `columns a and b are`.
fn are(all: &[String]) -> String {
    let short: Vec<&str> = all.iter().map(String::as_str).collect();
    let (columns, are) = if all.len() == 1 { ("column", "is") } else { ("columns", "are") };
    format!("{columns} {} {are}", names(&short))
}

/// A column that nobody has decided.
pub(crate) fn of_column(column: &Column) -> UndecidedColumn {
    let (role, reason, consider) = suggestion(column);
    let consider = consider.unwrap_or_else(|| format!("suggested: `{}`", role.name()));
    UndecidedColumn { name: column.name().to_owned(), reason, consider }
}

/// The text of the refusal: each column with why, and the lines that decide.
pub(crate) fn refusal(columns: &[UndecidedColumn]) -> String {
    let (are, they) =
        if columns.len() == 1 { ("column is", "it") } else { ("columns are", "them") };
    let mut text = format!("{} {are} undecided, so no release is made of {they}:", columns.len());
    for column in columns {
        let (name, reason) = (printable(&column.name), &column.reason);
        let _ = write!(text, "\n  `{name}`: {reason}; {}", column.consider);
    }
    text += "\n  hint: write a role for each into the policy, such as";
    for column in columns.iter().take(SHOWN) {
        let key = key(&column.name);
        let _ = write!(text, "\n    [columns.{key}]\n    role = {}", quoted("identifier"));
    }
    text += "\n  or let `muslin init FILE -o POLICY --decide NAME=ROLE` write it. `identifier` publishes nothing of a column; `release.undeclared` is the role of columns that the policy does not name.";
    text
}

/// Columns whose lines are shown.
const SHOWN: usize = 3;
