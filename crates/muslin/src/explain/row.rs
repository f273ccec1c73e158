//! Why a row is risky.

use muslin_assess::{ExplainRow, RowColumn, RowExplanation};
use muslin_engine::{Coverage, Run};
use muslin_io::CsvStyle;
use muslin_table::{EncodedTable, RowId};

use super::report::{ExplainAnswer, ExplainedRow, NearRowReport, RowColumnReport};
use super::{ExplainJob, Explained};
use crate::Result;
use crate::keys::{nearly_unique, set_names};
use crate::looked::Looked;
use crate::uniques::ScoreReport;

impl ExplainJob {
    /// Explains a row of what was read.
    pub(super) fn row(&self, row: u32, looked: &Looked, run: &Run) -> Result<Explained> {
        let table = &looked.table;
        let search = ExplainRow::new()
            .max_size(self.max_size)
            .missing(self.missing)
            .score(self.score)
            .limit(self.limit)
            .nearest(self.nearest);
        let row = RowId::new(row);
        let found = search.run(table, row, run)?;
        let number = |row: RowId| looked.row(row.index());
        let near = |near: &muslin_assess::NearRow| NearRowReport {
            row: number(near.row),
            columns: set_names(table, &near.differing),
        };
        let differing = found.differing().iter().copied().enumerate();
        let columns = table.columns().len();
        let answer = ExplainedRow {
            row: number(row),
            class_size: found.class_size(),
            limit: self.limit,
            total: found.total(),
            by_size: found.by_size().collect(),
            complete_to_size: found.complete_to(),
            uniques: found.uniques().iter().map(|set| set_names(table, set)).collect(),
            suda: found.suda(),
            score: ScoreReport::new(self.score, found.score_scale(), columns, self.max_size),
            row_columns: self.row_columns(table, row, &found),
            differing: differing.filter(|&(_, rows)| rows > 0).collect(),
            nearest: found.nearest().iter().map(near).collect(),
        };
        Ok(Explained {
            coverage: found.coverage(),
            answer: ExplainAnswer::Row(Box::new(answer)),
            warnings: nearly_unique(table),
        })
    }

    fn row_columns(
        &self,
        table: &EncodedTable,
        row: RowId,
        found: &RowExplanation,
    ) -> Vec<RowColumnReport> {
        let is_complete = found.coverage() == Coverage::Complete;
        let style = CsvStyle::default();
        let report = |of: &RowColumn| {
            let column = table.column(of.column);
            let value = column.code(row).value().filter(|_| self.show_values);
            RowColumnReport {
                name: column.name().to_owned(),
                value: value.map(|at| style.spell(column.dictionary(), at)),
                is_item: of.forms_item,
                rows_matching: of.matching,
                uniques: of.uniques,
                // Those without the column stay what they are, and no new ones come about.
                uniques_without: is_complete.then(|| found.total() - of.uniques),
                class_size_without: of.class_without,
            }
        };
        found.columns().iter().map(report).collect()
    }
}
