use muslin_table::{Codes, Slot};

/// The numbers of a column's cells, in the width that the largest so far needs.
///
/// They are renumbered in place at the end, so a column is in memory once.
#[derive(Debug)]
pub(super) struct Numbers {
    codes: Codes,
    /// Rows that there will be, about.
    expected: usize,
}

impl Default for Numbers {
    fn default() -> Self {
        Self { codes: Codes::U8(Vec::new()), expected: 0 }
    }
}

impl Numbers {
    /// The number of a missing cell; values are numbered from one.
    pub(super) const MISSING: u32 = 0;

    /// Makes room for about so many rows in all, so that it need not be made again and again.
    pub(super) fn expect(&mut self, rows: usize) {
        self.expected = rows;
        let more = rows.saturating_sub(self.codes.len());
        // An estimate may be far too high: where there is no such room, it is made as rows come.
        let _hint = match &mut self.codes {
            Codes::U8(all) => all.try_reserve_exact(more),
            Codes::U16(all) => all.try_reserve_exact(more),
            Codes::U32(all) => all.try_reserve_exact(more),
        };
    }

    /// Appends the numbers of some rows.
    pub(super) fn push(&mut self, numbers: &[u32]) {
        // Wider than a width if and only if the largest of them is.
        let bits = numbers.iter().fold(0, |bits, &number| bits | number);
        if let Codes::U8(narrow) = &self.codes
            && bits > u32::from(u8::MAX)
        {
            self.codes = Codes::U16(widened(narrow, self.expected));
        }
        if let Codes::U16(narrow) = &self.codes
            && bits > u32::from(u16::MAX)
        {
            self.codes = Codes::U32(widened(narrow, self.expected));
        }
        match &mut self.codes {
            Codes::U8(all) => all.extend(numbers.iter().map(|&number| u8::at(number))),
            Codes::U16(all) => all.extend(numbers.iter().map(|&number| u16::at(number))),
            Codes::U32(all) => all.extend_from_slice(numbers),
        }
    }

    /// Rows so far.
    pub(super) fn rows(&self) -> usize {
        self.codes.len()
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        let width = match &self.codes {
            Codes::U8(_) => 1,
            Codes::U16(_) => 2,
            Codes::U32(_) => 4,
        };
        self.codes.len() * width
    }

    /// The first row with this number.
    pub(super) fn first_row(&self, number: u32) -> Option<u64> {
        self.codes.slots().position(|n| n == number).map(|row| row as u64)
    }

    /// Codes of a dictionary of `values` values; `slots[n]` is the slot of number `n`.
    pub(super) fn finish(self, values: usize, slots: &[u32]) -> Codes {
        fn renumber<S: Slot>(mut codes: Vec<S>, slots: &[u32]) -> Vec<S> {
            let slots: Vec<S> = slots.iter().map(|&slot| S::at(slot)).collect();
            codes.iter_mut().for_each(|code| *code = slots[code.index()]);
            codes.shrink_to_fit();
            codes
        }
        match (Codes::width(values), self.codes) {
            (1, Codes::U8(mut codes)) => {
                // As many places as a byte has values: nothing to check at every cell.
                let mut places = [0u8; 256];
                slots.iter().zip(&mut places).for_each(|(&slot, place)| *place = u8::at(slot));
                codes.iter_mut().for_each(|code| *code = places[usize::from(*code)]);
                codes.shrink_to_fit();
                Codes::U8(codes)
            }
            (2, Codes::U16(codes)) => Codes::U16(renumber(codes, slots)),
            (4, Codes::U32(codes)) => Codes::U32(renumber(codes, slots)),
            // Values that became one, or the two slots after the values, ask for another width.
            (_, codes) => Codes::pack(values, codes.slots().map(|number| slots[number as usize])),
        }
    }
}

/// The same numbers in another width, with room for `rows` of them where there is any.
fn widened<N: Copy, W: From<N>>(numbers: &[N], rows: usize) -> Vec<W> {
    let mut wide = Vec::new();
    let _hint = wide.try_reserve_exact(rows);
    wide.extend(numbers.iter().map(|&number| W::from(number)));
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_that_no_machine_has_room_for_does_no_harm() {
        let mut numbers = Numbers::default();
        numbers.expect(usize::MAX);
        numbers.push(&[1, 2]);
        numbers.push(&[300, 70_000]);
        assert_eq!(numbers.codes.slots().collect::<Vec<_>>(), [1, 2, 300, 70_000]);
    }
}
