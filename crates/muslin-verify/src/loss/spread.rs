//! How the cells of a column spread over the values of the original.

use muslin_table::Column;

use super::reading::{ColumnReading, Cover};

/// The weights that published cells of one column give to the *positions* of the original's: its
/// values, then missing.
///
/// What a cell stands for has a number: that of its position where it is one position, and a number
/// after all positions otherwise. A cell that covers values gives each the same weight, one with
/// counts gives them by count. A suppressed cell has the weights of the other cells of its column,
/// taken together; each position that the original has and no other cell may stand for counts there
/// as one cell would. Of missing cells that may be suppressed ones, each has the weights of a missing
/// and of a suppressed cell, by how many are taken to be which. The weights of a cell sum to 1.
pub(super) struct Spread {
    values: usize,
    /// What is not one position, by number.
    others: Vec<Cover>,
    number_of_slot: Vec<u32>,
    /// What missing cells that may be suppressed ones are: their place among the others, and the share
    /// of them that is missing.
    unclear: Option<(usize, f64)>,
    /// The weights of a suppressed cell.
    any: Vec<f64>,
    /// Their sums up to each position.
    any_below: Vec<f64>,
    /// Cells of the release expected at each position.
    expected: Vec<f64>,
}

impl Spread {
    pub(super) fn new(original: &Column, reading: &ColumnReading) -> Self {
        let values = original.dictionary().len();
        let mut others: Vec<Cover> = Vec::new();
        let mut cells_of_others: Vec<u64> = Vec::new();
        let mut known = vec![0.0; values + 1];
        let mut any_at = None;
        let number = |cover: &Cover| match *cover {
            Cover::Exact(value) => Some(value),
            Cover::Missing => Some(original.missing_slot()),
            _ => None,
        };
        let mut unclear = None;
        let slots = reading.covers.iter().zip(&reading.cells).enumerate();
        let number_of_slot = slots.map(|(slot, (cover, &cells))| {
            if reading.unclear() == Some(slot) {
                others.push(Cover::Any);
                cells_of_others.push(cells - reading.missing_before);
                known[values] += float(reading.missing_before);
                let at = others.len() - 1;
                unclear = Some((at, float(reading.missing_before) / float(cells)));
                return u32::try_from(values + 1 + at).expect("no more covers than slots");
            }
            if let Some(position) = number(cover) {
                known[position as usize] += float(cells);
                return position;
            }
            let at = match any_at.filter(|_| *cover == Cover::Any) {
                Some(at) => at,
                None => {
                    others.push(cover.clone());
                    cells_of_others.push(0);
                    others.len() - 1
                }
            };
            any_at = any_at.or((*cover == Cover::Any).then_some(at));
            cells_of_others[at] += cells;
            u32::try_from(values + 1 + at).expect("no more covers than slots")
        });
        let number_of_slot = number_of_slot.collect();
        spread_others(&others, &cells_of_others, &mut known);

        let cells_of = |at: Option<usize>| at.map_or(0, |at| cells_of_others[at]);
        let suppressed = cells_of(any_at) + cells_of(unclear.map(|of: (usize, f64)| of.0));
        let rest = reading.cells.iter().sum::<u64>() - suppressed;
        let is_there = |at: usize| at < values || original.missing() > 0;
        let is_new = |at: usize| known[at] == 0.0 && is_there(at);
        let all = float(rest + (0..=values).filter(|&at| is_new(at)).count() as u64).max(1.0);
        let weight = |at: usize| if is_new(at) { 1.0 / all } else { known[at] / all };
        let any: Vec<f64> = (0..=values).map(weight).collect();
        let mut any_below = vec![0.0];
        any.iter().for_each(|weight| any_below.push(any_below[any_below.len() - 1] + weight));
        let expected = known.iter().zip(&any).map(|(known, any)| known + float(suppressed) * any);
        let expected = expected.collect();
        Self { values, others, number_of_slot, unclear, any, any_below, expected }
    }

    /// Number of positions.
    pub(super) fn positions(&self) -> usize {
        self.values + 1
    }

    /// Number of different things that cells stand for.
    pub(super) fn len(&self) -> usize {
        self.positions() + self.others.len()
    }

    /// What a slot of the release stands for.
    pub(super) fn number(&self, slot: u32) -> u32 {
        self.number_of_slot[slot as usize]
    }

    /// Cells of the release expected at each position.
    pub(super) fn expected(&self) -> &[f64] {
        &self.expected
    }

    /// Number of positions that may have weight.
    pub(super) fn covered(&self, number: u32) -> usize {
        let other = (number as usize).checked_sub(self.positions());
        other.map_or(1, |at| self.others[at].len().unwrap_or(self.positions()))
    }

    /// The weight that a suppressed cell gives to a position.
    pub(super) fn any(&self, position: u32) -> f64 {
        self.any[position as usize]
    }

