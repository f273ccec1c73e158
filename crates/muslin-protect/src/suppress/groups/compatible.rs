//! Notions that ask for less than groups: published rows and people that are compatible.
//!
//! A published row is compatible with a person when all its visible cells are the person's values.
//! *(k,1)*: every row is compatible with k people; each row for itself, so the cheapest is found row
//! by row. *(1,k)*: every person is compatible with k rows; k - 1 rows without any visible cell are
//! enough for all, which shows how little this protects. *(k,k)*: both.

use hashbrown::HashMap;

use super::candidates::{Candidates, OfKinds};
use super::costs::Costs;
use super::kinds::Kinds;

/// What each row keeps, by its place.
pub(super) type Kept = Vec<u128>;

/// The cheapest way to make every row compatible with k people.
pub(super) fn k_to_one(kinds: &Kinds, candidates: &Candidates, of: &OfKinds) -> Kept {
    let cheapest = |place: u32| of.groups(kinds.kind_at(place))[0];
    (0u32..).take(kinds.rows()).map(|place| candidates.kept(cheapest(place))).collect()
}

/// Blanks cells until every person is compatible with k rows, then shows again what it can: cells
/// that are not needed for that, nor for k people per row where `is_both`.
pub(super) fn cover(kept: Kept, kinds: &Kinds, costs: &Costs, k: u32, is_both: bool) -> Kept {
    let mut cover = Cover { kinds, kept, agreeing: HashMap::default(), rows_of: Vec::new() };
    cover.rows_of = cover.compatible_rows();
    cover.blank(costs, k);
    cover.show(costs, k, is_both);
    cover.kept
}

struct Cover<'a> {
    kinds: &'a Kinds,
    kept: Kept,
    /// Kinds that are equal on some columns, by the columns.
    agreeing: HashMap<u128, Classes, foldhash::fast::FixedState>,
    /// Rows that a person of each kind is compatible with.
    rows_of: Vec<u32>,
}

/// Kinds in classes.
struct Classes {
    of: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Cover<'_> {
    /// The kinds that are equal to one on some columns.
    fn agreeing(&mut self, kind: u32, kept: u128) -> &[u32] {
        let kinds = self.kinds;
        let classes = self.agreeing.entry(kept).or_insert_with(|| classes(kinds, kept));
        &classes.members[classes.of[kind as usize] as usize]
    }

    fn compatible_rows(&mut self) -> Vec<u32> {
        let mut rows_of = vec![0u32; self.kinds.len()];
        for place in (0u32..).take(self.kinds.rows()) {
            let kept = self.kept[place as usize];
            for &kind in self.agreeing(self.kinds.kind_at(place), kept) {
                rows_of[kind as usize] += 1;
            }
        }
        rows_of
    }

    /// Blanks whole rows for people with fewer than `k` rows: those first that are dearest already.
    fn blank(&mut self, costs: &Costs, k: u32) {
        let all_blank = costs.must_stay();
        let mut dearest: Vec<u32> = (0u32..).take(self.kinds.rows()).collect();
        dearest.sort_by_key(|&place| std::cmp::Reverse(costs.of_group(self.kept[place as usize])));
        for kind in (0u32..).take(self.kinds.len()) {
            for &place in &dearest {
                if self.rows_of[kind as usize] >= k {
                    break;
                }
                let row = self.kinds.kind_at(place);
                if self.kept[place as usize] == all_blank
                    || self.agreeing(row, all_blank).binary_search(&kind).is_err()
                {
                    continue;
                }
                self.change(place, all_blank);
            }
        }
    }

    /// Shows cells that need not be blank, the dearest first.
    fn show(&mut self, costs: &Costs, k: u32, is_both: bool) {
        let mut columns: Vec<usize> = (0..self.kinds.columns()).collect();
        columns.sort_by_key(|&column| std::cmp::Reverse(costs.columns()[column]));
        for place in (0u32..).take(self.kinds.rows()) {
            for &column in &columns {
                let kept = self.kept[place as usize];
                let more = kept | 1 << column;
                if more == kept {
                    continue;
                }
                let row = self.kinds.kind_at(place);
                let slots = self.kinds.column(column);
                let own = slots[row as usize];
                let (kinds, rows_of) = (self.kinds, std::mem::take(&mut self.rows_of));
                let agreeing = self.agreeing(row, kept);
                let stays = |kind: &&u32| slots[**kind as usize] == own;
                let people: u64 =
                    agreeing.iter().filter(stays).map(|&kind| u64::from(kinds.count(kind))).sum();
                let is_spared = agreeing
                    .iter()
                    .all(|kind| slots[*kind as usize] == own || rows_of[*kind as usize] > k);
                self.rows_of = rows_of;
                if is_spared && (!is_both || people >= u64::from(k)) {
                    self.change(place, more);
                }
            }
        }
    }

    /// Lets a row keep other columns.
    fn change(&mut self, place: u32, kept: u128) {
        let row = self.kinds.kind_at(place);
        let before = std::mem::replace(&mut self.kept[place as usize], kept);
        let mut rows_of = std::mem::take(&mut self.rows_of);
        self.agreeing(row, before).iter().for_each(|&kind| rows_of[kind as usize] -= 1);
        self.agreeing(row, kept).iter().for_each(|&kind| rows_of[kind as usize] += 1);
        self.rows_of = rows_of;
    }
}

fn classes(kinds: &Kinds, kept: u128) -> Classes {
    let columns: Vec<&[u32]> = (0..kinds.columns())
        .filter(|column| kept >> column & 1 == 1)
        .map(|column| kinds.column(column))
        .collect();
    let mut numbers: HashMap<Vec<u32>, u32, foldhash::fast::FixedState> = HashMap::default();
    let mut members: Vec<Vec<u32>> = Vec::new();
    let of = (0u32..)
        .take(kinds.len())
        .map(|kind| {
            let slots = columns.iter().map(|slots| slots[kind as usize]).collect();
            let next = u32::try_from(members.len()).expect("kinds are 32 bits wide");
            let number = *numbers.entry(slots).or_insert(next);
            if number == next {
                members.push(Vec::new());
            }
            members[number as usize].push(kind);
            number
        })
        .collect();
    Classes { of, members }
}
