/// A set of small numbers of a fixed range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// No number of the first `range`.
    pub(super) fn none(range: usize) -> Self {
        Self(vec![0; range.div_ceil(64)])
    }

    /// All of the first `range`.
    pub(super) fn all(range: usize) -> Self {
        Self::of(range, 0..range)
    }

    /// These of the first `range`.
    pub(super) fn of(range: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut bits = Self::none(range);
        members.into_iter().for_each(|member| bits.insert(member));
        bits
    }

    pub(super) fn insert(&mut self, member: usize) {
        self.0[member / 64] |= 1 << (member % 64);
    }

    pub(super) fn remove(&mut self, member: usize) {
        self.0[member / 64] &= !(1 << (member % 64));
    }

    pub(super) fn contains(&self, member: usize) -> bool {
        self.0[member / 64] >> (member % 64) & 1 == 1
    }

    pub(super) fn remove_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Members of both.
    pub(super) fn shared(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// The members, in rising order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        members(self.0.iter().copied())
    }

    /// The members of both, in rising order.
    pub(super) fn iter_shared<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = usize> + 'a {
        members(self.0.iter().zip(&other.0).map(|(a, b)| a & b))
    }
}

fn members(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(at, word)| {
        std::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1)))
            .take_while(|&w| w != 0)
            .map(move |w| at * 64 + w.trailing_zeros() as usize)
    })
}
