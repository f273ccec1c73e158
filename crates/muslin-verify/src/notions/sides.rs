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

/// What is published: the cells of each row, and for each row the mask of those that are visible.
struct Shown<'a> {
    keys: &'a Keys,
    rows: usize,
    visible: Vec<u64>,
    sacrificial_rows: usize,
}

impl Sides {
    /// Of a table and its release by `changes`.
    pub(super) fn of_changes(
        table: &EncodedTable,
        columns: &[ColumnId],
        changes: &Changes,
        run: &Run,
    ) -> Result<Self> {
        let keys = Keys::pack(table, columns);
        let (visible, sacrificial_rows) = hidden(table.rows(), columns.len(), &keys, |place| {
            withheld(table, columns[place], changes)
        });
        let shown = Shown { keys: &keys, rows: table.rows(), visible, sacrificial_rows };
        Self::new(&keys, table.rows(), &shown, run)
    }

    /// Of two tables: `columns` are those of the original, each with that of the release and what
    /// its slots are to the original's; nothing is a suppressed cell.
    pub(super) fn of_tables(
        original: &EncodedTable,
        release: &EncodedTable,
        columns: &[(ColumnId, ColumnId, Vec<Option<u32>>)],
        run: &Run,
    ) -> Result<Self> {
        let own: Vec<ColumnId> = columns.iter().map(|&(own, ..)| own).collect();
        let keys = Keys::pack(original, &own);
        let slots = |place: usize| {
            let (_, published, slots) = &columns[place];
            let codes = release.column(*published).codes().slots();
            codes.map(|slot| slots[slot as usize])
        };
        // What is hidden means nothing.
        let published =
            keys.like(release.rows(), |place| slots(place).map(|slot| slot.unwrap_or(0)));
        let (visible, sacrificial_rows) = hidden(release.rows(), columns.len(), &keys, |place| {
            let rows = slots(place).enumerate();
            Box::new(rows.filter(|(_, slot)| slot.is_none()).map(|(row, _)| row))
        });
        let shown = Shown { keys: &published, rows: release.rows(), visible, sacrificial_rows };
        Self::new(&keys, original.rows(), &shown, run)
    }

    fn new(keys: &Keys, rows: usize, shown: &Shown<'_>, run: &Run) -> Result<Self> {
        let width = keys.width();
        let mask = |row: usize| &shown.visible[row * width..][..width];
        let all = keys.all();
        let (originals, published) = rayon::join(
            || {
                let hash = |row| hash(keys.row(row), &all);
                let equal = |a, b| keys.row(a) == keys.row(b);
                Classes::new(rows, hash, equal, run)
            },
            || {
                let keys = shown.keys;
                let shape = |row| hash(mask(row), &all);
                let equal = |a, b| mask(a) == mask(b);
                let patterns = Classes::new(shown.rows, shape, equal, run)?;
                let hash =
                    |row: usize| mix(hash(keys.row(row), mask(row)), u64::from(patterns.of[row]));
                let equal = |a: usize, b: usize| {
                    patterns.of[a] == patterns.of[b] && agree(keys.row(a), keys.row(b), mask(a))
                };
                Classes::new(shown.rows, hash, equal, run).map(|classes| (classes, patterns))
            },
        );
        let (originals, (published, of_patterns)) = (originals?, published?);
        let words = |keys: &Keys, first: &[u32]| -> Vec<u64> {
            first.iter().flat_map(|&row| keys.row(row as usize)).copied().collect()
        };

        let (published, ranges) = by_pattern(&published, &of_patterns);
        let published = Published {
            words: words(shown.keys, &published.first),
            rows: published.sizes(),
            of: published.of,
            width,
        };
        let pattern = |(classes, &first): (Range<usize>, &u32)| {
            Pattern::new(mask(first as usize).to_vec(), classes, &published)
        };
        let patterns = ranges.into_par_iter().zip(&of_patterns.first).map(pattern).collect();
        let originals = Originals {
            words: words(keys, &originals.first),
            rows: originals.sizes(),
            of: originals.of,
            width,
        };
        Ok(Self { originals, published, patterns, sacrificial_rows: shown.sacrificial_rows })
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

/// Some rows, each once.
type Rows<'a> = Box<dyn Iterator<Item = usize> + 'a>;

/// For each row the mask of its visible cells; and the number of rows with few of them. `rows` has
/// those in which a column, by its place, is suppressed.
fn hidden<'a>(
    height: usize,
    columns: usize,
    keys: &Keys,
    rows: impl Fn(usize) -> Rows<'a>,
) -> (Vec<u64>, usize) {
    let width = keys.width();
    let mut visible = keys.all().repeat(height);
    let mut withheld = vec![0; height];
    for place in 0..columns {
        for row in rows(place) {
            keys.hide(&mut visible[row * width..][..width], place);
            withheld[row] += 1;
        }
    }
    let few = withheld.iter().filter(|&&withheld: &&usize| withheld * 2 > columns).count();
    (visible, few)
}

/// The rows in which `changes` or the table itself has a column suppressed.
fn withheld<'a>(table: &'a EncodedTable, id: ColumnId, changes: &'a Changes) -> Rows<'a> {
    let column = table.column(id);
    let is_suppressed = move |row: usize| {
        column.suppressed() > 0 && column.codes().slot(row) == column.suppressed_slot()
    };
    let decided = changes.suppressed(id).iter().map(|row| row.index());
    let decided = decided.filter(move |&row| !is_suppressed(row));
    let before = if column.suppressed() > 0 { 0..table.rows() } else { 0..0 };
    Box::new(decided.chain(before.filter(move |&row| is_suppressed(row))))
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
