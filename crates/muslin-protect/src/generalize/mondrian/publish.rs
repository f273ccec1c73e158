//! What is published for classes.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use muslin_table::{ANY, Column, Hierarchy};
use rayon::prelude::*;

use super::Form;
use super::axis::Axis;
use super::cutter::Class;
use super::lanes::{Bounds, Lane, Row};
use crate::Result;
use crate::generalize::labels::Labels;

/// What a class has in one column, as far as its form needs to know.
pub(super) enum Members {
    /// The first and the last position.
    Bounds(Vec<(u32, u32)>),
    /// Positions in order, and rows at each where a form shows them.
    Lists(Vec<Vec<(u32, u32)>>),
}

/// A column as it is published.
pub(super) struct Published {
    /// None where it stays as it is.
    pub(super) column: Option<Column>,
    pub(super) loss: f64,
}

/// What stands in the cells of a class.
enum Shown {
    Missing,
    Suppressed,
    Label(String),
}

impl Members {
    /// What each of `classes` has in a lane.
    pub(super) fn of<T: Lane, const N: usize>(
        form: &Form,
        lane: usize,
        rows: &[Row<T, N>],
        classes: &[Class],
        bounds: &[Bounds<T, N>],
    ) -> Self {
        let with_rows = match form {
            Form::Range { .. } | Form::Tree(_) | Form::TreeRange(_) => {
                return Self::Bounds(bounds.iter().map(|bounds| bounds.lane(lane)).collect());
            }
            Form::Set { .. } | Form::TreeSet(_) => false,
            Form::Multiset { .. } => true,
        };
        let list = |(class, bounds): (&Class, &Bounds<T, N>)| {
            let (start, size) = (class.start as usize, class.rows as usize);
            let (lo, hi) = bounds.lane(lane);
            if lo == hi {
                return vec![(lo, if with_rows { class.rows } else { 0 })];
            }
            let mut positions: Vec<u32> =
                rows[start..start + size].iter().map(|row| row[lane].position()).collect();
            positions.sort_unstable();
            let alike = positions.chunk_by(|a, b| a == b);
            let rows = |alike: &[u32]| u32::try_from(alike.len()).expect("32 bits");
            alike.map(|alike| (alike[0], if with_rows { rows(alike) } else { 0 })).collect()
        };
        Self::Lists(classes.par_iter().zip(bounds).map(list).collect())
    }
}

/// Makes the column that is published for one with these members. `sizes` and `class_of` say how
/// many and which rows classes have.
pub(super) fn publish(
    column: &Column,
    axis: &Axis,
    form: &Form,
    members: &Members,
    sizes: &[u32],
    class_of: &[u32],
) -> Result<Published> {
    let grid = match form {
        Form::Range { grid } => grid.as_ref(),
        _ => None,
    };
    let writer = Writer { axis, form, labels: Labels::new(column, grid)? };
    let (shown, changed) = match members {
        Members::Bounds(bounds) => {
            let changed = bounds.iter().any(|(lo, hi)| lo < hi);
            (distinct(bounds, |&(lo, hi)| writer.bounds(lo, hi)), changed)
        }
        Members::Lists(lists) => {
            let changed = lists.iter().any(|list| list.len() > 1);
            (distinct(lists, |list| writer.list(list)), changed)
        }
    };
    let (shown, of_class) = shown;
    let steps: u128 = of_class
        .iter()
        .zip(sizes)
        .map(|(&at, &size)| u128::from(shown[at as usize].1) * u128::from(size))
        .sum();
    #[expect(clippy::cast_precision_loss, reason = "a share, for people")]
    let loss = steps as f64 / (f64::from(axis.steps()) * class_of.len() as f64);
    if !changed {
        return Ok(Published { column: None, loss });
    }
    let mut labels: Vec<&str> = Vec::new();
    let mut place_of = Vec::with_capacity(shown.len());
    let texts = shown.iter().filter(|(shown, _)| matches!(shown, Shown::Label(_))).count();
    let count = u32::try_from(texts).expect("no more than classes");
    for (shown, _) in &shown {
        place_of.push(match shown {
            Shown::Missing => count,
            Shown::Suppressed => count + 1,
            Shown::Label(label) => {
                labels.push(label);
                u32::try_from(labels.len() - 1).expect("no more than classes")
            }
        });
    }
    let places: Vec<u32> = of_class.iter().map(|&at| place_of[at as usize]).collect();
    let cells = class_of.iter().map(|&class| places[class as usize]);
    let made = Column::of_labels(column.name(), &labels, cells);
    let made = made.map_err(muslin_engine::Error::from)?;
    Ok(Published { column: Some(made.with_role(column.role())), loss })
}

