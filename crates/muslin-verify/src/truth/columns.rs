//! Each column by itself, and groups of rows that say together which values they have.

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};

use super::is_counted;
use crate::Result;
use crate::classes::Classes;
use crate::flow::Flow;
use crate::keys::mix;
use crate::lists::Lists;
use crate::loss::{Cover, Reading};

/// Groups of rows that have the same lists of counts, and are not as many as are counted.
pub(super) struct Groups {
    of: Vec<u32>,
    /// Rows of each group that are too many.
    odd: Vec<u32>,
}

impl Groups {
    /// Marks the last rows of each group that are too many.
    pub(super) fn mark(&self, rows: &mut [bool]) {
        super::mark_classes(&self.of, self.odd.clone(), rows);
    }
}

/// The groups; nothing where no cell is a list of counts.
pub(super) fn groups(
    release: &EncodedTable,
    reading: &Reading,
    columns: &[ColumnId],
    run: &Run,
) -> Result<Option<Groups>> {
    // For each column that has such lists, the slots that are one.
    let mut counted = Vec::new();
    for &id in columns {
        let Some(published) = reading.published(id) else { continue };
        let column = release.column(published);
        let slots = (0u32..).take(column.slots());
        let is_list: Vec<bool> = slots.map(|slot| is_counted(reading.cover(id, slot))).collect();
        if is_list.contains(&true) {
            counted.push((id, column.codes(), is_list));
        }
    }
    if counted.is_empty() {
        return Ok(None);
    }
    // The list that a row has in each of these columns; nothing where it has none.
    let lists = |row: usize| {
        counted.iter().map(move |(id, codes, is_list)| {
            let slot = codes.slot(row);
            is_list[slot as usize].then_some((*id, slot))
        })
    };
    let groups = Classes::new(
        release.rows(),
        |row| lists(row).fold(1, |hash, list| mix(hash, list.map_or(0, |of| 1 + u64::from(of.1)))),
        |a, b| lists(a).eq(lists(b)),
        run,
    )?;
    let odd = |(&first, rows): (&u32, u32)| {
        let counts = lists(first as usize).flatten().map(|(id, slot)| {
            let Cover::Multiset(values) = reading.cover(id, slot) else { return 0 };
            let counted: u64 = values.iter().map(|&(_, count)| u64::from(count)).sum();
            u32::try_from(u64::from(rows) % counted).expect("no more than the group has")
        });
        counts.max().unwrap_or(0)
    };
    let odd = groups.first.iter().zip(groups.sizes()).map(odd).collect();
    Ok(Some(Groups { of: groups.of, odd }))
}

/// What is untrue in one column.
#[derive(Default)]
pub(super) struct Cells {
    /// The rows of cells that no row is left for.
    pub(super) cells: Vec<u32>,
    pub(super) is_exact: bool,
}

/// The fewest cells of a column that say what no original row is left for.
///
/// Values can stand for themselves alone, so they come first; so do counted values. Then ranges and
/// sets take what is left, by a flow; a suppressed cell takes anything.
pub(super) fn untrue(
    (original, release): (&EncodedTable, &EncodedTable),
    reading: &Reading,
    id: ColumnId,
    limit: u64,
    run: &Run,
) -> Result<Cells> {
    let Some(published) = reading.published(id) else {
        return Ok(Cells { cells: Vec::new(), is_exact: true });
    };
    let (own, column) = (original.column(id), release.column(published));
    let mut left = vec![0u32; own.slots()];
    own.codes().slots().for_each(|slot| left[slot as usize] += 1);
    let mut cells = vec![0u32; column.slots()];
    column.codes().slots().for_each(|slot| cells[slot as usize] += 1);

    let mut untrue = vec![0u32; column.slots()];
    let mut take = |value: u32, cells: u64, untrue: &mut u32| {
        let left = &mut left[value as usize];
        let taken = u32::try_from(cells).unwrap_or(u32::MAX).min(*left);
        *left -= taken;
        *untrue =
            untrue.saturating_add(u32::try_from(cells - u64::from(taken)).unwrap_or(u32::MAX));
    };
    let mut wide = Vec::new();
    for (slot, number) in (0..cells.len()).zip(0u32..) {
        let count = u64::from(cells[slot]);
        let untrue = &mut untrue[slot];
        match reading.cover(id, number) {
            _ if count == 0 => {}
            Cover::Exact(value) => take(*value, count, untrue),
            Cover::Missing => take(own.missing_slot(), count, untrue),
            Cover::Multiset(values) => {
                let all: u64 = values.iter().map(|&(_, count)| u64::from(count)).sum();
                // Rows that make up no whole group are found as such.
                let times = count / all;
                values.iter().for_each(|&(value, own)| take(value, times * u64::from(own), untrue));
            }
            Cover::Range { .. } | Cover::Set(_) => wide.push(slot),
            Cover::Any => {}
        }
        *untrue = (*untrue).min(cells[slot]);
    }
    let mut is_exact = true;
    let links = wide.iter().map(|&slot| {
        let number = u32::try_from(slot).expect("slots are 32 bits wide");
        match reading.cover(id, number) {
            Cover::Range { first, last } => (*first..=*last).collect(),
            Cover::Set(values) => values.to_vec(),
            _ => Vec::new(),
        }
    });
    let pairs = |&slot: &usize| {
        let number = u32::try_from(slot).expect("slots are 32 bits wide");
        reading.cover(id, number).len().unwrap_or(0) as u64
    };
    if wide.iter().map(pairs).sum::<u64>() <= limit {
        let links = Lists::new(links);
        let giving: Vec<u32> = wide.iter().map(|&slot| cells[slot]).collect();
        match Flow::largest(&giving, &left, |from| links.of(from), limit, run)? {
            Some(flow) => {
                wide.iter().zip(flow.unlinked).for_each(|(&slot, rows)| untrue[slot] = rows);
            }
            None => is_exact = false,
        }
    } else {
        is_exact = false;
    }
    let mut rows = vec![false; release.rows()];
    let slots: Vec<u32> = column.codes().slots().collect();
    super::mark_classes(&slots, untrue, &mut rows);
    let rows = (0u32..).zip(rows).filter(|&(_, is_untrue)| is_untrue);
    Ok(Cells { cells: rows.map(|(row, _)| row).collect(), is_exact })
}
