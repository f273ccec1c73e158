//! Suppression by notion: brute force on small tables, known figures on a real one.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::time::Duration;

use muslin_assess::{Weight, Weights};
use muslin_engine::{Coverage, MemoryEngine, Run, Seed, Stop};
use muslin_protect::{Error, Notion, Protector, Suppress, Suppressed};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, RowId};
use muslin_testkit::generate::large_table;
use muslin_testkit::{data, oracle, published};
use proptest::prelude::*;

const NOTIONS: [Notion; 4] = [Notion::OneToK, Notion::KToOne, Notion::BothK, Notion::KAnonymity];

fn row_id(row: usize) -> RowId {
    RowId::new(u32::try_from(row).unwrap())
}

fn all(table: &EncodedTable) -> Vec<ColumnId> {
    table.all_columns().iter().collect()
}

/// The fewest rows or people that each row is one of, by what the notion counts.
fn smallest(table: &EncodedTable, notion: Notion, found: &Suppressed) -> u32 {
    let counts = oracle::notions(table, &table.all_columns(), found.changes());
    let of_row = |row: &[u32; 6]| match notion {
        Notion::OneToK => row[1],
        Notion::KToOne => row[2],
        Notion::BothK => row[3],
        _ => row[5],
    };
    counts.iter().map(of_row).min().unwrap()
}

fn tables() -> impl Strategy<Value = EncodedTable> {
    (1usize..5, 2usize..=7, 1i64..4).prop_flat_map(|(columns, rows, values)| {
        let value = prop::option::weighted(0.9, 0..values);
        prop::collection::vec(prop::collection::vec(value, rows), columns).prop_map(|cells| {
            let named = cells.into_iter().enumerate();
            EncodedTable::of_columns(named.map(|(c, cells)| (format!("c{c}"), cells)))
        })
    })
}

/// What cells of each column cost in whole units; none where they must stay.
fn costs() -> impl Strategy<Value = Vec<Option<u64>>> {
    let cost = prop_oneof![5 => Just(Some(1u64)), 3 => (0u64..4).prop_map(Some), 1 => Just(None)];
    prop::collection::vec(cost, 4)
}

fn with_costs(suppress: Suppress, table: &EncodedTable, costs: &[Option<u64>]) -> Suppress {
    let mut weights = Weights::new();
    let mut never = ColumnSet::new();
    for (id, cost) in all(table).into_iter().zip(costs) {
        match cost {
            Some(cost) => weights.set(id, Weight::of_millionths(cost * 1_000_000)),
            None => _ = never.insert(id),
        }
    }
    suppress.weights(weights).never(never)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_500)))]

    #[test]
    fn small_tables_get_the_optimum_and_its_proof(
        table in tables(), k in 2u32..=4, costs in costs(),
    ) {
        let columns = all(&table);
        let costs = &costs[..columns.len()];
        let least = oracle::least_suppression_cost(&table, &columns, k as usize, costs);
        let found = with_costs(Suppress::new(k).gap(0.0), &table, costs).run(&table, &Run::new());
        let Some(least) = least else {
            prop_assert!(matches!(found, Err(Error::Unreachable(_))));
            return Ok(());
        };
        let found = found.unwrap();
        prop_assert!(smallest(&table, Notion::KAnonymity, &found) >= k);
        let least = least * 1_000_000;
        // Small tables are solved exactly.
        prop_assert_eq!(found.lower_bound().millionths(), least);
        prop_assert_eq!(found.cost().millionths(), least);
        let by_column = columns.iter().zip(costs).map(|(&id, cost)| {
            let cells = found.cells_of(id) as u64;
            assert!(cost.is_some() || cells == 0);
            cells * cost.unwrap_or(0) * 1_000_000
        });
        prop_assert_eq!(by_column.sum::<u64>(), found.cost().millionths());
    }

    #[test]
    fn every_notion_holds(table in tables(), k in 2u32..=4) {
        for notion in NOTIONS {
            let found = Suppress::new(k).notion(notion).run(&table, &Run::new());
            if table.rows() < k as usize {
                prop_assert!(matches!(found, Err(Error::Unreachable(_))));
                continue;
            }
            let found = found.unwrap();
            prop_assert!(smallest(&table, notion, &found) >= k, "{notion:?}");
            prop_assert!(found.lower_bound() <= found.cost());
        }
    }

    #[test]
    fn sensitive_values_are_no_more_frequent_than_allowed(
        table in tables(), k in 2u32..=3, l in 2u32..=3, sensitive in prop::collection::vec(0i64..4, 7),
    ) {
        let rows = table.rows();
        let sensitive = sensitive[..rows].iter().map(|&value| Some(value)).collect::<Vec<_>>();
        let columns = table.columns().len();
        let wide = EncodedTable::of_columns((0..=columns).map(|c| {
            let cells = if c < columns {
                let column = &table.columns()[c];
                (0..rows).map(|row| Some(i64::from(column.codes().slot(row)))).collect()
            } else {
                sensitive.clone()
            };
            (format!("c{c}"), cells)
        }));
        let by = ColumnSet::first(columns);
        let suppress = Suppress::new(k)
            .columns(Some(by.clone()))
            .diversity(Some((ColumnId::new(columns), l)));
        // Whether any row has a value that is too frequent among all of them decides feasibility.
        let most = sensitive.iter().map(|v| sensitive.iter().filter(|w| *w == v).count()).max().unwrap();
        let is_feasible = rows >= k as usize && most * l as usize <= rows;
        match suppress.run(&wide, &Run::new()) {
            Err(Error::Unreachable(_)) => prop_assert!(!is_feasible),
            found => {
                prop_assert!(is_feasible);
                let found = found.unwrap();
                let published = |row: usize| -> Vec<Option<u32>> {
                    by.iter()
                        .map(|id| {
                            let here = row_id(row);
                            let is_blank = found.changes().suppressed(id).contains(&here);
                            (!is_blank).then(|| wide.column(id).codes().slot(row))
                        })
                        .collect()
                };
                for row in 0..rows {
                    let class: Vec<usize> =
                        (0..rows).filter(|&other| published(other) == published(row)).collect();
                    let same = class.iter().filter(|&&other| sensitive[other] == sensitive[row]);
                    prop_assert!(class.len() >= k as usize);
                    prop_assert!(same.count() * l as usize <= class.len());
                }
            }
        }
    }
}

