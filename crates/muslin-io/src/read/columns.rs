use std::collections::BTreeMap;

use muslin_table::{Column, DayFormat, Dictionary, EncodedTable};
use serde::{Deserialize, Serialize};

use super::ReadOptions;
use crate::{ColumnType, Place, Problem, Result};

/// Which columns to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnChoice {
    /// All of them.
    #[default]
    All,
    /// Only these, in the input's order.
    Only(Vec<String>),
    /// All but these.
    Except(Vec<String>),
}

/// No input of people's data has more; a table of this many is a delimiter guessed wrongly.
const LIMIT: usize = 1 << 16;

/// The columns of an input that are read, as positions, after their names were checked.
pub(super) struct Chosen {
    pub(super) positions: Vec<usize>,
    names: Vec<String>,
    /// Names of all columns, chosen or not.
    pub(super) all: Vec<String>,
    types: BTreeMap<String, ColumnType>,
    formats: BTreeMap<String, DayFormat>,
}

impl Chosen {
    /// Checks the names of an input and those that the options mention.
    pub(super) fn new(names: &[String], options: &ReadOptions, place: &Place) -> Result<Self> {
        if names.len() > LIMIT {
            let found = names.len();
            return Err(place.clone().error(Problem::TooManyColumns { found, limit: LIMIT }));
        }
        let mut sorted: Vec<(&str, usize)> = names.iter().map(String::as_str).zip(1..).collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let problem = Problem::SameName { first: twice[0].1, second: twice[1].1 };
            // Not by name: a header that was guessed may be a row of data.
            return Err(place.clone().error(problem));
        }
        let known = |name: &String| find(names, name);
        let described = options.types.keys().chain(options.formats.keys());
        described.into_iter().try_for_each(|name| known(name).map(|_| ()))?;
        let positions = match &options.columns {
            ColumnChoice::All => (0..names.len()).collect(),
            ColumnChoice::Only(only) => {
                let mut positions: Vec<usize> = only.iter().map(known).collect::<Result<_>>()?;
                positions.sort_unstable();
                positions.dedup();
                positions
            }
            ColumnChoice::Except(except) => {
                let left_out: Vec<usize> = except.iter().map(known).collect::<Result<_>>()?;
                (0..names.len()).filter(|position| !left_out.contains(position)).collect()
            }
        };
        let all = names.to_vec();
        let names = positions.iter().map(|&position| names[position].clone()).collect();
        let (types, formats) = (options.types.clone(), options.formats.clone());
        Ok(Self { positions, names, all, types, formats })
    }

    /// Name of the `index`-th column that is read.
    pub(super) fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// The type asked for it; whoever says how its days are written asks for days.
    pub(super) fn column_type(&self, index: usize) -> Option<ColumnType> {
        let asked = self.types.get(&self.names[index]).copied();
        asked.or_else(|| self.format(index).map(|_| ColumnType::Date))
    }

    /// How its days are written, where that is known.
    pub(super) fn format(&self, index: usize) -> Option<&DayFormat> {
        self.formats.get(&self.names[index])
    }
}

/// Looks a name up the way a table does, for the same error with the nearest name.
fn find(names: &[String], name: &str) -> Result<usize> {
    if let Some(position) = names.iter().position(|n| n == name) {
        return Ok(position);
    }
    let empty = |name: &String| {
        let values = std::sync::Arc::new(arrow_array::Int64Array::from(Vec::<i64>::new()));
        Column::new(name, Dictionary::new(values), muslin_table::Codes::U8(vec![]))
    };
    let columns = names.iter().map(empty).collect::<Result<_, _>>()?;
    Ok(EncodedTable::new(0, columns)?.find(name)?.index())
}
