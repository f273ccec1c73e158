use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use muslin_engine::Run;

use crate::Result;

/// Things that are equal, put together. Classes are numbered by their first member.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Classes {
    /// The class of each thing.
    pub(crate) of: Vec<u32>,
    /// The first member of each class.
    pub(crate) first: Vec<u32>,
}

impl Classes {
    /// The classes of `count` things; equal ones have the same hash. There are no more than 32 bits
    /// can number.
    pub(crate) fn new(
        count: usize,
        hash: impl Fn(usize) -> u64,
        equal: impl Fn(usize, usize) -> bool,
        run: &Run,
    ) -> Result<Self> {
        let mut table: HashTable<u32> = HashTable::new();
        let (mut of, mut first) = (Vec::with_capacity(count), Vec::new());
        for (thing, number) in (0..count).zip(0u32..) {
            if thing % 65_536 == 0 {
                run.check()?;
            }
            let member = |class: u32| first[class as usize] as usize;
            let entry = table.entry(
                hash(thing),
                |&class| equal(member(class), thing),
                |&class| hash(member(class)),
            );
            let class = match entry {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    let class = u32::try_from(first.len()).expect("no more classes than things");
                    entry.insert(class);
                    first.push(number);
                    class
                }
            };
            of.push(class);
        }
        Ok(Self { of, first })
    }

    /// Number of classes.
    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }

    /// Members of each class.
    pub(crate) fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.len()];
        self.of.iter().for_each(|&class| sizes[class as usize] += 1);
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_that_always_collides_makes_the_same_classes() {
        let things: Vec<u64> = (0..2_000).map(|thing| thing * 7 % 31).collect();
        let equal = |a: usize, b: usize| things[a] == things[b];
        let spread = Classes::new(things.len(), |thing| things[thing] << 57, equal, &Run::new());
        let same = Classes::new(things.len(), |_| 0, equal, &Run::new());
        let (spread, same) = (spread.unwrap(), same.unwrap());
        assert_eq!(spread, same);
        assert_eq!(same.first, (0..31).collect::<Vec<_>>());
        assert_eq!(same.sizes().iter().sum::<u32>(), 2_000);
    }
}
