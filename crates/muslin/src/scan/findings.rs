//! What else gives people away, or misleads whoever counts: the order of rows, weights, dates of birth, free text,
//! rare values, columns that say nothing or the same as others.

use std::ops::ControlFlow;

use muslin_io::type_name;
use muslin_table::{Codes, Column, ColumnId, Role, Slot};
use serde::Serialize;

use super::dependencies::DependenciesReport;
use super::patterns::Pattern;
use super::roles::parts_of;
use super::scene::Scene;
use super::words::is_word;
use crate::input::names;

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FindingKind {
    /// A column names people by itself.
    DirectIdentifier,
    /// Sentences that may say anything.
    FreeText,
    /// Full dates of birth.
    DateOfBirth,
    /// The order of the rows tells something.
    RowOrder,
    /// Weights tell strata, and what figures they change.
    Weights,
    /// Rows of one household are linked.
    Household,
    /// Whole numbers that may be codes of categories.
    Codes,
    /// Values that hardly anybody has.
    RareValues,
    /// Two columns say the same.
    SameColumns,
    /// A column says nothing.
    ConstantColumn,
}

/// Something to look at before a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingReport {
    /// What it is about.
    pub kind: FindingKind,
    /// The columns.
    pub columns: Vec<String>,
    /// What was found and what to do, in words.
    pub text: String,
}

/// Rows that must be there before their order says anything.
const ORDERED_ROWS: usize = 20;
/// A column with at most so many values has rare ones where few rows have them.
const FEW_VALUES: usize = 50;
/// Values of at most so many rows are rare.
const RARE: u64 = 2;
/// Distinct values of columns that may hold codes.
const CODES: std::ops::RangeInclusive<usize> = 3..=30;
/// Words in names of quantities.
#[rustfmt::skip]
const QUANTITIES: &[&str] = &[
    // English.
    "age", "ages", "year", "years", "yr", "yrs", "month", "months", "week", "weeks", "day", "days", "hour", "hours",
    "minutes", "time", "duration", "count", "counts", "number", "num", "n", "size", "hsize", "hhsize", "famsize",
    "height", "weight", "length", "width", "distance", "score", "points", "rate", "rank", "level", "grade", "amount",
    "price", "cost", "income", "salary", "wage", "total", "sum", "children", "kids", "siblings", "rooms", "visits",
    "members", "persons", "people", "kg", "cm", "km", "percent", "pct", "edunum", "temperature", "bmi",
    // German.
    "alter", "jahr", "jahre", "monat", "monate", "woche", "wochen", "tag", "tage", "stunde", "stunden", "anzahl", "zahl",
    "groesse", "grosse", "hohe", "gewicht", "dauer", "punkte", "betrag", "preis", "einkommen*", "summe", "kinder",
    "zimmer", "personen", "haushaltsgrosse",
    // French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian, Polish.
    "annee", "annees", "mois", "jours", "heures", "nombre", "taille", "poids", "enfants", "edad", "ano", "anos",
    "meses", "dias", "horas", "numero", "tamano", "hijos", "eta", "anni", "mesi", "giorni", "ore", "figli", "idade",
    "filhos", "leeftijd", "jaar", "maanden", "dagen", "uren", "aantal", "kinderen", "alder", "ar", "antal", "antall",
    "barn", "wiek", "lat", "rok", "liczba", "dzieci",
];
const BIRTH: &[&str] = &[
    "birth",
    "birthday",
    "birthdate",
    "dob",
    "geburt*",
    "naissance",
    "nacimiento",
    "nascita",
    "nascimento",
    "geboorte*",
    "fodelse*",
    "fodsel*",
    "urodzenia",
    "urodzenie",
];

/// What else is to be said of a table.
pub(super) fn look(scene: &Scene<'_>, same: Option<&DependenciesReport>) -> Vec<FindingReport> {
    let mut found = Findings { scene, list: Vec::new() };
    found.identifiers();
    found.dates_of_birth();
    found.row_order();
    found.weights_and_households();
    found.codes();
    found.rare_values();
    same.iter().for_each(|dependencies| found.same_columns(dependencies));
    found.constants();
    found.list.sort_by_key(|finding| finding.kind);
    found.list
}

struct Findings<'a> {
    scene: &'a Scene<'a>,
    list: Vec<FindingReport>,
}

