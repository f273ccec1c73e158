//! The attacks, one by one: which can run, and what the others lack.

use std::collections::BTreeMap;

use muslin_attack::{
    Attack, Composition, DeFinetti, Dependencies, Disambiguation, Error as AttackError,
    Homogeneity, Linkage, Membership, Part, RowOrder, SeedGuess, Skewness,
};
use muslin_engine::Run;
use muslin_table::{Column, ColumnSet, EncodedTable, Hierarchy};

use super::scene::Scene;
use super::{AttackJob, Tables};
use crate::Result;

/// What became of an attack.
pub(super) enum Tried {
    Ran(Attack),
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
            Ok(attack) => Ok(Self::Ran(attack)),
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
const NO_SENSITIVE: &str = "no sensitive column is named\n  hint: pass `--sensitive NAME`";
const NO_BUCKET: &str = "no column numbers buckets\n  hint: pass `--bucket NAME` where one does";

impl Attempts<'_> {
    /// Tries an attack by its name.
    pub(super) fn attempt(&self, name: &str) -> Result<Tried> {
        match name {
            "disambiguation" => self.disambiguation(),
            "row-order" => self.row_order(),
            "dependencies" => self.dependencies(),
            "homogeneity" => self.homogeneity(),
            "skewness" => self.skewness(),
            "definetti" => self.definetti(),
            "membership" => self.membership(),
            "linkage" => self.linkage(),
            "composition" => self.composition(),
            _ => self.seed(),
        }
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
        Ok(tried.unless_idle(match scene.pair {
            Some(_) => "no cell is suppressed or generalized",
            None => "no cell is suppressed\n  hint: pass `--original` to have ranges attacked too",
        }))
    }

    fn dependencies(&self) -> Result<Tried> {
        let scene = self.scene;
        if scene.released.blanks() == 0 {
            return Ok(Tried::skipped(NO_BLANK));
        }
        let attack = Dependencies::new(scene.looked.clone());
        Ok(Tried::of(attack.run(&scene.released, self.run))?.unless_idle(NO_BLANK))
    }

    /// The columns that make classes: in buckets, everybody has the bucket's values.
    fn classes(&self) -> ColumnSet {
        let scene = self.scene;
        scene.bucket.map_or_else(|| scene.quasi.clone(), |bucket| [bucket].into_iter().collect())
    }

    fn homogeneity(&self) -> Result<Tried> {
        let scene = self.scene;
        let Some(sensitive) = scene.sensitive else { return Ok(Tried::skipped(NO_SENSITIVE)) };
        Tried::of(Homogeneity::new(self.classes(), sensitive).run(&scene.released, self.run))
    }

    fn skewness(&self) -> Result<Tried> {
        let scene = self.scene;
        let Some(sensitive) = scene.sensitive else { return Ok(Tried::skipped(NO_SENSITIVE)) };
        Tried::of(Skewness::new(self.classes(), sensitive).run(&scene.released, self.run))
    }

    fn definetti(&self) -> Result<Tried> {
        let scene = self.scene;
        let Some(bucket) = scene.bucket else { return Ok(Tried::skipped(NO_BUCKET)) };
        let Some(sensitive) = scene.sensitive else { return Ok(Tried::skipped(NO_SENSITIVE)) };
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
            return Ok(Tried::skipped("nothing says who is there\n  hint: pass `--original FILE`"));
        }
        // Columns that the original lacks tell nothing about anybody.
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

    fn composition(&self) -> Result<Tried> {
        let scene = self.scene;
        let Some(previous) = &self.tables.previous else {
            return Ok(Tried::skipped(
                "there is no other release of these people\n  hint: pass `--previous FILE`",
            ));
        };
        let Some(sensitive) = scene.sensitive else { return Ok(Tried::skipped(NO_SENSITIVE)) };
        let made;
        let (people, trees) = match (scene.pair, &self.tables.aux) {
            (Some(pair), _) => (&pair.whole.table, &pair.trees),
            (None, Some(people)) => {
                made = self.trees(people)?;
                (people, &made)
            }
            (None, None) => {
                return Ok(Tried::skipped(
                    "nothing says who people are\n  hint: pass `--original` or `--aux`",
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
            return Ok(Tried::skipped(
                "an order is undone by the original\n  hint: pass `--original FILE`",
            ));
        };
        if pair.whole.table.rows() != scene.release().rows() {
            return Ok(Tried::skipped(
                "the original has another number of rows\n  hint: pass it without the rows that were left out",
            ));
        }
        let attack = SeedGuess::new(scene.moved.clone(), self.job.seeds);
        Tried::of(attack.run(&scene.released, muslin_io::seeded_order, self.run))
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

fn has(table: &EncodedTable, name: &str) -> bool {
    table.find(name).is_ok()
}
