use muslin_table::{Column, Dictionary, printable};

use crate::{Error, Result};

/// How often each value of a column occurs.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    dictionary: Dictionary,
    /// By slot: the values, missing, suppressed.
    counts: Vec<u32>,
    rows: u32,
}

impl Shares {
    pub(super) fn of(column: &Column) -> Self {
        let mut counts = vec![0; column.slots()];
        let mut rows = 0;
        for slot in column.codes().slots() {
            counts[slot as usize] += 1;
            rows += 1;
        }
        Self { dictionary: column.dictionary().clone(), counts, rows }
    }
}

/// The values that the original or the release has, in order: each is a *place*. What the original
/// has of them is cumulated, so that distances to it are found quickly.
pub(super) struct Places {
    /// By slot of the release. Only slots that occur are right.
    of_slot: Vec<u32>,
    /// Rows of the original.
    rows: u32,
    /// Rows of the original with the value of each place.
    totals: Vec<u32>,
    /// Rows of the original with that value or one before it.
    up_to: Vec<u32>,
    /// Sums of the first 0, 1, 2, ... of `up_to`.
    sums: Vec<u64>,
    /// From the original's first value to its last; at least 1.
    steps: u32,
}

impl Places {
    /// Lines up the values of a published column, which occur so often, with the original's.
    pub(super) fn new(column: &Column, own: &Shares, original: &Shares) -> Result<Self> {
        let wrong = |what: &str, hint: &str| {
            let name = printable(column.name());
            Err(Error::Setting(format!("column `{name}` {what}\n  hint: {hint}")))
        };
        if own.dictionary.data_type() != original.dictionary.data_type() {
            return wrong(
                "has values of another type than its original",
                "give the column that it was made from, or none",
            );
        }
        if original.rows == 0 && own.rows > 0 {
            return wrong("has rows and its original has none", "give the original's rows");
        }
        let Some(mut slots) = find_all(&own.dictionary, &original.dictionary) else {
            return wrong(
                "has values that its original lacks",
                "give the column that it was made from, or none",
            );
        };
        let missing = original.dictionary.len();
        slots.extend([missing, missing + 1]);
        let mut published = vec![false; original.counts.len()];
        for (&slot, &count) in slots.iter().zip(&own.counts) {
            published[slot] |= count > 0;
        }

        let mut places = Self {
            of_slot: Vec::with_capacity(slots.len()),
            rows: original.rows,
            totals: Vec::new(),
            up_to: Vec::new(),
            sums: vec![0],
            steps: 1,
        };
        let mut place_of = Vec::with_capacity(published.len());
        let (mut place, mut up_to, mut sum, mut values) = (0u32, 0u32, 0u64, 0u32);
        for (&total, published) in original.counts.iter().zip(published) {
            place_of.push(place);
            if total > 0 || published {
                up_to += total;
                sum += u64::from(up_to);
                place += 1;
                values += u32::from(total > 0);
                places.totals.push(total);
                places.up_to.push(up_to);
                places.sums.push(sum);
            }
        }
        places.of_slot.extend(slots.iter().map(|&slot| place_of[slot]));
        places.steps = values.saturating_sub(1).max(1);
        Ok(places)
    }

    /// The place of a slot that occurs in the release.
    pub(super) fn of_slot(&self, slot: u32) -> u32 {
        self.of_slot[slot as usize]
    }

    /// Rows of the original: what [`Self::equal`] counts in, per row of the class.
    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// Steps from the original's first value to its last.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// How much of a class's shares has to go to other values to make the original's, in units of
    /// one row of the class in one row of the original. `counts` are the class's places, rising, and
    /// how many of its rows have each.
    pub(super) fn equal(&self, size: u32, counts: &[(u32, u32)]) -> u128 {
        // What is too much somewhere is too little elsewhere, so one of the two is counted.
        let surplus = |&(place, count): &(u32, u32)| {
            let needs = u64::from(self.totals[place as usize]) * u64::from(size);
            (u64::from(count) * u64::from(self.rows)).saturating_sub(needs)
        };
        counts.iter().map(|of| u128::from(surplus(of))).sum()
    }

    /// The same, times the places that each part goes.
    pub(super) fn ordered(&self, size: u32, counts: &[(u32, u32)]) -> u128 {
        let (mut from, mut own, mut moved) = (0, 0, 0);
        for &(place, count) in counts {
            moved += self.carried(from..place as usize, own, size);
            from = place as usize;
            own += count;
        }
        moved + self.carried(from..self.up_to.len(), own, size)
    }

