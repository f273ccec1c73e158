//! Small tables with releases of every kind of label, true and not.

use muslin_table::{Column, EncodedTable};
use proptest::prelude::*;
use proptest::sample::Index;

/// A small table, and a release of it in another order.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// Columns `c0`, `c1`, ... of whole numbers and missing cells.
    pub original: EncodedTable,
    /// The same columns as text, each cell a value, a range, a set, missing, suppressed or a star;
    /// and a column `bucket` of numbers.
    pub release: EncodedTable,
}

/// What becomes of a cell.
#[derive(Clone, Copy, Debug)]
enum Label {
    Value,
    Range(i64, i64),
    Set(Index),
    Star,
    Suppressed,
}

/// Tables of up to `rows` rows and 3 columns of few values, and releases of them. Cells are true at
/// first; then some get the label of another value, and some rows are lost or there twice.
pub fn labelled(rows: usize) -> impl Strategy<Value = Labelled> {
    (1..=rows, 1usize..=3, 1i64..=5).prop_flat_map(|(rows, columns, values)| {
        let missing = prop_oneof![Just(0.001), Just(0.25)];
        let column = missing.prop_flat_map(move |missing| {
            let value = prop::option::weighted(1.0 - missing, 0..values);
            prop::collection::vec(value, rows)
        });
        let label = || {
            prop_oneof![
                4 => Just(Label::Value),
                3 => (0i64..3, 0i64..3).prop_map(|(down, up)| Label::Range(down, up)),
                2 => any::<Index>().prop_map(Label::Set),
                1 => Just(Label::Star),
                1 => Just(Label::Suppressed),
            ]
        };
        let wrong = prop_oneof![3 => Just(0.001), 1 => Just(0.1), 1 => Just(0.5)];
        let cells = wrong.prop_flat_map(move |wrong| {
            let cell = (label(), prop::option::weighted(wrong, any::<Index>()));
            prop::collection::vec(prop::collection::vec(cell, rows + 1), columns)
        });
        let order = Just((0..rows).collect::<Vec<_>>()).prop_shuffle();
        let fault = prop_oneof![4 => Just(None), 1 => any::<Index>().prop_map(Some)];
        let buckets = prop::collection::vec(0u32..3, rows + 1);
        let columns = prop::collection::vec(column, columns);
        (columns, cells, order, fault, any::<bool>(), buckets).prop_map(
            |(columns, cells, mut order, fault, is_lost, buckets)| {
                if let Some(at) = fault {
                    let at = at.index(order.len());
                    if is_lost {
                        order.remove(at);
                    } else {
                        order.push(order[at]);
                    }
                }
                made(columns, &cells, &order, &buckets)
            },
        )
    })
}

fn made(
    columns: Vec<Vec<Option<i64>>>,
    cells: &[Vec<(Label, Option<Index>)>],
    order: &[usize],
    buckets: &[u32],
) -> Labelled {
    let mut published = Vec::new();
    for (at, (column, cells)) in columns.iter().zip(cells).enumerate() {
        let mut values: Vec<i64> = column.iter().copied().flatten().collect();
        values.sort_unstable();
        values.dedup();
        let mut labels: Vec<String> = vec!["*".into()];
        let mut slots = Vec::new();
        for (&row, &(label, wrong)) in order.iter().zip(cells) {
            let other =
                wrong.filter(|_| !values.is_empty()).map(|at| values[at.index(values.len())]);
            let text = match (other.or(column[row]), label) {
                (_, Label::Star) => Some("*".to_owned()),
                (_, Label::Suppressed) => {
                    slots.push(Err(1));
                    continue;
                }
                (None, _) => None,
                (Some(value), Label::Value) => Some(value.to_string()),
                (Some(value), Label::Range(down, up)) => {
                    Some(format!("[{}-{}]", value - down, value + up))
                }
                (Some(value), Label::Set(other)) => {
                    Some(format!("{{{value}, {}}}", values[other.index(values.len())]))
                }
            };
            slots.push(
                text.map(|text| {
                    let at = labels.iter().position(|label| *label == text);
                    at.unwrap_or_else(|| {
                        labels.push(text);
                        labels.len() - 1
                    })
                })
                .ok_or(0),
            );
        }
        let slot = |slot: Result<usize, usize>| slot.unwrap_or_else(|after| labels.len() + after);
        let slots = slots.into_iter().map(|of| u32::try_from(slot(of)).expect("few labels"));
        let slots: Vec<u32> = slots.collect();
        let name = format!("c{at}");
        published.push(Column::of_labels(name, &labels, slots.into_iter()).expect("a label each"));
    }
    let buckets = buckets[..order.len()].iter().copied();
    published.push(Column::of_numbers("bucket", 3, buckets).expect("a number each"));
    let named = columns.into_iter().enumerate().map(|(at, cells)| (format!("c{at}"), cells));
    let release = EncodedTable::new(order.len(), published).expect("names differ");
    Labelled { original: EncodedTable::of_columns(named), release }
}
