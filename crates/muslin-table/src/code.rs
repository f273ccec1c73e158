/// Dense stand-in for one value of one column: same code, same value; larger code, larger value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(u32);

impl Code {
    /// The input had no value here.
    pub const MISSING: Self = Self(u32::MAX);
    /// muslin took the value out.
    pub const SUPPRESSED: Self = Self(u32::MAX - 1);

    /// The code of the value at `index` of the dictionary.
    pub(crate) fn of_value(index: u32) -> Self {
        Self(index)
    }

    /// Position in the dictionary, unless the cell is missing or suppressed.
    pub fn value(self) -> Option<usize> {
        (self < Self::SUPPRESSED).then_some(self.0 as usize)
    }
}

/// The codes of a column in the narrowest width that holds them.
///
/// Stored codes are *slots*: the values of the dictionary first, then one slot for missing, then
/// one for suppressed. Slots are dense, so a slot is an index into a table of `values + 2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Codes {
    /// One byte each: up to 254 values.
    U8(Vec<u8>),
    /// Two bytes each: up to 65,534 values.
    U16(Vec<u16>),
    /// Four bytes each.
    U32(Vec<u32>),
}

/// A stored code of some width.
pub trait Slot: Copy + Send + Sync + Ord + 'static {
    /// The slot as an index.
    fn index(self) -> usize;
    /// The slot at `index`, which the width is known to hold.
    fn at(index: u32) -> Self;
}

impl Slot for u8 {
    fn index(self) -> usize {
        usize::from(self)
    }
    #[expect(clippy::cast_possible_truncation, reason = "the width was chosen to fit")]
    fn at(index: u32) -> Self {
        debug_assert!(index <= u32::from(Self::MAX));
        index as Self
    }
}

impl Slot for u16 {
    fn index(self) -> usize {
        usize::from(self)
    }
    #[expect(clippy::cast_possible_truncation, reason = "the width was chosen to fit")]
    fn at(index: u32) -> Self {
        debug_assert!(index <= u32::from(Self::MAX));
        index as Self
    }
}

impl Slot for u32 {
    fn index(self) -> usize {
        self as usize
    }
    fn at(index: u32) -> Self {
        index
    }
}

impl Codes {
    /// Packs `slots`, of a dictionary of `values` values, in the narrowest width.
    pub fn pack(values: usize, slots: impl ExactSizeIterator<Item = u32>) -> Self {
        match Self::width(values) {
            1 => Self::U8(slots.map(u8::at).collect()),
            2 => Self::U16(slots.map(u16::at).collect()),
            _ => Self::U32(slots.collect()),
        }
    }

    /// Bytes per code for a dictionary of `values` values; room for missing and suppressed
    /// is always there, so that suppressing never widens a column.
    pub fn width(values: usize) -> usize {
        match values {
            0..=0xFE => 1,
            0xFF..=0xFFFE => 2,
            _ => 4,
        }
    }

    /// Number of codes.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(slots) => slots.len(),
            Self::U16(slots) => slots.len(),
            Self::U32(slots) => slots.len(),
        }
    }

    /// Whether there is no code.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slot at a position.
    pub fn slot(&self, index: usize) -> u32 {
        match self {
            Self::U8(slots) => u32::from(slots[index]),
            Self::U16(slots) => u32::from(slots[index]),
            Self::U32(slots) => slots[index],
        }
    }

    /// Every slot in row order, widened. Hot loops match on the width instead.
    pub fn slots(&self) -> Box<dyn ExactSizeIterator<Item = u32> + '_> {
        match self {
            Self::U8(slots) => Box::new(slots.iter().map(|&s| u32::from(s))),
            Self::U16(slots) => Box::new(slots.iter().map(|&s| u32::from(s))),
            Self::U32(slots) => Box::new(slots.iter().copied()),
        }
    }

    /// Bytes that the codes take.
    pub fn memory(&self) -> usize {
        match self {
            Self::U8(slots) => slots.capacity(),
            Self::U16(slots) => slots.capacity() * 2,
            Self::U32(slots) => slots.capacity() * 4,
        }
    }
}
