use std::collections::BTreeMap;

use muslin::{
    ColumnChoice, Hierarchies, InputReport, MissingRule, Policy, ReadOptions, Role, printable,
};

use crate::args::{InputArgs, Names};
use crate::style::{Style, counted};

/// What the flags and the policy file say about an input; flags win.
pub(super) struct Asked {
    pub(super) read: ReadOptions,
    pub(super) roles: BTreeMap<String, Role>,
    pub(super) missing: MissingRule,
    pub(super) hierarchies: Hierarchies,
    pub(super) policy: Option<Policy>,
}

impl Asked {
    pub(super) fn new(input: &InputArgs) -> Result<Self, muslin::Error> {
        let policy = input.policy.as_deref().map(Policy::read).transpose()?;
        let of_policy = policy.as_ref();
        let mut read = of_policy.map(Policy::to_read_options).unwrap_or_default();
        let mut roles = of_policy.map(Policy::roles).unwrap_or_default();
        let hierarchies = of_policy.map(Policy::hierarchies).unwrap_or_default();
        let missing = input.missing.or(of_policy.and_then(|policy| policy.missing));
        if let Some(columns) = &input.columns {
            read.columns = ColumnChoice::Only(Names::all(columns));
        }
        if let Some(columns) = &input.exclude {
            read.columns = ColumnChoice::Except(Names::all(columns));
        }
        roles.extend(input.role.iter().cloned());
        read.types.extend(input.types.iter().cloned());
        read.null.extend(input.null.iter().cloned());
        let csv = &mut read.csv;
        csv.delimiter = input.delimiter.or(csv.delimiter);
        csv.quote = input.quote.map(|quote| quote.0).or(csv.quote);
        csv.header = input.header.or(csv.header);
        csv.encoding = input.encoding.or(csv.encoding);
        csv.decimal_comma = input.decimal_comma.or(csv.decimal_comma);
        csv.trim |= input.trim;
        Ok(Self { read, roles, missing: missing.unwrap_or_default(), hierarchies, policy })
    }
}

/// Takes the columns that a flag names for the quasi-identifiers, instead of those of the policy.
pub(super) fn set_quasi_identifiers(roles: &mut BTreeMap<String, Role>, named: Option<&[Names]>) {
    if let Some(named) = named {
        roles.retain(|_, role| *role != Role::QuasiIdentifier);
        roles.extend(Names::all(named).into_iter().map(|name| (name, Role::QuasiIdentifier)));
    }
}

/// The first line of a report: the file, its shape and its form.
pub(super) fn title(input: &InputReport, rows: u64, columns: usize, style: &Style) -> String {
    let title = format!(
        "{}: {}, {} ({})",
        printable(&input.file),
        counted(rows, "row"),
        counted(columns as u64, "column"),
        describe(input, columns)
    );
    style.wrap(&title, 2)
}

/// How an input of some columns was read, in a few words.
fn describe(input: &InputReport, columns: usize) -> String {
    let mut parts = vec![input.format.clone()];
    parts.extend(input.compression.clone());
    if let Some(delimiter) = input.delimiter.filter(|_| columns > 1) {
        parts.push(match delimiter {
            '\t' => "tab between fields".into(),
            delimiter => format!("`{delimiter}` between fields"),
        });
    }
    if input.header == Some(false) {
        parts.push("no header".into());
    }
    parts.extend(input.encoding.clone().filter(|encoding| encoding != "utf-8"));
    if input.decimal_comma == Some(true) {
        parts.push("decimal comma".into());
    }
    parts.join(", ")
}
