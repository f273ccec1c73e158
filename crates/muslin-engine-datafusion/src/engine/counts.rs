//! Classes, counted by queries; and whether what was counted is every row, once.

use std::cell::Cell;

use arrow_array::RecordBatch;
use muslin_engine::{Error, Fault, Result};
use muslin_table::{ClassDiversity, ClassSizes, ColumnId, ColumnSet, DiversityCount};
use muslin_table::{MissingRule, SizeCount};

use super::answers::{changed, mistaken, numbers, one, signed, sum};
use super::{DataFusionEngine, Rows};
use crate::questions::{self, Prints};

/// What a pass over a column by itself tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnTotal {
    /// Cells that are not missing.
    pub(super) valued: u64,
    /// The sum of the fingerprints of its cells.
    print: i64,
}

impl DataFusionEngine<'_> {
    /// Sizes of the classes of sets, asked about together; answers are kept.
    pub(super) fn sizes_of(
        &self,
        sets: &[ColumnSet],
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        let key = |set: &ColumnSet| (set.iter().map(ColumnId::index).collect::<Vec<_>>(), missing);
        let mut open: Vec<ColumnSet> = Vec::new();
        for set in sets {
            if !open.contains(set) && !self.known().sizes.contains_key(&key(set)) {
                open.push(set.clone());
            }
        }
        if !open.is_empty() {
            let work = self.rows.saturating_mul(open.len() as u64);
            self.run.reporter().stage("counting", Some(work));
        }
        for some in open.chunks(self.place.sets_at_once) {
            let counted = self.count(some, missing)?;
            let mut known = self.known();
            for (set, sizes) in some.iter().zip(counted) {
                known.sizes.insert(key(set), sizes);
            }
        }
        if !open.is_empty() {
            self.run.reporter().finish();
        }
        let known = self.known();
        Ok(sets.iter().map(|set| known.sizes[&key(set)].clone()).collect())
    }

    fn count(&self, sets: &[ColumnSet], missing: MissingRule) -> Result<Vec<ClassSizes>> {
        if let [only] = sets
            && only.is_empty()
        {
            return Ok(vec![ClassSizes::from_sizes(
                [self.rows].into_iter().filter(|&n| n > 0),
                missing,
            )]);
        }
        // All rows are one class, and no query says so.
        if sets.iter().any(ColumnSet::is_empty) {
            let one = |set: &ColumnSet| self.count(std::slice::from_ref(set), missing);
            let each: Vec<Vec<ClassSizes>> = sets.iter().map(one).collect::<Result<_>>()?;
            return Ok(each.into_iter().flatten().collect());
        }
        let sql = questions::class_sizes(sets, missing, self.prints());
        let (work, told) = (self.rows.saturating_mul(sets.len() as u64), Cell::new(0));
        let advance = |to: u64| {
            let to = to.clamp(told.get(), work);
            self.run.reporter().advance(to - told.replace(to));
        };
        let sizes = self.asked(|| {
            let understood = |batches: &[RecordBatch]| self.sizes_in(batches, sets, missing);
            self.place.ask_watched(&self.name, self.run, &sql, &advance, understood)
        })?;
        advance(work);
        Ok(sizes)
    }

    /// The sizes of the classes of sets, in an answer.
    fn sizes_in(
        &self,
        batches: &[RecordBatch],
        sets: &[ColumnSet],
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        let mut found: Vec<(Vec<SizeCount>, i64)> = vec![(Vec::new(), 0); sets.len()];
        let [at, sizes, alone, classes] = [0, 1, 2, 3].map(|column| numbers(batches, column));
        for (line, print) in signed(batches, 4).into_iter().enumerate() {
            let at = usize::try_from(at[line]).ok().and_then(|at| found.get_mut(at));
            let (counts, sum) = at.ok_or_else(mistaken)?;
            let rows = sizes[line] * classes[line];
            let size = if alone[line] > 0 { 1 } else { sizes[line] };
            counts.push(SizeCount { size, rows });
            *sum = sum.wrapping_add(print);
        }
        let whole = |(set, (counts, print)): (&ColumnSet, (Vec<SizeCount>, i64))| {
            self.check_whole(set, counts.iter().map(|count| count.rows).sum(), print)?;
            Ok(ClassSizes::from_rows(counts, missing))
        };
        sets.iter().zip(found).map(whole).collect()
    }

    /// How diverse a column is in the classes of a set.
    pub(super) fn diversity_of(
        &self,
        by: &ColumnSet,
        sensitive: ColumnId,
    ) -> Result<ClassDiversity> {
        let sql = questions::diversity(by, sensitive.index(), self.prints());
        let mut asked = by.clone();
        asked.insert(sensitive);
        self.ask(&sql, |batches| {
            let of = |column| numbers(batches, column);
            let counts = of(0).into_iter().zip(of(1)).zip(of(2)).zip(of(3));
            let found = counts.map(|(((rows, distinct), most_frequent), classes)| DiversityCount {
                rows,
                distinct,
                most_frequent,
                classes,
            });
            let found: Vec<DiversityCount> = found.collect();
            let rows = found.iter().map(|class| class.rows * class.classes).sum();
            self.check_whole(&asked, rows, sum(&signed(batches, 4)))?;
            Ok(ClassDiversity::new(found))
        })
    }

    /// Minimal uniques of exactly these columns.
    pub(super) fn uniques_of(&self, set: &ColumnSet, k: u32, missing: MissingRule) -> Result<u64> {
        let sql = questions::minimal_uniques(set, k, missing, self.prints());
        self.ask(&sql, |batches| {
            self.check_whole(set, one(batches, 1)?, sum(&signed(batches, 2)))?;
            one(batches, 0)
        })
    }

    /// Whether an answer about columns is about every row, once.
    fn check_whole(&self, set: &ColumnSet, rows: u64, print: i64) -> Result<()> {
        if rows != self.rows {
            return Err(self.not_whole());
        }
        if self.prints() == Prints::Left {
            return Ok(());
        }
        let prints: Vec<i64> = self.totals_of(set)?.iter().map(|total| total.print).collect();
        if sum(&prints) == print {
            return Ok(());
        }
        // Either may be wrong, so both are asked for again.
        let mut known = self.known();
        for column in set.iter() {
            known.totals.remove(&column.index());
        }
        Err(self.not_whole())
    }

    /// Parts may be lost elsewhere, and a query may give other rows each time.
    fn prints(&self) -> Prints {
        let is_query = matches!(self.input, Rows::Query);
        if self.place.is_elsewhere() || is_query { Prints::Summed } else { Prints::Left }
    }

    /// What a pass over each of these columns by itself tells.
    pub(super) fn totals_of(&self, set: &ColumnSet) -> Result<Vec<ColumnTotal>> {
        let known = |column: ColumnId| self.known().totals.get(&column.index()).copied();
        let open: ColumnSet = set.iter().filter(|&column| known(column).is_none()).collect();
        if !open.is_empty() {
            let found = self.ask(&questions::columns(&open, self.prints()), |batches| {
                if one(batches, 0)? != self.rows {
                    return Err(self.not_whole());
                }
                let total = |at: usize| {
                    let valued = one(batches, 2 * at + 1)?;
                    Ok(ColumnTotal { valued, print: sum(&signed(batches, 2 * at + 2)) })
                };
                (0..open.len()).map(total).collect::<Result<Vec<_>>>()
            })?;
            let mut known = self.known();
            known.totals.extend(open.iter().map(ColumnId::index).zip(found));
        }
        set.iter().map(|column| known(column).ok_or_else(mistaken)).collect()
    }

    /// What is wrong with an answer that is not about every row, once.
    pub fn not_whole(&self) -> Error {
        let wrong = |reason: &str, hint: &str| Error::Elsewhere {
            fault: Fault::Table,
            reason: reason.into(),
            hint: hint.into(),
        };
        match self.input {
            Rows::Query => wrong(
                "answers about the query do not add up: its rows are not the same each time",
                "leave out `limit`, and functions that draw or tell the time; or write its rows to a file first",
            ),
            Rows::Files(..) if self.place.is_elsewhere() => wrong(
                "what the cluster counted does not add up: a part was lost, or counted twice",
                "ask again; see whether an executor died, or somebody writes to the table",
            ),
            Rows::Files(..) => changed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};
    use muslin_engine::{Engine, Run};
    use muslin_io::ReadOptions;
    use parquet::arrow::ArrowWriter;

    use super::*;
    use crate::place::Place;
    use crate::questions::CELLS;

    /// Two columns of a hundred rows; the second lacks some values.
    fn table(folder: &tempfile::TempDir) -> String {
        let first: ArrayRef = Arc::new((0..100).collect::<Int64Array>());
        let second: ArrayRef =
            Arc::new((0..100).map(|row| (row % 9 > 0).then_some(row % 7)).collect::<Int64Array>());
        let batch = RecordBatch::try_from_iter([("a", first), ("b", second)]).unwrap();
        let path = folder.path().join("t.parquet");
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A question about both columns.
    type Asked = fn(&DataFusionEngine<'_>, MissingRule) -> Option<Error>;
    const ASKED: [Asked; 3] = [
        |engine, missing| engine.class_sizes(&ColumnSet::first(2), missing).err(),
        |engine, missing| engine.minimal_uniques_of(&ColumnSet::first(2), 1, missing).err(),
        |engine, _| engine.class_diversity(&ColumnSet::first(1), ColumnId::new(1)).err(),
    ];

    /// What an engine says once its rows are others than in the beginning.
    fn with_other_rows(rows: &str) -> Vec<Option<Error>> {
        let folder = tempfile::tempdir().unwrap();
        let (location, run) = (table(&folder), Run::new());
        let (sql, read) = (Some("select * from input"), ReadOptions::default());
        let answer = |(ask, missing): (Asked, MissingRule)| {
            let place = Place::here(&run).unwrap();
            let engine = DataFusionEngine::open(place, &location, sql, &read, &run).unwrap();
            engine.column_counts().unwrap();
            let counting = &engine.place.counting;
            let changed = engine.place.wait("t", &run, async {
                counting.deregister_table(CELLS)?;
                counting.register_table(CELLS, counting.sql(rows).await?.into_view())?;
                Ok(())
            });
            changed.unwrap();
            ask(&engine, missing)
        };
        let rules = [MissingRule::Category, MissingRule::Distinct];
        let asked = ASKED.into_iter().flat_map(|ask| rules.map(|missing| (ask, missing)));
        asked.map(answer).collect()
    }

    #[test]
    fn a_part_in_place_of_another_is_noticed() {
        let half = "SELECT a AS c0, b AS c1 FROM asked WHERE a < 50";
        for error in with_other_rows(&format!("{half} UNION ALL {half}")) {
            let error = error.expect("an error").to_string();
            assert!(error.contains("do not add up"), "{error}");
        }
        let same = "SELECT a AS c0, b AS c1 FROM asked ORDER BY a DESC";
        assert!(with_other_rows(same).iter().all(Option::is_none));
    }

    #[test]
    fn rows_that_lack_are_noticed() {
        let some = "SELECT a AS c0, b AS c1 FROM asked WHERE a < 90";
        assert!(with_other_rows(some).iter().all(Option::is_some));
    }
}
