use muslin_assess::Weights;
use muslin_engine::{Coverage, Run};
use muslin_protect::{
    Ambiguated, Ambiguity, AmbiguityMethod, Dependency, DependencyGoal, Notion, Redundant, Suppress,
};
use muslin_table::{Changes, ColumnId, ColumnSet, MissingRule, Role};
use muslin_verify::Certificate;

use super::{CellCost, SuppressJob, SuppressMethod, SuppressNotion, named_set, wrong};
use crate::Result;
use crate::whole::Whole;

/// The columns that a job names.
pub(super) struct Named {
    pub(super) weights: Weights,
    pub(super) never: ColumnSet,
    pub(super) budgets: Vec<(ColumnId, u64)>,
    pub(super) diversity: Option<(ColumnId, u32)>,
    /// Columns that are published and no quasi-identifiers, where those that tell lose cells too.
    pub(super) tellers: ColumnSet,
}

/// What is withheld; costs are in millionths.
pub(super) struct Decided {
    pub(super) changes: Changes,
    pub(super) cost: u64,
    pub(super) lower_bound: u64,
    pub(super) upper_bound: Option<u64>,
    pub(super) certificate: Option<Certificate>,
    /// What that proves.
    pub(super) certified: u64,
    /// Cells that only keep others from being guessed.
    pub(super) decoys: u64,
    /// Columns that stay and tell a withheld one, and that one.
    pub(super) open: Vec<(ColumnId, ColumnId)>,
    pub(super) coverage: Coverage,
    pub(super) method: &'static str,
}

/// Of more rows than this, two of the paper's methods are too slow to be tried for a start.
const MANY_ROWS: usize = 2_000;

impl SuppressJob {
    pub(super) fn named(&self, whole: &Whole) -> Result<Named> {
        if self.missing != MissingRule::Category {
            return Err(wrong(
                "cells are suppressed where a missing cell is a value of its own\n  hint: pass `--missing category`",
            ));
        }
        let mut named = Named {
            weights: Weights::new(),
            never: ColumnSet::new(),
            budgets: Vec::new(),
            diversity: None,
            tellers: if self.closed { whole.unmeasured() } else { ColumnSet::new() },
        };
        let is_teller = |id: &ColumnId| named.tellers.contains(*id);
        let mut costs = Vec::new();
        for (name, cost) in &self.weights {
            let id = match whole.find(name).ok().filter(is_teller) {
                Some(id) => id,
                None => whole.measured_column(name)?,
            };
            costs.push((id, cost));
        }
        for (name, cost) in self.costs.iter().filter(|(name, _)| !self.weights.contains_key(*name))
        {
            let id = whole.table.find(name).ok();
            let id = id.filter(|id| is_teller(id) || whole.measured.contains(*id));
            costs.extend(id.map(|id| (id, cost)));
        }
        for (id, cost) in costs {
            match cost {
                CellCost::Weight(weight) => named.weights.set(id, *weight),
                CellCost::Never => _ = named.never.insert(id),
            }
        }
        for (name, &most) in &self.budgets {
            named.budgets.push((whole.measured_column(name)?, most));
        }
        if let Some((name, l)) = &self.diversity {
            named.diversity = Some((whole.find(name)?, *l));
        }
        // What the release is about stays, and so do weights, without which nothing can be estimated.
        for id in named.tellers.iter() {
            let role = self.roles.get(whole.table.column(id).name());
            let is_diverse = named.diversity.is_some_and(|(own, _)| own == id);
            if is_diverse || matches!(role, Some(Role::Sensitive | Role::Weight)) {
                named.never.insert(id);
            }
        }
        Ok(named)
    }

    pub(super) fn decide(&self, whole: &Whole, named: &Named, run: &Run) -> Result<Decided> {
        if self.certificate.is_some() && self.notion != SuppressNotion::KAnonymity {
            return Err(wrong(
                "only the bound for `k-anonymity` has a certificate\n  hint: leave `--certificate` out, or ask for that notion",
            ));
        }
        let is_grouped = self.dependency.is_none() && self.notion != SuppressNotion::Ambiguity;
        if (self.robust || self.closed) && !is_grouped {
            return Err(wrong(
                "ambiguity knows no blanks that give nothing away\n  hint: ask for the notion `k-anonymity`, or leave `--robust` and `--closed` out",
            ));
        }
        if self.dependency.is_some() {
            return self.broken(whole, named, run);
        }
        match self.notion {
            SuppressNotion::Ambiguity => self.ambiguous(whole, named, run),
            SuppressNotion::OneToK => self.grouped(Notion::OneToK, whole, named, run),
            SuppressNotion::KToOne => self.grouped(Notion::KToOne, whole, named, run),
            SuppressNotion::BothK => self.grouped(Notion::BothK, whole, named, run),
            SuppressNotion::KAnonymity => self.grouped(Notion::KAnonymity, whole, named, run),
        }
    }

