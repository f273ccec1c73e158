//! Rows of a leaf in classes of equal ones.

use muslin_engine::fold_bits;

use super::agree::cell_of;
use super::kernel::{Isa, Lanes, Task};
use super::ranked::Ranked;

/// Rows of a leaf by what they have from its lowest rank on.
#[derive(Default)]
pub(super) struct Classes {
    /// The class of each row.
    pub(super) class_of: Vec<u32>,
    /// The first row of each class.
    pub(super) first: Vec<u32>,
    /// Whether a class has one row only, that no other row equals.
    pub(super) alone: Vec<bool>,
    hashes: Vec<u64>,
    slots: Vec<u32>,
}

/// Fills [`Classes`].
pub(super) struct Classify<'a> {
    pub(super) ranked: &'a Ranked,
    pub(super) lowest: u32,
    pub(super) rows: &'a [u32],
    /// Spreads the sum of a row's cells.
    pub(super) hash: fn(u64) -> u64,
    pub(super) classes: &'a mut Classes,
}

impl Task<()> for Classify<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { ranked, lowest, rows, hash: spread, classes } = self;
        let Classes { class_of, first, alone, hashes, slots } = classes;
        class_of.clear();
        first.clear();
        alone.clear();
        hashes.clear();
        slots.clear();
        slots.resize((rows.len() * 2).next_power_of_two(), u32::MAX);
        let last = slots.len() - 1;
        for &row in rows {
            let cells = ranked.cells(row);
            let mut sum = 0u64;
            for (column, &cell) in cells.iter().enumerate() {
                let cell = if cell >= lowest { cell } else { 0 };
                // Odd and different for each column; equal hashes are compared in full below.
                let factor = (column as u64).wrapping_mul(0x9E37_79B9) & 0xFFFF_FFFF | 1;
                sum = sum.wrapping_add(u64::from(cell) * factor);
            }
            let hash = spread(sum);
            let mut slot = usize::try_from(hash & last as u64).expect("below the number of slots");
            let class = loop {
                let class = slots[slot];
                if class == u32::MAX {
                    slots[slot] = u32::try_from(first.len()).expect("no more classes than rows");
                    first.push(row);
                    hashes.push(hash);
                    alone.push(ranked.weight[row as usize] == 1);
                    break slots[slot];
                }
                if hashes[class as usize] == hash
                    && same_from(cells, ranked.cells(first[class as usize]), lowest)
                {
                    alone[class as usize] = false;
                    break class;
                }
                slot = (slot + 1) & last;
            };
            class_of.push(class);
        }
    }
}

/// Whether two rows have the same items from `lowest` on.
#[inline(always)]
fn same_from(a: &[u32], b: &[u32], lowest: u32) -> bool {
    let kept = |cell: u32| if cell >= lowest { cell } else { 0 };
    a.iter().zip(b).fold(0, |differ, (&a, &b)| differ | (kept(a) ^ kept(b))) == 0
}

/// Counts the classes of leaves; memory is reused.
#[derive(Default)]
pub(super) struct ClassCount(Classes);

impl ClassCount {
    /// Of the given rows, from a rank on: those in a class of their own, and all classes.
    pub(super) fn of(
        &mut self,
        ranked: &Ranked,
        rank: usize,
        rows: &[u32],
        isa: Isa,
    ) -> (usize, usize) {
        isa.run(Classify {
            ranked,
            lowest: cell_of(rank),
            rows,
            hash: fold_bits,
            classes: &mut self.0,
        });
        (self.0.alone.iter().filter(|alone| **alone).count(), self.0.first.len())
    }
}
