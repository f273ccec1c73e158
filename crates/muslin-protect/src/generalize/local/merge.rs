//! Rows that are left over become a class that says nothing, with classes that lose little by it.

use super::Class;
use super::peel::Peel;

/// Where more than `allowed` rows are left, puts them and some classes together at the top. Nothing changes
/// where not even all rows together meet the target.
pub(super) fn merge(peel: &mut Peel, allowed: u64) {
    let left = peel.open.iter().map(|&unit| u64::from(peel.left[unit as usize])).sum::<u64>();
    if left <= allowed {
        return;
    }
    let top = peel.lattice.top();
    // Classes of which nothing is left look the same already, and so lose nothing and come first.
    let mut order: Vec<(u128, usize)> = peel
        .classes
        .iter()
        .enumerate()
        .map(|(at, class)| {
            let lost = peel.lattice.loss(class.node, peel.units, class.unit);
            let all = peel.lattice.loss(top, peel.units, class.unit);
            (u128::from(class.rows) * u128::from(all - lost), at)
        })
        .collect();
    order.sort_unstable();
    let alike = order.iter().take_while(|&&(more, _)| more == 0).count();
    let mut merged = Class {
        node: top,
        unit: peel.open[0],
        rows: 0,
        counts: vec![Vec::new(); peel.judge.sensitive().len()],
    };
    for &unit in &peel.open {
        let rows = peel.left[unit as usize];
        merged.rows += rows;
        for (column, counts) in merged.counts.iter_mut().enumerate() {
            add(counts, &[(peel.units.sensitive(column)[unit as usize], rows)]);
        }
    }
    let mut taken = 0;
    while taken < alike || !is_met(peel, &merged) {
        let Some(&(_, at)) = order.get(taken) else { return };
        merged.rows += peel.classes[at].rows;
        for (counts, own) in merged.counts.iter_mut().zip(&peel.classes[at].counts) {
            add(counts, own);
        }
        taken += 1;
    }
    let number = u32::try_from(peel.classes.len()).expect("no more classes than rows");
    let mut is_merged = vec![false; peel.classes.len()];
    for &(_, at) in &order[..taken] {
        is_merged[at] = true;
        peel.classes[at].rows = 0;
    }
    for (class, _) in peel.taken.iter_mut().flatten() {
        if is_merged[*class as usize] {
            *class = number;
        }
    }
    for unit in std::mem::take(&mut peel.open) {
        let rows = std::mem::take(&mut peel.left[unit as usize]);
        peel.taken[unit as usize].push((number, rows));
    }
    peel.classes.push(merged);
}

fn is_met(peel: &Peel, class: &Class) -> bool {
    let counts: Vec<&[(u32, u32)]> = class.counts.iter().map(Vec::as_slice).collect();
    peel.judge.is_met(class.rows, &counts)
}

/// Adds counts of values, which stay in order.
fn add(counts: &mut Vec<(u32, u32)>, more: &[(u32, u32)]) {
    for &(value, rows) in more {
        match counts.binary_search_by_key(&value, |&(value, _)| value) {
            Ok(at) => counts[at].1 += rows,
            Err(at) => counts.insert(at, (value, rows)),
        }
    }
}
