//! Places for many rows by trial and repair: every row is somewhere from the beginning, and rows leave
//! rooms that are too full for where they do the least harm. It finds a way where there is much freedom,
//! and says nothing where it finds none.

use muslin_engine::{Run, Seed};

use crate::Result;

/// Moves for each row, and in all, at most.
const MOVES_PER_ROW: usize = 400;
const MOST_MOVES: usize = 3_000_000;

/// Rows of a room, and choices of a row, that are compared before a move.
const COMPARED: u64 = 12;

/// Moves before a row may go back to where it was.
const AWAY: usize = 12;

/// Where rows are.
pub(super) struct Repair<'a> {
    /// The rooms of each choice of each kind.
    choices: Vec<&'a [Vec<u32>]>,
    /// Places in each room.
    places: &'a [u64],
    rows: Vec<Row>,
    /// The rows in each room.
    members: Vec<Vec<u32>>,
    /// Rooms that are too full, and where each room is in that list.
    full: Vec<u32>,
    at: Vec<u32>,
    draws: Seed,
    drawn: u64,
}

struct Row {
    kind: u32,
    choice: u32,
    /// The choice that it left last, and when.
    left: (u32, usize),
}

/// Not in the list.
const NONE: u32 = u32::MAX;

impl<'a> Repair<'a> {
    /// Of rows of these kinds: how many of each there are, and what choices they have.
    pub(super) fn new(
        kinds: impl Iterator<Item = (u32, &'a [Vec<u32>])>,
        places: &'a [u64],
    ) -> Self {
        let mut repair = Self {
            choices: Vec::new(),
            places,
            rows: Vec::new(),
            members: vec![Vec::new(); places.len()],
            full: Vec::new(),
            at: vec![NONE; places.len()],
            draws: Seed::new(0x7e_9a_14),
            drawn: 0,
        };
        for (kind, (rows, choices)) in (0u32..).zip(kinds) {
            repair.choices.push(choices);
            for _ in 0..rows {
                repair.rows.push(Row { kind, choice: 0, left: (NONE, 0) });
                let row = repair.rows.len() - 1;
                let harm = |&choice: &u32| repair.harm(kind, choice);
                let all = (0u32..).take(choices.len());
                repair.rows[row].choice = all.min_by_key(harm).unwrap_or(0);
                repair.arrive(row);
            }
        }
        repair
    }

    /// Whether a way was found.
    pub(super) fn run(mut self, run: &Run) -> Result<bool> {
        for step in 0..self.rows.len().saturating_mul(MOVES_PER_ROW).min(MOST_MOVES) {
            if self.full.is_empty() {
                return Ok(true);
            }
            if step % 4_096 == 0 {
                run.check()?;
            }
            let at = self.below(self.full.len());
            let room = self.full[at];
            let Some((row, choice)) = self.best(room, step) else { continue };
            self.leave(row);
            self.rows[row].left = (self.rows[row].choice, step);
            self.rows[row].choice = choice;
            self.arrive(row);
        }
        Ok(self.full.is_empty())
    }

    /// The row of a room and its new choice that leave the fewest rooms too full.
    fn best(&mut self, room: u32, step: usize) -> Option<(usize, u32)> {
        let mut best: Option<(i64, usize, u32)> = None;
        let members = self.members[room as usize].len();
        for _ in 0..COMPARED.min(members as u64) {
            let row = self.below(members);
            let row = self.members[room as usize][row] as usize;
            let Row { kind, choice, left } = self.rows[row];
            let rooms = &self.choices[kind as usize][choice as usize];
            let gain = rooms.iter().filter(|&&room| self.is_full(room)).count();
            let choices = self.choices[kind as usize].len();
            for _ in 0..COMPARED.min(choices as u64) {
                let other = u32::try_from(self.below(choices)).expect("choices have numbers");
                if other == choice || (other == left.0 && step < left.1 + AWAY) {
                    continue;
                }
                let harm = self.harm(kind, other) - i64::try_from(gain).unwrap_or(0);
                if best.is_none_or(|(least, ..)| harm < least) {
                    best = Some((harm, row, other));
                }
            }
        }
        best.map(|(_, row, choice)| (row, choice))
    }

    /// Rooms of a choice that have no place left.
    fn harm(&self, kind: u32, choice: u32) -> i64 {
        let rooms = self.choices[kind as usize][choice as usize].iter();
        let is_taken =
            |&&room: &&u32| self.members[room as usize].len() as u64 >= self.places[room as usize];
        i64::try_from(rooms.filter(is_taken).count()).unwrap_or(i64::MAX)
    }

    fn is_full(&self, room: u32) -> bool {
        self.members[room as usize].len() as u64 > self.places[room as usize]
    }

    fn arrive(&mut self, row: usize) {
        let Row { kind, choice, .. } = self.rows[row];
        let number = u32::try_from(row).expect("row ids are 32 bits wide");
        for &room in self.choices[kind as usize].get(choice as usize).into_iter().flatten() {
            self.members[room as usize].push(number);
            if self.is_full(room) && self.at[room as usize] == NONE {
                self.at[room as usize] =
                    u32::try_from(self.full.len()).expect("rooms have 32-bit numbers");
                self.full.push(room);
            }
        }
    }

    fn leave(&mut self, row: usize) {
        let Row { kind, choice, .. } = self.rows[row];
        for &room in self.choices[kind as usize].get(choice as usize).into_iter().flatten() {
            let members = &mut self.members[room as usize];
            if let Some(at) = members.iter().position(|&own| own as usize == row) {
                members.swap_remove(at);
            }
            if !self.is_full(room) && self.at[room as usize] != NONE {
                let at = self.at[room as usize] as usize;
                self.full.swap_remove(at);
                if let Some(&moved) = self.full.get(at) {
                    self.at[moved as usize] = self.at[room as usize];
                }
                self.at[room as usize] = NONE;
            }
        }
    }

    /// A number below another, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        self.drawn += 1;
        usize::try_from(self.draws.below(self.drawn, end as u64)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_found_where_there_is_much_freedom_and_none_is_invented() {
        // Rows of ten kinds of one side and seven of the other, in buckets of three: each bucket shows
        // both sides of its rows, and a row may stand where both of its sides are shown.
        let sides = |row: u64| [Seed::new(1).below(row, 10), Seed::new(2).below(row, 7)];
        let rows: Vec<[u64; 2]> = (0..600).map(sides).collect();
        let mut places: Vec<u64> = Vec::new();
        let mut rooms = std::collections::BTreeMap::new();
        for (row, sides) in (0u64..).zip(&rows) {
            for (side, value) in (0u64..).zip(sides) {
                let next = u32::try_from(places.len()).expect("few");
                let room = *rooms.entry((row / 3, side, *value)).or_insert(next);
                if room == next {
                    places.push(0);
                }
                places[room as usize] += 1;
            }
        }
        let mut kinds = std::collections::BTreeMap::<[u64; 2], u32>::new();
        rows.iter().for_each(|&sides| *kinds.entry(sides).or_default() += 1);
        let ways = |sides: &[u64; 2]| -> Vec<Vec<u32>> {
            let room =
                |bucket: u64, side: usize| rooms.get(&(bucket, side as u64, sides[side])).copied();
            (0..200).filter_map(|b| Some(vec![room(b, 0)?, room(b, 1)?])).collect()
        };
        let all: Vec<(u32, Vec<Vec<u32>>)> =
            kinds.iter().map(|(sides, &rows)| (rows, ways(sides))).collect();
        let found = |places: &[u64]| {
            let kinds = all.iter().map(|(rows, ways)| (*rows, ways.as_slice()));
            Repair::new(kinds, places).run(&Run::new()).expect("nobody stops it")
        };
        assert!(found(&places));
        places[0] -= 1;
        assert!(!found(&places));
    }
}
