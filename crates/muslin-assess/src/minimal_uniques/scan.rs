//! A target against the partners of a leaf, 512 at a time.

use super::agree::{Kept, columns_from, equal_columns};
use super::kernel::{Isa, Lanes, Task};
use super::leaf::{BLOCK, Bits, Leaf, NONE, WILD};
use super::ranked::Ranked;
use crate::mask::Mask;

/// What one target shares with the partners of a leaf; memory is reused.
#[derive(Default)]
pub(super) struct Scan<const W: usize> {
    /// The agree sets found; without slack, the maximal ones.
    pub(super) kept: Vec<Kept<W>>,
    /// For each column, the bitmap of the target's item, or [`NONE`].
    items: Vec<u32>,
    /// The target's codes.
    codes: Vec<u16>,
    /// Agree sets so far: the columns of the leaf that are shared.
    known: Vec<Mask<W>>,
    /// For each of them, the items that are not shared.
    clauses: Vec<Clause>,
    pool: Vec<u32>,
    /// Partners of a block that are within one, two, ... of them.
    levels: Vec<Bits>,
}

/// The items of the target that it does not share with another row: a partner is within their
/// agree set exactly when it has none of these.
#[derive(Clone, Copy)]
struct Clause {
    other: u32,
    /// Where they begin in the pool, and how many they are.
    start: u32,
    length: u32,
}

/// The columns of a target.
#[derive(Clone, Copy)]
struct Columns<const W: usize> {
    /// Those with an item of the leaf's ranks.
    local: Mask<W>,
    /// Of these, those whose item some partners share and others do not.
    mapped: Mask<W>,
    /// Of these, those whose item all partners share.
    everywhere: Mask<W>,
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

    /// Gets ready for a target.
    #[inline(always)]
    fn aim<L: Lanes>(&mut self, leaf: &Leaf, cells: &[u32]) -> Columns<W> {
        self.known.clear();
        self.clauses.clear();
        self.pool.clear();
        self.items.clear();
        self.items.resize(cells.len(), NONE);
        self.codes.clear();
        self.codes.resize(leaf.stride, 0);
        let local: Mask<W> = columns_from::<L, W>(cells, leaf.lowest);
        let (mut mapped, mut everywhere) = (Mask::EMPTY, Mask::EMPTY);
        leaf.everywhere.iter().for_each(|&column| everywhere.insert(column as usize));
        for column in local.without(everywhere).iter() {
            let item = leaf.item_of[cells[column] as usize];
            if item != NONE {
                mapped.insert(column);
                self.items[column] = item;
                self.codes[column] = leaf.code_of[item as usize];
            }
        }
        Columns { local, mapped, everywhere }
    }

    #[inline(always)]
    fn items_of(&self, clause: Clause) -> &[u32] {
        &self.pool[clause.start as usize..][..clause.length as usize]
    }

    /// Partners of a block that may be within no known set; true when they are within none.
    #[inline(always)]
    fn fresh(&self, block: &[Bits], mut fresh: Bits) -> (Bits, bool) {
        for (index, &clause) in self.clauses.iter().enumerate() {
            let others = or_of(block, self.items_of(clause));
            let mut any = 0;
            for word in 0..BLOCK / 64 {
                fresh[word] &= others[word];
                any |= fresh[word];
            }
            if any == 0 {
                return (fresh, true);
            }
            // A few that are left are looked at one by one sooner than by all other clauses.
            if index % 8 == 7 {
                let left = self.clauses.len() - index - 1;
                let some: u32 = fresh.iter().map(|word| word.count_ones()).sum();
                if some as usize * (16 + self.known.len() / 4) < left * clause.length as usize {
                    return (fresh, false);
                }
            }
        }
        (fresh, true)
    }

    /// Partners of a block that are within known sets of at most `slack` rows; the others are not.
    #[inline(always)]
    fn fresh_counted(
        &mut self,
        block: &[Bits],
        mut fresh: Bits,
        slack: u32,
        ranked: &Ranked,
    ) -> Bits {
        self.levels.clear();
        self.levels.resize(slack as usize + 1, [0; BLOCK / 64]);
        for &clause in &self.clauses {
            let items = &self.pool[clause.start as usize..][..clause.length as usize];
            let weight = ranked.weight[clause.other as usize];
            raise(&mut self.levels, or_of(block, items), weight);
        }
        subtract(&mut fresh, self.levels[slack as usize]);
        fresh
    }