    /// What is carried from each of these places to the next, when the class has `own` rows up to
    /// each of them.
    fn carried(&self, places: std::ops::Range<usize>, own: u32, size: u32) -> u128 {
        let has = u64::from(own) * u64::from(self.rows);
        let size = u64::from(size);
        let too_much = |&up_to: &u32| u64::from(up_to) * size <= has;
        let turn = places.start + self.up_to[places.clone()].partition_point(too_much);
        let has = |from: usize, to: usize| (to - from) as u128 * u128::from(has);
        let needs =
            |from: usize, to: usize| u128::from(self.sums[to] - self.sums[from]) * u128::from(size);
        let (start, end) = (places.start, places.end);
        has(start, turn) - needs(start, turn) + needs(turn, end) - has(turn, end)
    }
}

/// Where each value of `few` is in `many`; nothing where one is not there.
pub(crate) fn find_all(few: &Dictionary, many: &Dictionary) -> Option<Vec<usize>> {
    if few == many {
        return Some((0..few.len()).collect());
    }
    let same = |at: usize, place: usize, length: usize| {
        *few.values().slice(at, length) == *many.values().slice(place, length)
    };
    let mut found = Vec::with_capacity(few.len());
    // Both are in order, so a value is after the one before it, most often right after it.
    let mut place = 0;
    while found.len() < few.len() {
        let at = found.len();
        let left = (few.len() - at).min(many.len().checked_sub(place).filter(|&left| left > 0)?);
        if !same(at, place, 1) {
            place += 1;
            continue;
        }
        let mut length = 1;
        while 2 * length <= left && same(at + length, place + length, length) {
            length *= 2;
        }
        found.extend(place..place + length);
        place += length;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use muslin_table::{ColumnId, EncodedTable};

    use super::*;

    fn column(cells: impl IntoIterator<Item = Option<i64>>) -> Column {
        let table = EncodedTable::of_columns([("a".into(), cells.into_iter().collect())]);
        table.column(ColumnId::new(0)).clone()
    }

    #[test]
    fn values_are_found_in_a_larger_dictionary() {
        let many = column((0..1_000).map(Some));
        let keeps: [fn(&usize) -> bool; 3] =
            [|place| place % 2 == 1, |place| !(300..=470).contains(place), |_| false];
        for kept in keeps {
            let places: Vec<usize> = (0..1_000).filter(kept).collect();
            let few =
                column((0i64..).zip(0..1_000).filter(|(_, at)| kept(at)).map(|of| Some(of.0)));
            assert_eq!(find_all(few.dictionary(), many.dictionary()), Some(places));
        }
        for wrong in [-1, 1_000] {
            let few = column([3, 8, wrong].map(Some));
            assert_eq!(find_all(few.dictionary(), many.dictionary()), None);
        }
    }

    #[test]
    fn distances_are_those_of_their_definitions() {
        // The original has 1, 2, 4, missing as 3, 2, 4, 1 of 10 rows; nothing is 3.
        let cells = [1, 1, 1, 2, 2, 4, 4, 4, 4].map(Some).into_iter().chain([None]);
        let original = column(cells);
        let release = column([Some(2), Some(2), Some(4), None]);
        let places = Places::new(&release, &Shares::of(&release), &Shares::of(&original)).unwrap();
        assert_eq!((places.rows(), places.steps()), (10, 3));
        assert_eq!([0, 1, 2].map(|slot| places.of_slot(slot)), [1, 2, 3]);
        // Shares 0, 1/2, 1/4, 1/4 against 3/10, 2/10, 4/10, 1/10, in fortieths.
        let counts = [(1, 2), (2, 1), (3, 1)];
        assert_eq!(places.equal(4, &counts), 20 - 8 + 10 - 4);
        // From the first place 12 are lacking, up to the second none, up to the third 6.
        assert_eq!(places.ordered(4, &counts), 12 + 6);
    }

    #[test]
    fn a_suppressed_cell_has_a_place_after_all_others() {
        let original = column([1, 2].map(Some));
        let codes = muslin_table::Codes::pack(2, [0, 3].into_iter());
        let release = Column::new("a", original.dictionary().clone(), codes).unwrap();
        let places = Places::new(&release, &Shares::of(&release), &Shares::of(&original)).unwrap();
        assert_eq!((places.of_slot(3), places.steps()), (2, 1));
        // Halves of 1 and 2 against halves of 1 and suppressed: a half goes one place.
        assert_eq!(places.ordered(2, &[(0, 1), (2, 1)]), 2);
        assert_eq!(places.equal(2, &[(0, 1), (2, 1)]), 2);
    }
}
