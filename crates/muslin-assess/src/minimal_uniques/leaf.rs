//! A leaf of the search: rows against rows, 512 at a time.
//!
//! Every item of the leaf has a bitmap of the partners that match it. A partner's agree set is
//! within a known one exactly when the partner matches none of the target's other items, so one
//! OR per item and one AND per known set tell for 512 partners at once which of them are new.

use super::agree::{Kept, columns_from, equal_columns};
use super::kernel::{Isa, Lanes, Task};
use super::mask::Mask;
use super::ranked::Ranked;

/// Partners that one step looks at.
const BLOCK: usize = 512;
/// An item without bitmap.
const NONE: u32 = u32::MAX;
type Bits = [u64; BLOCK / 64];

/// The bitmaps of a leaf.
pub(super) struct Leaf {
    lowest: u32,
    partners: Vec<u32>,
    /// Number of bitmaps.
    items: usize,
    /// Bitmap of each cell number, or [`NONE`].
    item_of: Vec<u32>,
    /// Number of each bitmap's item among those of its column, from one.
    code_of: Vec<u16>,
    /// Cell numbers that have an entry other than [`NONE`].
    used: Vec<u32>,
    /// Columns whose item all partners share; none where missing matches anything.
    everywhere: Vec<u16>,
    /// Bitmap of the partners that match anything in a column; empty if none does.
    wild_item_of: Vec<u32>,
    /// For each block of partners, its part of every bitmap.
    bits: Vec<Bits>,
    /// Codes of each partner by column: 0 for no item here, [`WILD`] for any.
    codes: Vec<u16>,
    stride: usize,
}

/// The code that matches every other.
const WILD: u16 = u16::MAX;

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
    fn present(&self, block: usize) -> Bits {
        let count = self.partners.len() - block * BLOCK;
        std::array::from_fn(|word| match count.saturating_sub(word * 64) {
            0 => 0,
            rest if rest >= 64 => u64::MAX,
            rest => (1 << rest) - 1,
        })
    }
}

/// What one target shares with the partners of a leaf; memory is reused.
#[derive(Default)]
pub(super) struct Scan<const W: usize> {
    /// The agree sets found; without slack, the maximal ones.
    pub(super) kept: Vec<Kept<W>>,
    /// For each column, the bitmap of the target's item, or [`NONE`].
    items: Vec<u32>,
    /// The target's codes.
    codes: Vec<u16>,
    clauses: Vec<Clause<W>>,
    pool: Vec<u32>,
    /// Partners of a block that are within one, two, ... kept sets.
    levels: Vec<Bits>,
}

/// An agree set while the leaf is scanned.
#[derive(Clone, Copy)]
struct Clause<const W: usize> {
    other: u32,
    /// Where the items that are not shared begin in the pool, and how many they are.
    start: u32,
    length: u32,
    /// Columns of the leaf that are shared.
    shared: Mask<W>,
}

impl<const W: usize> Scan<W> {
    /// Finds what `target` shares with others; true when it shares all with more than `slack`.
    pub(super) fn run(
        &mut self,
        leaf: &Leaf,
        ranked: &Ranked,
        target: u32,
        slack: u32,
        isa: Isa,
    ) -> bool {
        isa.run(ScanTask { scan: self, leaf, ranked, target, slack })
    }
}

struct ScanTask<'a, const W: usize> {
    scan: &'a mut Scan<W>,
    leaf: &'a Leaf,
    ranked: &'a Ranked,
    target: u32,
    slack: u32,
}

