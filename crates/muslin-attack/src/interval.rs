//! How far chance alone may have moved a share.
//!
//! Shares of right guesses have the score interval of Wilson (1927) at 95 %: it is never empty, stays within 0 and 1,
//! and is wide where guesses are few. Where the best of several shares is looked at, the interval is wider: the chance
//! that one of them misses is then at most 5 % (Bonferroni, with the bound exp(-z^2 / 2) on the normal distribution).

/// Two standard deviations, as 95 % ask for.
const Z: f64 = 1.959_963_984_540_054;

/// From where to where a share may be, by as many shares as there were to choose from.
#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
pub(crate) fn wilson(right: f64, guesses: u64, choices: u64) -> Option<(f64, f64)> {
    if guesses == 0 {
        return None;
    }
    let z = deviations(choices);
    let (n, share) = (guesses as f64, right / guesses as f64);
    let (squared, whole) = (z * z / n, 1.0 + z * z / n);
    let middle = (share + squared / 2.0) / whole;
    let half = z / whole * (share * (1.0 - share) / n + squared / (4.0 * n)).max(0.0).sqrt();
    Some(((middle - half).clamp(0.0, share), (middle + half).clamp(share, 1.0)))
}

/// The lower end for whole numbers: what a share is at least.
#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
pub(crate) fn at_least(part: u64, whole: u64) -> f64 {
    wilson(part as f64, whole, 1).map_or(0.0, |ends| ends.0)
}

/// From where to where the area under a curve may be; after Hanley and `McNeil` (1982).
#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
pub(crate) fn of_area(area: f64, real: u64, fake: u64) -> Option<(f64, f64)> {
    if real == 0 || fake == 0 {
        return None;
    }
    let (one, other) = (real as f64, fake as f64);
    let above = area / (2.0 - area) - area * area;
    let below = 2.0 * area * area / (1.0 + area) - area * area;
    let variance = area * (1.0 - area) + (one - 1.0) * above + (other - 1.0) * below;
    let half = Z * (variance / (one * other)).max(0.0).sqrt();
    Some(((area - half).max(0.0), (area + half).min(1.0)))
}

#[expect(clippy::cast_precision_loss, reason = "a number of choices")]
fn deviations(choices: u64) -> f64 {
    if choices <= 1 { Z } else { (2.0 * (choices as f64 / 0.05).ln()).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_guesses_have_a_wide_interval() {
        // By hand: (0.8 + 0.384) / 1.768 -+ 0.877 * sqrt(0.032 + 0.0384).
        let (low, high) = wilson(4.0, 5, 1).unwrap();
        assert!((low - 0.3755).abs() < 5e-4 && (high - 0.9638).abs() < 5e-4, "{low} {high}");
        let (low, high) = wilson(4_000.0, 5_000, 1).unwrap();
        assert!(low > 0.788 && high < 0.811, "{low} {high}");
        assert_eq!(wilson(0.0, 0, 1), None);
        assert!((wilson(3.0, 3, 1).unwrap().1 - 1.0).abs() < f64::EPSILON);
        assert!((wilson(0.0, 3, 1).unwrap().0 - 0.0).abs() < f64::EPSILON);
    }

    #[test]
    fn the_best_of_many_has_a_wider_one() {
        let (one, many) = (wilson(4.0, 5, 1).unwrap(), wilson(4.0, 5, 100).unwrap());
        assert!(many.0 < one.0 && many.1 > one.1, "{one:?} {many:?}");
    }

    #[test]
    fn an_area_of_few_pairs_may_be_half() {
        let (low, _) = of_area(0.7, 6, 6).unwrap();
        assert!(low < 0.5, "{low}");
        assert!(of_area(0.7, 600, 600).unwrap().0 > 0.65);
    }
}