    /// Whether a set is within a known one.
    #[inline(always)]
    fn is_known(&self, shared: Mask<W>) -> bool {
        let mut chunks = self.known.chunks_exact(8);
        let within = |known: &[Mask<W>]| {
            known.iter().fold(false, |any, known| any | shared.is_within(*known))
        };
        chunks.any(within) || within(chunks.remainder())
    }

    /// Takes a set in; returns the partners of the block that are not within it.
    #[inline(always)]
    fn learn(
        &mut self,
        other: u32,
        shared: Mask<W>,
        of: &Columns<W>,
        leaf: &Leaf,
        block: &[Bits],
    ) -> Bits {
        let start = self.pool.len();
        let wild = !leaf.wild_item_of.is_empty();
        let told = if wild { of.local } else { of.mapped };
        let mut others = [0; BLOCK / 64];
        for column in told.without(shared).iter() {
            let wild_item = if wild { leaf.wild_item_of[column] } else { NONE };
            for item in [self.items[column], wild_item] {
                if item != NONE {
                    self.pool.push(item);
                    let bits = &block[item as usize];
                    for word in 0..BLOCK / 64 {
                        others[word] |= bits[word];
                    }
                }
            }
        }
        let length = number(self.pool.len() - start);
        self.clauses.push(Clause { other, start: number(start), length });
        self.known.push(shared);
        others
    }

    /// Forgets sets within one that is about to be taken in.
    #[inline(always)]
    fn forget_within(&mut self, shared: Mask<W>) {
        let mut at = 0;
        while at < self.known.len() {
            if self.known[at].is_within(shared) {
                self.known.swap_remove(at);
                self.clauses.swap_remove(at);
            } else {
                at += 1;
            }
        }
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
    fn run<L: Lanes>(self) -> bool {
        let Self { scan, leaf, ranked, target, slack } = self;
        let cells = ranked.cells(target);
        let of: Columns<W> = scan.aim::<L>(leaf, cells);
        let wild = ranked.is_wild();
        let blocks = leaf.partners.len().div_ceil(BLOCK);
        // Partners are in row order; the target's neighbours come first.
        let own = leaf.partners.partition_point(|&partner| partner < target) / BLOCK;
        let mut full = 0u32;
        'blocks: for step in 0..blocks {
            let index = if own + step < blocks { own + step } else { own + step - blocks };
            let block = &leaf.bits[index * leaf.items..][..leaf.items];
            let present = leaf.present(index);
            let (mut fresh, sure) = if slack == 0 {
                scan.fresh(block, present)
            } else {
                (scan.fresh_counted(block, present, slack, ranked), true)
            };
            while let Some(at) = first_of(&fresh) {
                fresh[at / 64] &= fresh[at / 64] - 1;
                let other = leaf.partners[index * BLOCK + at];
                if other == target {
                    continue;
                }
                let theirs = &leaf.codes[(index * BLOCK + at) * leaf.stride..][..leaf.stride];
                let mut shared = equal_codes::<L, W>(&scan.codes, theirs) & of.mapped;
                if wild {
                    shared |= equal_code::<L, W>(theirs, WILD) & of.local;
                }
                shared |= of.everywhere;
                if !sure && scan.is_known(shared) {
                    continue;
                }
                if slack == 0 {
                    scan.forget_within(shared);
                    let others = scan.learn(other, shared, &of, leaf, block);
                    for word in 0..BLOCK / 64 {
                        fresh[word] &= others[word];
                    }
                } else {
                    let others = scan.learn(other, shared, &of, leaf, block);
                    raise(&mut scan.levels, others, ranked.weight[other as usize]);
                    subtract(&mut fresh, scan.levels[slack as usize]);
                }
                if shared == of.local {
                    full = full.saturating_add(ranked.weight[other as usize]);
                    if full > slack {
                        break 'blocks;
                    }
                }
            }
        }
        scan.kept.clear();
        for clause in &scan.clauses {
            let mut shared = equal_columns::<L, W>(cells, ranked.cells(clause.other));
            if wild {
                shared |= ranked.absent::<W>(clause.other) & columns_from::<L, W>(cells, 1);
            }
            let columns = shared & of.local;
            scan.kept.push(Kept { other: clause.other, columns, earlier: shared != columns });
        }
        full > slack
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
