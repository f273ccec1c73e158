use std::ops::Range;

use hashbrown::HashTable;
use muslin_engine::Run;
use muslin_table::{Changes, ColumnId, EncodedTable};
use rayon::prelude::*;

use crate::Result;
use crate::classes::Classes;
use crate::keys::{Keys, agree, hash, mix};

/// Both sides of a release: classes of equal original rows and of equal published rows.
pub(super) struct Sides {
    pub(super) originals: Originals,
    pub(super) published: Published,
    pub(super) patterns: Vec<Pattern>,
    pub(super) sacrificial_rows: usize,
}

/// Classes of rows with the same original values.
pub(super) struct Originals {
    /// The class of each row.
    pub(super) of: Vec<u32>,
    /// Rows of each class.
    pub(super) rows: Vec<u32>,
    width: usize,
    words: Vec<u64>,
}

/// Classes of rows with the same published cells, those of one pattern side by side.
pub(super) struct Published {
    /// The class of each row.
    pub(super) of: Vec<u32>,
    /// Rows of each class.
    pub(super) rows: Vec<u32>,
    width: usize,
    words: Vec<u64>,
}

/// Cells that are visible in the same columns.
pub(super) struct Pattern {
    /// The columns, as a mask.
    pub(super) visible: Vec<u64>,
    /// The published classes that have it. They differ in what is visible.
    pub(super) classes: Range<usize>,
    /// Those classes by what is visible.
    index: HashTable<u32>,
}

impl Originals {
    /// The values of a class.
    pub(super) fn words(&self, class: usize) -> &[u64] {
        &self.words[class * self.width..][..self.width]
    }
}

impl Published {
    /// The values of a class; those that are not visible mean nothing.
    pub(super) fn words(&self, class: usize) -> &[u64] {
        &self.words[class * self.width..][..self.width]
    }
}

impl Pattern {
    /// The class of this pattern that rows of these values fit.
    pub(super) fn fitting(&self, words: &[u64], published: &Published) -> Option<usize> {
        let same = |&class: &u32| agree(published.words(class as usize), words, &self.visible);
        self.index.find(hash(words, &self.visible), same).map(|&class| class as usize)
    }
}

impl Sides {
    pub(super) fn new(
        table: &EncodedTable,
        columns: &[ColumnId],
        changes: &Changes,
        run: &Run,
    ) -> Result<Self> {
        let keys = Keys::pack(table, columns);
        let (visible, sacrificial_rows) = visible(table, columns, changes, &keys);
        let width = keys.width();
        let mask = |row: usize| &visible[row * width..][..width];
        let all = keys.all();
        let (originals, published) = rayon::join(
            || {
                let hash = |row| hash(keys.row(row), &all);
                let equal = |a, b| keys.row(a) == keys.row(b);
                Classes::new(table.rows(), hash, equal, run)
            },
            || {
                let shape = |row| hash(mask(row), &all);
                let equal = |a, b| mask(a) == mask(b);
                let patterns = Classes::new(table.rows(), shape, equal, run)?;
                let hash =
                    |row: usize| mix(hash(keys.row(row), mask(row)), u64::from(patterns.of[row]));
                let equal = |a: usize, b: usize| {
                    patterns.of[a] == patterns.of[b] && agree(keys.row(a), keys.row(b), mask(a))
                };
                Classes::new(table.rows(), hash, equal, run).map(|classes| (classes, patterns))
            },
        );
        let (originals, (published, of_patterns)) = (originals?, published?);
        let words = |first: &[u32]| -> Vec<u64> {
            first.iter().flat_map(|&row| keys.row(row as usize)).copied().collect()
        };

        let (published, ranges) = by_pattern(&published, &of_patterns);
        let published = Published {
            words: words(&published.first),
            rows: published.sizes(),
            of: published.of,
            width,
        };
        let pattern = |(classes, &first): (Range<usize>, &u32)| {
            Pattern::new(mask(first as usize).to_vec(), classes, &published)
        };
        let patterns = ranges.into_par_iter().zip(&of_patterns.first).map(pattern).collect();
        let originals = Originals {
            words: words(&originals.first),
            rows: originals.sizes(),
            of: originals.of,
            width,
        };
        Ok(Self { originals, published, patterns, sacrificial_rows })
    }
}

impl Pattern {
    fn new(visible: Vec<u64>, classes: Range<usize>, published: &Published) -> Self {
        let hash = |class: u32| hash(published.words(class as usize), &visible);
        let mut index = HashTable::with_capacity(classes.len());
        for class in classes.clone() {
            let class = u32::try_from(class).expect("no more classes than rows");
            index.insert_unique(hash(class), class, |&class| hash(class));
        }
        Self { visible, classes, index }
    }
}

/// For each row the mask of its visible cells; and the number of rows with few of them.
fn visible(
    table: &EncodedTable,
    columns: &[ColumnId],
    changes: &Changes,
    keys: &Keys,
) -> (Vec<u64>, usize) {
    let width = keys.width();
    let mut visible = keys.all().repeat(table.rows());
    let mut withheld = vec![0; table.rows()];
    for (place, &id) in columns.iter().enumerate() {
        let mut hide = |row: usize| {
            keys.hide(&mut visible[row * width..][..width], place);
            withheld[row] += 1;
        };
        let column = table.column(id);
        let is_suppressed = |row: usize| column.codes().slot(row) == column.suppressed_slot();
        let rows = changes.suppressed(id).iter().map(|row| row.index());
        rows.filter(|&row| column.suppressed() == 0 || !is_suppressed(row)).for_each(&mut hide);
        if column.suppressed() > 0 {
            (0..table.rows()).filter(|&row| is_suppressed(row)).for_each(&mut hide);
        }
    }
    let few = withheld.iter().filter(|&&withheld: &&usize| withheld * 2 > columns.len()).count();
    (visible, few)
}

/// The classes numbered anew, so that those of a pattern follow each other; and which they are.
fn by_pattern(classes: &Classes, patterns: &Classes) -> (Classes, Vec<Range<usize>>) {
    let pattern = |&row: &u32| patterns.of[row as usize] as usize;
    let mut ends = vec![0usize; patterns.len()];
    classes.first.iter().for_each(|row| ends[pattern(row)] += 1);
    let mut end = 0;
    for count in &mut ends {
        end += std::mem::replace(count, end);
    }
    let starts = ends.clone();
    let mut first = vec![0; classes.len()];
    let number = |row: &u32| {
        let place = ends[pattern(row)];
        ends[pattern(row)] += 1;
        first[place] = *row;
        u32::try_from(place).expect("no more classes than rows")
    };
    let numbers: Vec<u32> = classes.first.iter().map(number).collect();
    let of = classes.of.iter().map(|&class| numbers[class as usize]).collect();
    let ranges = starts.into_iter().zip(ends).map(|(start, end)| start..end).collect();
    (Classes { of, first }, ranges)
}