impl Findings<'_> {
    /// Adds what is said of some columns, if there are any.
    fn add(&mut self, kind: FindingKind, columns: Vec<String>, text: impl FnOnce(&str) -> String) {
        if columns.is_empty() {
            return;
        }
        let text = text(&names(&columns.iter().map(String::as_str).collect::<Vec<_>>()));
        self.list.push(FindingReport { kind, columns, text });
    }

    /// Names of the columns for which something holds.
    fn columns(&self, holds: impl Fn(usize) -> bool) -> Vec<String> {
        let columns = self.scene.table.columns().iter().enumerate();
        columns.filter(|(at, _)| holds(*at)).map(|(_, column)| column.name().to_owned()).collect()
    }

    fn identifiers(&mut self) {
        let scene = self.scene;
        let is_prose = |at: usize| {
            scene.columns[at].pattern.is_some_and(|found| found.pattern == Pattern::FreeText)
        };
        let is_identifier = |at: usize| scene.columns[at].role == Role::Identifier;
        let direct = self.columns(|at| is_identifier(at) && !is_prose(at));
        let many = if direct.len() == 1 { "" } else { "s" };
        self.add(FindingKind::DirectIdentifier, direct, |names| {
            format!("direct identifier{many} {names}: leave out of any release")
        });
        self.add(FindingKind::FreeText, self.columns(is_prose), |names| {
            format!("free text in {names}: nobody can tell what is in it, so leave it out or read all of it")
        });
    }

    /// Few distinct whole numbers, and no name of a quantity.
    fn codes(&mut self) {
        let scene = self.scene;
        let is_code = |at: usize| {
            let column = &scene.table.columns()[at];
            let values = column.dictionary();
            let is_few = CODES.contains(&values.len()) && values.len() * 20 <= column.rows();
            let parts = parts_of(column.name());
            let is_quantity =
                || parts.iter().any(|part| QUANTITIES.iter().any(|word| is_word(part, word)));
            let is_open = !matches!(scene.columns[at].role, Role::Identifier | Role::Weight);
            let is_whole = column.data_type().is_integer() && !values.is_category();
            is_whole && is_few && is_open && !is_quantity()
        };
        let found = self.columns(is_code);
        let flags: Vec<String> =
            found.iter().take(4).map(|name| format!("`--type {name}=category`")).collect();
        self.add(FindingKind::Codes, found, |names| {
            format!("codes? {names}: few distinct whole numbers. If they stand for categories, pass {}, so that they are not put into numeric ranges", flags.join(" "))
        });
    }

    fn dates_of_birth(&mut self) {
        let scene = self.scene;
        let is_birth = |at: usize| {
            let column = &scene.table.columns()[at];
            let pattern = scene.columns[at].pattern.map(|found| found.pattern);
            let is_day = matches!(type_name(column.data_type()), "date" | "timestamp")
                || pattern == Some(Pattern::Date);
            let parts = parts_of(column.name());
            is_day && parts.iter().any(|part| BIRTH.iter().any(|word| is_word(part, word)))
        };
        self.add(FindingKind::DateOfBirth, self.columns(is_birth), |names| {
            format!("full dates of birth in {names}: publish the year, or an age in groups")
        });
    }

    fn row_order(&mut self) {
        let table = self.scene.table;
        if table.rows() < ORDERED_ROWS {
            return;
        }
        let ordered = table.columns().iter().filter(|column| column.dictionary().len() > 2);
        let sorted: Vec<&Column> = ordered.filter(|column| is_sorted(column)).collect();
        let Some(first) = sorted.first() else { return };
        let mut columns: Vec<String> = sorted.iter().map(|c| c.name().to_owned()).collect();
        // Sorted by one column and, among equal rows, by another.
        let second = table.columns().iter().find(|column| {
            !columns.iter().any(|name| name == column.name())
                && column.dictionary().len() > 2
                && first.dictionary().len() * 2 <= table.rows()
                && is_sorted_within(first, column)
        });
        columns.extend(second.map(|column| column.name().to_owned()));
        self.add(FindingKind::RowOrder, columns, |names| {
            format!("rows are in the order of {names}: whoever knows the order learns from a row's place; muslin writes releases in another order")
        });
    }

    fn weights_and_households(&mut self) {
        let scene = self.scene;
        let is_weight = |at: usize| scene.columns[at].role == Role::Weight;
        self.add(FindingKind::Weights, self.columns(is_weight), |names| {
            format!("survey weights in {names}: they distinguish strata and areas, so no release has them unless the policy says `publish = true`; figures here count rows of the sample, not people of the population")
        });
        let is_household = |at: usize| scene.columns[at].role == Role::Household;
        self.add(FindingKind::Household, self.columns(is_household), |names| {
            format!(
                "{names} links the members of a household: who identifies one of them identifies all, so no release has it unless the policy says `publish = true`"
            )
        });
    }

    fn rare_values(&mut self) {
        let table = self.scene.table;
        let mut columns = Vec::new();
        let mut rows = 0;
        for (at, column) in table.columns().iter().enumerate() {
            let values = column.dictionary().len();
            let is_asked =
                matches!(self.scene.columns[at].role, Role::QuasiIdentifier | Role::Sensitive);
            if !is_asked || values > FEW_VALUES || values * 10 > table.rows() {
                continue;
            }
            let mut counts = vec![0u64; column.slots()];
            column.codes().slots().for_each(|slot| counts[slot as usize] += 1);
            let rare = |count: &&u64| (1..=RARE).contains(*count);
            let of_rare: u64 = counts[..values].iter().filter(rare).sum();
            if of_rare > 0 {
                rows += of_rare;
                columns.push(column.name().to_owned());
            }
        }
        let cells = if rows == 1 { "cell" } else { "cells" };
        self.add(FindingKind::RareValues, columns, |names| {
            format!(
                "values of one or two rows in {names} ({rows} {cells}): put them together with others"
            )
        });
    }

    fn same_columns(&mut self, dependencies: &DependenciesReport) {
        let exact = dependencies.found.iter().filter(|one| one.exact && one.from.len() == 1);
        let exact: Vec<_> = exact.collect();
        for (at, one) in exact.iter().enumerate() {
            let back = exact[at + 1..]
                .iter()
                .find(|other| other.from[0] == one.to && other.to == one.from[0]);
            if back.is_some() {
                let both = vec![one.from[0].clone(), one.to.clone()];
                self.add(FindingKind::SameColumns, both, |names| {
                    format!("{names} say the same: what is done to one must be done to the other")
                });
            }
        }
    }

    fn constants(&mut self) {
        let table = self.scene.table;
        let is_constant = |at: usize| {
            let column = table.column(ColumnId::new(at));
            let states = column.dictionary().len() + usize::from(column.missing() > 0);
            states <= 1
        };
        if table.rows() < 2 {
            return;
        }
        self.add(FindingKind::ConstantColumn, self.columns(is_constant), |names| {
            format!("the same in every row: {names}")
        });
    }
}

