/// A count for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    per_row: Vec<u32>,
}

impl Counts {
    /// Each row has the count of its class.
    pub(super) fn of_classes(counts: &[u32], class_of: &[u32]) -> Self {
        Self { per_row: class_of.iter().map(|&class| counts[class as usize]).collect() }
    }

    /// Row by row, the smaller count.
    pub(super) fn smaller(&self, other: &Self) -> Self {
        let pairs = self.per_row.iter().zip(&other.per_row);
        Self { per_row: pairs.map(|(&a, &b)| a.min(b)).collect() }
    }

    /// The counts, in row order. None is 0: a row matches itself.
    pub fn per_row(&self) -> &[u32] {
        &self.per_row
    }

    /// The smallest count; none in a table without rows.
    pub fn smallest(&self) -> Option<u32> {
        self.per_row.iter().copied().min()
    }

    /// Rows with a count below `k`.
    pub fn rows_below(&self, k: u32) -> usize {
        self.per_row.iter().filter(|&&count| count < k).count()
    }
}

/// What each row still matches in a release, by six notions.
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
    pub fn n4(&self) -> &Counts {
        &self.n4
    }

    /// Global (1,k): published rows that the original row can be linked to while every row is
    /// linked to one it fits, each once. Nothing where it was too much work.
    pub fn n5(&self) -> Option<&Counts> {
        self.n5.as_ref()
    }

    /// Own-value k-anonymity: published rows equal to the row's own; suppressed is a value.
    pub fn n6(&self) -> &Counts {
        &self.n6
    }

    /// Original rows that fit exactly one published row: their own.
    pub fn matched_once(&self) -> usize {
        self.n2.rows_below(2)
    }

    /// Rows with more than half of the columns looked at suppressed. Rows that are like these only
    /// are protected by nothing that is worth publishing.
    pub fn sacrificial_rows(&self) -> usize {
        self.sacrificial_rows
    }
}
