use muslin_table::{ColumnId, EncodedTable};

/// The cells of some columns, row by row: each column has bits of its own in the row's words.
///
/// A *mask* has as many words, with the bits of some columns set. Two rows agree on these columns
/// when their words agree under the mask. There is at least one word, so that a row of no columns
/// has one too.
pub(crate) struct Keys {
    width: usize,
    fields: Vec<Field>,
    words: Vec<u64>,
}

/// Where a column is in the words of a row.
#[derive(Clone, Copy)]
struct Field {
    word: usize,
    shift: u32,
    bits: u64,
}

impl Keys {
    /// The cells of `columns`; missing and suppressed are values of their own.
    pub(crate) fn pack(table: &EncodedTable, columns: &[ColumnId]) -> Self {
        let fields = fields(columns.iter().map(|&id| table.column(id).slots()));
        let width = fields.last().map_or(0, |field| field.word) + 1;
        let mut words = vec![0; table.rows() * width];
        for (&id, field) in columns.iter().zip(&fields) {
            let slots = table.column(id).codes().slots();
            for (row, slot) in words.chunks_exact_mut(width).zip(slots) {
                row[field.word] |= u64::from(slot) << field.shift;
            }
        }
        Self { width, fields, words }
    }

    /// The cells of another table, whose columns have the slots of those packed here. `slots` gives
    /// those of a column, by its place, row by row.
    pub(crate) fn like<I: Iterator<Item = u32>>(
        &self,
        rows: usize,
        slots: impl Fn(usize) -> I,
    ) -> Self {
        let mut words = vec![0; rows * self.width];
        for (place, field) in self.fields.iter().enumerate() {
            for (row, slot) in words.chunks_exact_mut(self.width).zip(slots(place)) {
                row[field.word] |= u64::from(slot) << field.shift;
            }
        }
        Self { width: self.width, fields: self.fields.clone(), words }
    }

    /// Words of a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The words of a row.
    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.width..][..self.width]
    }

    /// The mask of every column.
    pub(crate) fn all(&self) -> Vec<u64> {
        let mut mask = vec![0; self.width];
        self.fields.iter().for_each(|field| mask[field.word] |= field.bits);
        mask
    }

    /// Takes a column, by its place among those that were packed, out of a mask.
    pub(crate) fn hide(&self, mask: &mut [u64], column: usize) {
        let field = self.fields[column];
        mask[field.word] &= !field.bits;
    }

    /// A mask for each column that is not in `mask`.
    pub(crate) fn hidden<'a>(&'a self, mask: &'a [u64]) -> impl Iterator<Item = Vec<u64>> + 'a {
        let hidden = self.fields.iter().filter(|field| mask[field.word] & field.bits == 0);
        hidden.map(|field| {
            let mut only = vec![0; self.width];
            only[field.word] = field.bits;
            only
        })
    }
}

/// Bits for columns of so many slots, one after the other; none is split between two words.
fn fields(slots: impl Iterator<Item = usize>) -> Vec<Field> {
    let (mut word, mut used) = (0, 0);
    let field = |slots: usize| {
        let bits = usize::BITS - (slots - 1).leading_zeros();
        if used + bits > u64::BITS {
            (word, used) = (word + 1, 0);
        }
        let field = Field { word, shift: used, bits: (u64::MAX >> (u64::BITS - bits)) << used };
        used += bits;
        field
    };
    slots.map(field).collect()
}

/// Whether two rows agree under a mask.
pub(crate) fn agree(a: &[u64], b: &[u64], mask: &[u64]) -> bool {
    a.iter().zip(b).zip(mask).all(|((a, b), mask)| (a ^ b) & mask == 0)
}

/// A hash of what a mask leaves of a row. Rows that agree have the same.
pub(crate) fn hash(row: &[u64], mask: &[u64]) -> u64 {
    row.iter().zip(mask).fold(0x243F_6A88_85A3_08D3, |hash, (word, mask)| mix(hash, word & mask))
}

/// One more word in a hash: both halves of a product, so that every bit counts at both ends.
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    let wide = u128::from(hash ^ word) * 0x9E37_79B9_7F4A_7C15;
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    let (low, high) = (wide as u64, (wide >> 64) as u64);
    low ^ high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_agree_where_their_cells_do_in_a_table_of_many_words() {
        // 3, 300 and 70,000 values take 3, 9 and 17 bits: forty columns take several words.
        let values = [3i64, 300, 70_000];
        let column = |c: usize| {
            let cell = |row: i64| Some(row % values[c % 3]).filter(|_| row % 7 != 3);
            (format!("c{c}"), (0..70_000).map(cell).collect::<Vec<_>>())
        };
        let table = EncodedTable::of_columns((0..40).map(column));
        let columns: Vec<ColumnId> = table.all_columns().iter().collect();
        let keys = Keys::pack(&table, &columns);
        assert!(keys.width() > 5);
        for (place, &id) in columns.iter().enumerate() {
            let mut rest = keys.all();
            keys.hide(&mut rest, place);
            let mask: Vec<u64> =
                keys.all().iter().zip(&rest).map(|(all, rest)| all ^ rest).collect();
            let codes = table.column(id).codes();
            for (a, b) in [(0, 3), (0, 300), (3, 10), (3, 303), (1, 2), (69_999, 299)] {
                let same = codes.slot(a) == codes.slot(b);
                assert_eq!(agree(keys.row(a), keys.row(b), &mask), same);
                assert!(!same || hash(keys.row(a), &mask) == hash(keys.row(b), &mask));
            }
        }
    }

    #[test]
    fn rows_of_no_columns_agree() {
        let keys = Keys::pack(&EncodedTable::of(&[[1], [2]]), &[]);
        assert!(agree(keys.row(0), keys.row(1), &keys.all()));
    }
}
