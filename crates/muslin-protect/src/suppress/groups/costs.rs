//! What blanking costs.

/// What blanking a cell of each column costs; some columns must stay.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    /// In millionths; none for a column that must stay.
    columns: Vec<Option<u64>>,
    must_stay: u128,
}

impl Costs {
    pub(super) fn new(columns: Vec<Option<u64>>) -> Self {
        let bit = |(column, cost): (usize, &Option<u64>)| u128::from(cost.is_none()) << column;
        let must_stay = columns.iter().enumerate().map(bit).sum();
        Self { columns, must_stay }
    }

    /// What a cell of each column costs.
    pub(super) fn columns(&self) -> &[Option<u64>] {
        &self.columns
    }

    /// Whether a group may keep these columns and blank all others.
    pub(super) fn may_keep_only(&self, kept: u128) -> bool {
        self.must_stay & !kept == 0
    }

    /// What a row costs in a group that keeps these columns.
    pub(super) fn of_group(&self, kept: u128) -> u64 {
        let blanked = self.columns.iter().enumerate().filter(|(column, _)| kept >> column & 1 == 0);
        blanked.filter_map(|(_, cost)| *cost).sum()
    }

    /// The least that blanks can cost which cost at least `bound`: a sum of what columns cost.
    pub(super) fn rounded_up(&self, bound: u64) -> u64 {
        fn gcd(a: u64, b: u64) -> u64 {
            if b == 0 { a } else { gcd(b, a % b) }
        }
        match self.columns.iter().flatten().copied().fold(0, gcd) {
            0 => bound,
            step => bound.div_ceil(step).saturating_mul(step),
        }
    }

    /// The columns that must stay, as bits.
    pub(super) fn must_stay(&self) -> u128 {
        self.must_stay
    }
}
