//! Composition: what two releases about the same people say together; after Ganta, Kasiviswanathan and
//! Smith (KDD 2008).

use std::collections::BTreeMap;

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable, Hierarchy, printable};

use crate::attack::{Attack, Certain, first_rows, share};
use crate::covers;
use crate::error::fault;
use crate::fits::Fits;
use crate::groups::Groups;
use crate::interval::wilson;
use crate::{Error, Result};

const NAME: &str = "composition";
const DEFENCE: &str =
    "release nested tables only: derive a second release from the first, never from the original";

/// One of the releases.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    table: &'a EncodedTable,
    buckets: Option<&'a str>,
    hierarchies: Option<&'a BTreeMap<String, Hierarchy>>,
}

impl<'a> Part<'a> {
    /// A release.
    pub fn new(table: &'a EncodedTable) -> Self {
        Self { table, buckets: None, hierarchies: None }
    }

    /// The column that numbers its buckets: a person may have any sensitive value of a bucket.
    #[must_use]
    pub fn buckets(mut self, column: &'a str) -> Self {
        self.buckets = Some(column);
        self
    }

    /// The hierarchies of its labels, by column.
    #[must_use]
    pub fn hierarchies(mut self, hierarchies: &'a BTreeMap<String, Hierarchy>) -> Self {
        self.hierarchies = Some(hierarchies);
        self
    }
}

/// Looks people up in two releases and intersects what they may have.
///
/// # Guarantee
/// A person's possible values in a release are the sensitive values of the rows that the person's
/// values fit, or of those rows' buckets. The person is certain when one value is possible in both
/// releases; success is the share of people who are (and of whom it is right, where
/// that is known). The baseline is the share of people who are certain in one release alone: the release
/// where that is more. Where the people's table has the sensitive column, certain ones are scored.
///
/// # Cost
/// Rows times columns, and the pairs of people and rows that fit, alike ones counted once.
///
/// # Example
/// ```
/// use muslin_attack::{Composition, Part};
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// let table = |labels: &[&str], illness: [i64; 4]| {
///     let ages = Column::of_labels("c0", labels, 0u32..4).unwrap();
///     let illness = EncodedTable::of(&illness.map(|v| [0, v])).into_columns().remove(1);
///     EncodedTable::new(4, vec![ages, illness]).unwrap()
/// };
/// let people = EncodedTable::of(&[[20, 1], [30, 2], [40, 1], [50, 3]]);
/// let one = table(&["[20-30]", "[20-30]", "[40-50]", "[40-50]"], [1, 2, 1, 3]);
/// let two = table(&["[20-40]", "[20-40]", "[20-40]", "50"], [1, 2, 1, 3]);
/// let found = Composition::new(&["c0"], "c1").run(&people, [Part::new(&one), Part::new(&two)], &Run::new())?;
/// assert_eq!((found.certain(), found.right()), (2, Some(2)));
/// assert_eq!(found.baseline(), Some(0.25));
/// # Ok::<(), muslin_attack::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Composition {
    on: Vec<String>,
    sensitive: String,
    work_limit: u64,
}

/// For each person's kind, the values that are possible, in order; nothing where any is.
struct Possible {
    kind_of: Vec<u32>,
    values: Vec<Option<Vec<u32>>>,
}

impl Composition {
    /// People are looked up by the columns `on`; `sensitive` is what one wants to know about them.
    pub fn new<S: AsRef<str>>(on: &[S], sensitive: &str) -> Self {
        let on = on.iter().map(|name| name.as_ref().to_owned()).collect();
        Self { on, sensitive: sensitive.to_owned(), work_limit: 500_000_000 }
    }