    /// The weight of a position.
    pub(super) fn weight(&self, number: u32, position: u32) -> f64 {
        let Some(other) = (number as usize).checked_sub(self.positions()) else {
            return f64::from(u8::from(number == position));
        };
        match &self.others[other] {
            Cover::Range { first, last } if (*first..=*last).contains(&position) => {
                1.0 / (f64::from(last - first) + 1.0)
            }
            Cover::Set(values) if values.binary_search(&position).is_ok() => {
                1.0 / float(values.len() as u64)
            }
            Cover::Multiset(values) => match values.binary_search_by_key(&position, |v| v.0) {
                Ok(at) => f64::from(values[at].1) / total(values),
                Err(_) => 0.0,
            },
            Cover::Any => self.mixed(other, self.any(position), position as usize == self.values),
            _ => 0.0,
        }
    }

    /// The weight of the positions from `first` to `last`.
    pub(super) fn mass(&self, number: u32, first: u32, last: u32) -> f64 {
        let within = first..=last;
        let Some(other) = (number as usize).checked_sub(self.positions()) else {
            return f64::from(u8::from(within.contains(&number)));
        };
        match &self.others[other] {
            Cover::Range { first: low, last: high } => {
                let (low_end, high_end) = (first.max(*low), last.min(*high));
                if low_end > high_end {
                    return 0.0;
                }
                (f64::from(high_end - low_end) + 1.0) / (f64::from(high - low) + 1.0)
            }
            Cover::Set(values) => {
                let part = values.partition_point(|&value| value <= last)
                    - values.partition_point(|&value| value < first);
                float(part as u64) / float(values.len() as u64)
            }
            Cover::Multiset(values) => {
                let part = values.iter().filter(|(value, _)| within.contains(value));
                part.map(|&(_, count)| f64::from(count)).sum::<f64>() / total(values)
            }
            _ => {
                let any = self.any_below[last as usize + 1] - self.any_below[first as usize];
                self.mixed(other, any, last as usize == self.values)
            }
        }
    }

    /// The weight of positions for a cell that is suppressed, or may be: with the missing position
    /// among them or without.
    fn mixed(&self, other: usize, any: f64, with_missing: bool) -> f64 {
        match self.unclear {
            Some((at, missing)) if at == other => {
                missing * f64::from(u8::from(with_missing)) + (1.0 - missing) * any
            }
            _ => any,
        }
    }

    /// The weight of each of some stretches of positions, which begin at `starts` and go up to the
    /// next; stretches without weight are left out.
    pub(super) fn stretches(&self, number: u32, starts: &[u32]) -> Vec<(u32, f64)> {
        let end = u32::try_from(self.positions()).expect("positions have numbers");
        let (low, high) = self.ends(number);
        let from = starts.partition_point(|&start| start <= low).saturating_sub(1);
        let mut weights = Vec::new();
        for at in from..starts.len() {
            if starts[at] > high {
                break;
            }
            let last = starts.get(at + 1).copied().unwrap_or(end) - 1;
            let mass = self.mass(number, starts[at], last);
            if mass > 0.0 {
                weights.push((u32::try_from(at).expect("no more stretches than positions"), mass));
            }
        }
        weights
    }

    /// The first and the last position that may have weight.
    fn ends(&self, number: u32) -> (u32, u32) {
        let other = (number as usize).checked_sub(self.positions());
        let missing = u32::try_from(self.values).expect("values have numbers");
        other.map_or((number, number), |at| self.others[at].ends().unwrap_or((0, missing)))
    }
}

/// Adds the cells of what is not one position. Ranges may be many and long: only their ends are
/// looked at, and where no range lies nothing is added, not even what rounding leaves.
fn spread_others(others: &[Cover], cells: &[u64], known: &mut [f64]) {
    let mut steps = vec![0.0; known.len() + 1];
    let mut ranges = vec![0i64; known.len() + 1];
    let mut has_ranges = false;
    for (cover, &cells) in others.iter().zip(cells).filter(|(_, cells)| **cells > 0) {
        match cover {
            Cover::Range { first, last } => {
                let each = float(cells) / (f64::from(last - first) + 1.0);
                let (start, end) = (*first as usize, *last as usize + 1);
                steps[start] += each;
                steps[end] -= each;
                ranges[start] += 1;
                ranges[end] -= 1;
                has_ranges = true;
            }
            Cover::Set(values) => {
                let each = float(cells) / float(values.len() as u64);
                values.iter().for_each(|&value| known[value as usize] += each);
            }
            Cover::Multiset(values) => {
                let total = total(values);
                for &(value, count) in values {
                    known[value as usize] += float(cells) * f64::from(count) / total;
                }
            }
            _ => {}
        }
    }
    if has_ranges {
        let (mut each, mut open) = (0.0, 0);
        for (at, known) in known.iter_mut().enumerate() {
            each += steps[at];
            open += ranges[at];
            if open == 0 {
                each = 0.0;
            } else {
                *known += f64::max(each, 0.0);
            }
        }
    }
}

fn total(values: &[(u32, u32)]) -> f64 {
    values.iter().map(|&(_, count)| f64::from(count)).sum()
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "shares are told; rows have 32-bit numbers")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}
