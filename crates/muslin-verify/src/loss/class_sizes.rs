//! Measures of classes and buckets.

use muslin_engine::Run;

use super::cells::share;
use super::reconstruction::Reconstruction;
use super::spread::float;
use crate::Result;

/// How large the classes of a release are.
///
/// Classes are the rows whose quasi-identifiers stand for the same; suppressed equals suppressed. In
/// a release with buckets these are the classes: its measures see nothing else of a slicing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassLoss {
    classes: u64,
    rows: u64,
    discernibility: u128,
    k: Option<u32>,
}

impl ClassLoss {
    pub(super) fn new(
        made: &Reconstruction,
        has_buckets: bool,
        columns: &[usize],
        original_rows: u64,
        k: Option<u32>,
        run: &Run,
    ) -> Result<Self> {
        let sizes = if has_buckets {
            made.buckets.clone()
        } else {
            let part = &made.parts[0].tuples;
            let places = columns.iter().filter_map(|&at| {
                let (_, place) = made.places[at]?;
                Some((place, made.spreads[at].len()))
            });
            let classes = part.project(&places.collect::<Vec<_>>(), run)?;
            classes.iter().map(|(_, rows)| rows).collect()
        };
        let squares: u128 = sizes.iter().map(|&size| u128::from(size) * u128::from(size)).sum();
        let removed = u128::from(original_rows.saturating_sub(made.rows));
        Ok(Self {
            classes: sizes.len() as u64,
            rows: made.rows,
            discernibility: squares + removed * u128::from(original_rows),
            k,
        })
    }

    /// Number of classes.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// DM: the squares of the class sizes, and for each removed row the rows of the original.
    pub fn discernibility(&self) -> u128 {
        self.discernibility
    }

    /// AECS: rows of the release by classes.
    pub fn average_size(&self) -> f64 {
        share(float(self.rows), float(self.classes))
    }

    /// C\_AVG: the average size by `k`, where `k` was given.
    pub fn c_avg(&self) -> Option<f64> {
        self.k.map(|k| self.average_size() / f64::from(k))
    }
}

/// RCE: the squared error of what a release with buckets says about the sensitive values.
///
/// A row t with the value v errs by (1 - c(v)/n)^2 plus the sum over other values h of (c(h)/n)^2,
/// where c counts values among the n rows that t may be: those of its bucket, and of them those that
/// agree with t in the slice of the sensitive column. RCE is the sum over rows, which is the sum over
/// groups of n - sum of c^2 / n.
pub(super) fn reconstruction_error(
    made: &Reconstruction,
    sensitive: usize,
    run: &Run,
) -> Result<Option<f64>> {
    let Some((part, place)) = made.places[sensitive] else { return Ok(None) };
    let tuples = &made.parts[part].tuples;
    // The sensitive column last; the others of the slice are all columns with this part.
    let ends = made.places.iter().zip(&made.spreads).filter_map(|(found, spread)| {
        let (of, at) = (*found)?;
        (of == part && at != place).then_some((at, spread.len()))
    });
    let mut places = vec![(0, made.buckets.len())];
    places.extend(ends);
    places.push((place, made.spreads[sensitive].len()));
    let grouped = tuples.project(&places, run)?;
    let (mut error, mut at) = (0.0, 0);
    while at < grouped.len() {
        let group = |at: usize| &grouped.tuple(at)[..places.len() - 1];
        let end = (at..grouped.len()).find(|&next| group(next) != group(at));
        let end = end.unwrap_or(grouped.len());
        let rows = float((at..end).map(|one| grouped.rows(one)).sum());
        let squares: f64 = (at..end).map(|one| float(grouped.rows(one)).powi(2)).sum();
        error += rows - squares / rows;
        at = end;
    }
    Ok(Some(error))
}
