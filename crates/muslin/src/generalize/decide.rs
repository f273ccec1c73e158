use arrow_schema::DataType;
use muslin_engine::{Coverage, Run};
use muslin_protect::{
    ClassTarget, Error as ProtectError, Form, FullDomain, Generalized, Grid, LocalRecoding,
    Mondrian,
};
use muslin_table::{Changes, Column, ColumnId, Hierarchy, MissingRule};

use super::{GeneralizeJob, Labels, Recoding};
use crate::hierarchies::Hierarchies;
use crate::scan::Nature;
use crate::whole::Whole;
use crate::{Error, Result};

/// What is published.
pub(super) struct Decided {
    pub(super) changes: Changes,
    pub(super) loss: f64,
    pub(super) lower_bound: Option<f64>,
    pub(super) losses: Vec<(ColumnId, f64)>,
    pub(super) columns: Vec<DecidedColumn>,
    pub(super) nodes: Option<u64>,
    pub(super) checked: Option<u64>,
    pub(super) coverage: Coverage,
    pub(super) hierarchies: Hierarchies,
}

/// A column that is recoded.
pub(super) struct DecidedColumn {
    pub(super) id: ColumnId,
    pub(super) level: Option<usize>,
    pub(super) levels: Option<usize>,
    pub(super) form: &'static str,
}

impl GeneralizeJob {
    pub(super) fn decide(
        &self,
        whole: &Whole,
        hierarchies: &Hierarchies,
        run: &Run,
    ) -> Result<Decided> {
        if self.missing != MissingRule::Category {
            return Err(wrong(
                "values are generalized where a missing cell is a value of its own\n  hint: pass `--missing category`",
            ));
        }
        let mut target = ClassTarget::new(self.k);
        for setting in &self.spreads {
            target = target.spread(whole.find(&setting.column)?, setting.spread);
        }
        for name in hierarchies.columns().chain(self.grids.keys().map(String::as_str)) {
            whole.measured_column(name)?;
        }
        if self.max_set == Some(0) {
            return Err(wrong(
                "a set has at least one value\n  hint: pass `--max-set 1` to publish no sets",
            ));
        }
        match self.recoding {
            Recoding::Mondrian => self.cut_up(target, whole, hierarchies, run),
            Recoding::Local => {
                let columns = self.trees(whole, hierarchies, run)?;
                let local = LocalRecoding::new(target, columns.clone()).removable(self.limit());
                Ok(of_generalized(&local.run(&whole.table, run)?, &columns, hierarchies))
            }
            Recoding::FullDomain => {
                let columns = self.trees(whole, hierarchies, run)?;
                let full = FullDomain::new(target, columns.clone()).removable(self.limit());
                Ok(of_generalized(&full.run(&whole.table, run)?, &columns, hierarchies))
            }
        }
    }

    /// A hierarchy for each quasi-identifier.
    fn trees(
        &self,
        whole: &Whole,
        hierarchies: &Hierarchies,
        run: &Run,
    ) -> Result<Vec<(ColumnId, Hierarchy)>> {
        if self.labels.is_some() || self.tight || !self.grids.is_empty() || self.relaxed {
            return Err(wrong(
                "ranges, sets, their bounds and how they are cut are for the recoding `mondrian`\n  hint: leave these flags out, or pass `--recoding mondrian`",
            ));
        }
        let tree = |id: ColumnId| Ok((id, hierarchies.build(whole.table.column(id), run)?));
        whole.measured.iter().map(tree).collect()
    }