#[test]
fn the_papers_tables_have_their_optima() {
    // Own-value 2-anonymity of T1, T2, T3: 4, 10 and 6 cells; (2,1): 4, 7 and 6.
    let tables = [
        published::vinterbo_table_3(),
        published::vinterbo_table_4(),
        published::vinterbo_table_5(),
    ];
    for (table, (groups, rows)) in tables.iter().zip([(4, 4), (10, 7), (6, 6)]) {
        let found =
            |notion| Suppress::new(2).notion(notion).gap(0.0).run(table, &Run::new()).unwrap();
        assert_eq!(found(Notion::KAnonymity).cells(), groups);
        let k_to_one = found(Notion::KToOne);
        assert_eq!(k_to_one.cells(), rows);
        assert!(k_to_one.is_optimal());
    }
}

#[test]
fn what_cannot_be_reached_is_said() {
    let table = EncodedTable::of(&[[1, 1], [2, 2], [3, 3]]);
    let text = |suppress: Suppress| suppress.run(&table, &Run::new()).unwrap_err().to_string();
    assert!(text(Suppress::new(4)).contains("3 rows cannot be in classes of at least 4"));
    let never: ColumnSet = [ColumnId::new(0)].into_iter().collect();
    assert!(text(Suppress::new(2).never(never)).contains("columns that must stay"));
    assert!(text(Suppress::new(1)).contains("-k"));
}

#[test]
fn plain_instances_are_solved() {
    let run = Run::new();
    // A column in which every row differs goes as a whole; the other stays.
    let unique = EncodedTable::of_columns([
        ("id".to_owned(), (0..50).map(Some).collect()),
        ("sex".to_owned(), (0..50).map(|row| Some(row % 2)).collect()),
    ]);
    let found = Suppress::new(5).run(&unique, &run).unwrap();
    assert_eq!((found.cells(), found.cells_of(ColumnId::new(0))), (50, 50));
    assert!(found.is_optimal());
    // Rows that are all equal lose nothing; one column is enough to be protected.
    let equal = EncodedTable::of_columns([("a".to_owned(), vec![Some(7); 20])]);
    assert_eq!(Suppress::new(20).run(&equal, &run).unwrap().cells(), 0);
    let few = EncodedTable::of_columns([(
        "a".to_owned(),
        vec![Some(1), Some(1), Some(2), Some(2), Some(3)],
    )]);
    let found = Suppress::new(2).run(&few, &run).unwrap();
    assert_eq!(found.cells(), 3);
}

