//! Attacks on generalized cells: what columns that number strata and households reveal.

use std::collections::BTreeMap;

use crate::common::set;
use muslin_attack::{Attack, AttackedColumn, Dependencies, Released, Rows, WithinGroups};
use muslin_engine::{Run, Seed};
use muslin_table::{Column, EncodedTable};
use muslin_testkit::data;

const REGIONS: [&str; 6] = ["Burgenland", "Kaernten", "Salzburg", "Tirol", "Vienna", "Vorarlberg"];
const LABELS: [&str; 3] = ["{Burgenland, Kaernten, Salzburg}", "{Tirol, Vienna, Vorarlberg}", "*"];

/// A survey of households: the number of the region, a survey weight of each region and size, an income of each
/// household, and an age. And a release in which some cells of the region are a set or suppressed.
struct Survey {
    original: EncodedTable,
    release: EncodedTable,
}

fn survey(households: u64, seed: Seed) -> Survey {
    let mut rows: Vec<[i64; 4]> = Vec::new();
    for household in 0..households {
        let draw = |part: u64, below: u64| seed.part(part).below(household, below);
        // Some regions are larger than others.
        let region = draw(0, 6).min(draw(1, 6));
        let size = 1 + draw(2, 4);
        for member in 0..size {
            let age = seed.part(3 + member).below(household, 60);
            let own = [region, 10 * size + region, 1_000 + household, age];
            rows.push(own.map(|number| i64::try_from(number).unwrap()));
        }
    }
    let numbers = |at: usize| rows.iter().map(|row| Some(row[at])).collect::<Vec<_>>();
    let names = ["weight", "income", "age"];
    let others =
        || EncodedTable::of_columns((1..4).map(|at| (names[at - 1].to_owned(), numbers(at))));
    let region = |labels: &[&str], at: &dyn Fn(usize) -> u32| {
        let places: Vec<u32> = (0..rows.len()).map(at).collect();
        Column::of_labels("region", labels, places.into_iter()).unwrap()
    };
    let table = |region: Column| {
        let columns = [vec![region], others().into_columns()].concat();
        EncodedTable::new(rows.len(), columns).unwrap()
    };
    let own = |row: usize| u32::try_from(rows[row][0]).unwrap();
    let published = |row: usize| match seed.part(9).below(row as u64, 8) {
        0 => 6 + own(row) / 3,
        1 => 8,
        _ => own(row),
    };
    let labels = [&REGIONS[..], &LABELS].concat();
    Survey { original: table(region(&REGIONS, &own)), release: table(region(&labels, &published)) }
}