    fn grouped(&self, notion: Notion, whole: &Whole, named: &Named, run: &Run) -> Result<Decided> {
        let is_exact = match self.method {
            None => false,
            Some(SuppressMethod::Exact) => true,
            Some(_) => {
                return Err(wrong(
                    "that method makes rows ambiguous and no more\n  hint: pass `--notion ambiguity` with it",
                ));
            }
        };
        let suppress = Suppress::new(self.k)
            .notion(notion)
            .columns(Some(whole.measured.clone()))
            .weights(named.weights.clone())
            .never(named.never.clone())
            .budgets(named.budgets.clone())
            .diversity(named.diversity)
            .exact(is_exact)
            .robust(self.robust)
            .closed(self.closed)
            .tellers(named.tellers.clone())
            .gap(self.gap);
        let found = suppress.run(&whole.table, run)?;
        let certificate = found.certificate().map(|multipliers| {
            let columns: Vec<ColumnId> = whole.measured.iter().collect();
            let must_stay =
                |id: ColumnId| named.never.contains(id) || named.budgets.contains(&(id, 0));
            let weight =
                |&id: &ColumnId| (!must_stay(id)).then(|| named.weights.of(id).millionths());
            let weights = columns.iter().map(weight).collect();
            Certificate { columns, k: self.k, weights, scale: 1, multipliers: multipliers.to_vec() }
        });
        Ok(Decided {
            changes: found.changes().clone(),
            cost: found.cost().millionths(),
            lower_bound: found.lower_bound().millionths(),
            upper_bound: None,
            certificate,
            certified: found.certified_bound().millionths(),
            decoys: found.decoys(),
            open: found.open_tellers().to_vec(),
            coverage: found.coverage(),
            method: if is_exact { "exact" } else { "search" },
        })
    }

    fn ambiguous(&self, whole: &Whole, named: &Named, run: &Run) -> Result<Decided> {
        refuse_costs(named)?;
        let (methods, name): (&[AmbiguityMethod], _) = match self.method {
            Some(method) => (&[paper_method(method)], method.name()),
            None if whole.table.rows() > MANY_ROWS => {
                (&[AmbiguityMethod::Rows, AmbiguityMethod::Shortest], "best")
            }
            None => (
                &[
                    AmbiguityMethod::Rows,
                    AmbiguityMethod::Occurrences,
                    AmbiguityMethod::InTurn,
                    AmbiguityMethod::Shortest,
                ],
                "best",
            ),
        };
        // As in the paper where one of its methods is named.
        let shows = self.irredundant.unwrap_or(self.method.is_none());
        let mut best: Option<Ambiguated> = None;
        for &method in methods {
            let found = Ambiguity::new(self.k)
                .columns(Some(whole.measured.clone()))
                .method(method)
                .ties(self.ties)
                .weights(named.weights.clone())
                .redundant(if shows { Redundant::Show } else { Redundant::Keep })
                .run(&whole.table, run)?;
            if best.as_ref().is_none_or(|best| found.cost() < best.cost()) {
                best = Some(found);
            }
        }
        let best = best.expect("at least one method");
        Ok(of_ambiguated(&best, name))
    }

    fn broken(&self, whole: &Whole, named: &Named, run: &Run) -> Result<Decided> {
        refuse_costs(named)?;
        let Some(dependency) = &self.dependency else { return Err(wrong("no dependency")) };
        let (from, to) = (named_set(whole, &dependency.from)?, named_set(whole, &dependency.to)?);
        let method = self.method.map_or(AmbiguityMethod::Shortest, paper_method);
        let goal = if dependency.one_counterexample {
            DependencyGoal::OneCounterexample
        } else {
            DependencyGoal::RowWise(method)
        };
        let found = Dependency::new(from, to)
            .goal(goal)
            .ties(self.ties)
            .weights(named.weights.clone())
            .run(&whole.table, run)?;
        Ok(of_ambiguated(&found, self.method.map_or("shortest", SuppressMethod::name)))
    }
}

/// Settings that only groups know of.
fn refuse_costs(named: &Named) -> Result<()> {
    if named.never.is_empty() && named.budgets.is_empty() && named.diversity.is_none() {
        return Ok(());
    }
    Err(wrong(
        "columns that must stay, budgets and diversity are for classes of equal rows\n  hint: ask for the notion `k-anonymity`",
    ))
}

fn paper_method(method: SuppressMethod) -> AmbiguityMethod {
    match method {
        SuppressMethod::A => AmbiguityMethod::Rows,
        SuppressMethod::B => AmbiguityMethod::Occurrences,
        SuppressMethod::C => AmbiguityMethod::InTurn,
        SuppressMethod::D => AmbiguityMethod::AtOnce,
        SuppressMethod::Shortest => AmbiguityMethod::Shortest,
        SuppressMethod::Exact => AmbiguityMethod::Exact,
    }
}

fn of_ambiguated(found: &Ambiguated, method: &'static str) -> Decided {
    Decided {
        changes: found.changes().clone(),
        cost: found.cost().millionths(),
        lower_bound: found.lower_bound().millionths(),
        upper_bound: Some(found.upper_bound().millionths()),
        certificate: None,
        certified: 0,
        decoys: 0,
        open: Vec::new(),
        coverage: found.coverage(),
        method,
    }
}