#[test]
fn budgets_are_kept() {
    let table = large_table(400, &[3, 12, 9], true, Seed::new(4));
    let free = Suppress::new(3).run(&table, &Run::new()).unwrap();
    let id = ColumnId::new(1);
    let most = free.cells_of(id) as u64 / 2;
    let kept = Suppress::new(3).budgets(vec![(id, most)]).run(&table, &Run::new()).unwrap();
    assert!(kept.cells_of(id) as u64 <= most && kept.cost() >= free.cost());
    assert!(kept.lower_bound() <= free.cost());
    let id = ColumnId::new(0);
    let none = Suppress::new(3).budgets(vec![(id, 0)]).run(&table, &Run::new()).unwrap();
    assert_eq!(none.cells_of(id), 0);
}

#[test]
fn wide_tables_are_protected() {
    let table = large_table(600, &[2; 40], true, Seed::new(7));
    let run = Run::new();
    let found = Suppress::new(3).run(&table, &run).unwrap();
    let changes = found.changes();
    let published = |row: usize| -> Vec<Option<u32>> {
        let cell = |id: ColumnId| {
            let is_blank = changes.suppressed(id).binary_search(&row_id(row)).is_ok();
            (!is_blank).then(|| table.column(id).codes().slot(row))
        };
        table.all_columns().iter().map(cell).collect()
    };
    let mut classes: BTreeMap<Vec<Option<u32>>, u32> = BTreeMap::new();
    (0..600).for_each(|row| *classes.entry(published(row)).or_default() += 1);
    assert!(classes.values().all(|&rows| rows >= 3));
    assert!(found.cells() < 600 * 40 && found.lower_bound() <= found.cost());
    assert!(found.lower_bound().as_f64() > 0.0);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let table = large_table(3_000, &[2, 30, 5, 8], true, Seed::new(2));
    let [one, four] = [1, 4].map(|threads| {
        Suppress::new(4).gap(0.01).run(&table, &Run::new().threads(threads).unwrap()).unwrap()
    });
    assert_eq!(one.changes(), four.changes());
    assert_eq!(one.certificate(), four.certificate());
    let protection = Suppress::new(4)
        .gap(0.01)
        .protect(&MemoryEngine::new(&table, &Run::new()), &Run::new())
        .unwrap();
    assert_eq!(protection.changes(), one.changes());
}

#[test]
fn a_limit_leaves_a_protection_or_says_so() {
    let table = large_table(4_000, &[2, 40, 6, 9, 7], true, Seed::new(3));
    for millis in [0, 1, 20, 200] {
        let run = Run::new().time_limit(Some(Duration::from_millis(millis)));
        match Suppress::new(5).gap(0.0).run(&table, &run) {
            Ok(found) => {
                let is_stopped = found.coverage() == Coverage::Stopped { by: Stop::TimeLimit };
                assert!(is_stopped || found.coverage() == Coverage::Complete);
                assert!(found.cells() > 0 && found.lower_bound() <= found.cost());
            }
            Err(Error::Engine(muslin_engine::Error::Stopped(Stop::TimeLimit))) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

/// Adult as ARX ships it: what others reached, and the bound.
#[test]
fn adult_costs_less_than_was_known_and_is_near_its_bound() {
    let Some(path) = data::real("arx/adult/adult.csv") else { return };
    let run = Run::new();
    let input = muslin_io::Input::named(path);
    let table = muslin_io::read(&input, &muslin_io::ReadOptions::default(), &run).unwrap().table;
    let names = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
    ];
    let columns: ColumnSet = names.iter().map(|name| table.find(name).unwrap()).collect();
    for (k, known, rows_alone) in
        [(2, 18_190, 16_199), (3, 24_888, 22_245), (5, 31_943, 28_546), (10, 40_590, 36_147)]
    {
        let found =
            Suppress::new(k).columns(Some(columns.clone())).gap(0.03).run(&table, &run).unwrap();
        assert!(found.cells() <= known, "k = {k}: {} cells", found.cells());
        let (cost, bound) = (found.cost().as_f64(), found.lower_bound().as_f64());
        assert!(cost <= bound * 1.03, "k = {k}: {cost} cells, bound {bound}");
        let row_by_row = Suppress::new(k).columns(Some(columns.clone())).notion(Notion::KToOne);
        assert_eq!(row_by_row.run(&table, &run).unwrap().cells(), rows_alone);
    }
}
