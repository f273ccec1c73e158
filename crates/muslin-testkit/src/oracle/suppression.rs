//! What a suppression of cells protects, and what the cheapest one costs, by brute force.

use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable, RowId};

/// For each row the six counts N1 to N6 of a release, straight from their definitions.
///
/// N5 tries every link of every row, so a table of more than some ten rows is out of reach.
pub fn notions(table: &EncodedTable, by: &ColumnSet, changes: &Changes) -> Vec<[u32; 6]> {
    let columns: Vec<ColumnId> = by.difference(changes.masked()).iter().collect();
    let slot = |row: usize, id: &ColumnId| table.column(*id).codes().slot(row);
    let visible = |row: usize, id: &ColumnId| {
        let number = RowId::new(u32::try_from(row).expect("a small table"));
        let taken_out = changes.suppressed(*id).contains(&number);
        Some(slot(row, id)).filter(|&s| !taken_out && s != table.column(*id).suppressed_slot())
    };
    let alike = |a: Option<u32>, b: Option<u32>| a.is_none() || b.is_none() || a == b;
    let look_alike = |i, j| columns.iter().all(|c| alike(visible(i, c), visible(j, c)));
    let fits = |i, j| columns.iter().all(|c| visible(j, c).is_none_or(|v| v == slot(i, c)));
    let equal = |i, j| columns.iter().all(|c| visible(i, c) == visible(j, c));
    let rows = table.rows();
    let linked = |i: usize, j: usize| {
        // No other row may take j, and i may take nothing else.
        fits(i, j) && has_perfect_matching(rows, &|a, b| fits(a, b) && (a == i) == (b == j))
    };
    let count = |holds: &dyn Fn(usize) -> bool| {
        u32::try_from((0..rows).filter(|&j| holds(j)).count()).expect("a small table")
    };
    let each = (0..rows).map(|i| {
        let (n2, n3) = (count(&|j| fits(i, j)), count(&|j| fits(j, i)));
        let (n1, n6) = (count(&|j| look_alike(i, j)), count(&|j| equal(i, j)));
        [n1, n2, n3, n2.min(n3), count(&|j| linked(i, j)), n6]
    });
    each.collect()
}

/// Whether each of `count` people can be given one of as many things that it may have, each once:
/// by augmenting paths.
fn has_perfect_matching(count: usize, may: &dyn Fn(usize, usize) -> bool) -> bool {
    fn place(
        person: usize,
        may: &dyn Fn(usize, usize) -> bool,
        tried: &mut [bool],
        holder: &mut [Option<usize>],
    ) -> bool {
        (0..holder.len()).any(|thing| {
            if !may(person, thing) || std::mem::replace(&mut tried[thing], true) {
                return false;
            }
            let free = holder[thing].is_none_or(|other| place(other, may, tried, holder));
            if free {
                holder[thing] = Some(person);
            }
            free
        })
    }
    let mut holder = vec![None; count];
    (0..count).all(|person| place(person, may, &mut vec![false; count], &mut holder))
}

/// The least cost of suppressing cells so that each row equals at least `k` rows, itself among
/// them; suppressed equals suppressed. Column `columns[c]` costs `weights[c]` per cell, or is never
/// suppressed. Nothing where it cannot be done.
///
/// Tries every way to put the rows into parts of at least `k`; in each part the columns that differ
/// are suppressed. More than some ten rows are out of reach.
pub fn least_suppression_cost(
    table: &EncodedTable,
    columns: &[ColumnId],
    k: usize,
    weights: &[Option<u64>],
) -> Option<u64> {
    let cost = |part: &Vec<usize>| -> Option<u64> {
        let differs = |id: &ColumnId| {
            let slot = |row: &usize| table.column(*id).codes().slot(*row);
            part.iter().any(|row| slot(row) != slot(&part[0]))
        };
        let of_row = columns.iter().zip(weights).filter(|(id, _)| differs(id));
        let of_row = of_row.map(|(_, weight)| *weight).sum::<Option<u64>>()?;
        (part.len() >= k).then_some(of_row * part.len() as u64)
    };
    let mut partitions: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for row in 0..table.rows() {
        let with = |parts: Vec<Vec<usize>>| {
            (0..=parts.len()).map(move |place| {
                let mut parts = parts.clone();
                parts.resize_with(parts.len().max(place + 1), Vec::new);
                parts[place].push(row);
                parts
            })
        };
        partitions = partitions.into_iter().flat_map(with).collect();
    }
    partitions.iter().filter_map(|parts| parts.iter().map(cost).sum::<Option<u64>>()).min()
}
