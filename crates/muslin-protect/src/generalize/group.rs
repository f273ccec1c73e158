//! Numbers things that agree on some codes.

use hashbrown::HashMap;

/// Agreeing things get one number, counted by first appearance.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    keys: Vec<u64>,
    space: u64,
    table: Vec<u32>,
    map: HashMap<u64, u32, foldhash::fast::FixedState>,
}

impl Numbering {
    /// Starts with `things` things, none told from another.
    pub(super) fn start(&mut self, things: usize) {
        self.keys.clear();
        self.keys.resize(things, 0);
        self.space = 1;
    }

    /// Tells things apart by codes below `codes`; `code` lists them in the order of things.
    pub(super) fn tell_apart(&mut self, codes: u32, code: impl Iterator<Item = u32>) {
        if codes < 2 {
            return;
        }
        let codes = u64::from(codes);
        if self.space.checked_mul(codes).is_none() {
            self.renumber();
        }
        self.keys
            .iter_mut()
            .zip(code)
            .for_each(|(key, code)| *key = *key * codes + u64::from(code));
        self.space *= codes;
    }

    /// Keys too long for 64 bits give way to numbers.
    fn renumber(&mut self) {
        let mut numbers = Vec::new();
        let count = self.finish(&mut numbers);
        self.keys.clear();
        self.keys.extend(numbers.into_iter().map(u64::from));
        self.space = count as u64;
    }

    /// The number of each thing into `numbers`; returns how many there are.
    pub(super) fn finish(&mut self, numbers: &mut Vec<u32>) -> usize {
        numbers.clear();
        numbers.reserve(self.keys.len());
        let mut count = 0u32;
        let direct = 8 * self.keys.len() as u64 + 1_024;
        if self.space <= direct {
            let space = usize::try_from(self.space).expect("a few times the things");
            self.table.clear();
            self.table.resize(space, u32::MAX);
            for &key in &self.keys {
                let number = &mut self.table[usize::try_from(key).expect("below the space")];
                if *number == u32::MAX {
                    *number = count;
                    count += 1;
                }
                numbers.push(*number);
            }
        } else {
            self.map.clear();
            for &key in &self.keys {
                let number = *self.map.entry(key).or_insert(count);
                count += u32::from(number == count);
                numbers.push(number);
            }
        }
        count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_tuples_however_wide() {
        // Seven columns of a billion codes do not fit 64 bits.
        let code = |row: u32, at: u32| row * 7 % 50 * (at + 1) % 13 * 70_000_000;
        let rows: Vec<[u32; 7]> =
            (0..500).map(|row| [0, 1, 2, 3, 4, 5, 6].map(|at| code(row, at))).collect();
        let mut numbering = Numbering::default();
        let mut numbers = Vec::new();
        numbering.start(rows.len());
        for at in 0..7 {
            numbering.tell_apart(1_000_000_000, rows.iter().map(|row| row[at]));
        }
        let count = numbering.finish(&mut numbers);
        let mut firsts: Vec<[u32; 7]> = Vec::new();
        for (row, &number) in rows.iter().zip(&numbers) {
            let known = firsts.iter().position(|first| first == row);
            let expected = known.unwrap_or(firsts.len());
            if known.is_none() {
                firsts.push(*row);
            }
            assert_eq!(number as usize, expected);
        }
        assert_eq!(count, firsts.len());
    }
}
