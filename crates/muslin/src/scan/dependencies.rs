//! Which columns say what others say: dependencies between columns, exact and nearly.
//!
//! `a` decides `b` where rows that agree on `a` agree on `b`; nearly, where that holds once a few rows are left
//! out. The share of rows that stay is what Kivinen and Mannila call 1 - g3. Who withholds `b` and publishes `a`
//! has withheld nothing.
//!
//! A sample only suggests: among fewer rows more columns seem to decide others, so what holds for all rows
//! holds for the sample as well, nearly always, and what is suggested is counted on all rows.

use muslin_engine::Partition;
use muslin_table::{ColumnId, EncodedTable, MissingRule, Role};
use serde::Serialize;

use super::budget::{Budget, PartCoverage};
use super::report::share;
use super::scene::Scene;
use crate::Result;

/// Columns that decide others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DependenciesReport {
    /// Rows in which columns were looked for that decide another by themselves.
    #[serde(flatten)]
    pub part: PartCoverage,
    /// Rows in which two columns were looked for that decide a third; none where they were not.
    pub pairs: Option<PartCoverage>,
    /// The dependencies: first those between columns that a release publishes, the strongest first; then
    /// those of survey weights; then those of identifiers, units and households.
    pub found: Vec<DependencyReport>,
}

/// One or two columns that decide another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DependencyReport {
    /// The columns that decide.
    pub from: Vec<String>,
    /// The column that is decided.
    pub to: String,
    /// Whether it holds for every row of the table.
    pub exact: bool,
    /// The share of rows for which it holds.
    pub share: f64,
    /// Rows that would have to go for it to hold, of those counted.
    pub exceptions: u64,
    /// Rows that were counted: all, or those of a sample.
    pub counted_rows: u64,
}

/// Rows that must be there: among few, much seems to decide much.
pub(super) const FEWEST: usize = 20;
/// The least share of rows.
const NEARLY: f64 = 0.95;
/// What nearly decides a column leaves this much of the errors of a guess without it, at most.
const LEFT: f64 = 0.25;
/// Rows of the sample for two columns that decide a third.
const PAIR_ROWS: usize = 20_000;
/// Rows below which such a sample says too little.
const FEWEST_ROWS: usize = 2_000;
/// Dependencies that are reported.
const MOST: usize = 40;

struct Candidate {
    from: Vec<ColumnId>,
    to: ColumnId,
    kept: u64,
    rows: u64,
}

/// Looks for columns that decide others.
pub(super) fn look(scene: &Scene<'_>, mut budget: Budget) -> Result<DependenciesReport> {
    let table = scene.table;
    let width = table.columns().len() as u64;
    let pairs = (width * width / 2).max(1);
    let most = usize::try_from(budget.steps() / 2 / pairs).unwrap_or(usize::MAX).max(1_000);
    let sample = budget.sample(table, most)?;
    budget.take(sample.rows() as u64 * pairs);
    // A constant is decided by everything, and what is nearly a key decides everything.
    let is_looked_at = |id: &ColumnId| {
        let values = sample.column(*id).dictionary().len();
        values > 1 && values * 2 <= sample.rows()
    };
    let looked: Vec<ColumnId> = table.all_columns().iter().filter(is_looked_at).collect();
    let columns = looked.len() as u64;
    let mut search = Search { scene, looked: &looked, over: false };
    let mut found = search.singles(&sample, &budget)?;

    // For two columns that decide a third, fewer rows: there are more of them.
    let triples = (columns * columns / 2 * columns).max(1);
    let most = usize::try_from(budget.steps() / 2 / triples).unwrap_or(usize::MAX);
    let fewer = budget.sample(&sample, most.min(PAIR_ROWS))?;
    let is_enough = fewer.rows() >= FEWEST_ROWS || fewer.rows() == table.rows();
    let with_pairs = columns >= 3 && !search.over && is_enough;
    if with_pairs {
        budget.take(fewer.rows() as u64 * triples);
        found.extend(search.pairs(&fewer, &found, &budget)?);
    }
    found.sort_by(|a, b| {
        a.rank(scene)
            .cmp(&b.rank(scene))
            .then(b.share().total_cmp(&a.share()))
            .then(a.from.len().cmp(&b.from.len()))
            .then_with(|| a.from.cmp(&b.from).then(a.to.cmp(&b.to)))
    });
    let mut counted_ones = Vec::new();
    for candidate in found.into_iter().take(MOST) {
        let all = scene.rows();
        let steps = all * (candidate.from.len() as u64 + 1);
        let counted = candidate.rows == all;
        let candidate = if !counted && !search.over && budget.take(steps) {
            search.over |= budget.is_over(scene.run)?;
            count(table, candidate.from, candidate.to, &budget)
        } else {
            candidate
        };
        if counted || candidate.rows < all || candidate.holds(table, None) {
            counted_ones.push(candidate);
        }
    }
    // Counted on all rows, a share may be less than that of the sample.
    counted_ones
        .sort_by(|a, b| a.rank(scene).cmp(&b.rank(scene)).then(b.share().total_cmp(&a.share())));
    let reports = counted_ones.iter().map(|one| one.report(scene)).collect();
    let part = |rows: usize| {
        let part = PartCoverage::of(rows as u64, table.rows() as u64, budget.run());
        if search.over { part.stopped() } else { part }
    };
    Ok(DependenciesReport {
        part: part(sample.rows()),
        pairs: with_pairs.then(|| part(fewer.rows())),
        found: reports,
    })
}

struct Search<'a> {
    scene: &'a Scene<'a>,
    looked: &'a [ColumnId],
    over: bool,
}

