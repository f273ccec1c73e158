use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use arrow_schema::DataType;
use serde::{Deserialize, Serialize};

use crate::{Code, Codes, Dictionary, Error, Result, RowId};

/// What a column is to the people in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names one person by itself: a name, a number, an address.
    Identifier,
    /// Helps to single a person out together with others: age, sex, postcode.
    QuasiIdentifier,
    /// What nobody should learn about a person: a diagnosis, an income.
    Sensitive,
    /// A survey weight: how many people of the population a row stands for.
    Weight,
    /// Says which rows are one person's, such as a patient number.
    Unit,
    /// Says which persons live in one household.
    Household,
    /// None of these.
    Other,
    /// Nobody has decided yet; such a column is not released.
    Undecided,
}

impl Role {
    /// Every role, in the order in which help texts list them.
    pub const ALL: [Self; 8] = [
        Self::Identifier,
        Self::QuasiIdentifier,
        Self::Sensitive,
        Self::Weight,
        Self::Unit,
        Self::Household,
        Self::Other,
        Self::Undecided,
    ];

    /// The role's name, as flags and policy files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::QuasiIdentifier => "quasi-identifier",
            Self::Sensitive => "sensitive",
            Self::Weight => "weight",
            Self::Unit => "unit",
            Self::Household => "household",
            Self::Other => "other",
            Self::Undecided => "undecided",
        }
    }

    /// Whether such a column identifies a person or a household by itself: it is not a quasi-identifier, and no
    /// command publishes it by itself.
    pub fn is_identifying(self) -> bool {
        matches!(self, Self::Identifier | Self::Unit | Self::Household)
    }

    /// Whether such a column is published only where a policy says `publish = true`.
    pub fn is_published_on_request(self) -> bool {
        matches!(self, Self::Weight | Self::Unit | Self::Household)
    }
}

/// One column: a name, codes, and the dictionary that says what they stand for.
///
/// # Invariants
/// Every slot is below the number of values plus two, and `missing` and `suppressed` count the
/// two slots after the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    name: String,
    role: Option<Role>,
    dictionary: Dictionary,
    codes: Codes,
    missing: u64,
    suppressed: u64,
}

impl Column {
    /// A column of `codes` into `dictionary`. Counts the missing and the suppressed cells.
    pub fn new(name: impl Into<String>, dictionary: Dictionary, codes: Codes) -> Result<Self> {
        let name = name.into();
        if u32::try_from(dictionary.len()).map_or(true, |values| values > u32::MAX - 2) {
            return Err(Error::TooManyValues { name });
        }
        let values = dictionary.len();
        let (missing, suppressed, outside) = match &codes {
            Codes::U8(slots) => count_reserved(slots, values),
            Codes::U16(slots) => count_reserved(slots, values),
            Codes::U32(slots) => count_reserved(slots, values),
        };
        if outside > 0 {
            return Err(Error::Internal(format!(
                "column `{name}` has {outside} codes outside its dictionary"
            )));
        }
        Ok(Self { name, role: None, dictionary, codes, missing, suppressed })
    }

    /// A column of text: each row has one of `labels`, by position. The first position after them is
    /// missing, the second suppressed. Labels may be alike, and some unused.
    ///
    /// ```
    /// use muslin_table::Column;
    /// let column = Column::of_labels("age", &["[30-39]", "[20-29]"], [0, 1, 1, 3].into_iter())?;
    /// assert_eq!(column.codes().slots().collect::<Vec<_>>(), [1, 0, 0, 3]);
    /// # Ok::<(), muslin_table::Error>(())
    /// ```
    pub fn of_labels<L: AsRef<str>>(
        name: impl Into<String>,
        labels: &[L],
        positions: impl ExactSizeIterator<Item = u32>,
    ) -> Result<Self> {
        let name = name.into();
        let Ok(count) = u32::try_from(labels.len()) else {
            return Err(Error::TooManyValues { name });
        };
        let mut order: Vec<u32> = (0..count).collect();
        let label = |at: u32| labels[at as usize].as_ref();
        order.sort_unstable_by_key(|&at| label(at));
        let mut slot_of = vec![0u32; labels.len() + 2];
        let mut values: Vec<&str> = Vec::new();
        for at in order {
            if values.last() != Some(&label(at)) {
                values.push(label(at));
            }
            slot_of[at as usize] = u32::try_from(values.len() - 1).expect("no more than labels");
        }
        let missing = u32::try_from(values.len()).expect("no more than labels");
        slot_of[labels.len()] = missing;
        slot_of[labels.len() + 1] = missing + 1;
        let codes = Codes::pack(values.len(), positions.map(|at| slot_of[at as usize]));
        let values: ArrayRef = Arc::new(StringArray::from(values));
        Self::new(name, Dictionary::new(values), codes)
    }

    /// A column of whole numbers from zero: each row has one below `count`.
    ///
    /// ```
    /// use muslin_table::Column;
    /// let column = Column::of_numbers("bucket", 2, [1, 0, 1].into_iter())?;
    /// assert_eq!(column.codes().slots().collect::<Vec<_>>(), [1, 0, 1]);
    /// # Ok::<(), muslin_table::Error>(())
    /// ```
    pub fn of_numbers(
        name: impl Into<String>,
        count: u32,
        numbers: impl ExactSizeIterator<Item = u32>,
    ) -> Result<Self> {
        let codes = Codes::pack(count as usize, numbers);
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values((0..count).map(i64::from)));
        Self::new(name, Dictionary::new(values), codes)
    }

    /// The same column in the given role.
    #[must_use]
    pub fn with_role(mut self, role: Option<Role>) -> Self {
        self.role = role;
        self
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The role somebody gave the column.
    pub fn role(&self) -> Option<Role> {
        self.role
    }

    /// The values that codes stand for.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The type of the values.
    pub fn data_type(&self) -> &DataType {
        self.dictionary.data_type()
    }

    /// The stored codes.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The code of a row.
    pub fn code(&self, row: RowId) -> Code {
        self.code_of_slot(self.codes.slot(row.index()))
    }

    /// What a stored slot means.
    pub fn code_of_slot(&self, slot: u32) -> Code {
        match slot {
            s if s == self.missing_slot() => Code::MISSING,
            s if s == self.suppressed_slot() => Code::SUPPRESSED,
            s => Code::of_value(s),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// Number of slots: the values, missing and suppressed.
    pub fn slots(&self) -> usize {
        self.dictionary.len() + 2
    }

    /// The slot of a missing cell.
    #[expect(clippy::cast_possible_truncation, reason = "checked when the column was made")]
    pub fn missing_slot(&self) -> u32 {
        self.dictionary.len() as u32
    }

    /// The slot of a suppressed cell.
    pub fn suppressed_slot(&self) -> u32 {
        self.missing_slot() + 1
    }

    /// Number of cells the input had no value for.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Number of cells muslin took out.
    pub fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// Bytes that codes and dictionary take.
    pub fn memory(&self) -> usize {
        self.codes.memory() + self.dictionary.memory()
    }
}

fn count_reserved<S: crate::Slot>(slots: &[S], values: usize) -> (u64, u64, u64) {
    // Most columns have values only.
    if slots.iter().copied().max().is_none_or(|largest| largest.index() < values) {
        return (0, 0, 0);
    }
    let (mut missing, mut suppressed, mut outside) = (0, 0, 0);
    for slot in slots {
        let slot = slot.index();
        missing += u64::from(slot == values);
        suppressed += u64::from(slot == values + 1);
        outside += u64::from(slot > values + 1);
    }
    (missing, suppressed, outside)
}
