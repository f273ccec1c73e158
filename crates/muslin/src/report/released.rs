//! A report of a table and a release of it.

use muslin_report::{
    BarChart, Block, Cell, Chart, Document, Figure, Finding, Quantity, Section, Table, Verdict,
    VerdictBox,
};

use super::{Audience, document, figures, scanned, sorted};
use crate::attack::{AttackReport, AttackResult};
use crate::diff::{DiffBin, DiffColumnReport, DiffMarginal, DiffReport};
use crate::plots::{association_figure, loss_figure, marginal_figure};
use crate::protect::PlanReport;
use crate::release_folder::Manifest;
use crate::scan::ScanReport;
use crate::verdict::{VerdictFinding, verdict_headline};
use crate::verify::{VerifyCheck, VerifyReport};

/// What is known about a release.
pub(super) struct Released<'a> {
    pub(super) scan: &'a ScanReport,
    pub(super) after: &'a ScanReport,
    pub(super) manifest: Option<&'a Manifest>,
    pub(super) verdict: &'a VerifyReport,
    pub(super) attacks: &'a AttackReport,
    pub(super) lost: &'a DiffReport,
    pub(super) plan: Option<&'a PlanReport>,
    pub(super) audience: Audience,
    /// Fewer rows than this have no label.
    pub(super) k: u64,
}

/// An attack, and the sensitive column that it aims at.
fn aimed(name: &str, sensitive: Option<&String>) -> String {
    sensitive.map_or(name.to_owned(), |column| format!("{name} of `{column}`"))
}

