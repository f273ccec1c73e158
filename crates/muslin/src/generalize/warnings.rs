//! What to look at before relying on a generalized release.

use arrow_schema::DataType;
use muslin_table::{Column, ColumnId, printable};

use super::decide::Decided;
use super::{GeneralizeJob, Recoding, share};
use crate::policy::unused_warning;
use crate::release::ReleaseOutput;
use crate::scan::{Nature, Pattern};
use crate::whole::Whole;

impl GeneralizeJob {
    /// What to look at before relying on the release.
    pub(super) fn warnings(&self, whole: &Whole, decided: &Decided) -> Vec<String> {
        let mut warnings = Vec::new();
        let removed = decided.changes.removed().len() as u64;
        if removed > 0 {
            let share = share(removed, whole.table.rows() as u64);
            if share > 0.1 {
                warnings.push(format!(
                    "{removed} rows are not published, more than one in ten: what is left may be another population"
                ));
            }
        }
        let mut measured = whole.measured.iter().map(|id| whole.table.column(id));
        let is_clock = |column: &&Column| {
            matches!(column.data_type(), DataType::Time32(_) | DataType::Time64(_))
        };
        if let Some(column) = measured.find(is_clock)
            && self.recoding == Recoding::Mondrian
            && !self.tight
        {
            warnings.push(format!(
                "column `{}` has times of day, whose ranges have no grid: their bounds are values of the class, each of which may be one person's",
                printable(column.name())
            ));
        }
        if self.tight && self.recoding == Recoding::Mondrian {
            warnings.push(
                "bounds of ranges are values of the class, each of which may be one person's; leave `--bounds tight` out to hide them".into(),
            );
        }
        warnings
            .extend(whole.measured.iter().filter_map(|id| self.unpublished(whole, decided, id)));
        warnings.extend(whole.published_warnings(&self.roles));
        warnings.extend(self.output.as_ref().and_then(ReleaseOutput::warning));
        warnings.extend(unused_warning("generalize", &self.unused_keys));
        warnings.extend(whole.warnings.iter().cloned());
        warnings
    }

    /// Why texts of a column without a hierarchy are suppressed, if they are.
    fn unpublished(&self, whole: &Whole, decided: &Decided, id: ColumnId) -> Option<String> {
        let column = whole.table.column(id);
        let changed = decided.changes.replaced(id)?;
        let (cells, rows) = (changed.suppressed(), changed.rows());
        if cells == 0 || decided.hierarchies.of(column.name()).is_some() {
            return None;
        }
        let name = printable(column.name());
        let file = format!("`--hierarchy {name}=FILE.csv`");
        match Nature::of(column) {
            Nature::Telling(Pattern::Date) => Some(format!(
                "column `{name}` has dates that were read as text, so {cells} of {rows} cells are suppressed (`*`). To generalize them as dates, pass their format, such as `--date-format {name}=%d.%m.%Y`; or give a hierarchy: {file}"
            )),
            Nature::Telling(pattern) => Some(format!(
                "column `{name}` looks like {}, so {cells} of {rows} cells are suppressed (`*`): such texts are never published as sets. To generalize them, give a hierarchy: {file}",
                pattern.describe()
            )),
            Nature::Category | Nature::Code if self.has_sets() => {
                let most = self.most_values();
                let label = if most == 1 { "value" } else { "values" };
                Some(format!(
                    "column `{name}`: {cells} of {rows} cells are suppressed (`*`), because a set is published only up to {most} {label}. To generalize the column, give a hierarchy: {file}; or pass a larger `--max-set`"
                ))
            }
            _ => None,
        }
    }

    /// Whether classes of several texts are published as sets.
    fn has_sets(&self) -> bool {
        self.recoding == Recoding::Mondrian && self.labels != Some(super::Labels::Ranges)
    }

    /// The most values of a set.
    pub(super) fn most_values(&self) -> u32 {
        self.max_set.unwrap_or(Self::MAX_SET)
    }
}
