use std::cmp::Ordering;

use muslin_table::ColumnSet;

/// Which column is taken where several are as good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ties {
    /// The smallest.
    Smallest,
    /// The largest.
    Largest,
}

impl Ties {
    /// Which of two sets comes first, by the first column in which they differ.
    pub(super) fn order(self, a: &ColumnSet, b: &ColumnSet) -> Ordering {
        match self {
            Self::Smallest => a.iter().cmp(b.iter()),
            Self::Largest => {
                let falling = |set: &ColumnSet| {
                    let mut columns: Vec<_> = set.iter().collect();
                    columns.reverse();
                    columns
                };
                falling(b).cmp(&falling(a))
            }
        }
    }

    /// The places of a width in the order in which they are tried: the first of equals is taken.
    pub(super) fn places(self, width: usize) -> impl Iterator<Item = usize> {
        (0..width).map(move |at| match self {
            Self::Smallest => at,
            Self::Largest => width - 1 - at,
        })
    }
}

/// Whether `gain` for `cost` is more for its cost than the others; of what costs nothing, more
/// gain.
pub(super) fn pays_more((gain, cost): (u64, u64), (other_gain, other_cost): (u64, u64)) -> bool {
    if cost == other_cost {
        return gain > other_gain;
    }
    u128::from(gain) * u128::from(other_cost) > u128::from(other_gain) * u128::from(cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gain_is_weighed_by_cost() {
        assert!(pays_more((3, 1), (2, 1)) && !pays_more((2, 1), (2, 1)));
        assert!(pays_more((3, 2), (4, 3)) && !pays_more((4, 3), (3, 2)));
        assert!(!pays_more((4, 2), (2, 1)) && !pays_more((2, 1), (4, 2)));
        assert!(pays_more((1, 0), (9, 1)) && !pays_more((9, 1), (1, 0)));
        assert!(pays_more((2, 0), (1, 0)) && !pays_more((0, 0), (1, 5)));
    }
}
