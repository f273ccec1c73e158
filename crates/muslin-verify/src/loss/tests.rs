//! Measures against the whole reconstruction, written out over the product of all domains.
#![expect(clippy::cast_precision_loss, reason = "the tables are small")]

use std::collections::BTreeMap;

use muslin_table::Column;
use proptest::prelude::*;
use proptest::sample::Index;

use super::queries::{Condition, Estimator};
use super::*;

/// A random original and a random release of it, whose labels need not be true.
#[derive(Clone, Debug)]
struct Case {
    original: EncodedTable,
    release: EncodedTable,
    buckets: Option<Buckets>,
}

/// A label over some values of the original; what is drawn decides which.
fn label(values: &[i64], kind: u32, a: Index, b: Index) -> String {
    let (x, y) = (*a.get(values), *b.get(values));
    let (low, high) = (x.min(y), x.max(y));
    match kind {
        0..4 => x.to_string(),
        4 => format!("[{low} to {high}]"),
        5 => format!("[{low}-{high}]"),
        6 => format!("{{{x}, {y}}}"),
        7 => format!("{x}:2,{y}:1"),
        8 => format!("[{low} to {})", high + 1),
        _ => "*".to_owned(),
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let sizes = (1usize..4, 1usize..10, 0usize..10, 1i64..5);
    sizes.prop_flat_map(|(width, rows, released, values)| {
        let cell = prop::option::weighted(0.85, -1..values);
        let has_missing = prop::collection::vec(prop::bool::weighted(0.3), width);
        let original = prop::collection::vec(prop::collection::vec(cell, rows), width);
        let drawn = (0u32..10, any::<Index>(), any::<Index>(), prop::bool::weighted(0.1));
        let labels = prop::collection::vec(prop::collection::vec(drawn, released), width);
        let withheld = prop::collection::vec(prop::bool::weighted(0.1), width);
        let buckets = prop::option::of(prop::collection::vec(0i64..3, released));
        let slices = prop::collection::vec(0usize..2, width);
        (original, has_missing, labels, withheld, buckets, slices).prop_map(
            |(cells, has_missing, labels, mut withheld, buckets, slices)| {
                withheld[0] = false;
                let name = |c: usize| format!("c{c}");
                let named = cells.into_iter().enumerate().map(|(c, mut cells)| {
                    if !has_missing[c] {
                        cells.iter_mut().for_each(|cell| *cell = cell.or(Some(0)));
                    }
                    (name(c), cells)
                });
                let named: Vec<(String, Vec<Option<i64>>)> = named.collect();
                let original = EncodedTable::of_columns(named.clone());
                let released = labels[0].len();
                let mut columns = Vec::new();
                for (c, labels) in labels.iter().enumerate().filter(|(c, _)| !withheld[*c]) {
                    let mut values: Vec<i64> = named[c].1.iter().flatten().copied().collect();
                    values.sort_unstable();
                    let spell = |&(kind, a, b, is_missing): &(u32, Index, Index, bool)| {
                        let has_label = !is_missing && !values.is_empty();
                        has_label.then(|| label(&values, kind, a, b))
                    };
                    let texts: Vec<Option<String>> = labels.iter().map(spell).collect();
                    columns.push(text_column(&name(c), &texts));
                }
                let slices = (0..2).map(|of| {
                    (0..slices.len()).filter(|&c| slices[c] == of).map(name).collect::<Vec<_>>()
                });
                let buckets = buckets.map(|of| {
                    let of = of.into_iter().map(Some).collect();
                    let made = EncodedTable::of_columns([("bucket".to_owned(), of)]);
                    columns.extend(made.into_columns());
                    Buckets { column: "bucket".to_owned(), slices: slices.collect() }
                });
                let release = EncodedTable::new(released, columns).unwrap();
                Case { original, release, buckets }
            },
        )
    })
}

fn text_column(name: &str, texts: &[Option<String>]) -> Column {
    let labels: Vec<String> = texts.iter().flatten().cloned().collect();
    let mut next = 0u32;
    let missing = u32::try_from(labels.len()).unwrap();
    let positions = texts.iter().map(|text| {
        if text.is_none() {
            return missing;
        }
        next += 1;
        next - 1
    });
    Column::of_labels(name, &labels, positions.collect::<Vec<_>>().into_iter()).unwrap()
}

/// The rows that a release leads to expect, for each combination of positions.
struct Naive {
    sizes: Vec<usize>,
    rows: Vec<f64>,
}

impl Naive {
    fn new(case: &Case, reading: &Reading) -> Self {
        let Case { original, release, .. } = case;
        let columns = original.columns();
        let sizes: Vec<usize> = columns.iter().map(|c| c.dictionary().len() + 1).collect();
        let cover = |c: usize, row: usize| match reading.published(ColumnId::new(c)) {
            Some(id) => reading.cover(ColumnId::new(c), release.column(id).codes().slot(row)),
            None => &Cover::Any,
        };
        let weights = |c: usize, row: usize| weights(cover(c, row), sizes[c]);
        // Missing cells of which nobody knows whether they are suppressed, and how many are not.
        let unclear = |c: usize, row: usize| -> Option<(u64, u64)> {
            let column = release.column(reading.published(ColumnId::new(c))?);
            let is_missing = column.codes().slot(row) == column.missing_slot();
            let least = columns[c].missing().min(column.missing());
            let is_any = *cover(c, row) == Cover::Any;
            (is_missing && is_any && least > 0).then_some((least, column.missing()))
        };
        let suppressed: Vec<Vec<f64>> = (0..sizes.len())
            .map(|c| {
                let mut cells: Vec<Vec<f64>> =
                    (0..release.rows()).filter_map(|row| weights(c, row)).collect();
                // What no cell covers has a cell of its own.
                let there = if columns[c].missing() > 0 { sizes[c] } else { sizes[c] - 1 };
                let is_there = |at: usize| {
                    at + 1 == sizes[c] && (0..release.rows()).any(|row| unclear(c, row).is_some())
                };
                let is_new =
                    |at: &usize| !is_there(*at) && cells.iter().all(|weights| weights[*at] == 0.0);
                let new: Vec<usize> = (0..there).filter(is_new).collect();
                let cell = |at| (0..sizes[c]).map(|own| f64::from(u8::from(own == at))).collect();
                cells.extend(new.into_iter().map(cell));
                let missing = (0..release.rows()).find_map(|row| unclear(c, row));
                for _ in 0..missing.map_or(0, |of| of.0) {
                    cells.push(cell(sizes[c] - 1));
                }
                let mean =
                    |at| cells.iter().map(|w| w[at]).sum::<f64>() / cells.len().max(1) as f64;
                (0..sizes[c]).map(mean).collect()
            })
            .collect();
        let slices: Vec<Vec<usize>> = match &reading.buckets {
            Some(buckets) => buckets.slices.clone(),
            None => vec![(0..sizes.len()).collect()],
        };
        let in_none = (0..sizes.len()).filter(|c| !slices.iter().flatten().any(|of| of == c));
        let alone: Vec<Vec<usize>> = in_none.map(|c| vec![c]).collect();
        let bucket = |row: usize| match &reading.buckets {
            Some(buckets) => release.column(buckets.column).codes().slot(row),
            None => 0,
        };
        let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        (0..release.rows()).for_each(|row| members.entry(bucket(row)).or_default().push(row));
        let combinations: usize = sizes.iter().product();
        let mut naive = Self { sizes: sizes.clone(), rows: vec![0.0; combinations] };
        for at in 0..combinations {
            let x = naive.positions(at);
            let cell = |c: usize, row: usize| {
                let own = weights(c, row).unwrap_or(suppressed[c].clone())[x[c]];
                unclear(c, row).map_or(own, |(missing, all)| {
                    let is_missing = f64::from(u8::from(x[c] + 1 == sizes[c]));
                    (missing as f64 * is_missing + (all - missing) as f64 * own) / all as f64
                })
            };
            naive.rows[at] = members
                .values()
                .map(|rows| {
                    let share = |slice: &Vec<usize>| {
                        let rows_of = rows
                            .iter()
                            .map(|&row| slice.iter().map(|&c| cell(c, row)).product::<f64>());
                        rows_of.sum::<f64>() / rows.len() as f64
                    };
                    rows.len() as f64 * slices.iter().chain(&alone).map(share).product::<f64>()
                })
                .sum();
        }
        naive
    }

    fn positions(&self, mut at: usize) -> Vec<usize> {
        let next = |size: &usize| {
            let position = at % size;
            at /= size;
            position
        };
        self.sizes.iter().map(next).collect()
    }

    fn phi2(&self, a: usize, b: usize, used: usize) -> f64 {
        let total: f64 = self.rows.iter().sum();
        let share = |keep: &dyn Fn(&[usize]) -> bool| {
            let all = (0..self.rows.len()).filter(|&at| keep(&self.positions(at)));
            all.map(|at| self.rows[at]).sum::<f64>() / total
        };
        let mut sum = 0.0;
        for i in 0..self.sizes[a] {
            for j in 0..self.sizes[b] {
                let (f_i, f_j) = (share(&|x| x[a] == i), share(&|x| x[b] == j));
                if f_i * f_j > 0.0 {
                    sum += (share(&|x| x[a] == i && x[b] == j) - f_i * f_j).powi(2) / (f_i * f_j);
                }
            }
        }
        if used < 2 || total == 0.0 { 0.0 } else { sum / (used - 1) as f64 }
    }
}

/// The weights of a cell; nothing where it is suppressed.
fn weights(cover: &Cover, size: usize) -> Option<Vec<f64>> {
    let values: Vec<(u32, u32)> = match cover {
        Cover::Exact(value) => vec![(*value, 1)],
        Cover::Range { first, last } => (*first..=*last).map(|value| (value, 1)).collect(),
        Cover::Set(values) => values.iter().map(|&value| (value, 1)).collect(),
        Cover::Multiset(values) => values.to_vec(),
        Cover::Missing => vec![(u32::try_from(size - 1).unwrap(), 1)],
        Cover::Any => return None,
    };
    let total: u32 = values.iter().map(|value| value.1).sum();
    let mut weights = vec![0.0; size];
    values.iter().for_each(|&(at, n)| weights[at as usize] = f64::from(n) / f64::from(total));
    Some(weights)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
        || (a.is_infinite() && a.total_cmp(&b).is_eq())
}

fn distinct(column: &Column) -> usize {
    let mut slots: Vec<u32> = column.codes().slots().collect();
    slots.sort_unstable();
    slots.dedup();
    slots.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_500)))]

    #[test]
    fn measures_are_those_of_the_reconstruction_written_out(case in cases()) {
        let Case { original, release, buckets } = &case;
        let reading = Reading::of(original, release, &BTreeMap::new(), buckets.as_ref()).unwrap();
        let naive = Naive::new(&case, &reading);
        let all = original.all_columns();
        let run = Run::new();
        let found = Loss::new(all.clone()).run(original, release, &reading, &run).unwrap();

        for pair in found.association().unwrap().pairs() {
            let (a, b) = (pair.first().index(), pair.second().index());
            let used = distinct(&original.columns()[a]).min(distinct(&original.columns()[b]));
            prop_assert!(close(pair.after(), naive.phi2(a, b, used)), "{} {}", a, b);
        }

        let (mut nats, mut ruled_out) = (0.0, 0.0);
        let rows = original.rows();
        let slot = |c: usize, row: usize| original.columns()[c].codes().slot(row) as usize;
        for at in 0..naive.rows.len() {
            let x = naive.positions(at);
            let is_x = |row: &usize| (0..x.len()).all(|c| slot(c, *row) == x[c]);
            let p = (0..rows).filter(is_x).count() as f64 / rows as f64;
            let q = naive.rows[at] / release.rows() as f64;
            if p > 0.0 && q > 0.0 {
                nats += p * (p / q).ln();
            } else if p > 0.0 {
                ruled_out += p;
            }
        }
        let divergence = found.divergence().unwrap();
        let nats = if ruled_out > 0.0 { f64::INFINITY } else { nats };
        prop_assert!(close(divergence.nats(), nats), "{} {}", divergence.nats(), nats);
        prop_assert!(close(divergence.unreached(), ruled_out));

        // All ranges of the first column, with all of the last.
        let made = Reconstruction::new(original, release, &reading, &run).unwrap();
        let estimator = Estimator::new(&made);
        let last = naive.sizes.len() - 1;
        for a in 0..naive.sizes[0] - 1 {
            for b in a..naive.sizes[0] - 1 {
                for c in 0..naive.sizes[last] - 1 {
                    let condition = |column: usize, first: usize, last: usize| {
                        let code = |at: usize| u32::try_from(at).unwrap();
                        Condition { column, first: code(first), last: code(last) }
                    };
                    let mut asked = vec![condition(0, a, b)];
                    if last > 0 && made.places[last].is_some() {
                        asked.push(condition(last, c, naive.sizes[last] - 2));
                    }
                    let meets = |at: &usize| asked.iter().all(|asked| {
                        let position = u32::try_from(naive.positions(*at)[asked.column]).unwrap();
                        (asked.first..=asked.last).contains(&position)
                    });
                    let all = (0..naive.rows.len()).filter(meets);
                    let expected: f64 = all.map(|at| naive.rows[at]).sum();
                    prop_assert!(close(estimator.rows(&asked), expected));
                }
            }
        }

        for marginal in found.marginals() {
            let c = marginal.column().index();
            for (bin, after) in marginal.bins().iter().zip(marginal.after()) {
                let position = match bin {
                    Bin::Value(value) => *value as usize,
                    _ => naive.sizes[c] - 1,
                };
                let all = (0..naive.rows.len()).filter(|&at| naive.positions(at)[c] == position);
                prop_assert!(close(*after, all.map(|at| naive.rows[at]).sum()));
            }
        }
    }
}