impl Search<'_> {
    /// Single columns that decide others.
    fn singles(&mut self, table: &EncodedTable, budget: &Budget) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        for (at, &a) in self.looked.iter().enumerate() {
            self.over |= budget.is_over(self.scene.run)?;
            if self.over {
                break;
            }
            let of_a = refine(&Partition::whole(table.rows()), table, a, budget);
            for &b in &self.looked[at + 1..] {
                let both = refine(&of_a, table, b, budget);
                let first = both.first_rows();
                let of = |from: ColumnId, to: ColumnId| {
                    let codes = table.column(from).codes();
                    let slots = table.column(from).slots();
                    let kept = kept(&both, &first, slots, |row| codes.slot(row as usize));
                    Candidate { from: vec![from], to, kept, rows: table.rows() as u64 }
                };
                found.extend([of(a, b), of(b, a)].into_iter().filter(|one| one.holds(table, None)));
            }
        }
        Ok(found)
    }

    /// Two columns that decide a third which neither decides.
    fn pairs(
        &mut self,
        table: &EncodedTable,
        singles: &[Candidate],
        budget: &Budget,
    ) -> Result<Vec<Candidate>> {
        let is_known = |from: ColumnId, to: ColumnId| {
            singles.iter().any(|one| one.from == [from] && one.to == to)
        };
        let mut found = Vec::new();
        for (at, &a) in self.looked.iter().enumerate() {
            self.over |= budget.is_over(self.scene.run)?;
            if self.over {
                break;
            }
            let of_a = refine(&Partition::whole(table.rows()), table, a, budget);
            for &b in &self.looked[at + 1..] {
                let of_both = refine(&of_a, table, b, budget);
                // Small classes decide everything, which says nothing.
                if of_both.sizes().len() * 4 > table.rows() || is_known(a, b) || is_known(b, a) {
                    continue;
                }
                for &c in self.looked.iter().filter(|&&c| c != a && c != b) {
                    if is_known(a, c) || is_known(b, c) {
                        continue;
                    }
                    let three = refine(&of_both, table, c, budget);
                    let classes = of_both.class_of();
                    let kept = kept(&three, &three.first_rows(), of_both.sizes().len(), |row| {
                        classes[row as usize]
                    });
                    let one =
                        Candidate { from: vec![a, b], to: c, kept, rows: table.rows() as u64 };
                    // What one of the two does alone is not the pair's merit.
                    let alone = || {
                        let of = |from: ColumnId| count(table, vec![from], c, budget).kept;
                        of(a).max(of(b))
                    };
                    if one.holds(table, None) && one.holds(table, Some(alone())) {
                        found.push(one);
                    }
                }
            }
        }
        Ok(found)
    }
}

impl Candidate {
    /// Whether it is worth telling, given how many rows a guess without it gets right.
    fn holds(&self, table: &EncodedTable, guessed: Option<u64>) -> bool {
        if self.kept == self.rows {
            return guessed != Some(self.rows);
        }
        if self.share() < NEARLY {
            return false;
        }
        let guessed = guessed.unwrap_or_else(|| most_frequent(table, self.to));
        share(self.rows - self.kept, self.rows - guessed) <= LEFT
    }

    fn share(&self) -> f64 {
        share(self.kept, self.rows)
    }

    /// How little it matters to a release: what it does not publish determines nothing in it.
    fn rank(&self, scene: &Scene<'_>) -> u8 {
        let rank = |id: &ColumnId| match scene.columns[id.index()].role {
            Role::Identifier | Role::Unit | Role::Household => 2,
            Role::Weight => 1,
            _ => 0,
        };
        self.from.iter().chain([&self.to]).map(rank).max().unwrap_or(0)
    }

    fn report(&self, scene: &Scene<'_>) -> DependencyReport {
        DependencyReport {
            from: self.from.iter().map(|&id| scene.name(id)).collect(),
            to: scene.name(self.to),
            exact: self.kept == self.rows && self.rows == scene.rows(),
            share: self.share(),
            exceptions: self.rows - self.kept,
            counted_rows: self.rows,
        }
    }
}

/// A dependency counted on a table.
fn count(table: &EncodedTable, from: Vec<ColumnId>, to: ColumnId, budget: &Budget) -> Candidate {
    let whole = Partition::whole(table.rows());
    let classes = from.iter().fold(whole, |classes, &id| refine(&classes, table, id, budget));
    let both = refine(&classes, table, to, budget);
    let of = classes.class_of();
    let kept = kept(&both, &both.first_rows(), classes.sizes().len(), |row| of[row as usize]);
    Candidate { from, to, kept, rows: table.rows() as u64 }
}

/// Missing is a value here: whether it is there can be decided as well.
fn refine(classes: &Partition, table: &EncodedTable, id: ColumnId, budget: &Budget) -> Partition {
    let column = table.column(id);
    budget.run().install(|| classes.refine(column, MissingRule::Category))
}

/// Rows that stay where each class keeps those of its most frequent part.
fn kept(parts: &Partition, first: &[u32], classes: usize, class_of: impl Fn(u32) -> u32) -> u64 {
    let mut most = vec![0u32; classes];
    for (&row, &size) in first.iter().zip(parts.sizes()) {
        let most = &mut most[class_of(row) as usize];
        *most = size.max(*most);
    }
    most.into_iter().map(u64::from).sum()
}

/// Rows that have a column's most frequent value.
fn most_frequent(table: &EncodedTable, id: ColumnId) -> u64 {
    let column = table.column(id);
    let mut counts = vec![0u64; column.slots()];
    column.codes().slots().for_each(|slot| counts[slot as usize] += 1);
    counts.into_iter().max().unwrap_or(0)
}
