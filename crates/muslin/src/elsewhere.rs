//! Tables that are asked about where they are, instead of being read into memory.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use muslin_assess::{Score, UniquesFound};
use muslin_engine::{Engine, Error as EngineError, Fault, Run, Stop};
use muslin_io::{Input, ReadOptions, Source};
use muslin_table::{ColumnSet, EncodedTable, MissingRule, Role};

use crate::input::{check_roles, warnings};
use crate::looked::{chosen_columns, is_nearly_all};
use crate::{Error, Result};

/// Who answers questions about a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EngineName {
    /// This process, which reads the table into memory.
    #[default]
    Memory,
    /// This process, which holds no more than it must and puts the rest on disk.
    DataFusion,
    /// The cluster whose scheduler is at this address, such as `ballista://host:50050`.
    Ballista(String),
}

impl EngineName {
    /// The engine that flags name.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "memory" => Some(Self::Memory),
            "datafusion" => Some(Self::DataFusion),
            _ => {
                let host = text.strip_prefix("ballista://")?;
                (!host.is_empty()).then(|| Self::Ballista(text.to_owned()))
            }
        }
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::DataFusion => "datafusion",
            Self::Ballista(address) => address,
        })
    }
}

/// Where a table is asked about, and what part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskAt {
    /// Who answers.
    pub engine: EngineName,
    /// A query whose answer is looked at instead of the table, which it calls `input`.
    pub sql: Option<String>,
    /// File with the secret of the cluster.
    pub token_file: Option<PathBuf>,
}

impl AskAt {
    /// Whether the table is read into memory.
    pub(crate) fn is_memory(&self) -> bool {
        self.engine == EngineName::Memory && self.sql.is_none()
    }
}

/// What a search for minimal uniques on executors is asked.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cluster"), expect(dead_code, reason = "executors are asked"))]
pub(crate) struct UniquesAsked {
    pub(crate) k: u32,
    pub(crate) max_size: Option<usize>,
    pub(crate) missing: MissingRule,
    pub(crate) score: Score,
}

type Searcher<'a> =
    Box<dyn Fn(&EncodedTable, UniquesAsked, &Run) -> Result<UniquesFound> + Send + Sync + 'a>;

/// A table that is asked about where it is.
pub(crate) struct Elsewhere<'a> {
    pub(crate) engine: Arc<dyn Engine + 'a>,
    /// Its columns, without any row.
    pub(crate) head: EncodedTable,
    pub(crate) source: Source,
    pub(crate) rows: u64,
    /// Columns that were not looked at, because of their roles.
    pub(crate) left_out: Vec<String>,
    /// Searches on executors, where there are some.
    pub(crate) searcher: Option<Searcher<'a>>,
}

/// Bytes of codes up to which a table is fetched, where no budget is given.
const FETCHED: u64 = 1 << 30;
/// Bytes that a cell takes at most, beside its column's values.
const CELL: u64 = 4;

/// Rows that are drawn to look at values.
const LOOKED_AT: u64 = 20_000;

