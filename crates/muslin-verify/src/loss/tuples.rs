//! Rows that are equal, counted, in order of their numbers.

use muslin_engine::Run;

use crate::Result;

/// The numbers of one column, row by row, all below `end`.
pub(super) struct Strip {
    pub(super) numbers: Vec<u32>,
    pub(super) end: usize,
}

/// Distinct tuples of numbers in lexicographic order, each with the rows that have it. So neither
/// the order of rows nor a hash decides in which order anything is summed.
pub(super) struct Tuples {
    width: usize,
    numbers: Vec<u32>,
    rows: Vec<u64>,
}

impl Tuples {
    /// The tuples of some columns of so many rows, where row `i` stands for `weights[i]` rows.
    pub(super) fn of(
        strips: &[Strip],
        rows: usize,
        weights: Option<&[u64]>,
        run: &Run,
    ) -> Result<Self> {
        let mut order: Vec<u32> = (0u32..).take(rows).collect();
        let mut next = vec![0u32; rows];
        for strip in strips.iter().rev() {
            run.check()?;
            let mut place = vec![0u32; strip.end + 1];
            strip.numbers.iter().for_each(|&number| place[number as usize + 1] += 1);
            (1..place.len()).for_each(|at| place[at] += place[at - 1]);
            for &row in &order {
                let place = &mut place[strip.numbers[row as usize] as usize];
                next[*place as usize] = row;
                *place += 1;
            }
            std::mem::swap(&mut order, &mut next);
        }
        drop(next);
        run.check()?;
        let width = strips.len();
        let (mut numbers, mut counts) = (Vec::new(), Vec::new());
        let mut last: Option<usize> = None;
        for row in order.into_iter().map(|row| row as usize) {
            let weight = weights.map_or(1, |weights| weights[row]);
            let is_same =
                last.is_some_and(|last| strips.iter().all(|s| s.numbers[last] == s.numbers[row]));
            if is_same {
                *counts.last_mut().expect("the last one's") += weight;
            } else {
                numbers.extend(strips.iter().map(|strip| strip.numbers[row]));
                counts.push(weight);
                last = Some(row);
            }
        }
        Ok(Self { width, numbers, rows: counts })
    }

    /// Number of tuples.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Numbers of each tuple.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The numbers of a tuple.
    pub(super) fn tuple(&self, at: usize) -> &[u32] {
        &self.numbers[at * self.width..][..self.width]
    }

    /// The rows of a tuple.
    pub(super) fn rows(&self, at: usize) -> u64 {
        self.rows[at]
    }

    /// The rows of each tuple.
    pub(super) fn all_rows(&self) -> &[u64] {
        &self.rows
    }

    /// The tuples with their rows, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], u64)> {
        (0..self.len()).map(|at| (self.tuple(at), self.rows[at]))
    }

    /// One number of each tuple.
    pub(super) fn strip(&self, place: usize, end: usize) -> Strip {
        let numbers = (0..self.len()).map(|at| self.numbers[at * self.width + place]).collect();
        Strip { numbers, end }
    }

    /// The tuples of some of the places, in that order; each with the end of its numbers.
    pub(super) fn project(&self, places: &[(usize, usize)], run: &Run) -> Result<Self> {
        let strips: Vec<Strip> = places.iter().map(|&(at, end)| self.strip(at, end)).collect();
        Self::of(&strips, self.len(), Some(&self.rows), run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_are_counted_and_in_order() {
        let strip = |numbers: &[u32]| Strip { numbers: numbers.to_vec(), end: 5 };
        let strips = [strip(&[4, 0, 4, 0, 4]), strip(&[1, 3, 0, 3, 1])];
        let tuples = Tuples::of(&strips, 5, None, &Run::new()).unwrap();
        let found: Vec<_> = tuples.iter().map(|(tuple, rows)| (tuple.to_vec(), rows)).collect();
        assert_eq!(found, [(vec![0, 3], 2), (vec![4, 0], 1), (vec![4, 1], 2)]);
        let second = tuples.project(&[(1, 5)], &Run::new()).unwrap();
        let found: Vec<_> = second.iter().map(|(tuple, rows)| (tuple[0], rows)).collect();
        assert_eq!(found, [(0, 1), (1, 2), (3, 2)]);
        let nothing = Tuples::of(&[], 5, None, &Run::new()).unwrap();
        assert_eq!((nothing.len(), nothing.rows(0)), (1, 5));
        assert_eq!(Tuples::of(&[], 0, None, &Run::new()).unwrap().len(), 0);
    }
}
