//! Bounds that are nobody's own value.

use muslin_table::{Column, DayFormat, Form, Number, calendar, first_of_month, printable};

use crate::{Error, Result};

/// Where bounds of ranges may lie: at multiples of a step.
///
/// A range on a grid says how far a class reaches, not what its extreme members have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid(Step);

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A decimal fraction: so many, and so many digits of them after the point. Of dates: days,
    /// counted from a Monday.
    Decimal(u64, u32),
    /// Months of the calendar.
    Months(u32),
}

/// Digits after the point at most, and zeros before it.
const DIGITS: u32 = 15;
/// Steps from zero at most.
const FAR: f64 = 1e18;
/// The day from which weeks are counted: 1969-12-29, a Monday.
const MONDAY: i64 = -3;

impl Grid {
    /// The grid with at most about twenty steps from a column's smallest to its largest value: 1, 2
    /// or 5 times a power of ten; for dates days, weeks, months, quarters or years. None for a
    /// column of other values, or of none.
    pub fn of(column: &Column) -> Option<Self> {
        let values = column.dictionary();
        let numbers = || (0..values.len()).map(|at| values.number(at));
        let ends = (numbers().find_map(finite)?, numbers().rev().find_map(finite)?);
        match ends {
            (Number::Whole(first), Number::Whole(last)) => {
                let least = (last - first).unsigned_abs().div_ceil(20).max(1);
                let mut ten = 1u64;
                loop {
                    let step = [1, 2, 5].into_iter().find(|m| u128::from(m * ten) >= least);
                    if let Some(step) = step {
                        return Some(Self(Step::Decimal(step * ten, 0)));
                    }
                    ten = ten.checked_mul(10).filter(|ten| *ten < u64::MAX / 5)?;
                }
            }
            (Number::Real(first), Number::Real(last)) => {
                let least = last / 20.0 - first / 20.0;
                if least <= 0.0 {
                    return Some(Self(Step::Decimal(1, 0)));
                }
                let exponents = -i64::from(DIGITS)..=i64::from(DIGITS);
                let mut steps = exponents.flat_map(|e| [1, 2, 5].map(|m| (m, e)));
                let (m, e) = steps.find(|&(m, e)| decimal_step(m, e).as_f64() >= least)?;
                Some(Self(decimal_step(m, e)))
            }
            (Number::Day(first), Number::Day(last)) => {
                // Twentieths of an average month, quarter and year.
                Some(Self(match last - first {
                    0..=20 => Step::Decimal(1, 0),
                    21..=140 => Step::Decimal(7, 0),
                    141..=608 => Step::Months(1),
                    609..=1826 => Step::Months(3),
                    _ => Step::Months(12),
                }))
            }
            _ => None,
        }
    }

    /// Multiples of `step`; of dates, of so many days. Columns of whole numbers and of dates round
    /// it up to a whole number.
    pub fn step(step: f64) -> Result<Self> {
        let wrong = || {
            Error::Setting(
                "a grid needs a step above zero, with at most 15 digits after the point and 15 before it\n  hint: pass one such as 5 or 0.1".into(),
            )
        };
        if !(step.is_finite() && step > 0.0) {
            return Err(wrong());
        }
        let text = step.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let places = u32::try_from(fraction.len()).ok().filter(|places| *places <= DIGITS);
        let is_short = whole.len() <= DIGITS as usize && places.is_some();
        let digits = format!("{whole}{fraction}").parse().ok().filter(|_| is_short);
        match (digits, places) {
            (Some(digits), Some(places)) if digits <= 10u64.pow(DIGITS) => {
                Ok(Self(Step::Decimal(digits, places)))
            }
            _ => Err(wrong()),
        }
    }

    /// Puts a column's values into the cells of the grid.
    pub(super) fn snap(&self, column: &Column) -> Result<Snapped> {
        let wrong = |what: &str| {
            let name = printable(column.name());
            Error::Setting(format!(
                "column `{name}` {what}\n  hint: leave its grid out, or pass another step"
            ))
        };
        let values = column.dictionary();
        let days = match values.form() {
            Form::Days(format) => format.clone(),
            _ => DayFormat::iso(),
        };
        let mut snapped = Snapped { step: self.0, kind: Kind::Whole, days, cells: Vec::new() };
        for at in 0..values.len() {
            let number = values.number(at).ok_or_else(|| wrong("has no numbers for a grid"))?;
            let cell = match (number, self.0) {
                (Number::Whole(value), step) => Some(value.div_euclid(step.whole().into())),
                (Number::Real(value), step) => {
                    snapped.kind = Kind::Real;
                    step.cell(value)
                }
                (Number::Day(days), Step::Months(months)) => {
                    snapped.kind = Kind::Day;
                    let (year, month, _) = calendar(days);
                    Some((year * 12 + month - 1).div_euclid(months.into()).into())
                }
                (Number::Day(days), step) => {
                    snapped.kind = Kind::Day;
                    Some(i128::from(days - MONDAY).div_euclid(step.whole().into()))
                }
            };
            snapped.cells.push(cell.ok_or_else(|| wrong("is too far from zero for its grid"))?);
        }
        Ok(snapped)
    }
}

