//! Who is given which place, where places are scarce in several ways at once.
//!
//! Rows that are equal are one *kind*. A kind may go to some *choices*, and each choice takes a place of
//! every *room* that it names. What is forced comes first; what is left falls apart into parts that share
//! no room, and each is searched: the kind with the fewest choices first, as many rows as possible first.
//! Parts that are too large for that are tried by [repair](super::repair). All of it ends after some steps,
//! and the question then stays open.

use muslin_engine::Run;

use super::repair::Repair;
use crate::Result;

/// Choices of a part that are searched at most: each may be a call on the stack.
const MOST_CHOICES: usize = 4_000;

/// What is known of all rows together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    /// There is a way.
    Fits,
    /// There is none.
    Not,
    /// The search was ended.
    Open,
}

/// Rows to be given places.
#[derive(Default)]
pub(super) struct Search {
    /// Rows of each kind that have no place yet.
    need: Vec<u32>,
    /// For each kind the rooms of each of its choices; a choice that is closed has none.
    choices: Vec<Vec<Vec<u32>>>,
    /// Places that are left in each room.
    room: Vec<u64>,
    /// Rows that need no place.
    slack: u64,
    /// Steps that are left.
    steps: u64,
}

impl Search {
    /// `slack` rows need no place.
    pub(super) fn new(slack: u64, steps: u64) -> Self {
        Self { slack, steps, ..Self::default() }
    }

    /// A room with so many places, by its number.
    pub(super) fn room(&mut self, places: u64) -> u32 {
        self.room.push(places);
        u32::try_from(self.room.len() - 1).expect("rooms have 32-bit numbers")
    }

    /// So many equal rows, and the rooms of each choice that they have.
    pub(super) fn kind(&mut self, rows: u32, choices: Vec<Vec<u32>>) {
        self.need.push(rows);
        self.choices.push(choices);
    }

    /// Looks for a way.
    pub(super) fn run(mut self, run: &Run) -> Result<Together> {
        match self.force(run)? {
            Some(true) => {}
            Some(false) => return Ok(Together::Not),
            None => return Ok(Together::Open),
        }
        let mut answer = Together::Fits;
        for part in self.parts() {
            run.check()?;
            let choices: usize = part.iter().map(|&kind| self.choices[kind].len() + 1).sum();
            let found = if choices > MOST_CHOICES { None } else { self.fill(&part) };
            match found {
                Some(true) => {}
                Some(false) => return Ok(Together::Not),
                None if self.slack == 0 && self.repair(&part, run)? => {}
                None => answer = Together::Open,
            }
        }
        Ok(answer)
    }

    /// Whether trial and repair finds places for these kinds.
    fn repair(&self, part: &[usize], run: &Run) -> Result<bool> {
        let kinds = part.iter().map(|&kind| (self.need[kind], self.choices[kind].as_slice()));
        Repair::new(kinds, &self.room).run(run)
    }

    /// Rows of a kind that a choice can take.
    fn most(&self, kind: usize, choice: usize) -> u32 {
        let rooms = self.choices[kind][choice].iter();
        let least = rooms.map(|&room| self.room[room as usize]).min().unwrap_or(0);
        self.need[kind].min(u32::try_from(least).unwrap_or(u32::MAX))
    }

    fn give(&mut self, kind: usize, choice: usize, rows: u32) {
        for &room in &self.choices[kind][choice] {
            self.room[room as usize] -= u64::from(rows);
        }
        self.need[kind] -= rows;
    }

    fn take_back(&mut self, kind: usize, choice: usize, rows: u32) {
        for &room in &self.choices[kind][choice] {
            self.room[room as usize] += u64::from(rows);
        }
        self.need[kind] += rows;
    }

    /// Counts steps; nothing where they are too many.
    fn step(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(steps as u64)?;
        Some(())
    }

    /// Gives places that only one choice is left for; whether all rows can still have one. Nothing where
    /// it takes too many steps.
    fn force(&mut self, run: &Run) -> Result<Option<bool>> {
        if self.slack > 0 {
            return Ok(Some(true));
        }
        loop {
            run.check()?;
            let mut is_done = true;
            for kind in 0..self.need.len() {
                if self.need[kind] == 0 {
                    continue;
                }
                if self.step(1 + self.choices[kind].len()).is_none() {
                    return Ok(None);
                }
                for choice in (0..self.choices[kind].len()).rev() {
                    if self.most(kind, choice) == 0 {
                        self.choices[kind].remove(choice);
                    }
                }
                let most: u64 = (0..self.choices[kind].len())
                    .map(|choice| u64::from(self.most(kind, choice)))
                    .sum();
                if most < u64::from(self.need[kind]) {
                    return Ok(Some(false));
                }
                // All choices together are just enough, where there is one alone, too.
                if most == u64::from(self.need[kind]) || self.choices[kind].len() == 1 {
                    for choice in 0..self.choices[kind].len() {
                        let rows = self.most(kind, choice);
                        self.give(kind, choice, rows);
                    }
                    if self.need[kind] > 0 {
                        return Ok(Some(false));
                    }
                    is_done = false;
                }
            }
            if is_done {
                return Ok(Some(true));
            }
        }
    }

