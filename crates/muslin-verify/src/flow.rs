//! How many rows of one side can each be given a row of the other, none twice.
//!
//! Rows that are equal stand together as a class, so this is a flow between classes: from those of
//! one side, along links, to those of the other, with as much room in each class as it has rows.
//! First each class takes what fewest others want; then shortest ways to trade are looked for, all
//! of one length at a time, after Dinic (1970).

use muslin_engine::Run;

use crate::Result;

/// Not reached, or no use any more.
const NONE: u32 = u32::MAX;

/// A largest flow.
pub(crate) struct Flow {
    /// Where the links of each giving class begin; one more at the end.
    starts: Vec<usize>,
    /// Rows along each link.
    along: Vec<u32>,
    /// Rows of each giving class that got nothing.
    pub(crate) unlinked: Vec<u32>,
    /// Rows of each taking class that nobody got.
    pub(crate) left: Vec<u32>,
}

impl Flow {
    /// The links of a giving class, by position, that some row goes along.
    pub(crate) fn used(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        let along = &self.along[self.starts[from]..self.starts[from + 1]];
        along.iter().enumerate().filter(|(_, rows)| **rows > 0).map(|(at, _)| at)
    }

    /// A largest flow between classes of so many rows. `links` has the taking classes that a giving
    /// one may go to, each once. Nothing where it takes more than `limit` steps.
    pub(crate) fn largest<'a>(
        giving: &[u32],
        taking: &[u32],
        links: impl Fn(usize) -> &'a [u32],
        limit: u64,
        run: &Run,
    ) -> Result<Option<Self>> {
        let mut starts = Vec::with_capacity(giving.len() + 1);
        let mut end = 0;
        starts.push(0);
        for from in 0..giving.len() {
            end += links(from).len();
            starts.push(end);
        }
        if end as u64 > limit || end > NONE as usize {
            return Ok(None);
        }
        let (unlinked, left) = (giving.to_vec(), taking.to_vec());
        let mut flow = Self { starts, along: vec![0; end], unlinked, left };
        flow.begin(&links);
        run.check()?;
        let is_done = |rows: &[u32]| rows.iter().all(|&rows| rows == 0);
        if is_done(&flow.unlinked) || is_done(&flow.left) {
            return Ok(Some(flow));
        }
        let mut trades = Trades::new(&flow, taking.len(), &links, limit);
        while trades.level(&flow, &links) {
            run.check()?;
            for root in 0..giving.len() {
                while flow.unlinked[root] > 0 && trades.trade(&mut flow, root, &links) {}
                if trades.steps > limit {
                    return Ok(None);
                }
            }
        }
        Ok((trades.steps <= limit).then_some(flow))
    }

    /// Gives each class, those with the fewest links first, what the fewest rows want.
    fn begin<'a>(&mut self, links: &impl Fn(usize) -> &'a [u32]) {
        let mut wanted = vec![0u64; self.left.len()];
        for (from, &rows) in self.unlinked.iter().enumerate() {
            links(from).iter().for_each(|&to| wanted[to as usize] += u64::from(rows));
        }
        let mut order: Vec<usize> = (0..self.unlinked.len()).collect();
        order.sort_by_key(|&from| (links(from).len(), from));
        let mut choice: Vec<usize> = Vec::new();
        for from in order {
            let to = |at: &usize| links(from)[*at] as usize;
            choice.clear();
            choice.extend((0..links(from).len()).filter(|at| self.left[to(at)] > 0));
            choice.sort_by_key(|at| (wanted[to(at)], *at));
            for at in &choice {
                let rows = self.unlinked[from].min(self.left[to(at)]);
                self.unlinked[from] -= rows;
                self.left[to(at)] -= rows;
                self.along[self.starts[from] + at] += rows;
            }
        }
    }
}

/// The search for rows that can trade places.
struct Trades {
    /// For each taking class, the giving classes linked to it and the number of the link.
    back_starts: Vec<usize>,
    back: Vec<(u32, u32)>,
    /// Steps from a class with unlinked rows, for both sides.
    giving: Vec<u32>,
    taking: Vec<u32>,
    /// The next link to look at, for both sides.
    next_giving: Vec<usize>,
    next_taking: Vec<usize>,
    steps: u64,
    limit: u64,
}

