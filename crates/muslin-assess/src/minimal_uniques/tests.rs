//! Every way through the search on every instruction set: small tables take all of them.

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};
use muslin_testkit::generate::ugly_tables;
use muslin_testkit::oracle::{self, Unique};
use proptest::prelude::*;

use super::kernel::{Isa, Lanes, Task};
use super::*;

/// Both sides of every threshold.
fn tunings() -> Vec<Tuning> {
    let mut all = Vec::new();
    for isa in Isa::available() {
        for (direct_pairs, direct_targets, cut) in [
            (usize::MAX, 0, None),
            (0, 0, Some(usize::MAX)),
            (0, 0, Some(0)),
            (0, 0, Some(3)),
            (9, 1, Some(5)),
        ] {
            all.push(Tuning { isa, direct_pairs, direct_targets, cut, ..Tuning::default() });
        }
    }
    // A hash under which all rows collide.
    all.push(Tuning { direct_pairs: 0, direct_targets: 0, hash: |_| 0, ..Tuning::default() });
    all
}

fn listed(search: &MinimalUniques, table: &EncodedTable) -> Vec<Unique> {
    let mut all = Vec::new();
    let mut sink = |batch: &UniqueBatch| {
        all.extend(batch.iter().map(|unique| Unique {
            rows: unique.rows().to_vec(),
            columns: unique.columns().map(ColumnId::index).collect(),
            support: unique.support(),
        }));
        Ok(())
    };
    search.list(table, &mut sink, &Run::new()).unwrap();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(200)))]

    #[test]
    fn parts_make_the_whole(table in ugly_tables(), of in 1u32..6, k in 1u32..4, more in 0usize..4) {
        let run = Run::new();
        for missing in MissingRule::ALL {
            let most = (more > 0).then_some(more);
            let search =
                MinimalUniques::new().k(k).max_size(most).missing(missing).contributions(true);
            let whole = search.clone().method(Some(Method::AgreeSets)).run(&table, &run).unwrap();
            let prepared = search.prepare(&table, &run).unwrap();
            let parts: Vec<UniquesPart> =
                (0..of).rev().map(|part| prepared.part(part, of, &run).unwrap()).collect();
            let joined = prepared.join(&table, parts).unwrap();
            prop_assert_eq!(format!("{joined:?}"), format!("{whole:?}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_way_gives_the_same(
        table in ugly_tables(),
        k in 1u32..=4,
        max_size in prop::option::of(1usize..=4),
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
    ) {
        let expected = oracle::minimal_uniques(&table, u64::from(k), max_size, missing);
        for tuning in tunings() {
            let mut search = MinimalUniques::new().k(k).max_size(max_size).missing(missing);
            search = search.method(Some(Method::AgreeSets));
            search.tuning = tuning;
            prop_assert_eq!(&listed(&search, &table), &expected, "{:?}", tuning);
        }
    }
}

/// The table with its columns spread among constant ones, and where they are now.
fn widened(table: &EncodedTable, columns: usize) -> (EncodedTable, Vec<usize>) {
    let gap = columns / table.columns().len().max(1);
    let places: Vec<usize> = (0..table.columns().len()).map(|c| c * gap + gap - 1).collect();
    let constant = |c: usize| {
        let cells = vec![Some(1); table.rows()];
        EncodedTable::of_columns([(format!("constant {c}"), cells)]).into_columns().remove(0)
    };
    let column = |c: usize| match places.iter().position(|&place| place == c) {
        Some(own) => table.columns()[own].clone(),
        None => constant(c),
    };
    (EncodedTable::new(table.rows(), (0..columns).map(column).collect()).unwrap(), places)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn tables_of_any_width_give_the_same(
        table in ugly_tables(),
        k in 1u32..=3,
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
    ) {
        // A constant column of more than k rows is in no minimal unique.
        prop_assume!(table.rows() > k as usize);
        let expected = oracle::minimal_uniques(&table, u64::from(k), Some(4), missing);
        for columns in [66, 130, 260] {
            let (wide, places) = widened(&table, columns);
            for method in [Method::AgreeSets, Method::ColumnSets] {
                let search = MinimalUniques::new().k(k).max_size(Some(4)).missing(missing);
                let mut search = search.method(Some(method));
                search.tuning = Tuning { direct_pairs: 0, direct_targets: 0, ..Tuning::default() };
                let found = listed(&search, &wide);
                let moved: Vec<Unique> = expected
                    .iter()
                    .cloned()
                    .map(|mut unique| {
                        unique.columns.iter_mut().for_each(|column| *column = places[*column]);
                        unique
                    })
                    .collect();
                prop_assert_eq!(found, moved, "{} columns, {:?}", columns, method);
            }
        }
    }
}

/// All lanes of one pair of arrays.
struct AllLanes<'a>(&'a [u32; 16], &'a [u32; 16], &'a [u16; 32], &'a [u16; 32]);

impl Task<(u16, u16, u32)> for AllLanes<'_> {
    fn run<L: Lanes>(self) -> (u16, u16, u32) {
        (L::equal(self.0, self.1), L::at_least(self.0, self.1[0]), L::equal_codes(self.2, self.3))
    }
}

proptest! {
    #[test]
    fn lanes_are_the_same_on_every_instruction_set(
        a in prop::array::uniform16(prop_oneof![0u32..3, Just(u32::MAX), any::<u32>()]),
        b in prop::array::uniform16(prop_oneof![0u32..3, Just(u32::MAX), any::<u32>()]),
        c in prop::array::uniform32(prop_oneof![0u16..3, Just(u16::MAX)]),
        d in prop::array::uniform32(prop_oneof![0u16..3, Just(u16::MAX)]),
    ) {
        let plain = Isa::Plain.run(AllLanes(&a, &b, &c, &d));
        for isa in Isa::available() {
            prop_assert_eq!(isa.run(AllLanes(&a, &b, &c, &d)), plain, "{:?}", isa);
        }
    }
}

#[test]
fn agree_sets_that_do_not_fit_are_found_in_parts() {
    let table = muslin_testkit::generate::large_table(
        300,
        &[5, 9, 4, 12, 7],
        true,
        muslin_engine::Seed::new(4),
    );
    let search = MinimalUniques::new().method(Some(Method::AgreeSets));
    let whole = search.run(&table, &Run::new()).unwrap();
    // Room for the table, hardly any for agree sets.
    let parts = search.run(&table, &Run::new().memory(Some(60_000))).unwrap();
    assert_eq!(format!("{whole:?}"), format!("{parts:?}"));
}
