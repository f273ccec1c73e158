//! A real table: the adult file that ARX ships, nine columns, with its hierarchies.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::cast_precision_loss, reason = "the table is small")]
#![expect(clippy::print_stdout, reason = "a test says what it did not check")]

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use muslin_engine::{Run, Seed};
use muslin_table::{Column, ColumnId, EncodedTable, Hierarchy};
use muslin_testkit::data;
use muslin_verify::loss::{Buckets, Loss, Losses, Reading};

const OCCUPATION: usize = 7;

/// Names, and cells row by row.
struct Adult {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn adult() -> Option<Adult> {
    let Some(path) = data::real("arx/adult/adult.csv") else {
        println!("adult.csv is absent: not checked");
        return None;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let split = |line: &str| line.split(';').map(str::to_owned).collect::<Vec<_>>();
    let mut lines = text.lines().map(split);
    let names = lines.next().unwrap();
    Some(Adult { names, rows: lines.collect() })
}

impl Adult {
    fn cells(&self, c: usize) -> Vec<&str> {
        self.rows.iter().map(|row| row[c].as_str()).collect()
    }

    /// Ages are numbers, all else is text.
    fn table(&self) -> EncodedTable {
        let columns = (0..self.names.len()).map(|c| match self.names[c].as_str() {
            "age" => {
                let ages = self.cells(c).into_iter().map(|age| age.parse().ok()).collect();
                EncodedTable::of_columns([("age".to_owned(), ages)]).into_columns().remove(0)
            }
            name => column(name, &self.cells(c)),
        });
        EncodedTable::new(self.rows.len(), columns.collect()).unwrap()
    }

    /// Lines of a column's hierarchy file: the value, then its labels.
    fn lines(&self, c: usize) -> HashMap<String, Vec<String>> {
        let path = data::real(&format!("arx/adult/hierarchy_{}.csv", self.names[c])).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().map(|line| {
            let mut fields = line.split(';').map(str::to_owned);
            (fields.next().unwrap(), fields.collect())
        });
        lines.collect()
    }