impl Elsewhere<'_> {
    /// Rows drawn to look at values: all of them where they are few.
    pub(crate) fn looked_at(&self, run: &Run) -> Result<EncodedTable> {
        Ok(self.engine.sample(LOOKED_AT, run.seed_of_run())?)
    }

    /// What to look at before relying on figures about it, as far as some rows tell.
    pub(crate) fn warnings(&self, read: &ReadOptions, run: &Run) -> Result<Vec<String>> {
        Ok(warnings(&self.looked_at(run)?, &self.source, read))
    }

    /// Names of the columns that say nearly everything by themselves.
    pub(crate) fn nearly_unique(&self) -> Result<Vec<String>> {
        let counts = self.engine.column_counts()?;
        let columns = self.head.columns().iter().zip(counts);
        let named = columns
            .filter(|(_, counts)| is_nearly_all(counts.distinct, self.rows - counts.missing));
        Ok(named.map(|(column, _)| column.name().to_owned()).collect())
    }

    /// Whether a search for minimal uniques is likely to fit, beside the table itself: it holds its items and rows
    /// in an order of its own.
    pub(crate) fn is_searchable(&self, run: &Run) -> bool {
        /// Bytes that a row takes while it is ranked, beside its cells.
        const ROW: u64 = 64;
        let row = (self.head.columns().len() as u64).saturating_mul(2 * CELL).saturating_add(ROW);
        let needed = self.rows.saturating_mul(row);
        run.memory_budget().is_none_or(|budget| needed <= budget / 2)
    }

    /// All of the table, where it fits: what needs the rows is done in memory then, with the same answer.
    pub(crate) fn fetched(&self, run: &Run) -> Result<Option<EncodedTable>> {
        let columns = self.head.columns().len() as u64;
        let needed = self.rows.saturating_mul(columns).saturating_mul(CELL);
        let room = run.memory_budget().map_or(FETCHED, |budget| budget / 2);
        if needed > room || u32::try_from(self.rows).is_err() {
            return Ok(None);
        }
        match self.engine.collect(&self.head.all_columns()) {
            // Values may take more room than was guessed.
            Err(EngineError::Stopped(Stop::MemoryLimit { .. })) => Ok(None),
            table => Ok(Some(table?)),
        }
    }
}

/// Opens a table where it is, with its quasi-identifiers, or all but identifiers where it has none.
pub(crate) fn open_by_roles<'a>(
    at: &AskAt,
    input: &Input,
    read: &ReadOptions,
    roles: &BTreeMap<String, Role>,
    run: &'a Run,
) -> Result<Elsewhere<'a>> {
    let choose = |head: &EncodedTable, source: &Source| {
        check_roles(roles, head, source)?;
        Ok(chosen_columns(head, roles))
    };
    open(at, input, read, &choose, run)
}

/// Which rows equal an earlier one is not told elsewhere.
pub(crate) fn no_distinct_rows() -> Error {
    wrong(
        "which rows equal an earlier one is not found out by this engine",
        "leave out `--distinct-rows`, or pass `--sql \"select distinct * from input\"`",
    )
}

/// Opens a table where it is, with the columns that `choose` takes of it.
pub(crate) fn open<'a>(
    at: &AskAt,
    input: &Input,
    read: &ReadOptions,
    choose: &dyn Fn(&EncodedTable, &Source) -> Result<ColumnSet>,
    run: &'a Run,
) -> Result<Elsewhere<'a>> {
    let location = match input {
        Input::Path(path) => {
            path.to_str().ok_or_else(|| wrong("the name of the table is no text", "rename it"))?
        }
        _ => {
            return Err(wrong(
                "this engine reads files, and not what comes by a pipe or is in memory",
                "name a file, a folder or an address, or leave out `--engine` and `--sql`",
            ));
        }
    };
    opened::open(at, location, read, choose, run)
}

/// A question that cannot be asked there.
pub(crate) fn wrong(reason: &str, hint: &str) -> Error {
    let (fault, reason, hint) = (Fault::Question, reason.to_owned(), hint.to_owned());
    Error::Engine(EngineError::Elsewhere { fault, reason, hint })
}

#[cfg(not(feature = "datafusion"))]
mod opened {
    use super::{
        AskAt, ColumnSet, Elsewhere, EncodedTable, ReadOptions, Result, Run, Source, wrong,
    };

    pub(super) fn open<'a>(
        at: &AskAt,
        _: &str,
        _: &ReadOptions,
        _: &dyn Fn(&EncodedTable, &Source) -> Result<ColumnSet>,
        _: &'a Run,
    ) -> Result<Elsewhere<'a>> {
        Err(wrong(
            &format!(
                "this build of muslin has no engine but memory, and {} was asked for",
                asked(at)
            ),
            "build it with `cargo install --path crates/muslin-cli --features datafusion`, or `--features cluster`",
        ))
    }

    fn asked(at: &AskAt) -> String {
        match at.sql {
            Some(_) => "a query".to_owned(),
            None => at.engine.to_string(),
        }
    }
}

