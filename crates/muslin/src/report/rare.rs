//! Values that few rows have, and the search for them in what is for everybody.

use std::collections::HashSet;

use muslin_engine::Run;
use muslin_report::Document;
use muslin_table::{Column, EncodedTable};

use super::{ReportJob, internal};
use crate::Result;
use crate::published::{data_of, release_read};

/// What reports are written with. A word that is here is our own, whoever else has it.
const OWN: [&str; 4] = [
    include_str!("figures.rs"),
    include_str!("mod.rs"),
    include_str!("released.rs"),
    include_str!("scanned.rs"),
];

/// Texts that are values of fewer than k rows.
pub(super) struct Rare {
    texts: HashSet<String>,
}

impl Rare {
    /// Those of the table and of the release.
    pub(super) fn of(job: &ReportJob, k: u64, run: &Run) -> Result<Self> {
        let mut texts = HashSet::new();
        let table = muslin_io::read(&job.input, &job.read, run)?.table;
        collect(&table, k, &mut texts);
        if let Some(release) = &job.release {
            let (data, folder) = data_of(release)?;
            let options = release_read(&job.release_read, folder.as_ref());
            collect(&muslin_io::read(&data, &options, run)?.table, k, &mut texts);
        }
        for column in table.columns() {
            texts.remove(column.name());
        }
        texts.retain(|text| !is_own(text));
        Ok(Self { texts })
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// An error where a rare value stands in a document all the same, anywhere in a text.
    pub(super) fn check(&self, document: &Document) -> Result<()> {
        for text in document.texts() {
            let words = text.split(|c: char| c.is_whitespace() || ",;:()|`".contains(c));
            let mut parts = words.chain([text.as_str()]);
            if parts.any(|part| self.has(part)) {
                return Err(internal(
                    "the report for everybody holds a value of few rows, and was not written",
                ));
            }
        }
        Ok(())
    }
}

/// Values of text columns and days that fewer than `k` rows have. Numbers are told apart from counts by
/// nobody, so that reports have none of them.
fn collect(table: &EncodedTable, k: u64, texts: &mut HashSet<String>) {
    use arrow_schema::DataType;
    let is_text = |column: &&Column| {
        let kind = column.data_type();
        !(kind.is_numeric() || *kind == DataType::Boolean)
    };
    for column in table.columns().iter().filter(is_text) {
        let mut rows = vec![0u64; column.slots()];
        column.codes().slots().for_each(|slot| rows[slot as usize] += 1);
        let dictionary = column.dictionary().texts();
        let rare = dictionary.iter().zip(rows).filter(|(_, rows)| *rows < k);
        texts.extend(rare.map(|(text, _)| text.trim().to_owned()).filter(|text| text.len() > 1));
    }
}

/// Whether a word is one of ours.
fn is_own(word: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    OWN.iter().any(|source| {
        source.match_indices(word).any(|(at, _)| {
            let (before, after) = (&source[..at], &source[at + word.len()..]);
            is_edge(before.chars().next_back()) && is_edge(after.chars().next())
        })
    })
}
