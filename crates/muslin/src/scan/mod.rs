//! The main job: what is in a file, and how many of its people stand out.

mod report;
mod roles;

use std::collections::{BTreeMap, BTreeSet};

use muslin_engine::{Engine, MemoryEngine, Run};
use muslin_io::{Input, ReadOptions, ReadTable, type_name};
use muslin_table::{ClassSizes, Column, ColumnId, ColumnSet, EncodedTable, MissingRule, Role};

pub(crate) use self::report::share;
pub use self::report::{ClassesReport, ColumnReport, Decided, ScanReport, SizeReport, Threshold};
pub use self::roles::suggest_role;

use crate::input::{InputReport, check_roles, warnings};
use crate::{Error, Result};

/// Scans a file: what its columns are, and the classes its quasi-identifiers make.
///
/// # Guarantee
/// Counts and ratios are exact. No cell's value is in the report, except spellings of missing
/// that muslin itself lists.
///
/// # Cost
/// One pass to read, one per column and one per quasi-identifier over the codes.
#[derive(Clone, Debug)]
pub struct ScanJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known; the others are suggested.
    pub roles: BTreeMap<String, Role>,
    /// The quasi-identifiers to look at; those with that role when not given.
    pub quasi_identifiers: Option<Vec<String>>,
    /// What a missing cell matches.
    pub missing: MissingRule,
}

/// Sizes that people ask about: each `k` is some office's or journal's rule.
const THRESHOLDS: [u64; 5] = [2, 3, 5, 10, 20];

impl ScanJob {
    /// Scans `input`, finding everything out.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            quasi_identifiers: None,
            missing: MissingRule::default(),
        }
    }

    /// Reads the input and looks at it.
    pub fn run(&self, run: &Run) -> Result<ScanReport> {
        let ReadTable { table, source } = muslin_io::read(&self.input, &self.read, run)?;
        check_roles(&self.roles, &table, &source)?;
        let engine = MemoryEngine::new(&table, run);
        run.reporter().stage("looking", Some(table.columns().len() as u64 + 1));
        let mut columns = Vec::new();
        for (index, column) in table.columns().iter().enumerate() {
            let by = [ColumnId::new(index)].into_iter().collect();
            let sizes = engine.class_sizes(&by, self.missing)?;
            columns.push(self.describe(column, &sizes));
            run.reporter().advance(1);
        }
        let quasi_identifiers = self.classes(&table, &columns, &engine)?;
        run.reporter().finish();
        let warnings = warnings(&table, &source, &self.read);
        Ok(ScanReport {
            schema: 1,
            command: "scan".into(),
            coverage: muslin_engine::Coverage::Complete,
            input: InputReport::new(&source),
            rows: table.rows() as u64,
            missing_rule: self.missing,
            columns,
            quasi_identifiers,
            warnings,
        })
    }

    fn describe(&self, column: &Column, sizes: &ClassSizes) -> ColumnReport {
        let given = self.roles.get(column.name()).copied();
        let (role, reason, decided) = match given {
            Some(role) => (role, "given".to_owned(), Decided::Given),
            None => {
                let (role, reason) = suggest_role(column);
                (role, reason, Decided::Suggested)
            }
        };
        ColumnReport {
            name: column.name().to_owned(),
            data_type: type_name(column.data_type()).to_owned(),
            distinct: column.dictionary().len() as u64,
            missing: column.missing(),
            distinct_ratio: sizes.distinct_ratio().map(muslin_table::Ratio::as_f64),
            separation_ratio: sizes.separation_ratio().as_f64(),
            rows_alone: sizes.rows_below(2),
            role,
            decided,
            reason,
        }
    }

    /// The classes on the quasi-identifiers that are given, have that role, or are suggested.
    fn classes(
        &self,
        table: &EncodedTable,
        columns: &[ColumnReport],
        engine: &dyn Engine,
    ) -> Result<Option<ClassesReport>> {
        let (chosen, decided): (BTreeSet<ColumnId>, _) = match &self.quasi_identifiers {
            Some(names) => {
                let ids: Result<_, _> = names.iter().map(|name| table.find(name)).collect();
                (ids?, Decided::Given)
            }
            None => {
                let is_one = |column: &ColumnReport| column.role == Role::QuasiIdentifier;
                let ids = (0..columns.len()).filter(|&c| is_one(&columns[c])).map(ColumnId::new);
                let given =
                    columns.iter().filter(|c| is_one(c)).all(|c| c.decided == Decided::Given);
                (ids.collect(), if given { Decided::Given } else { Decided::Suggested })
            }
        };
        if chosen.is_empty() {
            return Ok(None);
        }
        let by: ColumnSet = chosen.iter().copied().collect();
        let sizes = engine.class_sizes(&by, self.missing).map_err(Error::from)?;
        let names = chosen.iter().map(|&id| table.column(id).name().to_owned()).collect();
        Ok(Some(ClassesReport::new(names, decided, &sizes, &THRESHOLDS)))
    }
}
