use crate::{Cell, ColumnId, printable};

/// What can be wrong with a table. No message carries a cell's value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two columns have one name.
    #[error(
        "columns {} and {} are both named `{}`\n  hint: give every column a name of its own",
        .first.position(), .second.position(), printable(name)
    )]
    DuplicateName {
        /// The name.
        name: String,
        /// The first column of that name.
        first: ColumnId,
        /// The second column of that name.
        second: ColumnId,
    },
    /// A column has more or fewer rows than the first one.
    #[error("column `{}` has {found} rows, the columns before it have {expected}", printable(name))]
    UnequalLengths {
        /// The column's name.
        name: String,
        /// Rows of the first column.
        expected: usize,
        /// Rows of this one.
        found: usize,
    },
    /// More rows than row ids can number.
    #[error(
        "the table has more than {} rows\n  hint: use an engine for tables larger than memory",
        u32::MAX
    )]
    TooManyRows,
    /// A column has more distinct values than codes can number.
    #[error("column `{}` has more than {} distinct values", printable(name), u32::MAX - 2)]
    TooManyValues {
        /// The column's name.
        name: String,
    },
    /// A column was named that the table does not have.
    #[error("there is no column `{}`{}", printable(name), suggestion(nearest.as_deref()))]
    UnknownColumn {
        /// The name that was asked for.
        name: String,
        /// The nearest name the table has.
        nearest: Option<String>,
    },
    /// A cell was named that the table does not have.
    #[error("row {}, column {} is outside the table", .0.row.index(), .0.column.position())]
    UnknownCell(Cell),
    /// A hierarchy in which some values have fewer levels than others.
    #[error(
        "the hierarchy of column `{}` has more levels for some values than for others\n  hint: give every line the same number of fields",
        printable(name)
    )]
    UnevenHierarchy {
        /// The column's name.
        name: String,
        /// The first line that differs, counted from zero.
        line: usize,
    },
    /// A hierarchy in which values part again that were together.
    #[error(
        "the hierarchy of column `{}` is no tree: a label of level {level} has two labels at level {}\n  hint: give labels that stand for different groups different names",
        printable(name), level + 1
    )]
    TangledHierarchy {
        /// The column's name.
        name: String,
        /// The level of the label.
        level: usize,
    },
    /// Our own mistake: an invariant of the table does not hold.
    #[error("internal error: {0}")]
    Internal(String),
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!("\n  hint: did you mean `{}`?", printable(name)))
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
