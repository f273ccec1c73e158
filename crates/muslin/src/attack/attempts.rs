//! The attacks, one by one: which can run, and what the others lack.

use std::collections::BTreeMap;

use muslin_attack::{
    Attack, Composition, DeFinetti, Dependencies, Disambiguation, Error as AttackError,
    Homogeneity, Linkage, Membership, Part, RowOrder, SeedGuess, Skewness, WithinGroups,
};
use muslin_engine::{Run, Seed};
use muslin_protect::rows_in_buckets;
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, Hierarchy};

use super::scene::Scene;
use super::{AttackJob, Tables};
use crate::Result;

/// What became of an attack.
pub(super) enum Tried {
    Ran(Box<Attack>),
    /// Why it did not run, and a hint what to pass, as an error says it.
    Skipped(String),
}

impl Tried {
    fn skipped(reason: &str) -> Self {
        Self::Skipped(reason.to_owned())
    }

    /// An attack that ended; one that refused says why.
    fn of(found: Result<Attack, AttackError>) -> Result<Self> {
        match found {
            Ok(attack) => Ok(Self::Ran(Box::new(attack))),
            Err(error @ (AttackError::Setting(_) | AttackError::TooMuchWork { .. })) => {
                Ok(Self::Skipped(error.to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Skips an attack that had nothing to attack.
    fn unless_idle(self, reason: &str) -> Self {
        match self {
            Self::Ran(attack) if attack.targets() == 0 => Self::Skipped(reason.to_owned()),
            tried => tried,
        }
    }
}

/// What attacks are made with.
pub(super) struct Attempts<'a> {
    pub(super) job: &'a AttackJob,
    pub(super) tables: &'a Tables,
    pub(super) scene: &'a Scene<'a>,
    pub(super) run: &'a Run,
}

const NO_BLANK: &str = "no cell is suppressed";
const NO_PREVIOUS: &str =
    "there is no other release of these people\n  hint: pass `--previous FILE`";
const ROW_BY_ROW: &str = "not applicable: every column but the sensitive one is published row by row, so a person whose values are known is visibly in the table";
const NO_TARGET: &str = "no cell is suppressed or generalized";
const NO_SENSITIVE: &str = "no sensitive column is named\n  hint: pass `--sensitive NAME`";
const NO_BUCKET: &str = "no column numbers buckets\n  hint: pass `--bucket NAME` where one does";

/// What became of an attack on each sensitive column, or of one that aims at none.
type Aimed = Vec<(Option<ColumnId>, Tried)>;

impl Attempts<'_> {
    /// Tries an attack by its name: on each sensitive column, where it aims at one.
    pub(super) fn attempt(&self, name: &str) -> Result<Aimed> {
        let alone = |tried: Result<Tried>| Ok(vec![(None, tried?)]);
        match name {
            "disambiguation" => alone(self.disambiguation()),
            "row-order" => alone(self.row_order()),
            "dependencies" => alone(self.dependencies()),
            "within-groups" => alone(self.within_groups()),
            "homogeneity" => self.each(|sensitive| self.homogeneity(sensitive)),
            "skewness" => self.each(|sensitive| self.skewness(sensitive)),
            "definetti" if self.scene.bucket.is_none() => alone(Ok(Tried::skipped(NO_BUCKET))),
            "definetti" => self.each(|sensitive| self.definetti(sensitive)),
            "membership" => alone(self.membership()),
            "linkage" => alone(self.linkage()),
            "composition" if self.tables.previous.is_none() => {
                alone(Ok(Tried::skipped(NO_PREVIOUS)))
            }
            "composition" => self.each(|sensitive| self.composition(sensitive)),
            _ => alone(self.seed()),
        }
    }

    /// Tries an attack on each sensitive column.
    fn each(&self, attack: impl Fn(ColumnId) -> Result<Tried>) -> Result<Aimed> {
        if self.scene.sensitive.is_empty() {
            return Ok(vec![(None, Tried::skipped(NO_SENSITIVE))]);
        }
        self.scene.sensitive.iter().map(|&id| Ok((Some(id), attack(id)?))).collect()
    }

    fn disambiguation(&self) -> Result<Tried> {
        let scene = self.scene;
        if scene.released.blanks() == 0 {
            return Ok(Tried::skipped(NO_BLANK));
        }
        let Some(k) = scene.k else {
            return Ok(Tried::skipped(
                "nothing says which k the release was made for\n  hint: pass `-k`",
            ));
        };
        // What values there are is no secret; without the original, those in sight must do.
        let attack = Disambiguation::new(scene.quasi.clone(), k)
            .equals(scene.equals)
            .codebook(scene.pair.is_some());
        let tried = Tried::of(attack.run(&scene.released, self.run))?;
        Ok(tried.unless_idle("no cell of the quasi-identifiers is suppressed"))
    }

    fn row_order(&self) -> Result<Tried> {
        let scene = self.scene;
        let tried = Tried::of(RowOrder::new(scene.looked.clone()).run(&scene.released, self.run))?;
        Ok(tried.unless_idle(NO_TARGET))
    }

    fn dependencies(&self) -> Result<Tried> {
        let attack = Dependencies::new(self.scene.looked.clone());
        Ok(Tried::of(attack.run(&self.scene.released, self.run))?.unless_idle(NO_TARGET))
    }

    fn within_groups(&self) -> Result<Tried> {
        let attack = WithinGroups::new(self.scene.looked.clone());
        Ok(Tried::of(attack.run(&self.scene.released, self.run))?.unless_idle(NO_TARGET))
    }

    /// The columns that make classes. In a bucket, every person may have any of its sensitive values.
    fn classes(&self) -> ColumnSet {
        let scene = self.scene;
        scene.bucket.map_or_else(|| scene.quasi.clone(), |bucket| [bucket].into_iter().collect())
    }

    fn homogeneity(&self, sensitive: ColumnId) -> Result<Tried> {
        let attack = Homogeneity::new(self.classes(), sensitive);
        Tried::of(attack.run(&self.scene.released, self.run))
    }

    fn skewness(&self, sensitive: ColumnId) -> Result<Tried> {
        let attack = Skewness::new(self.classes(), sensitive);
        Tried::of(attack.run(&self.scene.released, self.run))
    }

    fn definetti(&self, sensitive: ColumnId) -> Result<Tried> {
        let scene = self.scene;
        let Some(bucket) = scene.bucket else { return Ok(Tried::skipped(NO_BUCKET)) };
        let known = scene.moved.iter().filter(|&id| scene.quasi.contains(id));
        let known: ColumnSet = known.collect();
        let known = if known.is_empty() { scene.moved.clone() } else { known };
        let known = known.iter().filter(|&id| id != sensitive).collect();
        Tried::of(DeFinetti::new(bucket, sensitive, known).run(&scene.released, self.run))
    }

    fn membership(&self) -> Result<Tried> {
        let scene = self.scene;
        let Some(bucket) = scene.bucket else { return Ok(Tried::skipped(NO_BUCKET)) };
        let Some(slices) = &scene.slices else {
            return Ok(Tried::skipped(
                "nothing says which columns stayed together\n  hint: pass `--slices` or `--sensitive`",
            ));
        };
        if scene.pair.is_none() {
            return Ok(Tried::skipped("no original was given\n  hint: pass `--original FILE`"));
        }
        let others = scene.looked.iter().filter(|id| !scene.sensitive.contains(id));
        let others: ColumnSet = others.collect();
        if slices.iter().any(|slice| others.is_subset(slice)) {
            return Ok(Tried::skipped(ROW_BY_ROW));
        }
        // Columns that the original lacks say nothing about people.
        let is_old = |&id: &_| {
            let original = scene.pair.map(|pair| &pair.whole.table);
            original.is_some_and(|own| own.find(scene.release().column(id).name()).is_ok())
        };
        let slices = slices.iter().map(|slice| slice.iter().filter(is_old).collect());
        let slices: Vec<ColumnSet> = slices.filter(|slice: &ColumnSet| !slice.is_empty()).collect();
        Tried::of(Membership::new(bucket, slices).run(&scene.released, self.run))
    }

    fn linkage(&self) -> Result<Tried> {
        let Some(people) = &self.tables.aux else {
            return Ok(Tried::skipped(
                "there is no file of people\n  hint: pass `--aux FILE` and `--on NAMES`",
            ));
        };
        let on = self.on(&[people]);
        if on.is_empty() {
            return Ok(Tried::skipped(
                "no quasi-identifier is in the release and the file of people\n  hint: pass `--on NAMES`",
            ));
        }
        let has_id = |id: &&String| people.find(id).is_ok();
        let judge = self.scene.pair.map(|pair| &pair.whole.table);
        let id = self.job.id.as_ref().filter(has_id);
        let id = id.filter(|id| judge.is_some_and(|own| own.find(id).is_ok()));
        let trees = self.trees(people)?;
        let attack = Linkage::new(&on).id(id.cloned());
        Tried::of(attack.run(&self.scene.released, people, &trees, self.run))
    }

    fn composition(&self, sensitive: ColumnId) -> Result<Tried> {
        let scene = self.scene;
        let Some(previous) = &self.tables.previous else { return Ok(Tried::skipped(NO_PREVIOUS)) };
        let made;
        let (people, trees) = match (scene.pair, &self.tables.aux) {
            (Some(pair), _) => (&pair.whole.table, &pair.trees),
            (None, Some(people)) => {
                made = self.trees(people)?;
                (people, &made)
            }
            (None, None) => {
                return Ok(Tried::skipped(
                    "there is no table of the people\n  hint: pass `--original FILE` or `--aux FILE`",
                ));
            }
        };
        let on = self.on(&[people, previous]);
        if on.is_empty() {
            return Ok(Tried::skipped(
                "no quasi-identifier is in both releases and the people's table\n  hint: pass `--on NAMES`",
            ));
        }
        let bucket = scene.bucket.map(|id| scene.name(id));
        let part = |table| {
            let part = Part::new(table).hierarchies(trees);
            bucket.as_deref().filter(|&name| has(table, name)).map_or(part, |own| part.buckets(own))
        };
        let attack = Composition::new(&on, &scene.name(sensitive));
        Tried::of(attack.run(people, [part(scene.release()), part(previous)], self.run))
    }

    fn seed(&self) -> Result<Tried> {
        let scene = self.scene;
        let Some(pair) = scene.pair else {
            return Ok(Tried::skipped("no original was given\n  hint: pass `--original FILE`"));
        };
        if pair.whole.table.rows() != scene.release().rows() {
            return Ok(Tried::skipped(
                "the original has another number of rows\n  hint: pass it without the rows that were removed",
            ));
        }
        let attack = SeedGuess::new(scene.moved.clone(), self.job.seeds);
        let parts = scene.slices.as_ref().map_or(0, Vec::len);
        let orders = |seed, rows| orders(seed, rows, self.buckets().as_deref(), parts);
        Tried::of(attack.run(&scene.released, orders, self.run))
    }

    /// The bucket of each row of the release.
    fn buckets(&self) -> Option<Vec<u32>> {
        let codes = self.scene.release().column(self.scene.bucket?).codes();
        Some(codes.slots().collect())
    }

    /// The columns to look people up by: those that are named, or quasi-identifiers that the others have.
    fn on(&self, others: &[&EncodedTable]) -> Vec<String> {
        if !self.job.on.is_empty() {
            return self.job.on.clone();
        }
        let mut names = self.scene.names(&self.scene.quasi);
        names.retain(|name| others.iter().all(|table| has(table, name)));
        names
    }

    /// The hierarchies that somebody gave, of the values of people.
    fn trees(&self, people: &EncodedTable) -> Result<BTreeMap<String, Hierarchy>> {
        let mut hierarchies = self.job.hierarchies.clone();
        if let Some(folder) = &self.job.hierarchy_folder {
            let names: Vec<&str> = people.columns().iter().map(Column::name).collect();
            hierarchies.add_folder(folder, &names)?;
        }
        let given = people.columns().iter().filter(|own| hierarchies.of(own.name()).is_some());
        given.map(|own| Ok((own.name().to_owned(), hierarchies.build(own, self.run)?))).collect()
    }
}

/// The orders in which a seed may publish the rows of some columns: that of the rows, and, where there are buckets, those
/// that slices have within them.
fn orders(seed: Seed, rows: usize, buckets: Option<&[u32]>, parts: usize) -> Vec<Vec<u32>> {
    let order = muslin_io::seeded_order(seed, rows);
    let Some(buckets) = buckets else { return vec![order] };
    let mut bucket_of = vec![0; rows];
    order.iter().zip(buckets).for_each(|(&row, &bucket)| bucket_of[row as usize] = bucket);
    let of_slice = |part: usize| -> Vec<u32> {
        let sources = rows_in_buckets(&bucket_of, &seed, part);
        order.iter().map(|&row| sources[row as usize]).collect()
    };
    let mut all: Vec<Vec<u32>> = (0..parts).map(of_slice).collect();
    all.push(order);
    all
}

fn has(table: &EncodedTable, name: &str) -> bool {
    table.find(name).is_ok()
}