    fn cut_up(
        &self,
        target: ClassTarget,
        whole: &Whole,
        hierarchies: &Hierarchies,
        run: &Run,
    ) -> Result<Decided> {
        if self.suppression_limit.is_some_and(|limit| limit > 0.0) {
            return Err(wrong(
                "the recoding `mondrian` withholds no rows\n  hint: leave `--suppression-limit` out, or pass `--recoding local`",
            ));
        }
        let forms: Vec<(ColumnId, Form)> = whole
            .measured
            .iter()
            .map(|id| Ok((id, self.form(whole.table.column(id), hierarchies, run)?)))
            .collect::<Result<_>>()?;
        let mondrian = Mondrian::new(target, forms.clone()).cut(self.cut).relaxed(self.relaxed);
        let found = mondrian.run(&whole.table, run)?;
        let column = |(id, form): &(ColumnId, Form)| DecidedColumn {
            id: *id,
            level: None,
            levels: match form {
                Form::Tree(tree) => Some(tree.levels().len() - 1),
                _ => None,
            },
            form: match form {
                Form::Range { .. } | Form::TreeRange(_) => "range",
                Form::Set { .. } | Form::TreeSet(_) => "set",
                Form::Multiset { .. } => "multiset",
                _ => "label",
            },
        };
        Ok(Decided {
            changes: found.changes().clone(),
            loss: found.loss(),
            lower_bound: None,
            losses: found.losses().to_vec(),
            columns: forms.iter().map(column).collect(),
            nodes: None,
            checked: None,
            coverage: found.coverage(),
            hierarchies: hierarchies.clone(),
        })
    }

    /// How Mondrian publishes a column: by its hierarchy where somebody gave one. Where ranges or
    /// sets are asked for, that is the order of values that have none of their own. Without a
    /// hierarchy, texts that tell much about a person are themselves or nothing.
    fn form(&self, column: &Column, hierarchies: &Hierarchies, run: &Run) -> Result<Form> {
        let nature = Nature::of(column);
        let tree = match hierarchies.of(column.name()) {
            Some(_) => Some(hierarchies.build(column, run)?),
            None => None,
        };
        let is_text = nature.is_nominal() && nature != Nature::Code;
        let most = nature.is_nominal().then(|| self.most_values());
        Ok(match (self.labels, tree) {
            (None, Some(tree)) => Form::Tree(tree),
            (Some(Labels::Sets), Some(tree)) if is_text => Form::TreeSet(tree),
            (Some(Labels::Ranges), Some(tree)) if is_text => Form::TreeRange(tree),
            (_, None) if matches!(nature, Nature::Telling(_)) => {
                Form::Tree(Hierarchy::flat(column))
            }
            (None, None) if nature.is_nominal() => Form::Set { most },
            // Days are near each other or far apart: a range says so, and a set lists people's days.
            (Some(Labels::Sets), _) if !is_day(column) => Form::Set { most },
            (Some(Labels::Multisets), _) => Form::Multiset { most },
            (None | Some(Labels::Ranges | Labels::Sets), _) => {
                Form::Range { grid: self.grid(column)? }
            }
        })
    }

    fn grid(&self, column: &Column) -> Result<Option<Grid>> {
        match self.grids.get(column.name()) {
            _ if self.tight => Ok(None),
            Some(&step) => Ok(Some(Grid::step(step)?)),
            None => Ok(Grid::of(column)),
        }
    }
}

fn is_day(column: &Column) -> bool {
    matches!(column.data_type(), DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

fn of_generalized(
    found: &Generalized,
    trees: &[(ColumnId, Hierarchy)],
    hierarchies: &Hierarchies,
) -> Decided {
    let level =
        |id: ColumnId| found.levels()?.iter().find(|(own, _)| *own == id).map(|&(_, level)| level);
    let column = |(id, tree): &(ColumnId, Hierarchy)| DecidedColumn {
        id: *id,
        level: level(*id),
        levels: Some(tree.levels().len() - 1),
        form: "label",
    };
    Decided {
        changes: found.changes().clone(),
        loss: found.loss(),
        lower_bound: found.lower_bound(),
        losses: found.losses().to_vec(),
        columns: trees.iter().map(column).collect(),
        nodes: Some(found.nodes()),
        checked: Some(found.checked()),
        coverage: found.coverage(),
        hierarchies: hierarchies.clone(),
    }
}

fn wrong(text: &str) -> Error {
    Error::Protect(ProtectError::Setting(text.into()))
}
