use std::collections::BTreeMap;

use muslin_assess::Target;
use muslin_engine::Engine;
use muslin_protect::MaskFound;
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule, Ratio};

use super::Named;
use super::report::{MaskReason, MaskStepReport, MaskedReport};
use crate::Result;
use crate::whole::Whole;

/// Says how a mask came about, from the whole table.
pub(super) struct Explain<'a> {
    pub(super) engine: &'a dyn Engine,
    pub(super) target: Target,
    pub(super) missing: MissingRule,
    pub(super) whole: &'a Whole,
    pub(super) named: &'a Named,
}

impl Explain<'_> {
    /// The published columns in order: those to keep, those that greedy published, and the rest.
    pub(super) fn steps(&self, found: &MaskFound) -> Result<Vec<MaskStepReport>> {
        let (keep, publish) = (&self.named.keep, found.publish());
        let greedy = found.steps().iter();
        let all = keep.union(&greedy.clone().map(|step| step.column).collect());
        // Greedy's own ratios, where it published just that and on the whole table.
        let is_known = found.sample().is_none() && all == *publish;
        let known: BTreeMap<ColumnId, Ratio> =
            greedy.clone().filter(|_| is_known).map(|step| (step.column, step.ratio)).collect();
        let chosen = greedy.map(|step| step.column).filter(|&column| publish.contains(column));
        let rest = publish.difference(&all);
        let mut before = ColumnSet::new();
        let mut steps = Vec::new();
        for column in keep.iter().chain(chosen).chain(rest.iter()) {
            let ratio = match known.get(&column) {
                Some(&ratio) => Some(ratio),
                None => {
                    self.sizes_of_each(&before, &[column])?.and_then(|each| self.ratio(&each[0]))
                }
            };
            before.insert(column);
            let ratio = ratio.map(Ratio::as_f64);
            let kept = keep.contains(column);
            steps.push(MaskStepReport { column: self.whole.name(column), ratio, kept });
        }
        Ok(steps)
    }

    /// The measured columns that are not published, and why.
    pub(super) fn masked(&self, found: &MaskFound) -> Result<Vec<MaskedReport>> {
        let masked: Vec<ColumnId> =
            self.whole.measured.difference(found.publish()).iter().collect();
        let alone = self.sizes_of_each(&ColumnSet::new(), &masked)?;
        let together = self.sizes_of_each(found.publish(), &masked)?;
        let report = |(at, &column): (usize, &ColumnId)| {
            let of = |each: &Option<Vec<ClassSizes>>| each.as_ref().map(|each| each[at].clone());
            let (alone, together) = (of(&alone), of(&together));
            let exceeds = |sizes: &Option<ClassSizes>| {
                sizes.as_ref().is_some_and(|sizes| self.target.is_exceeded(sizes))
            };
            let reason = if self.named.drop.contains(column) {
                MaskReason::Dropped
            } else if exceeds(&alone) {
                MaskReason::ExceedsAlone
            } else if exceeds(&together) {
                MaskReason::WouldExceed
            } else {
                MaskReason::NotChosen
            };
            let ratio = |sizes: Option<ClassSizes>| {
                sizes.and_then(|sizes| self.ratio(&sizes)).map(Ratio::as_f64)
            };
            MaskedReport {
                column: self.whole.name(column),
                reason,
                ratio_alone: ratio(alone),
                ratio_together: ratio(together),
            }
        };
        Ok(masked.iter().enumerate().map(report).collect())
    }

    fn ratio(&self, sizes: &ClassSizes) -> Option<Ratio> {
        self.target.measure().ratio(sizes)
    }

    /// The classes with each of `more`; none when a limit leaves no time for that.
    fn sizes_of_each(&self, by: &ColumnSet, more: &[ColumnId]) -> Result<Option<Vec<ClassSizes>>> {
        match self.engine.class_sizes_of_each(by, more, self.missing) {
            Err(muslin_engine::Error::Stopped(_)) => Ok(None),
            sizes => Ok(Some(sizes?)),
        }
    }
}