impl Released<'_> {
    pub(super) fn document(&self) -> Document {
        let verdict = VerdictBox {
            state: Some(self.state()),
            headline: self.headline(),
            findings: sorted(self.findings()),
            not_claimed: vec![
                "That nobody can be found: what is not a quasi-identifier here may be known to somebody.".into(),
                "That other attacks than those listed gain nothing.".into(),
            ],
        };
        let mut columns = scanned::columns(self.scan);
        columns.internal = true;
        let mut searched = scanned::searched(self.scan);
        searched.internal = true;
        let mut dependencies = scanned::dependencies(self.scan);
        dependencies.internal = true;
        let sections = vec![
            self.situation(),
            columns,
            self.risk(),
            searched,
            dependencies,
            self.done(),
            self.losses(),
            self.marginals(),
            self.attacks(),
            self.hygiene(),
            self.analysis(),
            self.reproduce(),
        ];
        let rows = Quantity::Count(self.lost.rows_after).of("row");
        let columns = Quantity::Count(self.lost.release_columns).of("column");
        let subtitle = format!(
            "A release of {rows} and {columns}: what holds, what is lost, what attacks gain"
        );
        // The input's name is its owner's.
        let title = match self.audience {
            Audience::Internal => scanned::title(self.scan),
            Audience::External => "About this release".to_owned(),
        };
        document(title, self.lost.rows_after, subtitle, verdict, sections)
    }

    /// Attacks that succeed are findings, whatever was verified.
    fn state(&self) -> Verdict {
        match self.verdict.verdict {
            Verdict::Passed if !self.attacks.met => Verdict::Findings,
            verdict => verdict,
        }
    }

    fn headline(&self) -> String {
        let succeed = self.attacks.attacks.iter().filter(|own| own.finding).count();
        let found = self.verdict.findings.len() + succeed;
        verdict_headline(self.state(), &self.verdict.checks, found)
    }

    fn findings(&self) -> Vec<Finding> {
        let check = |own: &VerifyCheck| {
            let text = format!("{}: {}.", own.claim, own.reason);
            if own.met { Finding::good(text) } else { Finding::bad(text) }
        };
        let mut findings: Vec<Finding> = self.verdict.checks.iter().map(check).collect();
        let found = self.verdict.findings.iter();
        findings.extend(found.map(|own| Finding::look(format!("{}.", self.shown(own)))));
        for own in self.attacks.attacks.iter().filter(|own| own.finding) {
            let gained = match (own.success, own.baseline) {
                _ if self.audience == Audience::Internal => own.achieved(),
                (Some(success), Some(baseline)) => format!(
                    "{} of the guesses are right, against a baseline of {}",
                    self.told(success),
                    self.told(baseline)
                ),
                _ => "certain of cells or people".into(),
            };
            let name = aimed(&own.name, own.sensitive.as_ref());
            findings.push(Finding::look(format!("Attack {name}: {gained}.")));
        }
        let warnings = self.manifest.iter().flat_map(|manifest| &manifest.warnings);
        findings.extend(warnings.map(|own| Finding::look(format!("Warning: {own}."))));
        findings
    }

    /// A finding as the reader may see it: its counts are of rows.
    fn shown(&self, finding: &VerdictFinding) -> String {
        if self.audience == Audience::Internal {
            return finding.text.clone();
        }
        let columns: Vec<&str> = finding.columns.iter().map(String::as_str).collect();
        let share = Quantity::Share { part: finding.rows, of: self.lost.rows_after };
        let share = share.rounded(self.k, self.lost.rows_after);
        format!(
            "Published columns beside the quasi-identifiers make {share} of the rows unique: {}",
            crate::input::names(&columns)
        )
    }

    /// A share in a sentence, as the reader may see it.
    fn told(&self, share: f64) -> Quantity {
        let share = Quantity::Fraction(share);
        match self.audience {
            Audience::Internal => share,
            Audience::External => share.rounded(self.k, self.lost.rows_after),
        }
    }

    fn situation(&self) -> Section {
        // Rows of the original, less those that are published, are people.
        let mut section = match self.audience {
            Audience::Internal => scanned::situation(self.scan),
            Audience::External => Section::new("situation", "The table"),
        };
        let mut table = Table::new("What was published", &["what", "is"]);
        let mut row = |what: &str, is: Cell| table.rows.push(vec![Cell::text(what), is]);
        row("rows", Cell::count(self.lost.rows_after));
        row(
            "rows withheld",
            Cell::share(self.lost.suppression.rows_removed, self.lost.rows_before),
        );
        row("columns", Cell::text(self.lost.release_columns.to_string()));
        let withheld = &self.lost.suppression.columns_withheld;
        let withheld = if withheld.is_empty() { "none".into() } else { withheld.join(", ") };
        row("columns withheld", Cell::text(withheld));
        section.table(table);
        section
    }

    fn risk(&self) -> Section {
        let mut section = Section::new("risk", "Risk before and after");
        let classes = (&self.scan.quasi_identifiers, &self.after.quasi_identifiers);
        if let (Some(before), Some(after)) = classes {
            section.text(format!("On {}.", after.columns.join(", ")));
            let header = ["k", "before", "after"];
            let mut table = Table::new("Rows in classes of fewer than k", &header);
            for (old, new) in before.below.iter().zip(&after.below) {
                table.rows.push(vec![
                    Cell::text(old.k.to_string()),
                    Cell::share(old.rows, self.scan.rows),
                    Cell::share(new.rows, self.after.rows),
                ]);
            }
            section.table(table);
            let mut table = Table::new("Risk of being found", &["what", "before", "after"]);
            let highest = |smallest: Option<u64>| match smallest {
                Some(rows) if rows < self.k && self.audience == Audience::External => {
                    Cell::text(format!("more than {}", Quantity::Fraction(inverse(self.k))))
                }
                Some(rows) if rows > 0 => Cell::fraction(inverse(rows)),
                _ => Cell::Nothing,
            };
            table.rows.push(vec![
                Cell::text("highest of anybody: 1 by the smallest class"),
                highest(before.smallest),
                highest(after.smallest),
            ]);
            let mean = |ratio: Option<f64>| match ratio {
                Some(ratio) if ratio > inverse(self.k) && self.audience == Audience::External => {
                    Cell::text(format!("more than {}", Quantity::Fraction(inverse(self.k))))
                }
                ratio => ratio.map_or(Cell::Nothing, Cell::fraction),
            };
            table.rows.push(vec![
                Cell::text("mean: classes by rows"),
                mean(before.distinct_ratio),
                mean(after.distinct_ratio),
            ]);
            section.table(table);
        }
        section.figure(figures::class_sizes(self.scan, Some(self.after)));
        section.figure(figures::survival(self.scan, Some(self.after)));
        section
    }

    fn done(&self) -> Section {
        let mut section = Section::new("done", "What was done");
        if let Some(manifest) = self.manifest {
            let claims = manifest.claims.iter();
            let claim = |own: &crate::Claim| format!("Holds: {own} ({}).", own.columns.join(", "));
            section.list(claims.map(claim).collect());
            let accepted = manifest.accepted.iter();
            section.list(
                accepted.map(|own| format!("The known attack `{own}` was accepted.")).collect(),
            );
        }
        let rows = self.lost.rows_after;
        let cells = |share: f64| Quantity::Share { part: figures::rows(share, rows), of: rows };
        let bar = |own: &DiffColumnReport| {
            let each = vec![cells(own.suppressed_share), cells(own.generalized_share)];
            (own.name.clone(), each)
        };
        let touched = |own: &&DiffColumnReport| {
            !own.withheld && (own.suppressed_share > 0.0 || own.generalized_share > 0.0)
        };
        let chart = BarChart {
            series: vec!["withheld".into(), "generalized".into()],
            bars: self.lost.columns.iter().filter(touched).map(bar).collect(),
        };
        section.figure(Figure::new(
            "suppression",
            "Cells withheld and generalized, by column",
            "The share of each column's cells that say nothing, and of those that say a range or a set instead of a value.",
            Chart::Bars(chart),
        ));
        // What was tried on the original is counted on people who may not be in the release.
        if let Some(plan) = self.plan.filter(|_| self.audience == Audience::Internal) {
            section.figure(figures::plan(plan));
            let rows = Quantity::Count(plan.tried_rows).of("row");
            section.text(if plan.tried_rows < plan.rows {
                let all = Quantity::Count(plan.rows).of("row");
                format!("Tried on {rows} that were drawn from {all}; all rows together lose less.")
            } else {
                format!("Tried on all {rows}.")
            });
        }
        section
    }

    fn losses(&self) -> Section {
        let mut section = Section::new("loss", "What an analyst loses");
        let lost = self.lost;
        let mut table = Table::new("Measures of loss; 0 is nothing", &["measure", "value"]);
        let mut row = |what: &str, is: Option<Cell>| {
            table.rows.push(vec![Cell::text(what), is.unwrap_or(Cell::Nothing)]);
        };
        row(
            "GCP: mean detail of quasi-identifiers that is lost",
            Some(Cell::fraction(lost.loss.gcp)),
        );
        row(
            "non-uniform entropy, of what is lost when all is withheld",
            Some(Cell::fraction(lost.loss.entropy_share)),
        );
        row(
            "cells withheld",
            Some(Cell::share(lost.suppression.suppressed_cells, lost.suppression.cells)),
        );
        row(
            "counting queries: relative error at the median",
            lost.queries.median.map(Cell::fraction),
        );
        row(
            "counting queries: error that 95 of 100 do not exceed",
            lost.queries.p95.map(Cell::fraction),
        );
        row("association that is kept", lost.association.ratio.map(Cell::fraction));
        row("KL divergence, nats", lost.kl.nats.map(Cell::number));
        section.table(table);
        section.figure(loss_figure(&lost.columns));
        section.figure(association_figure(&lost.association));
        section
    }

    fn marginals(&self) -> Section {
        let mut section = Section::new("marginals", "Columns before and after");
        let has_ranges = self.lost.marginals.iter().any(|own| own.kind == "ranges");
        if has_ranges && self.audience == Audience::External {
            section.text("Ranges of numbers are in their order and without bounds, which are values of single people.");
        }
        for (number, marginal) in (1..).zip(&self.lost.marginals).take(24) {
            section.figure(marginal_figure(number, &self.readable(marginal)));
        }
        section
    }

    /// A column whose bins have labels only where enough rows have them. Bounds of ranges are somebody's
    /// values, and not for everybody.
    fn readable(&self, marginal: &DiffMarginal) -> DiffMarginal {
        let mut marginal = marginal.clone();
        let is_hidden = marginal.kind == "ranges" && self.audience == Audience::External;
        if is_hidden {
            marginal.bins.iter_mut().for_each(|bin| bin.label = None);
            return marginal;
        }
        // Those that few rows have are one bin, at the end: their places in the order tell too.
        let (kept, rare): (Vec<_>, Vec<_>) =
            marginal.bins.into_iter().partition(|bin| bin.before >= self.k);
        marginal.bins = kept;
        if !rare.is_empty() {
            marginal.bins.push(DiffBin {
                bin: marginal.bins.len() as u64 + 1,
                label: Some("(rare)".into()),
                before: rare.iter().map(|bin| bin.before).sum(),
                after: rare.iter().map(|bin| bin.after).sum(),
            });
        }
        marginal
    }

    fn attacks(&self) -> Section {
        let mut section = Section::new("attacks", "Attacks that were tried");
        section.text("Success is the share of right guesses, with its 95 % interval; the baseline is the share that is right without the attack. Certain are the targets for which one candidate is left.");
        let header = [
            "attack",
            "success",
            "low",
            "high",
            "baseline",
            "certain",
            "the attacker knows",
            "defence",
        ];
        let mut table = Table::new("Attacks", &header);
        let share = |own: Option<f64>| own.map_or(Cell::Nothing, Cell::fraction);
        for own in &self.attacks.attacks {
            let AttackResult {
                name,
                sensitive,
                success,
                low,
                high,
                baseline,
                certain,
                knows,
                defence,
                ..
            } = own;
            table.rows.push(vec![
                Cell::text(aimed(name, sensitive.as_ref())),
                share(*success),
                share(*low),
                share(*high),
                share(*baseline),
                Cell::count(*certain),
                Cell::text(knows),
                Cell::text(defence),
            ]);
        }
        section.table(table);
        let skipped = self.attacks.skipped.iter();
        section.list(
            skipped
                .map(|own| {
                    format!(
                        "Not tried: {}: {}",
                        aimed(&own.name, own.sensitive.as_ref()),
                        own.reason
                    )
                })
                .collect(),
        );
        section
    }

    fn hygiene(&self) -> Section {
        let mut section = Section::new("hygiene", "Checks of the file");
        let mut table = Table::new("What the judge found", &["check", "met", "what was found"]);
        for own in &self.verdict.checks {
            table.rows.push(vec![
                Cell::text(&own.claim),
                Cell::Met(own.met),
                Cell::text(&own.reason),
            ]);
        }
        section.table(table);
        let mut rows = Section::internal("rows", "Rows that do not meet a check");
        let mut table = Table::new("The first rows that do not meet a check", &["row", "check"]);
        for own in self.verdict.checks.iter().filter(|own| !own.met) {
            let each = own.rows.iter().take(10);
            table.rows.extend(each.map(|&row| vec![Cell::Row(row.into()), Cell::text(&own.claim)]));
        }
        rows.table(table);
        section.blocks.append(&mut rows.blocks);
        section
    }

    fn analysis(&self) -> Section {
        let mut section = Section::new("analysis", "How to analyse this file");
        let lost = self.lost;
        let mut items = Vec::new();
        if lost.suppression.suppressed_cells > 0 {
            items.push("A cell with `*` is withheld because it is rare with others of its row: it is not missing at random. Report how many there are, and do not fill them in from the other cells of the class.".to_owned());
        }
        if lost.columns.iter().any(|own| own.generalized_share > 0.0) {
            items.push("A range or a set stands for one of its values: count a row in part for each of them, or analyse at the level of the ranges.".into());
        }
        if let Some(slices) = &lost.slices {
            let each: Vec<String> = slices.iter().map(|own| own.join(", ")).collect();
            items.push(format!("Cells of one row belong together only within these groups of columns: {}. Across groups, combine counts within a bucket.", each.join(" | ")));
        }
        if lost.suppression.rows_removed > 0 {
            items.push(
                "Rows were withheld: totals are too small, and small groups are under-represented."
                    .into(),
            );
        }
        if let Some(median) = lost.queries.median {
            items.push(format!(
                "Counts of a few conditions are off by {} at the median.",
                self.told(median)
            ));
        }
        items.push("The order of the rows says nothing.".into());
        section.list(items);
        section
    }

    fn reproduce(&self) -> Section {
        let mut section = Section::new("reproduce", "How to reproduce this");
        let Some(manifest) = self.manifest else { return section };
        let mut table = Table::new("What was made from what", &["what", "SHA-256"]);
        let mut row = |what: &str, hash: Option<&str>| {
            table.rows.extend(hash.map(|hash| vec![Cell::text(what), Cell::text(hash)]));
        };
        row("policy", manifest.policy_sha256.as_deref());
        for file in &manifest.files {
            row(&file.name, Some(&file.sha256));
        }
        section.table(table);
        section.text(if manifest.reproducible {
            format!("Made by muslin {} with a seed: the same input, policy and seed make the same bytes.", manifest.muslin)
        } else {
            format!("Made by muslin {}; what was drawn was drawn by the operating system, and is not to be repeated.", manifest.muslin)
        });
        section
            .blocks
            .push(Block::Commands(vec!["muslin verify RELEASE --original INPUT -p POLICY".into()]));
        section
    }
}

#[expect(clippy::cast_precision_loss, reason = "a risk for people to read")]
fn inverse(rows: u64) -> f64 {
    1.0 / rows as f64
}
