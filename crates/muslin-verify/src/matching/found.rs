use muslin_table::Ratio;

/// How many rows are listed at most.
const LISTED: usize = 1_000;

/// What a release tells about the sensitive value of each original row.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct MatchingFacts {
    /// The combination of each original row.
    pub(super) of: Vec<u32>,
    /// For each combination the largest p by both weightings; nothing where no bucket matches.
    pub(super) chances: Vec<Option<[Ratio; 2]>>,
    pub(super) is_exact: bool,
}

impl MatchingFacts {
    /// The largest p(t, s), where all buckets weigh the same, as in the paper; 0 where no bucket
    /// matches any row.
    pub fn max_p(&self) -> Ratio {
        self.max(0)
    }

    /// The largest p(t, s), where buckets weigh what they have rows, after Bayes.
    pub fn max_p_by_size(&self) -> Ratio {
        self.max(1)
    }

    /// The original rows whose p(t, s) is above one in `l` for some s, where all buckets weigh the
    /// same: their number, and the first thousand in order.
    pub fn exceeding(&self, l: u32) -> (u64, Vec<u32>) {
        self.above(0, l)
    }

    /// The same where buckets weigh what they have rows.
    pub fn exceeding_by_size(&self, l: u32) -> (u64, Vec<u32>) {
        self.above(1, l)
    }

    /// The original rows that no bucket matches: their number, and the first thousand in order. There
    /// is none in a release that is true and has all rows.
    pub fn unmatched(&self) -> (u64, Vec<u32>) {
        self.rows(|chances| chances.is_none())
    }

    /// Whether every p is exact. Otherwise some are above what they should be: those of all rows that
    /// match are 1 where there was too much work, and one of too many digits is rounded up by less
    /// than 2^-100.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn max(&self, weighting: usize) -> Ratio {
        let chances = self.chances.iter().flatten().map(|chances| chances[weighting]);
        chances.max().unwrap_or(Ratio::new(0, 1))
    }

    fn above(&self, weighting: usize, l: u32) -> (u64, Vec<u32>) {
        let most = Ratio::new(1, u128::from(l).max(1));
        self.rows(|chances| chances.is_some_and(|chances| chances[weighting] > most))
    }

    fn rows(&self, is_asked: impl Fn(Option<[Ratio; 2]>) -> bool) -> (u64, Vec<u32>) {
        let asked: Vec<bool> = self.chances.iter().map(|&chances| is_asked(chances)).collect();
        let rows = || (0u32..).zip(&self.of).filter(|(_, of)| asked[**of as usize]);
        (rows().count() as u64, rows().map(|(row, _)| row).take(LISTED).collect())
    }
}