#[test]
fn percentiles_of_errors() {
    let original = EncodedTable::of(&[[1], [1], [1], [2]]);
    let column = Column::of_labels("c0", &["*"], [0; 4].into_iter()).unwrap();
    let release = EncodedTable::new(4, vec![column]).unwrap();
    let reading = Reading::of(&original, &release, &BTreeMap::new(), None).unwrap();
    let workload = Workload { queries: 100, selectivity: 0.1, ..Workload::default() };
    let loss = Loss::new(original.all_columns()).workload(workload);
    let found = loss.run(&original, &release, &reading, &Run::new()).unwrap();
    let found = found.queries().unwrap();
    // Two rows are expected of each value: of three that is a third less, of one twice as many.
    let ones = found.errors().iter().filter(|&&error| close(error, 1.0)).count();
    let thirds = found.errors().iter().filter(|&&error| close(error, 1.0 / 3.0)).count();
    assert_eq!(ones + thirds, 100);
    assert!(ones > 20 && thirds > 20);
    assert!(close(found.mean().unwrap(), (ones as f64 + thirds as f64 / 3.0) / 100.0));
    assert_eq!(found.percentile_95(), Some(found.errors()[94]));
    assert!(close(found.median().unwrap(), f64::midpoint(found.errors()[49], found.errors()[50])));
    assert!(found.workload().to_string().starts_with("100 COUNT queries over 3 columns"));
}
