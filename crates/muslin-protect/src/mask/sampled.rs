//! Greedy masks chosen on a sample, against a ratio that is lowered so that the whole table
//! keeps to the target with the probability that is asked for (MX07, theorems 11 and 12).

use muslin_assess::{Beta, Measure, Target, Weights};
use muslin_engine::{Engine, MemoryEngine, Run, Seed};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};

use super::MaskStep;
use super::greedy::Greedy;
use super::questions::Questions;
use crate::{Error, Result};

/// Columns to publish, as the sample suggests, and the rows that were drawn for it.
pub(super) struct Suggested {
    pub(super) publish: ColumnSet,
    pub(super) steps: Vec<MaskStep>,
    pub(super) rows: u64,
}

/// beta' = (1 - sqrt(2 ln(2^m / delta) / (beta k))) beta, rounded down to twelve decimals, for
/// `columns` columns of which any set may come to be published.
#[expect(clippy::cast_precision_loss, reason = "the result is rounded down to twelve decimals")]
pub(super) fn lowered(beta: Beta, draws: u64, delta: Beta, columns: usize) -> Result<Beta> {
    let too_few = |hint: String| {
        Error::Setting(format!(
            "{draws} draws cannot show that a set of {columns} columns keeps to {beta}\n  hint: {hint}"
        ))
    };
    if delta.as_f64() <= 0.0 {
        return Err(Error::Setting(
            "no sample is right with certainty\n  hint: pass a larger `--delta`, such as 0.01"
                .into(),
        ));
    }
    if beta.as_f64() <= 0.0 {
        return Err(too_few("mask without a sample, or pass a larger `--beta`".into()));
    }
    let doubt = 2.0 * (columns as f64 * std::f64::consts::LN_2 - delta.as_f64().ln());
    let needed = doubt / beta.as_f64();
    let share = 1.0 - (needed / draws as f64).sqrt();
    if share <= 0.0 {
        let least = needed.floor() + 1.0;
        return Err(too_few(format!("draw at least {least:.0}")));
    }
    let digits = (share * beta.as_f64() * 1e12).floor().min(1e12 - 1.0);
    Ok(format!("0.{digits:012.0}").parse()?)
}

/// What a greedy choice on a sample needs to know.
pub(super) struct Sampled<'a> {
    /// The target with its ratio lowered.
    pub(super) target: Target,
    pub(super) weights: &'a Weights,
    pub(super) missing: MissingRule,
    pub(super) keep: &'a ColumnSet,
    pub(super) open: &'a [ColumnId],
}

impl Sampled<'_> {
    /// Chooses on `draws` rows or pairs of rows, as the measure asks.
    pub(super) fn run(&self, table: &dyn Engine, draws: u64, run: &Run) -> Result<Suggested> {
        match self.target.measure() {
            Measure::Distinct => self.by_rows(table, draws, run),
            Measure::Separation => self.by_pairs(table, draws, run),
        }
    }

    fn by_rows(&self, table: &dyn Engine, draws: u64, run: &Run) -> Result<Suggested> {
        let sample = table.sample(draws, run.seed_of_run())?;
        let engine = MemoryEngine::new(&sample, run);
        let questions = Questions::new(&engine, self.missing);
        let sizes = questions.sizes(self.keep)?;
        let (target, weights) = (self.target, self.weights);
        let greedy = Greedy { questions: &questions, target, weights, run };
        let found = greedy.run(self.keep.clone(), sizes, self.open.to_vec(), None)?;
        run.check()?;
        Ok(Suggested { publish: found.publish, steps: found.steps, rows: sample.rows() as u64 })
    }

    fn by_pairs(&self, table: &dyn Engine, draws: u64, run: &Run) -> Result<Suggested> {
        let rows = table.shape()?.rows;
        let sample = table.sample(draws.saturating_mul(2), run.seed_of_run())?;
        let pairs = pairs(rows, draws, &sample, run.seed_of_run().part(1));
        let separated = |&column: &ColumnId| {
            run.check()?;
            Ok((column, told_apart(sample.column(column), &pairs, self.missing)))
        };
        let keep: Result<Vec<_>> = self.keep.iter().map(|column| separated(&column)).collect();
        let mut covered = vec![0u64; pairs.len().div_ceil(64)];
        for (_, apart) in keep? {
            covered.iter_mut().zip(apart).for_each(|(all, word)| *all |= word);
        }
        let open: Result<Vec<_>> = self.open.iter().map(separated).collect();
        let mut open = open?;
        let (beta, whole) = (self.target.beta().ratio(), pairs.len() as u128);
        let ratio = |part: u64| Ratio::new(u128::from(part), whole);
        let mut part = ones(covered.iter().copied());
        let (mut publish, mut steps) = (self.keep.clone(), Vec::new());
        loop {
            run.check()?;
            let gain = |apart: &[u64]| ones(apart.iter().zip(&covered).map(|(a, c)| a & !c));
            let gained: Vec<u64> = open.iter().map(|(_, apart)| gain(apart)).collect();
            let fits = |at: &usize| ratio(part + gained[*at]) <= beta;
            let price = |at: usize| (gained[at], self.weights.of(open[at].0).millionths());
            let best = (0..open.len())
                .filter(fits)
                .reduce(|best, at| if is_better(price(at), price(best)) { at } else { best });
            let Some(best) = best else {
                return Ok(Suggested { publish, steps, rows: sample.rows() as u64 });
            };
            part += gained[best];
            let (column, apart) = open.remove(best);
            covered.iter_mut().zip(apart).for_each(|(all, word)| *all |= word);
            publish.insert(column);
            steps.push(MaskStep { column, ratio: ratio(part) });
        }
    }
}