    fn hierarchy(&self, c: usize) -> Hierarchy {
        let lines = self.lines(c);
        let mut values = self.cells(c);
        values.sort_unstable();
        values.dedup();
        let paths: Vec<Vec<String>> = values.iter().map(|&value| lines[value].clone()).collect();
        let others = lines.iter().filter(|(value, _)| !values.contains(&value.as_str()));
        let others: Vec<Vec<String>> = others.map(|(_, path)| path.clone()).collect();
        Hierarchy::new(&self.names[c], &paths, &others).unwrap()
    }
}

fn column<S: AsRef<str>>(name: &str, cells: &[S]) -> Column {
    let mut labels: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    labels.sort_unstable();
    labels.dedup();
    let at = |cell: &S| u32::try_from(labels.binary_search(&cell.as_ref()).unwrap()).unwrap();
    let positions: Vec<u32> = cells.iter().map(at).collect();
    Column::of_labels(name, &labels, positions.into_iter()).unwrap()
}

fn run(original: &EncodedTable, release: &EncodedTable, reading: &Reading) -> Losses {
    let quasi_identifiers = original.all_columns();
    let loss = Loss::new(quasi_identifiers).sensitive(Some(ColumnId::new(OCCUPATION))).k(Some(5));
    let start = Instant::now();
    let found = loss.run(original, release, reading, &Run::new()).unwrap();
    println!("{:?}, error of counts {:?}", start.elapsed(), found.queries().unwrap().mean());
    println!("{:?}, phi2 {:?}", found.divergence(), found.association().unwrap().ratio());
    found
}

#[test]
fn the_file_itself_loses_nothing() {
    let Some(adult) = adult() else { return };
    let original = adult.table();
    let reading = Reading::of(&original, &original, &BTreeMap::new(), None).unwrap();
    let found = run(&original, &original, &reading);
    assert_eq!(found.cells().gcp().to_bits(), 0);
    assert_eq!(found.divergence().unwrap().nats().to_bits(), 0);
    assert_eq!(found.queries().unwrap().errors().last(), Some(&0.0));
    let association = found.association().unwrap();
    assert!(
        association.pairs().iter().all(|pair| pair.before().to_bits() == pair.after().to_bits())
    );
    assert_eq!(association.pairs().len(), 36);
}

#[test]
fn ages_by_decade_education_and_marital_status_by_level() {
    let Some(adult) = adult() else { return };
    let original = adult.table();
    let at = |name: &str| adult.names.iter().position(|n| n == name).unwrap();
    let (age, education, marital) = (at("age"), at("education"), at("marital-status"));
    let (education_lines, marital_lines) = (adult.lines(education), adult.lines(marital));
    let columns = (0..adult.names.len()).map(|c| {
        let cell = |cell: &&str| match c {
            _ if c == age => {
                let decade = cell.parse::<i64>().unwrap() / 10 * 10;
                format!("[{decade}-{}]", decade + 9)
            }
            _ if c == education => education_lines[*cell][0].clone(),
            _ if c == marital => marital_lines[*cell][0].clone(),
            _ if adult.names[c] == "native-country" => "*".to_owned(),
            _ => (*cell).to_owned(),
        };
        let cells: Vec<String> = adult.cells(c).iter().map(cell).collect();
        column(&adult.names[c], &cells)
    });
    let release = EncodedTable::new(original.rows(), columns.collect()).unwrap();
    let trees = [education, marital].map(|c| (adult.names[c].clone(), adult.hierarchy(c)));
    let reading = Reading::of(&original, &release, &BTreeMap::from(trees), None).unwrap();
    let found = run(&original, &release, &reading);

    // Covered values, counted from the file.
    let covered = |c: usize, same: &dyn Fn(&str, &str) -> bool| {
        let mut values = adult.cells(c);
        values.sort_unstable();
        values.dedup();
        let of = |value: &str| values.iter().filter(|other| same(value, other)).count() - 1;
        let of: HashMap<&str, usize> = values.iter().map(|&value| (value, of(value))).collect();
        let sum: usize = adult.cells(c).iter().map(|cell| of[cell]).sum();
        sum as f64 / (values.len() - 1) as f64 / adult.rows.len() as f64
    };
    let by_age =
        covered(age, &|a, b| a.parse::<i64>().unwrap() / 10 == b.parse::<i64>().unwrap() / 10);
    let by_education = covered(education, &|a, b| education_lines[a][0] == education_lines[b][0]);
    let by_marital = covered(marital, &|a, b| marital_lines[a][0] == marital_lines[b][0]);
    for (c, expected) in [(age, by_age), (education, by_education), (marital, by_marital)] {
        assert!((found.columns()[c].by_values() - expected).abs() < 1e-12);
    }
    let gcp = (by_age + by_education + by_marital + 1.0) / 9.0;
    assert!((found.cells().by_values() - gcp).abs() < 1e-12);
    let leaves = found.columns()[education].by_leaves().unwrap();
    assert!((leaves - by_education).abs() < 1e-12);
    assert_eq!(found.suppression().suppressed(), 30_162);

    let mut classes: HashMap<Vec<u32>, u128> = HashMap::new();
    for row in 0..release.rows() {
        let slots = release.columns().iter().map(|column| column.codes().slot(row)).collect();
        *classes.entry(slots).or_default() += 1;
    }
    assert_eq!(found.classes().classes(), classes.len() as u64);
    let squares: u128 = classes.values().map(|size| size * size).sum();
    assert_eq!(found.classes().discernibility(), squares);
    let divergence = found.divergence().unwrap();
    assert!(divergence.nats() > 0.0 && divergence.nats().is_finite());
    // Nothing is known of the country, so that the rare ones are expected far too often.
    let queries = found.queries().unwrap();
    assert!(queries.median().unwrap() < 1.0 && queries.mean().unwrap() > 1.0);
}

#[test]
fn slices_keep_what_is_within_them() {
    let Some(adult) = adult() else { return };
    let original = adult.table();
    // Buckets of some 25 rows with neighbouring ages; the rows of the second slice change places.
    let ages: Vec<i64> = adult.cells(1).iter().map(|age| age.parse().unwrap()).collect();
    let mut order: Vec<usize> = (0..ages.len()).collect();
    order.sort_by_key(|&row| ages[row]);
    let mut bucket = vec![Some(0); ages.len()];
    let mut source: Vec<usize> = (0..ages.len()).collect();
    for (number, rows) in (0i64..).zip(order.chunks(25)) {
        rows.iter().for_each(|&row| bucket[row] = Some(number));
        let mut from = rows.to_vec();
        from.sort_by_key(|&row| Seed::new(3).draw(row as u64));
        rows.iter().zip(from).for_each(|(&row, from)| source[row] = from);
    }
    let second = ["education", "occupation", "salary-class"];
    let columns = original.columns().iter().map(|own| {
        if !second.contains(&own.name()) {
            return own.clone();
        }
        let slots: Vec<u32> = source.iter().map(|&row| own.codes().slot(row)).collect();
        let codes = muslin_table::Codes::pack(own.dictionary().len(), slots.into_iter());
        Column::new(own.name(), own.dictionary().clone(), codes).unwrap()
    });
    let bucket = EncodedTable::of_columns([("bucket".to_owned(), bucket)]).into_columns();
    let release = EncodedTable::new(original.rows(), columns.chain(bucket).collect()).unwrap();
    let first = ["sex", "age", "race", "marital-status", "native-country", "workclass"];
    let slices = [&first[..], &second].map(|names| names.iter().map(|&n| n.to_owned()).collect());
    let buckets = Buckets { column: "bucket".to_owned(), slices: slices.to_vec() };
    let reading = Reading::of(&original, &release, &BTreeMap::new(), Some(&buckets)).unwrap();
    let found = run(&original, &release, &reading);
    let association = found.association().unwrap();
    for pair in association.pairs().iter().filter(|pair| pair.is_within_slice()) {
        assert!((pair.before() - pair.after()).abs() < 1e-12);
    }
    assert!(association.ratio_across().unwrap() < 0.6);
    let divergence = found.divergence().unwrap();
    assert!(divergence.nats() > 0.0 && divergence.nats().is_finite());
    assert!(found.queries().unwrap().mean().unwrap() < 0.3);
    // In the worst case every row errs by less than two.
    assert!(found.reconstruction_error().unwrap() < 30_162.0);
}