    /// Kinds that have no place yet, in parts that share no room.
    fn parts(&self) -> Vec<Vec<usize>> {
        let kinds: Vec<usize> = (0..self.need.len()).filter(|&kind| self.need[kind] > 0).collect();
        if self.slack > 0 {
            // What one part leaves out, another need not.
            return vec![kinds];
        }
        let mut above: Vec<u32> = (0u32..).take(self.room.len()).collect();
        let top = |above: &mut Vec<u32>, mut room: u32| {
            while above[room as usize] != room {
                let next = above[above[room as usize] as usize];
                above[room as usize] = next;
                room = next;
            }
            room
        };
        for &kind in &kinds {
            let mut rooms = self.choices[kind].iter().flatten().copied();
            let Some(first) = rooms.next() else { continue };
            let first = top(&mut above, first);
            for room in rooms {
                let other = top(&mut above, room);
                above[other as usize] = first;
            }
        }
        let mut parts = std::collections::BTreeMap::<u32, Vec<usize>>::new();
        for kind in kinds {
            let room = self.choices[kind].iter().flatten().next().copied();
            let part = room.map_or(u32::MAX, |room| top(&mut above, room));
            parts.entry(part).or_default().push(kind);
        }
        parts.into_values().collect()
    }

    /// Whether the rows of these kinds can all have places; nothing where that takes too many steps.
    fn fill(&mut self, kinds: &[usize]) -> Option<bool> {
        let mut best: Option<(usize, usize)> = None;
        for &kind in kinds {
            if self.need[kind] == 0 {
                continue;
            }
            self.step(1 + self.choices[kind].len())?;
            let most = (0..self.choices[kind].len()).map(|choice| self.most(kind, choice));
            let (mut open, mut all) = (0, 0u64);
            for rows in most.filter(|&rows| rows > 0) {
                open += 1;
                all += u64::from(rows);
            }
            if all + self.slack < u64::from(self.need[kind]) {
                return Some(false);
            }
            if best.is_none_or(|(fewest, _)| open < fewest) {
                best = Some((open, kind));
            }
        }
        let Some((open, kind)) = best else { return Some(true) };
        if open == 0 {
            let left = std::mem::take(&mut self.need[kind]);
            self.slack -= u64::from(left);
            let found = self.fill(kinds);
            (self.need[kind], self.slack) = (left, self.slack + u64::from(left));
            return found;
        }
        let all = 0..self.choices[kind].len();
        let choice = all.clone().find(|&choice| self.most(kind, choice) > 0)?;
        let others = all.filter(|&other| other != choice);
        let others: u64 = others.map(|other| u64::from(self.most(kind, other))).sum();
        let least = u64::from(self.need[kind]).saturating_sub(others + self.slack);
        let most = self.most(kind, choice);
        for rows in (0..=most).rev().take_while(|&rows| u64::from(rows) >= least) {
            self.give(kind, choice, rows);
            let closed = std::mem::take(&mut self.choices[kind][choice]);
            let found = self.fill(kinds);
            self.choices[kind][choice] = closed;
            self.take_back(kind, choice, rows);
            if found != Some(false) {
                return found;
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(build: impl Fn(&mut Search), slack: u64, steps: u64) -> Together {
        let mut search = Search::new(slack, steps);
        build(&mut search);
        search.run(&Run::new()).expect("nobody stops it")
    }

    #[test]
    fn rooms_that_two_choices_share_decide() {
        // Two kinds of two rows; each choice takes a place of two rooms.
        let fits = |second: u64| {
            let build = |search: &mut Search| {
                let rooms: Vec<u32> = [2, 2, 2, second].map(|n| search.room(n)).to_vec();
                let choices = vec![vec![rooms[0], rooms[2]], vec![rooms[1], rooms[3]]];
                search.kind(2, choices.clone());
                search.kind(2, choices);
            };
            (answer(build, 0, 1_000), answer(build, 1, 1_000))
        };
        assert_eq!(fits(2), (Together::Fits, Together::Fits));
        assert_eq!(fits(1), (Together::Not, Together::Fits));
        assert_eq!(fits(0), (Together::Not, Together::Not));
    }

    #[test]
    fn a_search_that_is_ended_leaves_the_question_open() {
        let build = |search: &mut Search| {
            let rooms: Vec<u32> = (0..12).map(|_| search.room(1)).collect();
            for kind in 0..12 {
                let near = |room: &&u32| (**room).abs_diff(kind) < 4;
                search.kind(1, rooms.iter().filter(near).map(|&room| vec![room]).collect());
            }
        };
        assert_eq!(answer(build, 0, 10), Together::Open);
        assert_eq!(answer(build, 0, 100_000), Together::Fits);
    }
}
