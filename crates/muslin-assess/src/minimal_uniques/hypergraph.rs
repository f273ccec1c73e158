//! Edges over columns, and the columns that meet the same of them.

use crate::mask::{Mask, Ones};

/// Edges, each a set of columns, seen both ways: which columns an edge has, and which edges a
/// column meets.
///
/// Columns that meet the same edges can stand for each other in every set that is looked for, so
/// they are one *class* here: perfect correlation (MH05, section 4.2), row by row.
#[derive(Default)]
pub(super) struct Hypergraph<const W: usize> {
    /// The columns of each class.
    pub(super) members: Vec<Mask<W>>,
    /// How many they are.
    pub(super) sizes: Vec<u64>,
    /// The classes of each edge.
    pub(super) edges: Vec<Mask<W>>,
    /// For each class, the edges that it meets, in `words` words.
    pub(super) met: Vec<u64>,
    pub(super) words: usize,
    by_column: Vec<u64>,
    order: Vec<u16>,
}

impl<const W: usize> Hypergraph<W> {
    /// Forgets all edges.
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.sizes.clear();
        self.edges.clear();
    }

    /// Takes these edges in; columns are merged into classes when `merge`.
    #[inline(always)]
    pub(super) fn build(&mut self, columns: &[Mask<W>], merge: bool) {
        let Self { members, sizes, edges, met, words, by_column, order } = self;
        *words = match columns.len().div_ceil(64) {
            few @ 0..=2 => few.max(1),
            3..=4 => 4,
            5..=8 => 8,
            many => many.next_multiple_of(8),
        };
        let words = *words;
        let mut all = Mask::EMPTY;
        columns.iter().for_each(|edge| all |= *edge);
        order.clear();
        order.extend(all.iter().map(small));
        by_column.clear();
        by_column.resize(order.last().map_or(0, |&last| last as usize + 1) * words, 0);
        for (index, edge) in columns.iter().enumerate() {
            for column in edge.iter() {
                by_column[column * words + index / 64] |= 1 << (index % 64);
            }
        }
        let of = |column: u16| &by_column[column as usize * words..][..words];
        if merge {
            order.sort_unstable_by(|&a, &b| of(a).cmp(of(b)).then(a.cmp(&b)));
        }
        members.clear();
        sizes.clear();
        met.clear();
        edges.clear();
        edges.resize(columns.len(), Mask::EMPTY);
        let mut previous = None;
        for &column in order.iter() {
            if !merge || previous.is_none_or(|previous| of(previous) != of(column)) {
                for (word, &bits) in of(column).iter().enumerate() {
                    Ones(bits).for_each(|bit| edges[word * 64 + bit].insert(members.len()));
                }
                members.push(Mask::EMPTY);
                sizes.push(0);
                met.extend_from_slice(of(column));
            }
            let class = members.len() - 1;
            members[class].insert(column as usize);
            sizes[class] += 1;
            previous = Some(column);
        }
    }

    /// The edges that a class meets.
    #[inline(always)]
    pub(super) fn met(&self, class: usize, words: usize) -> &[u64] {
        &self.met[class * words..][..words]
    }
}

/// Whether one of `edges` is not met.
#[inline(always)]
pub(super) fn leaves_some(edges: &[u64], met: &[u64]) -> bool {
    let mut rest = 0;
    for (edges, met) in edges.iter().zip(met) {
        rest |= edges & !met;
    }
    rest != 0
}

/// The number of a column or class: there are at most 1,024.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "masks hold no larger numbers")]
pub(super) fn small(number: usize) -> u16 {
    number as u16
}