impl<const W: usize> Task<bool> for ScanTask<'_, W> {
    #[inline(always)]
    #[expect(clippy::too_many_lines, reason = "one loop over registers; in parts it is slower")]
    fn run<L: Lanes>(self) -> bool {
        let Self { scan, leaf, ranked, target, slack } = self;
        let Scan { kept, items, codes, clauses, pool, levels } = scan;
        kept.clear();
        clauses.clear();
        pool.clear();
        let cells = ranked.cells(target);
        let local: Mask<W> = columns_from::<L, W>(cells, leaf.lowest);
        let wild = ranked.is_wild();
        let mut everywhere = Mask::EMPTY;
        leaf.everywhere.iter().for_each(|&column| everywhere.insert(column as usize));
        // Columns with a bitmap; what all share is left out, what nobody shares is never shared.
        let mut mapped: Mask<W> = Mask::EMPTY;
        items.clear();
        items.resize(ranked.columns, NONE);
        codes.clear();
        codes.resize(leaf.stride, 0);
        for column in local.without(everywhere).iter() {
            let item = leaf.item_of[cells[column] as usize];
            if item != NONE {
                mapped.insert(column);
                items[column] = item;
                codes[column] = leaf.code_of[item as usize];
            }
        }
        let told = if wild { local } else { mapped };
        let blocks = leaf.partners.len().div_ceil(BLOCK);
        // Partners are in row order; the target's neighbours come first.
        let own = leaf.partners.partition_point(|&partner| partner < target) / BLOCK;
        let mut full = 0u32;
        let mut settled = false;
        'blocks: for step in 0..blocks {
            let index = if own + step < blocks { own + step } else { own + step - blocks };
            let block = &leaf.bits[index * leaf.items..][..leaf.items];
            let mut fresh = leaf.present(index);
            if slack == 0 {
                for clause in clauses.iter() {
                    let others =
                        or_of(block, &pool[clause.start as usize..][..clause.length as usize]);
                    let mut any = 0;
                    for word in 0..BLOCK / 64 {
                        fresh[word] &= others[word];
                        any |= fresh[word];
                    }
                    if any == 0 {
                        continue 'blocks;
                    }
                }
            } else {
                levels.clear();
                levels.resize(slack as usize + 1, [0; BLOCK / 64]);
                for clause in clauses.iter() {
                    let others =
                        or_of(block, &pool[clause.start as usize..][..clause.length as usize]);
                    raise(levels, others, ranked.weight[clause.other as usize]);
                }
                subtract(&mut fresh, levels[slack as usize]);
            }
            while let Some(at) = first_of(&fresh) {
                fresh[at / 64] &= fresh[at / 64] - 1;
                let other = leaf.partners[index * BLOCK + at];
                if other == target {
                    continue;
                }
                let start = pool.len();
                let theirs = &leaf.codes[(index * BLOCK + at) * leaf.stride..][..leaf.stride];
                let mut shared = equal_codes::<L, W>(codes, theirs) & mapped;
                if wild {
                    shared |= equal_code::<L, W>(theirs, WILD) & local;
                }
                shared |= everywhere;
                let mut others = [0; BLOCK / 64];
                let mut differ = |item: u32| {
                    let bits = &block[item as usize];
                    for word in 0..BLOCK / 64 {
                        others[word] |= bits[word];
                    }
                    pool.push(item);
                };
                for column in told.without(shared).iter() {
                    if wild {
                        differ(leaf.wild_item_of[column]);
                        if items[column] == NONE {
                            continue;
                        }
                    }
                    differ(items[column]);
                }
                let clause = Clause {
                    other,
                    start: number(start),
                    length: number(pool.len() - start),
                    shared,
                };
                if slack == 0 {
                    for word in 0..BLOCK / 64 {
                        fresh[word] &= others[word];
                    }
                    // Sets that the new one contains go.
                    let mut at = 0;
                    while at < clauses.len() {
                        if clauses[at].shared.is_within(shared) {
                            clauses.swap_remove(at);
                        } else {
                            at += 1;
                        }
                    }
                    clauses.push(clause);
                } else {
                    clauses.push(clause);
                    raise(levels, others, ranked.weight[other as usize]);
                    subtract(&mut fresh, levels[slack as usize]);
                }
                if shared == local {
                    full = full.saturating_add(ranked.weight[other as usize]);
                    if full > slack {
                        settled = true;
                        break 'blocks;
                    }
                }
            }
        }
        for clause in clauses.iter() {
            let mut shared = equal_columns::<L, W>(cells, ranked.cells(clause.other));
            if wild {
                shared |= ranked.absent::<W>(clause.other) & columns_from::<L, W>(cells, 1);
            }
            let columns = shared & local;
            kept.push(Kept { other: clause.other, columns, earlier: shared != columns });
        }
        settled
    }
}

/// Columns in which both have the same code.
#[inline(always)]
fn equal_codes<L: Lanes, const W: usize>(a: &[u16], b: &[u16]) -> Mask<W> {
    let mut columns = Mask::EMPTY;
    let chunks = a.as_chunks::<32>().0.iter().zip(b.as_chunks::<32>().0);
    for (index, (a, b)) in chunks.enumerate() {
        columns.0[index / 2] |= u64::from(L::equal_codes(a, b)) << (index % 2 * 32);
    }
    columns
}

/// Columns that have this code.
#[inline(always)]
fn equal_code<L: Lanes, const W: usize>(a: &[u16], code: u16) -> Mask<W> {
    let mut columns = Mask::EMPTY;
    for (index, a) in a.as_chunks::<32>().0.iter().enumerate() {
        columns.0[index / 2] |= u64::from(L::equal_codes(a, &[code; 32])) << (index % 2 * 32);
    }
    columns
}

/// Partners that match one of the items.
#[inline(always)]
fn or_of(block: &[Bits], items: &[u32]) -> Bits {
    let mut all = [0; BLOCK / 64];
    for &item in items {
        let bits = &block[item as usize];
        for word in 0..BLOCK / 64 {
            all[word] |= bits[word];
        }
    }
    all
}

/// Counts another kept set for the partners that are within it: those not in `others`.
#[inline(always)]
fn raise(levels: &mut [Bits], others: Bits, weight: u32) {
    for _ in 0..(weight as usize).min(levels.len()) {
        for level in (1..levels.len()).rev() {
            for word in 0..BLOCK / 64 {
                levels[level][word] |= levels[level - 1][word] & !others[word];
            }
        }
        for word in 0..BLOCK / 64 {
            levels[0][word] |= !others[word];
        }
    }
}

#[inline(always)]
fn subtract(bits: &mut Bits, other: Bits) {
    for word in 0..BLOCK / 64 {
        bits[word] &= !other[word];
    }
}

#[inline(always)]
fn first_of(bits: &Bits) -> Option<usize> {
    let word = bits.iter().position(|&word| word != 0)?;
    Some(word * 64 + bits[word].trailing_zeros() as usize)
}

/// A position in the pool: there are fewer than rows times columns.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "checked while testing; a pool is far smaller")]
fn number(position: usize) -> u32 {
    debug_assert!(u32::try_from(position).is_ok());
    position as u32
}