/// Whether this build asks about tables where they are.
pub const HAS_QUERY_ENGINE: bool = cfg!(feature = "datafusion");
/// Whether this build knows clusters.
pub const HAS_CLUSTER: bool = cfg!(feature = "cluster");

#[cfg(feature = "datafusion")]
mod opened {
    use std::sync::Arc;

    use muslin_engine::Engine;
    use muslin_engine_datafusion::{DataFusionEngine, Place};
    use muslin_table::ColumnId;

    use super::{
        AskAt, ColumnSet, Elsewhere, EncodedTable, EngineName, ReadOptions, Result, Run, Searcher,
        Source,
    };

    pub(super) fn open<'a>(
        at: &AskAt,
        location: &str,
        read: &ReadOptions,
        choose: &dyn Fn(&EncodedTable, &Source) -> Result<ColumnSet>,
        run: &'a Run,
    ) -> Result<Elsewhere<'a>> {
        let place = place(at, run)?;
        let engine = DataFusionEngine::open(place, location, at.sql.as_deref(), read, run)?;
        let chosen = choose(engine.head(), engine.source())?;
        let all = engine.head().all_columns();
        let name = |id: ColumnId| engine.head().column(id).name().to_owned();
        let left_out = all.difference(&chosen).iter().map(name).collect();
        let engine = if chosen == all { engine } else { engine.keep(&chosen)? };
        let engine = Arc::new(engine);
        Ok(Elsewhere {
            head: engine.head().clone(),
            source: engine.source().clone(),
            rows: engine.shape()?.rows,
            left_out,
            searcher: searcher(&at.engine, &engine),
            engine,
        })
    }

    #[cfg(not(feature = "cluster"))]
    fn place(at: &AskAt, run: &Run) -> Result<Place> {
        match &at.engine {
            EngineName::Ballista(_) => Err(super::wrong(
                "this build of muslin knows no cluster",
                "build it with `cargo install --path crates/muslin-cli --features cluster`",
            )),
            _ => Ok(Place::here(run)?),
        }
    }

    #[cfg(not(feature = "cluster"))]
    fn searcher<'a>(_: &EngineName, _: &Arc<DataFusionEngine<'a>>) -> Option<Searcher<'a>> {
        None
    }

    #[cfg(feature = "cluster")]
    fn place(at: &AskAt, run: &Run) -> Result<Place> {
        let EngineName::Ballista(address) = &at.engine else { return Ok(Place::here(run)?) };
        let address = muslin_cluster::Address::parse(address).ok_or_else(|| {
            super::wrong(
                "this is no address of a scheduler",
                "pass one such as `--engine ballista://host:50050`",
            )
        })?;
        let token = at.token_file.as_deref().map(muslin_cluster::Token::read).transpose()?;
        Ok(muslin_cluster::connect(&address, token.as_ref(), run)?)
    }

    #[cfg(feature = "cluster")]
    fn searcher<'a>(engine: &EngineName, own: &Arc<DataFusionEngine<'a>>) -> Option<Searcher<'a>> {
        let EngineName::Ballista(_) = engine else { return None };
        let own = Arc::clone(own);
        Some(Box::new(move |table, asked, run| {
            let super::UniquesAsked { k, max_size, missing, score } = asked;
            let contributions = false;
            let settings =
                muslin_cluster::UniquesSettings { k, max_size, missing, score, contributions };
            Ok(muslin_cluster::uniques(&own, table, settings, run)?)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_have_names() {
        for name in ["memory", "datafusion", "ballista://host:50050"] {
            assert_eq!(EngineName::parse(name).map(|own| own.to_string()), Some(name.to_owned()));
        }
        for wrong in ["", "spark", "ballista://", "DataFusion"] {
            assert_eq!(EngineName::parse(wrong), None, "{wrong}");
        }
    }
}