impl Survey {
    /// An attack by the release alone, and one that the original judges.
    fn attacked(&self, attack: &dyn Fn(&Released<'_>) -> Attack) -> [Attack; 2] {
        let (none, run) = (BTreeMap::new(), Run::new());
        let (release, original) = (&self.release, &self.original);
        let judged = Released::with_original(release, original, &none, &Rows::InOrder, &run);
        [attack(&Released::new(release)), attack(&judged.unwrap())]
    }

    /// Cells of the region that are not shown.
    fn hidden(&self) -> u64 {
        let (own, theirs) = (&self.release.columns()[0], &self.original.columns()[0]);
        let same = |row: usize| {
            let text =
                |column: &Column| column.dictionary().text(column.codes().slot(row) as usize);
            text(own) == text(theirs)
        };
        (0..self.release.rows()).filter(|&row| !same(row)).count() as u64
    }
}

fn by(own: &AttackedColumn) -> Vec<String> {
    own.by().iter().map(|names| names.join("+")).collect()
}

#[test]
fn a_survey_weight_of_one_region_reveals_generalized_regions() {
    let survey = survey(600, Seed::new(4));
    let run = Run::new();
    let columns = set(&[0, 1, 3]);
    let attack =
        |released: &Released<'_>| Dependencies::new(columns.clone()).run(released, &run).unwrap();
    let [alone, judged] = survey.attacked(&attack);
    assert_eq!((judged.targets(), judged.guessed()), (survey.hidden(), survey.hidden()));
    assert_eq!((alone.targets(), alone.guessed()), (judged.targets(), judged.guessed()));
    assert_eq!((alone.success(), alone.right()), (None, None));
    // Every weight is that of one region, so all are right and certain.
    assert_eq!(judged.right(), Some(judged.targets()));
    assert_eq!((judged.certain(), judged.certain_right()), (judged.targets(), judged.right()));
    let [own] = judged.columns() else { panic!("{judged:?}") };
    assert_eq!((own.name(), by(own)), ("region", vec!["weight".to_owned()]));
    // Without the attack: the most frequent region, of those that the set allows.
    assert!((0.2..0.8).contains(&own.baseline().unwrap()), "{own:?}");
    assert!(own.interval().unwrap().0 > own.baseline().unwrap());
}

#[test]
fn members_of_a_household_reveal_each_other() {
    let survey = survey(600, Seed::new(5));
    let run = Run::new();
    let attack =
        |released: &Released<'_>| WithinGroups::new(set(&[0, 2, 3])).run(released, &run).unwrap();
    let [alone, judged] = survey.attacked(&attack);
    // By hand: a hidden cell is told where another member of the household shows the region.
    let rows = survey.release.rows();
    let income = |row: usize| survey.release.columns()[1 + 1].codes().slot(row);
    let slot = |row: usize| survey.release.columns()[0].codes().slot(row);
    let text = |row: usize| survey.release.columns()[0].dictionary().text(slot(row) as usize);
    let is_shown = |row: usize| REGIONS.contains(&&*text(row));
    let is_told =
        |row: &usize| (0..rows).any(|other| income(other) == income(*row) && is_shown(other));
    let told = (0..rows).filter(|&row| !is_shown(row)).filter(is_told).count() as u64;
    assert_eq!((judged.targets(), judged.guessed()), (survey.hidden(), told));
    assert_eq!((judged.right(), judged.certain_right()), (Some(told), Some(told)));
    assert_eq!((alone.guessed(), alone.certain()), (told, told));
    assert_eq!(by(&judged.columns()[0]), ["income"]);
}

#[test]
fn a_column_that_says_nothing_reveals_nothing() {
    let survey = survey(600, Seed::new(6));
    let run = Run::new();
    let dependencies =
        |released: &Released<'_>| Dependencies::new(set(&[0, 3])).run(released, &run).unwrap();
    let groups =
        |released: &Released<'_>| WithinGroups::new(set(&[0, 3])).run(released, &run).unwrap();
    for found in [survey.attacked(&dependencies), survey.attacked(&groups)].as_flattened() {
        assert_eq!((found.targets(), found.guessed(), found.certain()), (survey.hidden(), 0, 0));
    }
}

#[test]
fn a_guess_is_one_that_the_label_allows() {
    // Forty rows of each group show its value; one more row has a label.
    let label = |row: u32| match row {
        80 => 2,
        81 => 3,
        row => row % 2,
    };
    let group = |row: i64| [row % 2];
    let rows: Vec<[i64; 1]> = (0..82).map(group).collect();
    let groups = EncodedTable::of(&rows).into_columns().remove(0);
    // The first of the two labels allows the value of its group, the second does not.
    let labels = ["10", "20", "[5-15]", "[5-15]"];
    let values =
        Column::of_labels("value", &labels, (0..82).map(label).collect::<Vec<_>>().into_iter());
    let release = EncodedTable::new(82, vec![groups, values.unwrap()]).unwrap();
    let (released, run) = (Released::new(&release), Run::new());
    for found in [
        Dependencies::new(set(&[0, 1])).run(&released, &run).unwrap(),
        WithinGroups::new(set(&[0, 1])).run(&released, &run).unwrap(),
    ] {
        assert_eq!(
            (found.targets(), found.guessed(), found.rows()),
            (2, 1, &[80][..]),
            "{found:?}"
        );
    }
}

/// The Austrian survey, its regions and household sizes generalized where a class is small, as the release of a policy of
/// defaults has them.
#[test]
fn weights_and_incomes_of_a_real_survey_reveal_regions() {
    let Some(path) = data::real("eusilc.csv") else {
        println!("eusilc.csv is absent: skipped");
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> =
        lines.next().unwrap().split(',').map(|name| name.trim_matches('"')).collect();
    let at = |name: &str| header.iter().position(|own| *own == name).unwrap();
    let (region, age, weight) = (at("db040"), at("age"), at("db090"));
    let rows: Vec<Vec<&str>> =
        lines.map(|line| line.split(',').map(|cell| cell.trim_matches('"')).collect()).collect();
    let column = |name: &str, cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = (0..rows.len()).map(cell).collect();
        let mut labels = cells.clone();
        labels.sort_unstable();
        labels.dedup();
        let place = |cell: &String| u32::try_from(labels.binary_search(cell).unwrap()).unwrap();
        let places: Vec<u32> = cells.iter().map(place).collect();
        Column::of_labels(name, &labels, places.into_iter()).unwrap()
    };
    // Old people's regions are published as sets of two.
    let is_old = |row: usize| rows[row][age].parse::<f64>().is_ok_and(|age| age >= 75.0);
    let mut names: Vec<&str> = rows.iter().map(|row| row[region]).collect();
    names.sort_unstable();
    names.dedup();
    let published = |row: usize| {
        let own = names.binary_search(&rows[row][region]).unwrap();
        if !is_old(row) {
            return names[own].to_owned();
        }
        let first = (own / 2 * 2).min(names.len() - 2);
        format!("{{{}, {}}}", names[first], names[first + 1])
    };
    let weights = column("db090", &|row| rows[row][weight].to_owned());
    let original = column("db040", &|row| rows[row][region].to_owned());
    let release = column("db040", &published);
    let table =
        |region: Column| EncodedTable::new(rows.len(), vec![region, weights.clone()]).unwrap();
    let (original, release) = (table(original), table(release));
    let (none, run) = (BTreeMap::new(), Run::new());
    let judged = Released::with_original(&release, &original, &none, &Rows::InOrder, &run).unwrap();
    let targets = (0..rows.len()).filter(|&row| is_old(row)).count() as u64;
    assert!(targets > 500);
    for found in [
        Dependencies::new(set(&[0, 1])).run(&judged, &run).unwrap(),
        WithinGroups::new(set(&[0, 1])).run(&judged, &run).unwrap(),
    ] {
        assert_eq!(found.targets(), targets);
        assert!(found.guessed() * 100 > targets * 95, "{found:?}");
        assert_eq!((found.right(), found.certain()), (Some(found.guessed()), found.guessed()));
        assert!(found.baseline().unwrap() < 0.75, "{found:?}");
    }
}
