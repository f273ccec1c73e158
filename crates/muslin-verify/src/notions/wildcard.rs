use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use muslin_engine::Run;
use rayon::prelude::*;

use super::sides::{Pattern, Sides};
use crate::Result;
use crate::keys::{agree, hash};

/// So many pairs of classes are compared one by one: it is quicker than to build a table.
const FEW_PAIRS: usize = 64;

/// Published classes that agree on what both their patterns show.
struct Alike {
    class: usize,
    /// Rows of one pattern and of the other.
    rows: (u32, u32),
}

/// N1: for each published class, the published rows that agree with it wherever both are visible.
///
/// Classes of one pattern differ, so a class agrees with itself alone there. Classes of two
/// patterns agree when they do on the columns that both show. Nothing where classes times
/// patterns are more than `limit`.
pub(super) fn count(sides: &Sides, limit: u64, run: &Run) -> Result<Option<Vec<u32>>> {
    let work = sides.published.rows.len() as u64 * sides.patterns.len() as u64;
    if work > limit {
        return Ok(None);
    }
    let counts: Vec<AtomicU32> =
        sides.published.rows.iter().map(|&rows| AtomicU32::new(rows)).collect();
    let places = (0..sides.patterns.len()).into_par_iter();
    places.try_for_each(|place| against_earlier(sides, place, &counts, run))?;
    Ok(Some(counts.into_iter().map(AtomicU32::into_inner).collect()))
}

/// Adds what the classes of a pattern and those of the patterns before it are to each other.
fn against_earlier(sides: &Sides, place: usize, counts: &[AtomicU32], run: &Run) -> Result<()> {
    let one = &sides.patterns[place];
    for (nth, other) in sides.patterns[..place].iter().enumerate() {
        if nth % 1_024 == 0 || one.classes.len() + other.classes.len() > 10_000 {
            run.check()?;
        }
        let swap = one.classes.len() > other.classes.len();
        let (few, many) = if swap { (other, one) } else { (one, other) };
        pair(sides, few, many, counts);
    }
    Ok(())
}

/// Adds what the classes of two patterns are to each other.
fn pair(sides: &Sides, few: &Pattern, many: &Pattern, counts: &[AtomicU32]) {
    let visible: Vec<u64> =
        few.visible.iter().zip(&many.visible).map(|(few, many)| few & many).collect();
    let visible = &visible[..];
    let words = |class: usize| sides.published.words(class);
    let rows = |class: usize| sides.published.rows[class];
    let add = |class: usize, rows: u32| {
        counts[class].fetch_add(rows, Ordering::Relaxed);
    };
    if few.classes.len() * many.classes.len() <= FEW_PAIRS {
        for a in few.classes.clone() {
            for b in many.classes.clone().filter(|&b| agree(words(a), words(b), visible)) {
                add(a, rows(b));
                add(b, rows(a));
            }
        }
        return;
    }
    let mut alike: Vec<Alike> = Vec::with_capacity(few.classes.len());
    let mut table: HashTable<usize> = HashTable::with_capacity(few.classes.len());
    let mut places = Vec::with_capacity(few.classes.len());
    for class in few.classes.clone() {
        let own = words(class);
        let same = |&place: &usize| agree(words(alike[place].class), own, visible);
        let rehash = |&place: &usize| hash(words(alike[place].class), visible);
        let place = match table.entry(hash(own, visible), same, rehash) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let place = alike.len();
                entry.insert(place);
                alike.push(Alike { class, rows: (0, 0) });
                place
            }
        };
        alike[place].rows.0 += rows(class);
        places.push(place);
    }
    for class in many.classes.clone() {
        let own = words(class);
        let same = |&place: &usize| agree(words(alike[place].class), own, visible);
        if let Some(&place) = table.find(hash(own, visible), same) {
            add(class, alike[place].rows.0);
            alike[place].rows.1 += rows(class);
        }
    }
    few.classes.clone().zip(places).for_each(|(class, place)| add(class, alike[place].rows.1));
}
