use muslin_engine::{Engine, Partition, Run, take_rows};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule, SizeCount};

use crate::Result;

/// Answers what classes a column set makes: by the engine, or, where many rows are equal on all the
/// columns in question, from one row of each kind and its number.
pub(super) struct Questions<'a> {
    table: &'a dyn Engine,
    missing: MissingRule,
    kinds: Option<Kinds>,
}

/// One row of each kind, and how many there are of it.
struct Kinds {
    columns: Vec<ColumnId>,
    table: EncodedTable,
    rows: Vec<u64>,
}

/// A table with fewer kinds of rows than this share of its rows is answered by kinds.
const ROWS_PER_KIND: u64 = 4;
/// Tables of more cells than this stay where they are.
const MOST_CELLS: u64 = 1 << 32;

impl<'a> Questions<'a> {
    /// Asks `table`.
    pub(super) fn new(table: &'a dyn Engine, missing: MissingRule) -> Self {
        Self { table, missing, kinds: None }
    }

    /// From here on, questions are about `columns` only. Rows that are equal on all of them are
    /// fetched and folded, where that pays.
    pub(super) fn about(&mut self, columns: &ColumnSet, run: &Run) -> Result<()> {
        let rows = self.table.shape()?.rows;
        // Under the wildcard rule rows do not fall into kinds.
        let width = columns.len() as u64;
        if self.missing == MissingRule::Wildcard || rows.saturating_mul(width) > MOST_CELLS {
            return Ok(());
        }
        let kinds = self.table.class_sizes(columns, MissingRule::Category)?.classes();
        if kinds.is_none_or(|kinds| kinds > rows / ROWS_PER_KIND) {
            return Ok(());
        }
        let table = match self.table.collect(columns) {
            Err(muslin_engine::Error::Stopped(_)) => return Ok(()),
            table => table?,
        };
        let mut kinds = Partition::whole(table.rows());
        for column in table.columns() {
            run.check()?;
            kinds = run.install(|| kinds.refine(column, MissingRule::Category));
        }
        let table = take_rows(&table, &kinds.first_rows()).map_err(muslin_engine::Error::from)?;
        let rows = kinds.sizes().iter().map(|&size| u64::from(size)).collect();
        self.kinds = Some(Kinds { columns: columns.iter().collect(), table, rows });
        Ok(())
    }

    /// Whether an answer takes less than a look at all rows.
    pub(super) fn are_cheap(&self) -> bool {
        self.kinds.is_some()
    }

    /// Sizes of the classes that `by` makes.
    pub(super) fn sizes(&self, by: &ColumnSet) -> Result<ClassSizes> {
        match &self.kinds {
            None => Ok(self.table.class_sizes(by, self.missing)?),
            Some(kinds) => {
                let classes = kinds.classes(by, self.missing);
                Ok(kinds.sizes(&classes, by, self.missing))
            }
        }
    }

    /// For each of `more`, sizes of the classes that `by` and that column make together.
    pub(super) fn sizes_of_each(
        &self,
        by: &ColumnSet,
        more: &[ColumnId],
    ) -> Result<Vec<ClassSizes>> {
        let Some(kinds) = &self.kinds else {
            return Ok(self.table.class_sizes_of_each(by, more, self.missing)?);
        };
        let classes = kinds.classes(by, self.missing);
        let with = |&column: &ColumnId| {
            let mut set = by.clone();
            set.insert(column);
            let classes = classes.refine(kinds.column(column), self.missing);
            kinds.sizes(&classes, &set, self.missing)
        };
        Ok(more.iter().map(with).collect())
    }
}

impl Kinds {
    fn column(&self, column: ColumnId) -> &muslin_table::Column {
        let at = self.columns.binary_search(&column).expect("one of the columns in question");
        &self.table.columns()[at]
    }

    fn classes(&self, by: &ColumnSet, missing: MissingRule) -> Partition {
        by.iter().fold(Partition::whole(self.rows.len()), |classes, column| {
            classes.refine(self.column(column), missing)
        })
    }

    fn sizes(&self, classes: &Partition, by: &ColumnSet, missing: MissingRule) -> ClassSizes {
        let mut sizes = vec![0u64; classes.sizes().len()];
        for (&class, &rows) in classes.class_of().iter().zip(&self.rows) {
            sizes[class as usize] += rows;
        }
        if missing == MissingRule::Category {
            return ClassSizes::from_sizes(sizes, missing);
        }
        // A missing cell equals nothing: each row of such a kind is alone.
        let mut alone = 0;
        for (kind, &class) in classes.class_of().iter().enumerate() {
            let is_missing = |column: ColumnId| {
                let column = self.column(column);
                column.codes().slot(kind) == column.missing_slot()
            };
            if by.iter().any(is_missing) {
                alone += std::mem::take(&mut sizes[class as usize]);
            }
        }
        let together = sizes.into_iter().map(|size| SizeCount { size, rows: size });
        let alone = SizeCount { size: 1, rows: alone };
        ClassSizes::from_rows(together.chain([alone]), missing)
    }
}
