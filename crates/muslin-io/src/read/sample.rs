//! The rows of a sample, found while the input goes by.
//!
//! # Method
//! The sample of `k` rows is the `k` rows with the smallest draws, and a draw depends on the seed
//! and the row's number alone. So whether a row may be in the sample is known before any of its
//! cells is looked at: a row whose draw is above the limit is passed over. The limit falls as rows
//! go by: when there are about twice as many candidates as rows wanted so far, the smallest half
//! as many again stay and the largest draw among them is the new limit.
//!
//! ```text
//! draws of rows so far   |----kept----|--let go--|------------- passed over -------------|
//! rows wanted            |-------|   limit    old limit
//! ```
//!
//! Every row up to the limit is a candidate, since the limit only falls. Where the number of rows
//! wanted never rises, there are always enough of them. Where it rises, but not faster than the
//! number of rows, the share of rows wanted does not rise, and the limit stands for more than that
//! share: by half as much again and [`SPARE`] rows. That these are too few at the end has odds
//! below one in 10^40, the tail of a Poisson distribution.

use std::ops::Range;

use muslin_engine::{Run, Seed};
use rayon::prelude::*;

use crate::Result;

/// Candidates that are held beyond those that the number of rows wanted asks for.
const SPARE: u64 = 256;

/// The draw of a row, and the row.
pub(super) type Drawn = (u64, u64);

/// How many rows to draw from an input.
#[derive(Clone, Copy)]
pub(super) struct SampleSize<'a> {
    /// From this many rows of this many columns.
    pub(super) wanted: &'a (dyn Fn(u64, usize) -> u64 + Sync),
}

/// The rows that may be in the sample.
///
/// Invariants: candidates are in row order; no draw is above the limit; every row so far whose
/// draw is not above the limit is a candidate.
pub(super) struct Candidates<'a> {
    seed: Seed,
    size: SampleSize<'a>,
    columns: usize,
    limit: u64,
    drawn: Vec<Drawn>,
}

/// Which candidates stay; nothing when all do.
pub(super) type Kept = Option<Vec<bool>>;

impl<'a> Candidates<'a> {
    /// No rows yet; the table has this many columns.
    pub(super) fn new(seed: Seed, size: SampleSize<'a>, columns: usize) -> Self {
        Self { seed, size, columns, limit: u64::MAX, drawn: Vec::new() }
    }

    /// Those of the next rows that may be in the sample.
    pub(super) fn hits(&self, rows: Range<u64>) -> Vec<Drawn> {
        let drawn = rows.map(|row| (self.seed.draw(row), row));
        drawn.filter(|&(draw, _)| draw <= self.limit).collect()
    }

    /// Takes the hits among the first `rows` rows that were not taken before, in row order. When
    /// candidates are let go, old or new ones, says which stay.
    pub(super) fn admit(
        &mut self,
        hits: impl IntoIterator<Item = Drawn>,
        rows: u64,
    ) -> Result<Kept> {
        self.drawn.extend(hits);
        let wanted = self.wanted(rows)?;
        if self.drawn.len() as u64 <= wanted.saturating_mul(2).saturating_add(SPARE) {
            return Ok(None);
        }
        Ok(self.keep(wanted.saturating_add(wanted / 2).saturating_add(SPARE / 2)))
    }

    /// Ends with the sample of all `rows` rows; says which candidates stay.
    pub(super) fn finish(&mut self, rows: u64) -> Result<Kept> {
        let wanted = self.wanted(rows)?;
        Ok(self.keep(wanted))
    }

    /// Rows to draw from this many; an error when no table can have so many.
    fn wanted(&self, rows: u64) -> Result<u64> {
        let wanted = (self.size.wanted)(rows, self.columns);
        // The number never falls, so there is no need to read on.
        match u32::try_from(wanted.min(rows)) {
            Ok(_) => Ok(wanted),
            Err(_) => Err(muslin_table::Error::TooManyRows.into()),
        }
    }

    /// Keeps this many with the smallest draws. Among equal draws the earlier row is smaller, as
    /// for every engine.
    fn keep(&mut self, most: u64) -> Kept {
        let most = usize::try_from(most).ok().filter(|most| *most < self.drawn.len())?;
        let largest = most.checked_sub(1).map(|last| {
            let mut drawn = self.drawn.clone();
            *drawn.select_nth_unstable(last).1
        });
        let stays = |drawn: &Drawn| largest.is_some_and(|largest| *drawn <= largest);
        let kept = self.drawn.iter().map(stays).collect();
        self.drawn.retain(stays);
        // The first rows are all candidates; their room is not needed again.
        self.drawn.shrink_to(most.saturating_mul(2));
        self.limit = largest.map_or(0, |(draw, _)| draw);
        Some(kept)
    }

    /// Number of candidates.
    pub(super) fn len(&self) -> usize {
        self.drawn.len()
    }

    /// Their rows, in order.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = u64> {
        self.drawn.iter().map(|&(_, row)| row)
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> u64 {
        (self.drawn.len() * size_of::<Drawn>()) as u64
    }
}

