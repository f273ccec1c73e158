//! Which group each row is in.

use super::candidates::{Candidates, OfKinds};
use super::kinds::Kinds;
use super::rebuild::Proposal;

/// A group for every row: those of groups that have rows have enough.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The group of the row at each place.
    group_of: Vec<u32>,
    /// The places of each group's rows.
    members: Vec<Vec<u32>>,
    /// What all rows cost, in millionths.
    cost: u64,
}

impl Plan {
    /// No row is in a group yet.
    pub(super) fn empty(kinds: &Kinds, groups: usize) -> Self {
        Self { group_of: vec![NONE; kinds.rows()], members: vec![Vec::new(); groups], cost: 0 }
    }

    /// The same groups by other numbers, of so many.
    pub(super) fn renumbered(&self, number_of: &dyn Fn(u32) -> u32, groups: usize) -> Self {
        let mut members = vec![Vec::new(); groups];
        let mut group_of = vec![NONE; self.group_of.len()];
        for (group, places) in (0u32..).zip(&self.members).filter(|(_, places)| !places.is_empty())
        {
            let number = number_of(group);
            places.iter().for_each(|&place| group_of[place as usize] = number);
            members[number as usize].clone_from(places);
        }
        Self { group_of, members, cost: self.cost }
    }

    pub(super) fn cost(&self) -> u64 {
        self.cost
    }

    /// The group of the row at a place.
    pub(super) fn group_of(&self, place: u32) -> u32 {
        self.group_of[place as usize]
    }

    /// Whether the row at a place is in no group.
    pub(super) fn is_free(&self, place: u32) -> bool {
        self.group_of(place) == NONE
    }

    /// The places of a group's rows.
    pub(super) fn members(&self, group: u32) -> &[u32] {
        &self.members[group as usize]
    }

    /// Rows of a group.
    pub(super) fn size(&self, group: u32) -> usize {
        self.members[group as usize].len()
    }

    /// Groups that have rows.
    pub(super) fn groups(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.members).filter(|(_, places)| !places.is_empty()).map(|(group, _)| group)
    }

    /// Takes rows out of their groups.
    pub(super) fn free(&mut self, places: &[u32], candidates: &Candidates) {
        let mut touched: Vec<u32> = Vec::new();
        for &place in places {
            let group = std::mem::replace(&mut self.group_of[place as usize], NONE);
            self.cost -= candidates.cost(group);
            touched.push(group);
        }
        touched.sort_unstable();
        touched.dedup();
        let group_of = &self.group_of;
        for group in touched {
            self.members[group as usize].retain(|&place| group_of[place as usize] == group);
        }
    }

    /// Puts free rows where a proposal wants them.
    pub(super) fn apply(
        &mut self,
        places: &[u32],
        proposal: &Proposal,
        kinds: &Kinds,
        candidates: &Candidates,
    ) {
        let mut free = places.to_vec();
        free.sort_unstable();
        let mut taken = vec![0usize; free.len()];
        for &(group, kind, count) in &proposal.takes {
            let first = free.partition_point(|&place| place < kinds.places(kind).start);
            // How many rows of the kind have gone already stands at the kind's first.
            let gone = taken[first];
            taken[first] += count as usize;
            for &place in &free[first + gone..first + gone + count as usize] {
                self.group_of[place as usize] = group;
                self.members[group as usize].push(place);
                self.cost += candidates.cost(group);
            }
        }
    }

    /// Moves rows that their group can spare to the cheapest group with enough rows, until none
    /// gets cheaper.
    pub(super) fn settle(
        &mut self,
        kinds: &Kinds,
        candidates: &Candidates,
        of: &OfKinds,
        k: usize,
    ) {
        loop {
            let before = self.cost;
            for place in 0..u32::try_from(self.group_of.len()).expect("rows are 32 bits wide") {
                let from = self.group_of(place);
                if from == NONE || self.size(from) <= k {
                    continue;
                }
                let fits = of.groups(kinds.kind_at(place));
                let Some(&to) = fits.iter().find(|&&group| self.size(group) >= k) else { continue };
                if candidates.cost(to) < candidates.cost(from) {
                    self.members[from as usize].retain(|&other| other != place);
                    self.members[to as usize].push(place);
                    self.group_of[place as usize] = to;
                    self.cost -= candidates.cost(from) - candidates.cost(to);
                }
            }
            if self.cost == before {
                return;
            }
        }
    }
}

/// No group.
pub(super) const NONE: u32 = u32::MAX;