/// Whether the first pair of gain and weight gains less for its weight; nothing for nothing is
/// best.
fn is_better(a: (u64, u64), b: (u64, u64)) -> bool {
    if a.0 == 0 || b.0 == 0 {
        return a.0 < b.0;
    }
    let (left, right) = (u128::from(a.0) * u128::from(b.1), u128::from(b.0) * u128::from(a.1));
    left < right || (left == right && a.1 == 0 && b.1 == 0 && a.0 < b.0)
}

fn ones(words: impl Iterator<Item = u64>) -> u64 {
    words.map(|word| u64::from(word.count_ones())).sum()
}

/// Independent uniform pairs of different rows of a table of `rows` rows, of which `sample` holds
/// enough. A row that was drawn already comes again as often as if it had been put back.
fn pairs(rows: u64, draws: u64, sample: &EncodedTable, seed: Seed) -> Vec<(u32, u32)> {
    let count = u32::try_from(sample.rows()).expect("row ids are 32 bits wide");
    if rows < 2 {
        return Vec::new();
    }
    // The sample is in row order: without a shuffle its first rows would be the table's.
    let mut order: Vec<u32> = (0..count).collect();
    let shuffle = seed.part(0);
    for left in (1..order.len()).rev() {
        let other = shuffle.below(left as u64, left as u64 + 1);
        order.swap(left, usize::try_from(other).expect("below a length"));
    }
    let draw = seed.part(1);
    let mut used = 0usize;
    // Rows are numbered by first use: below `used` they have been drawn, above they are new, and
    // the next new one is as good as any.
    let mut take = |number: u64| {
        let at = usize::try_from(number).map_or(used, |number| number.min(used));
        used = used.max(at + 1);
        at
    };
    (0..draws)
        .map(|pair| {
            let first = take(draw.below(2 * pair, rows));
            // One of the other rows: the numbers from the first one on move up by one.
            let other = draw.below(2 * pair + 1, rows - 1);
            let second = take(other + u64::from(other >= first as u64));
            (order[first], order[second])
        })
        .collect()
}

/// The pairs that a column tells apart, one bit each.
fn told_apart(column: &Column, pairs: &[(u32, u32)], missing: MissingRule) -> Vec<u64> {
    let (codes, absent) = (column.codes(), column.missing_slot());
    let apart = |&(a, b): &(u32, u32)| {
        let (a, b) = (codes.slot(a as usize), codes.slot(b as usize));
        match missing {
            MissingRule::Category => a != b,
            MissingRule::Distinct => a != b || a == absent,
            MissingRule::Wildcard => a != b && a != absent && b != absent,
        }
    };
    let word = |pairs: &[(u32, u32)]| {
        pairs.iter().rev().fold(0, |word, pair| word << 1 | u64::from(apart(pair)))
    };
    pairs.chunks(64).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beta(text: &str) -> Beta {
        text.parse().expect(text)
    }

    #[test]
    fn the_ratio_is_lowered_as_in_the_paper() {
        // 54 columns, delta 0.01: 50,000 pairs for 0.8, 30,000 rows for 0.5.
        let show = |b: &str, draws| {
            format!("{:.5}", lowered(beta(b), draws, beta("0.01"), 54).expect("enough").as_f64())
        };
        assert_eq!(show("0.8", 50_000), "0.76332");
        assert_eq!(show("0.5", 30_000), "0.46257");
    }

    #[test]
    fn too_few_draws_are_told_how_many_it_takes() {
        let error = lowered(beta("0.5"), 10, beta("0.01"), 14).expect_err("too few").to_string();
        let least: u64 = error.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        assert!(lowered(beta("0.5"), least, beta("0.01"), 14).is_ok());
        assert!(lowered(beta("0.5"), least - 1, beta("0.01"), 14).is_err());
        assert!(lowered(beta("0"), 1_000, beta("0.01"), 14).is_err());
        assert!(lowered(beta("0.5"), 1_000, beta("0"), 14).is_err());
    }

    #[test]
    fn pairs_are_of_different_rows_and_all_equally_likely() {
        let table = EncodedTable::of(&[[0], [1], [2], [3], [4]]);
        let mut counts = [[0u32; 5]; 5];
        for seed in 0..200 {
            let drawn = pairs(5, 300, &table, Seed::new(seed));
            drawn.into_iter().for_each(|(a, b)| counts[a as usize][b as usize] += 1);
        }
        for (a, row) in counts.iter().enumerate() {
            for (b, &count) in row.iter().enumerate() {
                // 60,000 pairs fall on 20 places: 3,000 each, with a deviation of about 53.
                let fine = if a == b { count == 0 } else { count.abs_diff(3_000) < 270 };
                assert!(fine, "{a} {b} {count}");
            }
        }
    }

    #[test]
    fn pairs_of_a_large_table_use_rows_in_any_order() {
        let table = EncodedTable::of_columns([("c".to_owned(), (0..200).map(Some).collect())]);
        // 100 pairs of a million rows: hardly any row comes twice.
        let drawn = pairs(1_000_000, 100, &table, Seed::new(5));
        let mut rows: Vec<u32> = drawn.iter().flat_map(|&(a, b)| [a, b]).collect();
        assert!(!rows.is_sorted());
        rows.sort_unstable();
        rows.dedup();
        assert!(rows.len() >= 199, "{}", rows.len());
    }
}
