use muslin_assess::{Measure, Target, Weights};
use muslin_engine::{Run, Stop};
use muslin_table::{ClassSizes, ColumnId, ColumnSet};

use super::MaskStep;
use super::questions::Questions;
use crate::{Error, Result};

/// Publishes columns one by one (MX07, sections 4.1 and 4.2).
pub(super) struct Greedy<'a> {
    pub(super) questions: &'a Questions<'a>,
    pub(super) target: Target,
    pub(super) weights: &'a Weights,
    pub(super) run: &'a Run,
}

/// What greedy published, on top of what it started from.
pub(super) struct Published {
    pub(super) publish: ColumnSet,
    pub(super) sizes: ClassSizes,
    pub(super) steps: Vec<MaskStep>,
    pub(super) stop: Option<Stop>,
}

impl Greedy<'_> {
    /// Publishes as many of `open` as are allowed, on top of `publish`, whose classes are `sizes`.
    /// `first` are the classes with each of `open`, if they are known.
    pub(super) fn run(
        &self,
        publish: ColumnSet,
        sizes: ClassSizes,
        open: Vec<ColumnId>,
        first: Option<Vec<ClassSizes>>,
    ) -> Result<Published> {
        let mut found = Published { publish, sizes, steps: Vec::new(), stop: None };
        let (mut open, mut known) = (open, first);
        while !open.is_empty() {
            let ask = || {
                self.run.check()?;
                self.questions.sizes_of_each(&found.publish, &open)
            };
            let each = match known.take().map_or_else(ask, Ok) {
                Err(Error::Engine(muslin_engine::Error::Stopped(stop))) => {
                    found.stop = Some(stop);
                    break;
                }
                each => each?,
            };
            // More columns only raise the ratio: what is not allowed now never will be.
            let fits: Vec<(ColumnId, ClassSizes)> = open
                .into_iter()
                .zip(each)
                .filter(|(_, sizes)| !self.target.is_exceeded(sizes))
                .collect();
            // Columns that tell nobody apart leave all other gains as they are.
            let gained = |sizes: &ClassSizes| gain(self.target.measure(), &found.sizes, sizes);
            let (free, rest): (Vec<_>, Vec<_>) = fits
                .into_iter()
                .map(|(c, sizes)| (gained(&sizes), c, sizes))
                .partition(|f| f.0 == 0);
            let best = (0..rest.len()).reduce(|best, at| {
                let is_better =
                    self.is_better((rest[at].0, rest[at].1), (rest[best].0, rest[best].1));
                if is_better { at } else { best }
            });
            open = rest.iter().map(|(_, column, _)| *column).collect();
            let best = best.map(|best| (open.remove(best), best));
            for (_, column, sizes) in free {
                found.add(column, sizes, self.target);
            }
            if let Some((column, at)) = best {
                found.add(column, rest[at].2.clone(), self.target);
            }
        }
        Ok(found)
    }

    /// Whether the first column gains less for its weight; columns come in rising order, so the
    /// smallest of equals stays.
    fn is_better(&self, a: (u128, ColumnId), b: (u128, ColumnId)) -> bool {
        let weight = |column| u128::from(self.weights.of(column).millionths());
        let (left, right) = (a.0 * weight(b.1), b.0 * weight(a.1));
        left < right || (left == right && weight(a.1) == 0 && weight(b.1) == 0 && a.0 < b.0)
    }
}

impl Published {
    fn add(&mut self, column: ColumnId, sizes: ClassSizes, target: Target) {
        self.publish.insert(column);
        let ratio = target.measure().ratio(&sizes).expect("the settings were checked");
        self.steps.push(MaskStep { column, ratio });
        self.sizes = sizes;
    }
}

/// Classes or separated pairs that a refinement adds.
fn gain(measure: Measure, from: &ClassSizes, to: &ClassSizes) -> u128 {
    let classes = |sizes: &ClassSizes| u128::from(sizes.classes().unwrap_or(0));
    match measure {
        Measure::Distinct => classes(to) - classes(from),
        Measure::Separation => from.unseparated_pairs() - to.unseparated_pairs(),
    }
}
