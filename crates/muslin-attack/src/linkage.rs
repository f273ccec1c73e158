//! Linkage: looking people of another file up in a release.

use std::collections::BTreeMap;

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable, Hierarchy};

use crate::attack::{Attack, Certain, first_rows};
use crate::composition::named;
use crate::error::fault;
use crate::fits::Fits;
use crate::interval::wilson;
use crate::{Released, Result, covers};

const NAME: &str = "linkage";
const DEFENCE: &str = "make these columns k-anonymous: suppress, generalize, or leave columns out";

/// Looks up the people of an auxiliary file in a release.
///
/// # Guarantee
/// A row of the release matches a person when each of its labels on the columns may stand for the
/// person's value; whoever has no value there fits suppressed and missing cells only. A person who matches one row is linked, and that is what `certain` counts. Success is
/// the mean over all people of 1 / matches (0 without a match): what picking a match at random gives.
/// The baseline is 1 / rows. Where the original is there and both it and the file have the `id` column,
/// links are scored.
///
/// # Cost
/// Rows times columns, and the pairs of people and rows that match, alike ones counted once.
///
/// # Example
/// ```
/// use std::collections::BTreeMap;
/// use muslin_attack::{Linkage, Released};
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// let ages = Column::of_labels("c0", &["[20-30]", "64"], [0, 0, 1].into_iter())?;
/// let release = EncodedTable::new(3, vec![ages])?;
/// let voters = EncodedTable::of(&[[25], [64]]);
/// let attack = Linkage::new(&["c0"]);
/// let found = attack.run(&Released::new(&release), &voters, &BTreeMap::new(), &Run::new())?;
/// assert_eq!((found.certain(), found.success()), (1, Some(0.75)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Linkage {
    on: Vec<String>,
    id: Option<String>,
    work_limit: u64,
}

impl Linkage {
    /// Looks people up by these columns, which release and file both have.
    pub fn new<S: AsRef<str>>(on: &[S]) -> Self {
        let on = on.iter().map(|name| name.as_ref().to_owned()).collect();
        Self { on, id: None, work_limit: 500_000_000 }
    }

    /// The column of original and file that says who is who, for the judge.
    #[must_use]
    pub fn id(mut self, column: Option<String>) -> Self {
        self.id = column;
        self
    }

    /// Refuses to take more steps: five hundred million unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Looks the people up. `hierarchies` has those of the release's labels, by column.
    pub fn run(
        &self,
        released: &Released<'_>,
        people: &EncodedTable,
        hierarchies: &BTreeMap<String, Hierarchy>,
        run: &Run,
    ) -> Result<Attack> {
        if self.on.is_empty() {
            return fault("there is no column to look people up by", "name one at least");
        }
        let release = released.table();
        run.install(|| {
            let (mut on, mut covers) = (Vec::new(), Vec::new());
            for name in &self.on {
                let (own, published) = (people.find(name)?, release.find(name)?);
                let columns = (people.column(own), release.column(published));
                covers.push(covers::find(columns.0, columns.1, hierarchies.get(name))?);
                on.push((own, published));
            }
            let fits = Fits::new(NAME, (people, release), &on, &covers, self.work_limit, run)?;
            let matches = fits.rows_of_kinds();
            let judge = self.judge(released, people)?;
            let (mut certain, mut chance) = (Certain::default(), 0.0);
            let mut rows = Vec::new();
            for (person, &kind) in fits.kinds.of.iter().enumerate() {
                #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
                match matches[kind as usize] {
                    0 => {}
                    count => chance += 1.0 / count as f64,
                }
                let (1, [class]) = (matches[kind as usize], fits.of_kind.of(kind as usize)) else {
                    continue;
                };
                let row = fits.classes.first[*class as usize];
                certain.all += 1;
                rows.push(row);
                if let Some(is_right) =
                    judge.as_ref().and_then(|judge| judge.is_right(released, person, row))
                {
                    certain.scored += 1;
                    certain.right += u64::from(is_right);
                }
            }
            rows.sort_unstable();
            rows.dedup();
            let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            let unmatched =
                fits.kinds.of.iter().filter(|&&kind| matches[kind as usize] == 0).count();
            let targets = people.rows();
            let attack = Attack {
                targets: targets as u64,
                guessed: certain.all,
                scored: certain.scored,
                right: judge.is_some().then_some(certain.right),
                success: (targets > 0).then(|| chance / count(targets)),
                baseline: (release.rows() > 0 && targets > 0).then(|| 1.0 / count(release.rows())),
                interval: wilson(chance, targets as u64, 1),
                certain,
                rows: first_rows(rows),
                note: Some(match unmatched {
                    1 => "1 person matches no row".into(),
                    unmatched => format!("{unmatched} people match no row"),
                }),
                ..Attack::new(
                    NAME,
                    format!("a file of people with their values of {}", named(&self.on)),
                    DEFENCE,
                )
            };
            Ok(if judge.is_some() {
                attack
            } else {
                attack
                    .noted("links are not scored: no `--id` column identifies people in both files")
            })
        })
    }

    fn judge<'a>(
        &self,
        released: &Released<'a>,
        people: &'a EncodedTable,
    ) -> Result<Option<Judge>> {
        let Some((name, original)) = self.id.as_ref().zip(released.original()) else {
            return Ok(None);
        };
        let ids = |table: &EncodedTable, id: ColumnId| {
            let column = table.column(id);
            let texts = column.dictionary().texts();
            let slots = column.codes().slots();
            slots.map(|slot| texts.get(slot as usize).cloned()).collect::<Vec<_>>()
        };
        let (own, theirs) = (people.find(name)?, original.find(name)?);
        Ok(Some(Judge { people: ids(people, own), original: ids(original, theirs) }))
    }
}

/// Who is who.
struct Judge {
    people: Vec<Option<String>>,
    original: Vec<Option<String>>,
}

impl Judge {
    fn is_right(&self, released: &Released<'_>, person: usize, row: u32) -> Option<bool> {
        let own = self.people[person].as_ref()?;
        let row = released.original_row(row)?;
        Some(self.original[row as usize].as_ref()? == own)
    }
}