/// Whether the values of a column rise or fall from row to row; missing cells say nothing.
fn is_sorted(column: &Column) -> bool {
    fn check<S: Slot>(codes: &[S], values: usize) -> bool {
        let (mut rises, mut falls) = (true, true);
        let mut previous: Option<usize> = None;
        for slot in codes.iter().map(|code| code.index()).filter(|&slot| slot < values) {
            if let Some(previous) = previous {
                rises &= previous <= slot;
                falls &= previous >= slot;
                if !rises && !falls {
                    return false;
                }
            }
            previous = Some(slot);
        }
        true
    }
    let values = column.dictionary().len();
    match column.codes() {
        Codes::U8(codes) => check(codes, values),
        Codes::U16(codes) => check(codes, values),
        Codes::U32(codes) => check(codes, values),
    }
}

/// Whether a column rises among rows that follow each other and agree on the other.
fn is_sorted_within(outer: &Column, column: &Column) -> bool {
    let values = column.dictionary().len();
    let mut steps = 0u64;
    let mut previous: Option<(u32, u32)> = None;
    let rows = outer.codes().slots().zip(column.codes().slots());
    let mut rows = rows.filter(|&(_, inner)| (inner as usize) < values);
    let ended = rows.try_for_each(|(outer, inner)| {
        if let Some((before, last)) = previous
            && before == outer
        {
            steps += u64::from(last < inner);
            if last > inner {
                return ControlFlow::Break(());
            }
        }
        previous = Some((outer, inner));
        ControlFlow::Continue(())
    });
    ended.is_continue() && steps > 0
}