    /// Refuses to take more steps: five hundred million unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Attacks two releases by a table of people.
    pub fn run(&self, people: &EncodedTable, parts: [Part<'_>; 2], run: &Run) -> Result<Attack> {
        if self.on.contains(&self.sensitive) {
            return fault(
                "the sensitive column cannot be known",
                "leave it out of the columns to look up by",
            );
        }
        run.install(|| {
            // Values of both releases and of the people, by what they read.
            let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
            let [first, second] = parts;
            let first = self.possible(people, first, &mut numbers, run)?;
            let second = self.possible(people, second, &mut numbers, run)?;
            let truth = people.find(&self.sensitive).ok().map(|id| people.column(id));
            let of_slot: Option<Vec<Option<u32>>> = truth.map(|column| {
                column.dictionary().texts().iter().map(|text| numbers.get(text).copied()).collect()
            });
            let mut both: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
            let (mut certain, mut unmatched, mut rows) = (Certain::default(), 0, Vec::new());
            let mut alone = [0u64; 2];
            for (row, (&a, &b)) in (0u32..).zip(first.kind_of.iter().zip(&second.kind_of)) {
                let (one, other) = (&first.values[a as usize], &second.values[b as usize]);
                alone[0] += u64::from(one.as_ref().is_some_and(|values| values.len() == 1));
                alone[1] += u64::from(other.as_ref().is_some_and(|values| values.len() == 1));
                let left = both.entry((a, b)).or_insert_with(|| match (one, other) {
                    (Some(one), Some(other)) => {
                        one.iter().copied().filter(|v| other.binary_search(v).is_ok()).collect()
                    }
                    (Some(one), None) => one.clone(),
                    (None, Some(other)) => other.clone(),
                    // Anything: two stand for many.
                    (None, None) => vec![0, 1],
                });
                unmatched += u64::from(left.is_empty());
                if let [only] = left[..] {
                    certain.all += 1;
                    rows.push(row);
                    if let Some((column, of_slot)) = truth.zip(of_slot.as_ref()) {
                        let actual = of_slot.get(column.codes().slot(row as usize) as usize);
                        certain.scored += 1;
                        certain.right += u64::from(actual == Some(&Some(only)));
                    }
                }
            }
            let targets = people.rows() as u64;
            let [one, other] = alone;
            let success = if truth.is_some() { certain.right } else { certain.all };
            #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
            let interval = wilson(success as f64, targets, 1);
            let attack = Attack {
                targets,
                guessed: certain.all,
                scored: certain.scored,
                right: truth.is_some().then_some(certain.right),
                success: share(success, targets),
                baseline: share(one.max(other), targets),
                interval,
                certain,
                rows: first_rows(rows),
                note: Some(format!(
                    "certain by one release alone: {one} people, by the other alone: {other}"
                )),
                ..Attack::new(
                    NAME,
                    format!("two releases about the same people, and their {}", named(&self.on)),
                    DEFENCE,
                )
            };
            let attack = match unmatched {
                0 => attack,
                1 => attack.noted("1 person has no value that is possible in both"),
                _ => {
                    attack.noted(format!("{unmatched} people have no value that is possible in both"))
                }
            };
            Ok(if truth.is_some() {
                attack
            } else {
                attack.noted(
                    "success is the share of certain people: whether the inferred values are right is not known",
                )
            })
        })
    }

    fn possible(
        &self,
        people: &EncodedTable,
        part: Part<'_>,
        numbers: &mut BTreeMap<String, u32>,
        run: &Run,
    ) -> Result<Possible> {
        let on: Vec<ColumnId> =
            self.on.iter().map(|name| people.find(name)).collect::<Result<_, _>>()?;
        let (mut columns, mut covers) = (Vec::new(), Vec::new());
        for id in on {
            let name = people.column(id).name();
            let published = part.table.find(name)?;
            let hierarchy = part.hierarchies.and_then(|hierarchies| hierarchies.get(name));
            covers.push(covers::find(people.column(id), part.table.column(published), hierarchy)?);
            columns.push((id, published));
        }
        let tables = (people, part.table);
        let fits = Fits::new(NAME, tables, &columns, &covers, self.work_limit, run)?;
        let sensitive = part.table.column(part.table.find(&self.sensitive)?);
        let texts = sensitive.dictionary().texts();
        let mut number = |text: &String| {
            let next = u32::try_from(numbers.len()).expect("fewer values than rows");
            *numbers.entry(text.clone()).or_insert(next)
        };
        let of_slot: Vec<u32> = texts.iter().map(&mut number).collect();
        let any = |slot: u32| {
            slot == sensitive.suppressed_slot()
                || texts.get(slot as usize).is_some_and(|text| text == "*")
        };
        // The rows that share their sensitive values: those of a bucket, or of a class.
        let together = match part.buckets {
            Some(name) => {
                let column = part.table.column(part.table.find(name)?);
                let slots: Vec<u32> = column.codes().slots().collect();
                Groups::of(&[slots], part.table.rows(), run)?
            }
            None => Groups::of(&[&fits.classes.of], part.table.rows(), run)?,
        };
        let slots: Vec<u32> = sensitive.codes().slots().collect();
        let values_of = |rows: &[u32]| -> Option<Vec<u32>> {
            let mut own: Vec<u32> = rows.iter().map(|&row| slots[row as usize]).collect();
            own.sort_unstable();
            own.dedup();
            if own.iter().any(|&slot| any(slot)) {
                return None;
            }
            // A missing cell is a value that no other release has a word for.
            let mut own: Vec<u32> = own
                .iter()
                .map(|&slot| of_slot.get(slot as usize).copied().unwrap_or(u32::MAX))
                .collect();
            own.sort_unstable();
            Some(own)
        };
        let values: Vec<Option<Vec<u32>>> = together.members().iter().map(values_of).collect();
        let members = fits.classes.members();
        let mut groups_of_class: Vec<Vec<u32>> = Vec::with_capacity(fits.classes.len());
        for rows in members.iter() {
            let mut groups: Vec<u32> = rows.iter().map(|&row| together.of[row as usize]).collect();
            groups.sort_unstable();
            groups.dedup();
            groups_of_class.push(groups);
        }
        let mut steps = 0u64;
        let mut possible = Vec::with_capacity(fits.kinds.len());
        for classes in fits.of_kind.iter() {
            let mut own: Option<Vec<u32>> = Some(Vec::new());
            for &group in classes.iter().flat_map(|&class| &groups_of_class[class as usize]) {
                match (&mut own, &values[group as usize]) {
                    (Some(own), Some(more)) => own.extend(more),
                    _ => own = None,
                }
                steps += values[group as usize].as_ref().map_or(1, |more| more.len() as u64);
            }
            if steps > self.work_limit {
                return Err(Error::TooMuchWork { attack: NAME, limit: self.work_limit });
            }
            if let Some(own) = &mut own {
                own.sort_unstable();
                own.dedup();
            }
            possible.push(own);
        }
        Ok(Possible { kind_of: fits.kinds.of, values: possible })
    }
}

/// Names of columns in a sentence.
pub(crate) fn named<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<String> =
        names.iter().map(|name| format!("`{}`", printable(name.as_ref()))).collect();
    names.join(", ")
}