impl Trades {
    fn new<'a>(
        flow: &Flow,
        taking: usize,
        links: &impl Fn(usize) -> &'a [u32],
        limit: u64,
    ) -> Self {
        let giving = flow.unlinked.len();
        let mut back_starts = vec![0usize; taking + 1];
        for from in 0..giving {
            links(from).iter().for_each(|&to| back_starts[to as usize + 1] += 1);
        }
        (0..taking).for_each(|to| back_starts[to + 1] += back_starts[to]);
        let mut next = back_starts.clone();
        let mut back = vec![(0, 0); flow.along.len()];
        for (from, number) in (0..giving).zip(0u32..) {
            for (at, &to) in links(from).iter().enumerate() {
                let link = u32::try_from(flow.starts[from] + at).expect("links have 32 bits");
                let place = &mut next[to as usize];
                back[*place] = (number, link);
                *place += 1;
            }
        }
        Self {
            back_starts,
            back,
            giving: vec![NONE; giving],
            taking: vec![NONE; taking],
            next_giving: vec![0; giving],
            next_taking: vec![0; taking],
            steps: 0,
            limit,
        }
    }

    fn back(&self, to: usize) -> &[(u32, u32)] {
        &self.back[self.back_starts[to]..self.back_starts[to + 1]]
    }

    /// How far every class is from unlinked rows, up to the nearest that has room; whether any has.
    fn level<'a>(&mut self, flow: &Flow, links: &impl Fn(usize) -> &'a [u32]) -> bool {
        self.giving.fill(NONE);
        self.taking.fill(NONE);
        self.next_giving.fill(0);
        self.next_taking.fill(0);
        let mut now: Vec<usize> =
            (0..self.giving.len()).filter(|&from| flow.unlinked[from] > 0).collect();
        now.iter().for_each(|&from| self.giving[from] = 0);
        let (mut depth, mut has_room) = (0, false);
        while !now.is_empty() && !has_room {
            let mut reached = Vec::new();
            for &from in &now {
                self.steps += links(from).len() as u64;
                for &to in links(from) {
                    if self.taking[to as usize] == NONE {
                        self.taking[to as usize] = depth + 1;
                        has_room |= flow.left[to as usize] > 0;
                        reached.push(to as usize);
                    }
                }
            }
            if self.steps > self.limit {
                return false;
            }
            now.clear();
            depth += 2;
            for to in reached {
                self.steps += self.back(to).len() as u64;
                for at in self.back_starts[to]..self.back_starts[to + 1] {
                    let (from, link) = self.back[at];
                    if self.giving[from as usize] == NONE && flow.along[link as usize] > 0 {
                        self.giving[from as usize] = depth;
                        now.push(from as usize);
                    }
                }
            }
        }
        has_room
    }

    /// Sends rows of `root` along one shortest way; whether there is one.
    fn trade<'a>(
        &mut self,
        flow: &mut Flow,
        root: usize,
        links: &impl Fn(usize) -> &'a [u32],
    ) -> bool {
        // The way so far: each giving class, and the link by which a class before it gave way.
        let mut path: Vec<(usize, Option<u32>)> = vec![(root, None)];
        while let Some(&(from, _)) = path.last() {
            let Some(&to) = links(from).get(self.next_giving[from]) else {
                // No way from here: whoever came here looks on.
                self.giving[from] = NONE;
                path.pop();
                if let Some(&(before, _)) = path.last() {
                    let to = links(before)[self.next_giving[before]] as usize;
                    self.next_taking[to] += 1;
                }
                continue;
            };
            self.steps += 1;
            let to = to as usize;
            if self.giving[from] == NONE || self.taking[to] != self.giving[from] + 1 {
                self.next_giving[from] += 1;
                continue;
            }
            if flow.left[to] > 0 {
                self.send(flow, root, to, &path);
                return true;
            }
            let depth = self.taking[to] + 1;
            match self.back(to).get(self.next_taking[to]).copied() {
                None => {
                    self.taking[to] = NONE;
                    self.next_giving[from] += 1;
                }
                Some((other, link)) => {
                    let other = other as usize;
                    if flow.along[link as usize] > 0 && self.giving[other] == depth {
                        path.push((other, Some(link)));
                    } else {
                        self.steps += 1;
                        self.next_taking[to] += 1;
                    }
                }
            }
        }
        false
    }

    /// As many rows as the way has room for: each class on it gives up a link for its next one.
    fn send(&self, flow: &mut Flow, root: usize, to: usize, path: &[(usize, Option<u32>)]) {
        let given = path.iter().filter_map(|&(_, link)| link);
        let rows = given.map(|link| flow.along[link as usize]).min().unwrap_or(NONE);
        let rows = rows.min(flow.unlinked[root]).min(flow.left[to]);
        flow.unlinked[root] -= rows;
        flow.left[to] -= rows;
        for &(from, link) in path {
            if let Some(link) = link {
                flow.along[link as usize] -= rows;
            }
            flow.along[flow.starts[from] + self.next_giving[from]] += rows;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rows that can be linked, by giving each in turn what it can trade for.
    fn brute(giving: &[u32], taking: &[u32], links: &[Vec<u32>]) -> u32 {
        fn place(row: usize, may: &[Vec<usize>], seen: &mut [bool], has: &mut [usize]) -> bool {
            may[row].iter().any(|&to| {
                if std::mem::replace(&mut seen[to], true) {
                    return false;
                }
                let is_free = has[to] == usize::MAX || place(has[to], may, seen, has);
                if is_free {
                    has[to] = row;
                }
                is_free
            })
        }
        let seats: Vec<u32> = (0u32..)
            .zip(taking)
            .flat_map(|(to, &rows)| std::iter::repeat_n(to, rows as usize))
            .collect();
        let may = |from: usize| -> Vec<usize> {
            (0..seats.len()).filter(|&seat| links[from].contains(&seats[seat])).collect()
        };
        let rows: Vec<Vec<usize>> = giving
            .iter()
            .enumerate()
            .flat_map(|(from, &rows)| vec![may(from); rows as usize])
            .collect();
        let mut has = vec![usize::MAX; seats.len()];
        let linked = |row| place(row, &rows, &mut vec![false; seats.len()], &mut has);
        u32::try_from((0..rows.len()).map(linked).filter(|&is_linked| is_linked).count()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

        #[test]
        fn as_many_rows_are_linked_as_can_be(
            giving in prop::collection::vec(0u32..4, 0..7),
            taking in prop::collection::vec(0u32..4, 1..7),
            bits in prop::collection::vec(any::<u8>(), 7),
        ) {
            let link = |from: usize| -> Vec<u32> {
                (0u32..).take(taking.len()).filter(|to| bits[from] >> to & 1 == 1).collect()
            };
            let links: Vec<Vec<u32>> = (0..giving.len()).map(link).collect();
            let flow = Flow::largest(&giving, &taking, |from| &links[from], 10_000, &Run::new());
            let flow = flow.unwrap().unwrap();
            let sum = |rows: &[u32]| rows.iter().sum::<u32>();
            let linked = sum(&giving) - sum(&flow.unlinked);
            prop_assert_eq!(linked, brute(&giving, &taking, &links));
            prop_assert_eq!(linked, sum(&taking) - sum(&flow.left));
            // What goes along links is what was given and taken.
            let mut got = vec![0; taking.len()];
            for (from, links) in links.iter().enumerate() {
                let along = &flow.along[flow.starts[from]..flow.starts[from + 1]];
                prop_assert_eq!(sum(along), giving[from] - flow.unlinked[from]);
                links.iter().zip(along).for_each(|(&to, rows)| got[to as usize] += rows);
            }
            for (to, got) in got.into_iter().enumerate() {
                prop_assert_eq!(got, taking[to] - flow.left[to]);
            }
        }
    }

    #[test]
    fn a_long_chain_of_trades_is_found_and_limits_are_kept() {
        // Class i may have i or i + 1, and the first choice of each is the wrong one.
        let links: Vec<Vec<u32>> =
            (0..500).map(|at| if at == 499 { vec![0] } else { vec![at, at + 1] }).collect();
        let ones = vec![1; 500];
        let flow = Flow::largest(&ones, &ones, |from| &links[from], 1_000_000, &Run::new());
        assert!(flow.unwrap().unwrap().unlinked.iter().all(|&rows| rows == 0));
        assert!(
            Flow::largest(&ones, &ones, |from| &links[from], 10, &Run::new()).unwrap().is_none()
        );
    }
}
