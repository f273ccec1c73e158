use super::kernel::expect_soon;

/// Places at the start: twice as many as the values for which the table is first made.
const PLACES: usize = 1 << 18;

/// The half of a hash that is kept.
pub(super) fn tag(hash: u64) -> u32 {
    let [.., a, b, c, d] = hash.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// Tags and numbers at places that the tags decide; a third of the places or more stays free, so a
/// look-up seldom goes beyond one line of memory. A number is never zero, which marks a free place.
pub(super) struct TagTable {
    places: Vec<(u32, u32)>,
    used: usize,
}

impl TagTable {
    pub(super) fn new() -> Self {
        Self { places: vec![(0, 0); PLACES], used: 0 }
    }

    pub(super) fn memory(&self) -> usize {
        self.places.capacity() * size_of::<(u32, u32)>()
    }

    /// The place where the search for a tag begins.
    fn place(&self, tag: u32) -> usize {
        let spread = u64::from(tag).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = spread >> (64 - self.places.len().trailing_zeros());
        usize::try_from(place).expect("a place in memory")
    }

    /// The numbers under a tag, in the order of search.
    fn numbers_of(&self, tag: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.place(tag);
        let places = self.places[start..].iter().chain(&self.places[..start]);
        places
            .take_while(|place| place.1 != 0)
            .filter(move |place| place.0 == tag)
            .map(|place| place.1)
    }

    #[inline]
    pub(super) fn find(&self, tag: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.numbers_of(tag).find(|&number| is_it(number))
    }

    /// The number that a search for a tag looks at first.
    pub(super) fn first_of(&self, tag: u32) -> Option<u32> {
        self.numbers_of(tag).next()
    }

    pub(super) fn expect_soon(&self, tag: u32) {
        expect_soon(&self.places, self.place(tag));
    }

    pub(super) fn insert(&mut self, tag: u32, number: u32) {
        if self.used * 3 >= self.places.len() * 2 {
            let larger = vec![(0, 0); self.places.len() * 2];
            let smaller = std::mem::replace(&mut self.places, larger);
            let used = smaller.into_iter().filter(|place| place.1 != 0);
            used.for_each(|(tag, number)| self.put(tag, number));
        }
        self.put(tag, number);
        self.used += 1;
    }

    fn put(&mut self, tag: u32, number: u32) {
        let mut at = self.place(tag);
        while self.places[at].1 != 0 {
            at = (at + 1) & (self.places.len() - 1);
        }
        self.places[at] = (tag, number);
    }
}
