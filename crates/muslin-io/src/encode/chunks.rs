use muslin_table::Codes;

/// The numbers of a column, one chunk per batch, each in the width that it needs.
///
/// Chunks are never copied to grow; they are read once, at the end, and freed on the way.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    parts: Vec<Codes>,
    rows: usize,
    bytes: usize,
}

impl Chunks {
    /// The number of a missing cell; values are numbered from one.
    pub(super) const MISSING: u32 = 0;

    pub(super) fn push(&mut self, numbers: &[u32]) {
        let largest = numbers.iter().copied().max().unwrap_or(0);
        // `pack` leaves room for two more slots than it is told of, and numbers start at one.
        let chunk = Codes::pack((largest as usize).saturating_sub(1), numbers.iter().copied());
        self.rows += numbers.len();
        self.bytes += chunk.memory();
        self.parts.push(chunk);
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn memory(&self) -> usize {
        self.bytes
    }

    /// The first row with this number.
    pub(super) fn first_row(&self, number: u32) -> Option<u64> {
        let mut numbers = self.parts.iter().flat_map(Codes::slots);
        numbers.position(|n| n == number).map(|row| row as u64)
    }

    /// Codes of a dictionary of `values` values; `slots[n]` is the slot of number `n`.
    pub(super) fn finish(self, values: usize, slots: &[u32]) -> Codes {
        match Codes::width(values) {
            1 => Codes::U8(self.map(slots, |slot| slot.to_le_bytes()[0])),
            2 => Codes::U16(self.map(slots, |slot| {
                let [low, high, ..] = slot.to_le_bytes();
                u16::from_le_bytes([low, high])
            })),
            _ => Codes::U32(self.map(slots, |slot| slot)),
        }
    }

    fn map<S: Copy>(self, slots: &[u32], narrow: impl Fn(u32) -> S) -> Vec<S> {
        let slots: Vec<S> = slots.iter().map(|&slot| narrow(slot)).collect();
        let mut all = Vec::with_capacity(self.rows);
        for part in self.parts {
            match part {
                Codes::U8(numbers) => all.extend(numbers.iter().map(|&n| slots[usize::from(n)])),
                Codes::U16(numbers) => all.extend(numbers.iter().map(|&n| slots[usize::from(n)])),
                Codes::U32(numbers) => all.extend(numbers.iter().map(|&n| slots[n as usize])),
            }
        }
        all
    }
}
