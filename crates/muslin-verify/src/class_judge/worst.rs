use muslin_engine::Run;

use super::shares::Places;
use crate::Result;

/// What a class has of some kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Of<T> {
    pub(super) fact: T,
    /// The class, by number.
    pub(super) class: u32,
}

/// Of each kind, the worst that a class has, and the first such class. Nothing where there is none.
#[derive(Debug, Default)]
pub(super) struct Worst {
    /// The fewest different values.
    pub(super) distinct: Option<Of<u32>>,
    /// The rows of one value in a class and the rows of that class, for the largest share.
    pub(super) share: Option<Of<[u32; 2]>>,
    /// The least entropy.
    pub(super) entropy: Option<Of<f64>>,
    /// For l = 1, 2, ... up to the fewest values: the rows of the most frequent value of a class and
    /// of all from the l-th on, where the first are the most times the second.
    pub(super) heads: Vec<Of<[u32; 2]>>,
    /// The farthest from the original, all values being one apart.
    pub(super) equal: Option<Of<Moved>>,
    /// The farthest from the original, by places in order.
    pub(super) ordered: Option<Of<Moved>>,
}

/// How far a class is from the original.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    /// In units of one row of the class in one row of the original.
    pub(super) moved: u128,
    /// Rows of the class.
    pub(super) size: u32,
}

impl Worst {
    /// `cells` are places, class after class, each of so many rows.
    pub(super) fn of_classes(
        mut cells: Vec<u32>,
        sizes: &[u32],
        places: &Places,
        run: &Run,
    ) -> Result<Self> {
        let mut worst = Self::default();
        let (mut counts, mut falling) = (Vec::new(), Vec::new());
        let mut rest = &mut cells[..];
        for (class, &size) in (0u32..).zip(sizes) {
            if class % 4_096 == 0 {
                run.check()?;
            }
            let (own, others) = std::mem::take(&mut rest).split_at_mut(size as usize);
            rest = others;
            own.sort_unstable();
            counts.clear();
            counts.extend(own.chunk_by(|a, b| a == b).map(|alike| (alike[0], rows(alike))));
            falling.clear();
            falling.extend(counts.iter().map(|&(_, count)| count));
            falling.sort_unstable_by(|a, b| b.cmp(a));

            worst.add_counts(class, size, &falling);
            let equal = Moved { moved: places.equal(size, &counts), size };
            let ordered = Moved { moved: places.ordered(size, &counts), size };
            replace(&mut worst.equal, equal, class, Moved::is_farther);
            replace(&mut worst.ordered, ordered, class, Moved::is_farther);
        }
        Ok(worst)
    }

    /// A class of `size` rows, whose values are so frequent, the most frequent first.
    fn add_counts(&mut self, class: u32, size: u32, falling: &[u32]) {
        let distinct = rows(falling);
        let most = falling.first().copied().unwrap_or(0);
        replace(&mut self.distinct, distinct, class, |own, worst| own < worst);
        replace(&mut self.share, [most, size], class, is_more);
        replace(&mut self.entropy, entropy(size, falling), class, |own, worst| own < worst);

        let is_first = self.heads.is_empty();
        self.heads.truncate(falling.len());
        let mut tail = size;
        for (at, &count) in falling.iter().enumerate() {
            let head = Of { fact: [most, tail], class };
            match self.heads.get_mut(at) {
                Some(worst) if is_more(head.fact, worst.fact) => *worst = head,
                Some(_) => {}
                None if is_first => self.heads.push(head),
                None => break,
            }
            tail -= count;
        }
    }
}

/// Keeps what a class has where it is worse than the worst so far.
fn replace<T: Copy>(
    worst: &mut Option<Of<T>>,
    fact: T,
    class: u32,
    is_worse: impl Fn(T, T) -> bool,
) {
    if worst.is_none_or(|worst| is_worse(fact, worst.fact)) {
        *worst = Some(Of { fact, class });
    }
}

/// Of a class whose values are so frequent, in natural units.
fn entropy(size: u32, counts: &[u32]) -> f64 {
    let weighted = |&count: &u32| f64::from(count) * f64::from(count).ln();
    let sum: f64 = counts.iter().map(weighted).sum();
    (f64::from(size).ln() - sum / f64::from(size)).max(0.0)
}

/// Whether a fraction, as part and whole, is above another. No whole is 0.
fn is_more(a: [u32; 2], b: [u32; 2]) -> bool {
    u64::from(a[0]) * u64::from(b[1]) > u64::from(b[0]) * u64::from(a[1])
}

impl Moved {
    /// A class moves less than its rows times the original's rows and values: 96 bits in all, and
    /// 32 more fit.
    fn is_farther(self, other: Self) -> bool {
        self.moved * u128::from(other.size) > other.moved * u128::from(self.size)
    }
}

fn rows(list: &[u32]) -> u32 {
    u32::try_from(list.len()).expect("row ids are 32 bits wide")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_each_kind_may_be_of_different_classes() {
        let mut worst = Worst::default();
        let heads = |worst: &Worst| worst.heads.iter().map(|of| of.fact).collect::<Vec<_>>();
        worst.add_counts(0, 7, &[4, 1, 1, 1]);
        assert_eq!(heads(&worst), [[4, 7], [4, 3], [4, 2], [4, 1]]);
        worst.add_counts(1, 6, &[3, 3]);
        assert_eq!(heads(&worst), [[4, 7], [4, 3]]);
        worst.add_counts(2, 6, &[2, 2, 2]);
        assert_eq!(worst.distinct, Some(Of { fact: 2, class: 1 }));
        assert_eq!(worst.share, Some(Of { fact: [4, 7], class: 0 }));
        assert_eq!(heads(&worst), [[4, 7], [4, 3]]);
        let least = worst.entropy.unwrap();
        assert!((least.fact - 2f64.ln()).abs() < 1e-12 && least.class == 1, "{least:?}");
    }

    #[test]
    fn the_entropy_of_one_value_is_0() {
        assert!((1..2_000).all(|size| (0.0..1e-12).contains(&entropy(size, &[size]))));
    }
}
