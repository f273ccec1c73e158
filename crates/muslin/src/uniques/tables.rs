//! Which tables a search can write, and their columns.

use arrow_schema::DataType;

/// What a table lists. Rows have their numbers in the input, from zero; what is joined is joined
/// by `|`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UniquesTable {
    /// Every minimal unique: `row` (the first that holds it), `size`, `support`, `columns`, with
    /// `k` above one `rows`, and `values` where they are shown.
    List,
    /// Every row: `row`, `suda`, `dis_suda`, `uniques`, `smallest`.
    Scores,
    /// Rows by what singles them out: `columns`, `size`, `rows_count`, `rows`, and `values` of
    /// items where they are shown; the most rows first.
    Groups(GroupBy),
    /// The rows that hold a minimal unique, ranked in three ways, 1 for the most novel: `fewest`
    /// (items of the smallest), `group` (rows of its smallest group by columns), `uniques`.
    Novelty,
    /// What each column adds to the score of each row: `row`, `column`, `share` of the score, where
    /// it adds something. Shares of a row sum to more than one, as minimal uniques have several
    /// columns.
    Contributions,
    /// Values by their part in the scores of their column: `column`, `code` (in value order; none
    /// for missing) or `value`, `uniques`, `share`.
    Values,
}

/// What rows have in common in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// A minimal unique in the same columns each.
    Columns,
    /// The same minimal unique; for `k` above one.
    Items,
}

impl GroupBy {
    /// Every way, in the order in which help texts list them.
    pub const ALL: [Self; 2] = [Self::Columns, Self::Items];

    /// Its name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Items => "items",
        }
    }
}

impl UniquesTable {
    /// Whether it can show values.
    pub(super) fn has_values(self) -> bool {
        matches!(self, Self::List | Self::Values | Self::Groups(GroupBy::Items))
    }

    /// Whether its lines stay right when the search is stopped.
    pub(super) fn is_right_in_part(self) -> bool {
        self == Self::List
    }

    /// Its columns.
    pub(super) fn fields(self, k: u32, show_values: bool) -> Vec<(&'static str, DataType)> {
        use DataType::{Float64, UInt16, UInt32, UInt64, Utf8};
        let mut fields = match self {
            Self::List => {
                vec![("row", UInt32), ("size", UInt16), ("support", UInt64), ("columns", Utf8)]
            }
            Self::Scores => vec![
                ("row", UInt32),
                ("suda", Float64),
                ("dis_suda", Float64),
                ("uniques", UInt64),
                ("smallest", UInt16),
            ],
            Self::Groups(_) => {
                vec![("columns", Utf8), ("size", UInt16), ("rows_count", UInt64), ("rows", Utf8)]
            }
            Self::Novelty => vec![
                ("row", UInt32),
                ("fewest", UInt16),
                ("fewest_rank", UInt64),
                ("group", UInt64),
                ("group_rank", UInt64),
                ("uniques", UInt64),
                ("uniques_rank", UInt64),
            ],
            Self::Contributions => vec![("row", UInt32), ("column", Utf8), ("share", Float64)],
            Self::Values => {
                let value = if show_values { ("value", Utf8) } else { ("code", UInt32) };
                return vec![("column", Utf8), value, ("uniques", UInt64), ("share", Float64)];
            }
        };
        fields.extend((self == Self::List && k > 1).then_some(("rows", Utf8)));
        fields.extend(show_values.then_some(("values", Utf8)));
        fields
    }
}
