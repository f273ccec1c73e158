/// Lists of numbers, one after the other.
#[derive(Debug)]
pub(crate) struct Lists {
    starts: Vec<usize>,
    numbers: Vec<u32>,
}

impl Lists {
    pub(crate) fn new(lists: impl Iterator<Item = Vec<u32>>) -> Self {
        let (mut starts, mut numbers) = (vec![0], Vec::new());
        for list in lists {
            numbers.extend(list);
            starts.push(numbers.len());
        }
        Self { starts, numbers }
    }

    /// Lists of `count` keys, each with the numbers paired with it, in the order of the pairs.
    pub(crate) fn of_pairs(count: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0usize; count + 1];
        pairs.iter().for_each(|&(key, _)| starts[key as usize + 1] += 1);
        (0..count).for_each(|key| starts[key + 1] += starts[key]);
        let mut next = starts.clone();
        let mut numbers = vec![0; pairs.len()];
        for &(key, number) in pairs {
            numbers[next[key as usize]] = number;
            next[key as usize] += 1;
        }
        Self { starts, numbers }
    }

    pub(crate) fn of(&self, at: usize) -> &[u32] {
        &self.numbers[self.starts[at]..self.starts[at + 1]]
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The keys of each number below `count`: the lists turned round.
    pub(crate) fn turned(&self, count: usize) -> Self {
        let each = (0u32..).take(self.len());
        let pairs: Vec<(u32, u32)> = each
            .flat_map(|key| self.of(key as usize).iter().map(move |&number| (number, key)))
            .collect();
        Self::of_pairs(count, &pairs)
    }
}
