//! Things that are equal, put together.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use muslin_engine::{Run, fold_bits};

use crate::Result;

/// Groups of things that agree on some numbers; numbered by their first member.
pub(crate) struct Groups {
    /// The group of each thing.
    pub(crate) of: Vec<u32>,
    /// The first member of each group.
    pub(crate) first: Vec<u32>,
    /// Members of each group.
    pub(crate) sizes: Vec<u32>,
}

impl Groups {
    /// The groups of `count` things, by the numbers that each strip has for them.
    pub(crate) fn of<S: AsRef<[u32]>>(strips: &[S], count: usize, run: &Run) -> Result<Self> {
        let strips: Vec<&[u32]> = strips.iter().map(AsRef::as_ref).collect();
        let hash = |thing: usize| {
            let mix = |hash: u64, strip: &&[u32]| fold_bits(hash ^ u64::from(strip[thing]));
            strips.iter().fold(0x5851_F42D_4C95_7F2D, mix)
        };
        let equal = |a: usize, b: usize| strips.iter().all(|strip| strip[a] == strip[b]);
        let mut table: HashTable<u32> = HashTable::new();
        let (mut of, mut first, mut sizes) = (Vec::with_capacity(count), Vec::new(), Vec::new());
        for (thing, number) in (0..count).zip(0u32..) {
            if thing % 65_536 == 0 {
                run.check()?;
            }
            let member = |group: u32| first[group as usize] as usize;
            let entry = table.entry(
                hash(thing),
                |&group| equal(member(group), thing),
                |&group| hash(member(group)),
            );
            let group = match entry {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    let group = u32::try_from(first.len()).expect("no more groups than things");
                    entry.insert(group);
                    first.push(number);
                    sizes.push(0);
                    group
                }
            };
            sizes[group as usize] += 1;
            of.push(group);
        }
        Ok(Self { of, first, sizes })
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }

    /// The members of every group.
    pub(crate) fn members(&self) -> Lists {
        let pairs = self.of.iter().zip(0u32..).map(|(&group, thing)| (group, thing));
        Lists::new(self.len(), self.of.len(), pairs)
    }
}

/// A list of numbers for each of some things.
pub(crate) struct Lists {
    starts: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    /// The lists of `things` things, of pairs of a thing and an entry; entries stay in order.
    pub(crate) fn new(
        things: usize,
        pairs: usize,
        each: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Self {
        let mut starts = vec![0usize; things + 1];
        each.clone().for_each(|(thing, _)| starts[thing as usize + 1] += 1);
        (0..things).for_each(|thing| starts[thing + 1] += starts[thing]);
        let mut next = starts.clone();
        let mut entries = vec![0u32; pairs];
        for (thing, entry) in each {
            let at = &mut next[thing as usize];
            entries[*at] = entry;
            *at += 1;
        }
        Self { starts, entries }
    }

    /// The list of one thing.
    pub(crate) fn of(&self, thing: usize) -> &[u32] {
        &self.entries[self.starts[thing]..self.starts[thing + 1]]
    }

    /// Number of things.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The lists, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|thing| self.of(thing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_are_one_group() {
        let strips = [vec![1, 2, 1, 1], vec![5, 5, 5, 6]];
        let groups = Groups::of(&strips, 4, &Run::new()).unwrap();
        assert_eq!(groups.of, [0, 1, 0, 2]);
        assert_eq!(
            (groups.first.as_slice(), groups.sizes.as_slice()),
            (&[0, 1, 3][..], &[2, 1, 1][..])
        );
        assert_eq!(groups.members().iter().collect::<Vec<_>>(), [&[0, 2][..], &[1], &[3]]);
        let none: [Vec<u32>; 0] = [];
        assert_eq!(Groups::of(&none, 3, &Run::new()).unwrap().len(), 1);
    }
}