/// The sample of an input whose number of rows is known: the `wanted` of its `rows` rows with the
/// smallest draws, in order. Nothing when it is all of them.
pub fn draw_rows(rows: u64, wanted: u64, seed: Seed, run: &Run) -> Result<Option<Vec<u64>>> {
    /// Rows that are drawn for between two looks at the limits.
    const STEP: u64 = 1 << 22;
    /// Rows that a thread draws for.
    const PART: usize = 1 << 16;
    if wanted >= rows {
        return Ok(None);
    }
    let all = |_: u64, _: usize| wanted;
    let mut candidates = Candidates::new(seed, SampleSize { wanted: &all }, 1);
    let mut first = 0;
    while first < rows {
        run.check()?;
        run.check_memory(candidates.memory())?;
        let next = rows.min(first + STEP);
        let parts: Vec<Range<u64>> =
            (first..next).step_by(PART).map(|start| start..next.min(start + PART as u64)).collect();
        let hits: Vec<Vec<Drawn>> =
            parts.into_par_iter().map(|rows| candidates.hits(rows)).collect();
        candidates.admit(hits.into_iter().flatten(), next)?;
        first = next;
    }
    candidates.finish(rows)?;
    Ok(Some(candidates.rows().collect()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rows with the smallest draws, by sorting all of them.
    fn sorted(draws: &[u64], wanted: u64) -> Vec<u64> {
        let mut drawn: Vec<Drawn> = draws.iter().copied().zip(0..).collect();
        drawn.sort_unstable();
        drawn.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
        let mut rows: Vec<u64> = drawn.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows
    }

    /// Goes through draws in steps; returns the sample and the most candidates there were.
    fn stream(
        draws: &[u64],
        step: usize,
        wanted: &(dyn Fn(u64, usize) -> u64 + Sync),
    ) -> (Vec<u64>, usize) {
        let mut candidates = Candidates::new(Seed::new(0), SampleSize { wanted }, 1);
        let mut held: Vec<u64> = Vec::new();
        let mut most = 0;
        let mut rows = 0;
        for draws in draws.chunks(step) {
            let hits = (rows..).zip(draws).map(|(row, &draw)| (draw, row));
            let hits: Vec<Drawn> = hits.filter(|hit| hit.0 <= candidates.limit).collect();
            rows += draws.len() as u64;
            held.extend(hits.iter().map(|hit| hit.1));
            let kept = candidates.admit(hits, rows).unwrap();
            retain(&mut held, kept);
            assert_eq!(held, candidates.rows().collect::<Vec<_>>());
            most = most.max(candidates.len());
        }
        retain(&mut held, candidates.finish(rows).unwrap());
        assert_eq!(held, candidates.rows().collect::<Vec<_>>());
        (held, most)
    }

    fn retain(held: &mut Vec<u64>, kept: Kept) {
        let mut kept = kept.map(Vec::into_iter);
        held.retain(|_| kept.as_mut().is_none_or(|kept| kept.next().unwrap()));
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rough number will do"
    )]
    fn root(rows: u64) -> u64 {
        (rows as f64).sqrt() as u64 * 3
    }

    proptest! {
        #[test]
        fn candidates_end_as_the_smallest_draws(
            // Few different draws, so that many are equal.
            draws in prop::collection::vec(prop_oneof![0u64..40, any::<u64>(), Just(u64::MAX)], 0..3_000),
            step in 1usize..900,
            wanted in prop_oneof![Just(0u64), 0u64..300, Just(u64::MAX)],
        ) {
            let (rows, _) = stream(&draws, step, &|_, _| wanted);
            prop_assert_eq!(rows, sorted(&draws, wanted));
        }

        #[test]
        fn a_number_that_grows_with_the_rows_is_met(seed in any::<u64>(), rows in 0u64..20_000, step in 1usize..4_000) {
            let draws: Vec<u64> = (0..rows).map(|row| Seed::new(seed).draw(row)).collect();
            for wanted in [(&|rows, _| root(rows)) as &(dyn Fn(u64, usize) -> u64 + Sync), &|rows, _| rows / 7, &|rows, _| rows.saturating_sub(1), &|rows, _| rows + 5] {
                let (found, _) = stream(&draws, step, wanted);
                prop_assert_eq!(found, sorted(&draws, wanted(rows, 1)));
            }
        }

        #[test]
        fn rows_that_are_drawn_beforehand_are_the_smallest_draws(seed in any::<u64>(), wanted in 0u64..20_000) {
            let run = Run::new().seed(Seed::new(seed));
            let draws: Vec<u64> = (0..10_000).map(|row| Seed::new(seed).draw(row)).collect();
            let rows = draw_rows(10_000, wanted, run.seed_of_run(), &run).unwrap();
            let rows = rows.unwrap_or_else(|| (0..10_000).collect());
            prop_assert_eq!(rows, sorted(&draws, wanted));
        }
    }

    #[test]
    fn candidates_stay_few_among_a_million_rows() {
        let draws: Vec<u64> = (0..1_000_000).map(|row| Seed::new(5).draw(row)).collect();
        let (rows, most) = stream(&draws, 1_000, &|_, _| 1_000);
        assert_eq!(rows, sorted(&draws, 1_000));
        assert!(most <= 2_000 + 256, "{most}");
        let (rows, most) = stream(&draws, 1_000, &|rows, _| root(rows));
        assert_eq!(rows, sorted(&draws, 3_000));
        assert!(most <= 6_000 + 256, "{most}");
    }

    #[test]
    fn rows_are_drawn_beforehand_in_several_steps() {
        let run = Run::new().seed(Seed::new(7)).threads(2).unwrap();
        let rows = 5_000_000;
        let drawn = draw_rows(rows, 50, run.seed_of_run(), &run).unwrap().unwrap();
        let draws: Vec<u64> = (0..rows).map(|row| Seed::new(7).draw(row)).collect();
        assert_eq!(drawn, sorted(&draws, 50));
    }

    #[test]
    fn rows_are_not_limited_but_those_of_the_sample_are() {
        let mut candidates =
            Candidates::new(Seed::new(1), SampleSize { wanted: &|rows, _| rows / 2 }, 1);
        let first = u64::from(u32::MAX);
        assert!(candidates.hits(first * 2..first * 2 + 100).len() == 100);
        candidates.admit([], first * 2).unwrap();
        candidates.admit([], first * 2 + 3).unwrap_err();
    }
}