fn finite(number: Option<Number>) -> Option<Number> {
    number.filter(|number| !matches!(number, Number::Real(value) if !value.is_finite()))
}

/// So many times a power of ten.
fn decimal_step(times: u64, exponent: i64) -> Step {
    let power = u32::try_from(exponent.abs()).expect("a few digits");
    if exponent < 0 {
        Step::Decimal(times, power)
    } else {
        Step::Decimal(times * 10u64.pow(power), 0)
    }
}

/// The cell of what is not finite.
const BELOW: i128 = i128::MIN;
const ABOVE: i128 = i128::MAX - 1;
const NAN: i128 = i128::MAX;

impl Step {
    /// The step as a whole number, rounded up. Months are an average for numbers, which have none.
    fn whole(self) -> u64 {
        match self {
            Self::Decimal(digits, places) => digits.div_ceil(10u64.pow(places)).max(1),
            Self::Months(months) => u64::from(months),
        }
    }

    fn as_f64(self) -> f64 {
        self.times(1)
    }

    /// So many steps. The nearest number to what [`Self::spell`] writes.
    #[expect(clippy::cast_precision_loss, reason = "numbers are spelled by their digits")]
    fn times(self, steps: i128) -> f64 {
        match self {
            Self::Decimal(digits, places) => {
                (steps * i128::from(digits)) as f64 / 10u64.pow(places) as f64
            }
            Self::Months(months) => (steps * i128::from(months)) as f64,
        }
    }

    /// The cell that a number lies in: from so many steps to less than one more.
    #[expect(clippy::cast_possible_truncation, reason = "what is far is refused before")]
    fn cell(self, value: f64) -> Option<i128> {
        if value.is_nan() {
            return Some(NAN);
        }
        if value.is_infinite() {
            return Some(if value > 0.0 { ABOVE } else { BELOW });
        }
        let near = (value / self.as_f64()).floor();
        if near.abs() > FAR {
            return None;
        }
        // The quotient is rounded; bounds are not.
        let mut cell = near as i128;
        while self.times(cell) > value {
            cell -= 1;
        }
        while self.times(cell + 1) <= value {
            cell += 1;
        }
        Some(cell)
    }

    /// So many steps in digits.
    fn spell(self, steps: i128) -> String {
        let Self::Decimal(digits, places) = self else {
            return self.times(steps).to_string();
        };
        let units = steps * i128::from(digits);
        let sign = if units < 0 { "-" } else { "" };
        let places = places as usize;
        let padded = format!("{:0>width$}", units.unsigned_abs(), width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{whole}{point}{fraction}")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Whole,
    Real,
    Day,
}

/// A column's values in the cells of a grid.
#[derive(Clone, Debug)]
pub(super) struct Snapped {
    step: Step,
    kind: Kind,
    /// How the column's days are written.
    days: DayFormat,
    /// By value; they rise.
    cells: Vec<i128>,
}

impl Snapped {
    /// The first value of the cell of one value, and the last of that of another.
    pub(super) fn covered(&self, lo: u32, hi: u32) -> (u32, u32) {
        let (lower, upper) = (self.cells[lo as usize], self.cells[hi as usize]);
        let slot = |at: usize| u32::try_from(at).expect("no more than values");
        let first = self.cells.partition_point(|&cell| cell < lower);
        let end = self.cells.partition_point(|&cell| cell <= upper);
        (slot(first), slot(end) - 1)
    }

    /// Where the cell of a value begins; nowhere for what is not finite.
    pub(super) fn lower(&self, slot: u32) -> Option<String> {
        let cell = self.cells[slot as usize];
        Some(match self.kind {
            Kind::Whole => (cell * i128::from(self.step.whole())).to_string(),
            Kind::Real if matches!(cell, BELOW | ABOVE | NAN) => return None,
            Kind::Real => self.step.spell(cell),
            Kind::Day => self.days.spell(self.first_day(cell)),
        })
    }

    /// Where the cell of a value ends, and how the range closes.
    pub(super) fn upper(&self, slot: u32) -> Option<(String, char)> {
        let cell = self.cells[slot as usize];
        Some(match self.kind {
            Kind::Whole => (((cell + 1) * i128::from(self.step.whole()) - 1).to_string(), ']'),
            Kind::Real if matches!(cell, BELOW | ABOVE | NAN) => return None,
            Kind::Real => (self.step.spell(cell + 1), ')'),
            Kind::Day => (self.days.spell(self.first_day(cell + 1).saturating_sub(1)), ']'),
        })
    }

    fn first_day(&self, cell: i128) -> i64 {
        let fits = |days: i128| i64::try_from(days).unwrap_or(i64::MAX);
        match self.step {
            Step::Months(months) => first_of_month(fits(cell * i128::from(months))),
            step @ Step::Decimal(..) => fits(cell * i128::from(step.whole()) + i128::from(MONDAY)),
        }
    }
}
