//! Rows that are left over find a class.

use super::super::group::Numbering;
use super::super::lattice::Node;
use super::Class;
use super::peel::Peel;

/// Classes that are raised for rows that no class covers: so many pairs of both are looked at.
const MOST_PAIRS: usize = 20_000_000;
/// A class is raised for a row only if that loses at most so many times what removing it loses.
const DEAREST: u128 = 3;

/// Puts rows that are left over into classes that cover them, the one of least loss first; then raises
/// classes for the others.
pub(super) fn absorb(peel: &mut Peel) {
    cover(peel);
    if peel.open.len().saturating_mul(peel.classes.len()) <= MOST_PAIRS {
        raise(peel);
    }
}

fn cover(peel: &mut Peel) {
    // Classes are in the order of their nodes.
    let mut start = 0;
    let (mut numbering, mut numbers) = (Numbering::default(), Vec::new());
    while start < peel.classes.len() && !peel.open.is_empty() {
        let node = peel.classes[start].node;
        let end =
            start + peel.classes[start..].iter().take_while(|class| class.node == node).count();
        let units: Vec<u32> = peel.classes[start..end]
            .iter()
            .map(|class| class.unit)
            .chain(peel.open.iter().copied())
            .collect();
        numbering.start(units.len());
        for axis in 0..peel.lattice.width() {
            let (step, positions) = (peel.lattice.step(axis, node), peel.units.positions(axis));
            let group = |&unit: &u32| step.groups[positions[unit as usize] as usize];
            numbering.tell_apart(step.len, units.iter().map(group));
        }
        numbering.finish(&mut numbers);
        // Classes of a node differ, so that theirs are the first numbers.
        let classes = end - start;
        for (&number, &unit) in numbers[classes..].iter().zip(&units[classes..]) {
            if (number as usize) < classes {
                join(peel, start + number as usize, unit);
            }
        }
        let left = &peel.left;
        peel.open.retain(|&unit| left[unit as usize] > 0);
        start = end;
    }
}

/// Puts rows of a unit into a class that covers it, as long as the class meets the target.
fn join(peel: &mut Peel, at: usize, unit: u32) {
    let mut joined = 0;
    while peel.left[unit as usize] > joined && add(peel, at, unit) {
        joined += 1;
    }
    if joined > 0 {
        peel.left[unit as usize] -= joined;
        let class = u32::try_from(at).expect("no more classes than rows");
        peel.taken[unit as usize].push((class, joined));
    }
}

/// Counts a row in, if the class then still meets the target.
fn add(peel: &mut Peel, at: usize, unit: u32) -> bool {
    let class = &mut peel.classes[at];
    let before = class.counts.clone();
    for (column, counts) in class.counts.iter_mut().enumerate() {
        let value = peel.units.sensitive(column)[unit as usize];
        match counts.binary_search_by_key(&value, |&(value, _)| value) {
            Ok(at) => counts[at].1 += 1,
            Err(at) => counts.insert(at, (value, 1)),
        }
    }
    let counts: Vec<&[(u32, u32)]> = class.counts.iter().map(Vec::as_slice).collect();
    if peel.judge.is_met(class.rows + 1, &counts) {
        class.rows += 1;
        return true;
    }
    class.counts = before;
    false
}

/// Raises, for each row that is left, the class for which that loses least.
fn raise(peel: &mut Peel) {
    for unit in std::mem::take(&mut peel.open) {
        while peel.left[unit as usize] > 0 {
            let mut ways: Vec<(u128, usize, Node)> = (0..peel.classes.len())
                .map(|at| {
                    let (loss, node) = raised(peel, &peel.classes[at], unit);
                    (loss, at, node)
                })
                .filter(|&(loss, ..)| loss <= DEAREST * u128::from(peel.lattice.all()))
                .collect();
            ways.sort_unstable_by_key(|&(loss, at, _)| (loss, at));
            let found = ways.into_iter().take(64).find(|&(_, at, _)| add(peel, at, unit));
            let Some((_, at, node)) = found else {
                peel.open.push(unit);
                break;
            };
            peel.classes[at].node = node;
            peel.left[unit as usize] -= 1;
            let class = u32::try_from(at).expect("no more classes than rows");
            peel.taken[unit as usize].push((class, 1));
        }
    }
}

/// The lowest node at which a class covers a unit too, and what all of it and a row then lose more.
fn raised(peel: &Peel, class: &Class, unit: u32) -> (u128, Node) {
    let (lattice, units) = (peel.lattice, peel.units);
    let node = (0..lattice.width()).fold(class.node, |node, axis| {
        let steps = &lattice.axes[axis].steps;
        let (own, other) = (units.position(axis, class.unit), units.position(axis, unit));
        let agrees = |level: &usize| {
            steps[*level].groups[own as usize] == steps[*level].groups[other as usize]
        };
        let level = (node.level(axis)..steps.len()).find(agrees);
        node.with(axis, level.unwrap_or(usize::from(u8::MAX)))
    });
    if (0..lattice.width()).any(|axis| node.level(axis) == usize::from(u8::MAX)) {
        return (u128::MAX, class.node);
    }
    let (before, after) =
        (lattice.loss(class.node, units, class.unit), lattice.loss(node, units, class.unit));
    (u128::from(class.rows) * u128::from(after - before) + u128::from(after), node)
}
