/// A count for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    per_row: Vec<u32>,
    is_by_row: bool,
}

impl Counts {
    /// Each row has the count of its class.
    pub(super) fn of_classes(counts: &[u32], class_of: &[u32]) -> Self {
        let per_row = class_of.iter().map(|&class| counts[class as usize]).collect();
        Self { per_row, is_by_row: true }
    }

    /// Row by row, the smaller count.
    pub(super) fn smaller(&self, other: &Self) -> Self {
        let pairs = self.per_row.iter().zip(&other.per_row);
        Self { per_row: pairs.map(|(&a, &b)| a.min(b)).collect(), is_by_row: true }
    }

    /// The smaller of the smallest counts, of the second smallest, and so on; where one list ends,
    /// the other's.
    pub(super) fn smaller_in_order(&self, other: &Self) -> Self {
        let sorted = |counts: &Self| {
            let mut counts = counts.per_row.clone();
            counts.sort_unstable();
            counts
        };
        let (mut longer, mut shorter) = (sorted(self), sorted(other));
        if longer.len() < shorter.len() {
            std::mem::swap(&mut longer, &mut shorter);
        }
        longer.iter_mut().zip(shorter).for_each(|(a, b)| *a = b.min(*a));
        Self { per_row: longer, is_by_row: false }
    }

    /// The counts, in row order unless [`Counts::is_by_row`] says otherwise. None is 0 where it is
    /// known which published row is whose, since a row matches itself.
    pub fn per_row(&self) -> &[u32] {
        &self.per_row
    }

    /// Whether each count is that of the row at its position. Otherwise counts rise, and are of no
    /// row in particular.
    pub fn is_by_row(&self) -> bool {
        self.is_by_row
    }

    /// The smallest count; none in a table without rows.
    pub fn smallest(&self) -> Option<u32> {
        self.per_row.iter().copied().min()
    }

    /// Rows with a count below `k`.
    pub fn rows_below(&self, k: u32) -> usize {
        self.per_row.iter().filter(|&&count| count < k).count()
    }

    /// The first rows with a count below `k`, at most so many; none where counts are of no row in
    /// particular.
    pub fn below(&self, k: u32, at_most: usize) -> Vec<u32> {
        let rows = (0u32..).zip(&self.per_row).filter(|(_, count)| **count < k && self.is_by_row);
        rows.map(|(row, _)| row).take(at_most).collect()
    }
}

/// What each row still matches in a release, by six notions.
///
/// Where nobody knows which published row is whose ([`Outsider::compare`](crate::Outsider::compare)),
/// N2 and N5 are by row of the original and N1, N3 and N6 by row of the release.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Notions {
    pub(super) n1: Option<Counts>,
    pub(super) n2: Counts,
    pub(super) n3: Counts,
    pub(super) n4: Counts,
    pub(super) n5: Option<Counts>,
    pub(super) n6: Counts,
    pub(super) sacrificial_rows: usize,
}

impl Notions {
    /// Wildcard ambiguity: published rows like the row's own, where suppressed matches anything.
    /// Weak: it stops nobody who knows the values. Nothing where it was too much work.
    pub fn n1(&self) -> Option<&Counts> {
        self.n1.as_ref()
    }

    /// (1,k): published rows that the original row fits.
    pub fn n2(&self) -> &Counts {
        &self.n2
    }

    /// (k,1): original rows that fit the published row.
    pub fn n3(&self) -> &Counts {
        &self.n3
    }

    /// (k,k): the smaller of [`Notions::n2`] and [`Notions::n3`].
    ///
    /// Where nobody knows which published row is whose, the smaller of the smallest two, of the
    /// second smallest two, and so on. Then as many counts are below a `k` as in the one of the two
    /// that has more of them: the fewest that can be, whoever is whose; none exactly where none can
    /// be.
    pub fn n4(&self) -> &Counts {
        &self.n4
    }

    /// Global (1,k): published rows that the original row can be linked to while every row is
    /// linked to one it fits, each once. Nothing where it was too much work. Where rows were removed,
    /// every published row is linked and some original rows are not; 0 for all where not even that
    /// can be, so that some published row is nobody's.
    pub fn n5(&self) -> Option<&Counts> {
        self.n5.as_ref()
    }

    /// Own-value k-anonymity: published rows equal to the row's own; suppressed is a value.
    pub fn n6(&self) -> &Counts {
        &self.n6
    }

    /// Original rows that fit exactly one published row: their own.
    pub fn matched_once(&self) -> usize {
        self.n2.per_row.iter().filter(|&&count| count == 1).count()
    }

    /// Rows with more than half of the columns looked at suppressed. Rows that are like these only
    /// are protected by nothing that is worth publishing.
    pub fn sacrificial_rows(&self) -> usize {
        self.sacrificial_rows
    }
}
