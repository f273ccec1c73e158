//! A leaf of the search: rows against rows, 512 at a time.
//!
//! Every item of the leaf has a bitmap of the partners that match it. A partner's agree set is
//! within a known one exactly when the partner matches none of the target's other items, so one
//! OR per item and one AND per known set tell for 512 partners at once which of them are new.

use super::ranked::Ranked;

/// Partners that one step looks at.
pub(super) const BLOCK: usize = 512;
/// An item without bitmap.
pub(super) const NONE: u32 = u32::MAX;
/// A bit for each partner of a block.
pub(super) type Bits = [u64; BLOCK / 64];

/// The bitmaps of a leaf.
pub(super) struct Leaf {
    pub(super) lowest: u32,
    pub(super) partners: Vec<u32>,
    /// Number of bitmaps.
    pub(super) items: usize,
    /// Bitmap of each cell number, or [`NONE`].
    pub(super) item_of: Vec<u32>,
    /// Number of each bitmap's item among those of its column, from one.
    pub(super) code_of: Vec<u16>,
    /// Cell numbers that have an entry other than [`NONE`].
    used: Vec<u32>,
    /// Columns whose item all partners share; none where missing matches anything.
    pub(super) everywhere: Vec<u16>,
    /// Bitmap of the partners that match anything in a column; empty if none does.
    pub(super) wild_item_of: Vec<u32>,
    /// For each block of partners, its part of every bitmap.
    pub(super) bits: Vec<Bits>,
    /// Codes of each partner by column: 0 for no item here, [`WILD`] for any.
    pub(super) codes: Vec<u16>,
    pub(super) stride: usize,
}

/// The code that matches every other.
pub(super) const WILD: u16 = u16::MAX;

impl Leaf {
    pub(super) fn new(ranked: &Ranked) -> Self {
        Self {
            lowest: 0,
            partners: Vec::new(),
            items: 0,
            item_of: vec![NONE; ranked.ranks() + 1],
            code_of: Vec::new(),
            used: Vec::new(),
            everywhere: Vec::new(),
            wild_item_of: Vec::new(),
            bits: Vec::new(),
            codes: Vec::new(),
            stride: ranked.columns.next_multiple_of(32).max(32),
        }
    }

    /// Bitmaps of the items that `targets` have from `lowest` on; false when there are more
    /// items in a column than codes.
    pub(super) fn build(
        &mut self,
        ranked: &Ranked,
        lowest: u32,
        targets: &[u32],
        partners: &[u32],
    ) -> bool {
        self.used.iter().for_each(|&cell| self.item_of[cell as usize] = NONE);
        self.used.clear();
        self.lowest = lowest;
        self.partners.clear();
        self.partners.extend_from_slice(partners);
        for &row in targets {
            for &cell in ranked.cells(row).iter().filter(|&&cell| cell >= lowest) {
                if self.item_of[cell as usize] == NONE {
                    self.item_of[cell as usize] = 0;
                    self.used.push(cell);
                }
            }
        }
        for &row in partners {
            for &cell in ranked.cells(row).iter().filter(|&&cell| cell >= lowest) {
                let count = &mut self.item_of[cell as usize];
                *count = count.saturating_add(u32::from(*count != NONE));
            }
        }
        // An item of one partner is shared with nobody; one of all partners tells nothing.
        let wild = ranked.is_wild();
        let (mut items, all) = (0, partners.len());
        let mut codes = vec![0u16; ranked.columns];
        self.code_of.clear();
        self.everywhere.clear();
        for &cell in &self.used {
            let count = &mut self.item_of[cell as usize];
            let column = ranked.column_of[cell as usize - 1];
            if !wild && *count as usize == all {
                self.everywhere.push(column);
            } else if *count > 1 {
                let code = &mut codes[column as usize];
                *code += 1;
                if *code == WILD {
                    return false;
                }
                self.code_of.push(*code);
                *count = items;
                items += 1;
                continue;
            }
            *count = NONE;
        }
        self.wild_item_of.clear();
        if wild {
            self.wild_item_of.extend((0u32..).take(ranked.columns).map(|column| items + column));
            items += u32::try_from(ranked.columns).expect("at most 1,024 columns");
        }
        self.items = items as usize;
        self.bits.clear();
        self.bits.resize(self.items * partners.len().div_ceil(BLOCK), [0; BLOCK / 64]);
        self.codes.clear();
        self.codes.resize(partners.len() * self.stride, 0);
        for (at, (&row, codes)) in
            partners.iter().zip(self.codes.chunks_exact_mut(self.stride)).enumerate()
        {
            let block = &mut self.bits[at / BLOCK * self.items..][..self.items];
            let (word, bit) = (at % BLOCK / 64, 1u64 << (at % 64));
            for (&cell, code) in ranked.cells(row).iter().zip(&mut *codes) {
                if cell >= lowest {
                    let item = self.item_of[cell as usize];
                    if item != NONE {
                        block[item as usize][word] |= bit;
                        *code = self.code_of[item as usize];
                    }
                }
            }
            if wild {
                for column in ranked.absent_columns(row) {
                    block[self.wild_item_of[column] as usize][word] |= bit;
                    codes[column] = WILD;
                }
            }
        }
        true
    }

    /// The partners of a block, all bits set.
    pub(super) fn present(&self, block: usize) -> Bits {
        let count = self.partners.len() - block * BLOCK;
        std::array::from_fn(|word| match count.saturating_sub(word * 64) {
            0 => 0,
            rest if rest >= 64 => u64::MAX,
            rest => (1 << rest) - 1,
        })
    }
}
