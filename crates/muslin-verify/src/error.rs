use muslin_table::printable;

/// What can go wrong while a release is judged. No message carries a cell's value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit or the user ended the run.
    #[error(transparent)]
    Engine(#[from] muslin_engine::Error),
    /// A table is not what it should be, or a name is unknown.
    #[error(transparent)]
    Table(#[from] muslin_table::Error),
    /// A setting is out of range, or does not fit the table.
    #[error("{0}")]
    Setting(String),
    /// Labels of a release that are not understood, or that stand for no value of the original.
    #[error("{}", unread(columns))]
    UnknownLabels {
        /// The columns that have such labels.
        columns: Vec<Unread>,
    },
    /// A certificate asks for more work than is done.
    #[error(
        "the certificate makes the checker look at more than {limit} sets of columns\n  hint: give rows smaller multipliers or columns larger weights"
    )]
    TooManyPatterns {
        /// How many are looked at.
        limit: usize,
    },
}

/// A column of a release with labels that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The column's name.
    pub column: String,
    /// Cells whose label has no known form.
    pub not_understood: u64,
    /// Cells whose label is understood and stands for no value of the original.
    pub of_no_value: u64,
}

impl Unread {
    pub(crate) fn of(column: &str) -> Self {
        Self { column: column.to_owned(), not_understood: 0, of_no_value: 0 }
    }

    /// A hint that can be pasted once a file or a form is filled in.
    pub fn hint(&self) -> String {
        let name = printable(&self.column);
        if self.not_understood == 0 {
            return "check that the release was made from this original, and that both are read alike".into();
        }
        format!(
            "pass `--hierarchy {name}=FILE` with the hierarchy that has these labels, or their form, such as `--label-format '{name}={{low}} to {{high}}'`"
        )
    }
}

/// What stands in the cells, without any of it.
impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = printable(&self.column);
        let cells =
            |count: u64| if count == 1 { "1 cell".into() } else { format!("{count} cells") };
        match (self.not_understood, self.of_no_value) {
            (0, none) => {
                write!(f, "{} of column `{name}` that fit no value of the original", cells(none))
            }
            (unknown, 0) => {
                write!(f, "{} of column `{name}` that are not understood", cells(unknown))
            }
            (unknown, none) => write!(
                f,
                "{} of column `{name}` that are not understood and {} that fit no value of the original",
                cells(unknown),
                cells(none)
            ),
        }
    }
}

fn unread(columns: &[Unread]) -> String {
    let all: Vec<String> = columns.iter().map(Unread::to_string).collect();
    // What is not understood can be cured.
    let first = columns.iter().find(|own| own.not_understood > 0).or(columns.first());
    let hint = first.map(Unread::hint).unwrap_or_default();
    format!("the release has {}\n  hint: {hint}", all.join(", and "))
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