/// What is shown for each distinct key, with its steps, and which of these for each class.
fn distinct<K: Eq + std::hash::Hash>(
    keys: &[K],
    show: impl Fn(&K) -> (Shown, u32),
) -> (Vec<(Shown, u32)>, Vec<u32>) {
    let mut numbers: HashMap<&K, u32, FixedState> = HashMap::default();
    let mut shown = Vec::new();
    let mut number = |key| {
        *numbers.entry(key).or_insert_with(|| {
            shown.push(show(key));
            u32::try_from(shown.len() - 1).expect("no more than classes")
        })
    };
    let of_class = keys.iter().map(&mut number).collect();
    (shown, of_class)
}

struct Writer<'a> {
    axis: &'a Axis,
    form: &'a Form,
    labels: Labels<'a>,
}

impl Writer<'_> {
    /// What is shown where nothing but one position occurs, or where it cannot be told what does.
    fn odd(&self, lo: u32, hi: u32) -> Option<(Shown, u32)> {
        let missing = self.axis.values;
        if hi < missing {
            return None;
        }
        let all_missing = lo == hi && hi == missing;
        Some(if all_missing { (Shown::Missing, 0) } else { (Shown::Suppressed, self.axis.steps()) })
    }

    fn bounds(&self, lo: u32, hi: u32) -> (Shown, u32) {
        if let Some(odd) = self.odd(lo, hi) {
            return odd;
        }
        if let Form::Tree(hierarchy) = self.form {
            if lo == hi {
                return (Shown::Label(self.labels.plain(self.axis.slot(lo))), 0);
            }
            let tree = self.axis.tree.as_ref().expect("made for this form");
            let group = tree.group(lo, hi);
            let label = group.and_then(|(level, group)| hierarchy.levels()[level].label(group));
            return match label.filter(|&label| label != ANY) {
                Some(label) => (Shown::Label(label.to_owned()), tree.steps(lo, hi)),
                None => (Shown::Suppressed, self.axis.steps()),
            };
        }
        let (low, high) = (self.axis.slot(lo), self.axis.slot(hi));
        if lo == hi {
            return (Shown::Label(self.labels.value(low)), 0);
        }
        let (first, last) = self.labels.covered(lo, hi);
        (Shown::Label(self.labels.range(low, high)), last - first)
    }

    fn list(&self, list: &[(u32, u32)]) -> (Shown, u32) {
        let (lo, hi) = (list[0].0, list[list.len() - 1].0);
        if let Some(odd) = self.odd(lo, hi) {
            return odd;
        }
        let steps = u32::try_from(list.len() - 1).expect("no more than values");
        let most = match self.form {
            Form::Set { most } | Form::Multiset { most } => *most,
            _ => None,
        };
        let label = match self.form {
            _ if most.is_some_and(|most| lo < hi && steps >= most) => {
                return (Shown::Suppressed, self.axis.steps());
            }
            Form::Multiset { .. } => self.labels.multiset(list),
            _ if lo == hi => self.labels.value(self.axis.slot(lo)),
            Form::TreeSet(hierarchy) => {
                let mut slots: Vec<u32> = list.iter().map(|&(at, _)| self.axis.slot(at)).collect();
                match whole_group(hierarchy, &slots) {
                    Some(ANY) => return (Shown::Suppressed, steps),
                    Some(label) => label.to_owned(),
                    None => {
                        slots.sort_unstable();
                        self.labels.set(&slots)
                    }
                }
            }
            _ => self.labels.set(&list.iter().map(|&(at, _)| at).collect::<Vec<_>>()),
        };
        (Shown::Label(label), steps)
    }
}

/// The label of the lowest group that has these values, in tree order, and no other.
fn whole_group<'h>(hierarchy: &'h Hierarchy, slots: &[u32]) -> Option<&'h str> {
    let (first, last) = (slots[0] as usize, slots[slots.len() - 1] as usize);
    let mut levels = hierarchy.levels().iter();
    let level = levels.find(|level| level.groups()[first] == level.groups()[last])?;
    let group = level.groups()[first];
    let is_whole = level.covered()[group as usize] as usize == slots.len();
    level.label(group).filter(|_| is_whole)
}
