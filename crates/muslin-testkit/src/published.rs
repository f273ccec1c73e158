//! Worked tables of the papers, cited by number.

use muslin_table::{Column, ColumnSet, EncodedTable};

use crate::oracle::Unique;

/// Motwani and Xu, Table 1: age, sex (1 female, 2 male), state (1 CA, 2 TX, 3 NY).
pub fn motwani_xu_table_1() -> EncodedTable {
    let column = |name: &str, cells: [i64; 5]| (name.to_owned(), cells.map(Some).to_vec());
    EncodedTable::of_columns([
        column("age", [20, 30, 40, 20, 40]),
        column("sex", [1, 1, 1, 2, 2]),
        column("state", [1, 1, 2, 3, 1]),
    ])
}

/// Motwani and Xu on their Table 1: columns, the distinct ratio and the separation ratio, each as
/// part and whole.
pub const MOTWANI_XU_RATIOS: [(&[&str], [u128; 2], [u128; 2]); 2] =
    [(&["age"], [3, 5], [8, 10]), (&["sex", "state"], [4, 5], [9, 10])];

/// Motwani and Xu on their Table 1 (section 2.2): a column and the pairs of rows it tells apart,
/// of ten.
pub const MOTWANI_XU_PAIRS: [(&str, u128); 3] = [("age", 8), ("sex", 6), ("state", 7)];

/// Motwani and Xu on their Table 1: all minimal keys. Both are minimum keys too.
pub const MOTWANI_XU_MINIMAL_KEYS: [&[&str]; 2] = [&["age", "sex"], &["age", "state"]];

/// Motwani and Xu on their Table 1: the number of columns of a minimum key.
pub const MOTWANI_XU_MINIMUM_KEY: usize = 2;

/// Motwani and Xu on their Table 1: the optimal sets to publish when no distinct ratio may be
/// greater than 0.8.
pub const MOTWANI_XU_DISTINCT_MASKS: [&[&str]; 1] = [&["sex", "state"]];

/// Motwani and Xu on their Table 1: the optimal sets to publish when no separation ratio may be
/// greater than 0.8. That of age is 0.8.
pub const MOTWANI_XU_SEPARATION_MASKS: [&[&str]; 3] = [&["age"], &["sex"], &["state"]];

/// Manning and Haglin, Table 1: columns A to E, six rows.
pub fn manning_haglin_table_1() -> EncodedTable {
    let column = |name: &str, cells: [i64; 6]| (name.to_owned(), cells.map(Some).to_vec());
    EncodedTable::of_columns([
        column("A", [1, 1, 1, 2, 1, 2]),
        column("B", [4, 4, 4, 4, 3, 3]),
        column("C", [1, 1, 2, 1, 1, 2]),
        column("D", [2, 1, 2, 2, 2, 1]),
        column("E", [2, 2, 2, 3, 3, 3]),
    ])
}

/// Manning and Haglin, Table 5: the minimal uniques of each row of their Table 1, as printed
/// (the rows from one).
pub const MANNING_HAGLIN_TABLE_5: [(u32, &[&str]); 6] = [
    (1, &["C1 D2 E2", "A1 B4 C1 D2"]),
    (2, &["A1 D1", "B4 D1", "C1 D1", "D1 E2"]),
    (3, &["A1 C2", "B4 C2", "C2 D2", "C2 E2"]),
    (4, &["A2 B4", "A2 C1", "A2 D2", "B4 E3"]),
    (5, &["A1 B3", "A1 E3", "B3 C1", "B3 D2"]),
    (6, &["A2 B3", "A2 C2", "A2 D1", "B3 C2", "B3 D1", "C2 D1", "C2 E3", "D1 E3"]),
];

/// The 26 minimal uniques of [`MANNING_HAGLIN_TABLE_5`], in the form and order of the oracles.
pub fn manning_haglin_table_5() -> Vec<Unique> {
    let unique = |row: u32, items: &str| {
        let column = |item: &str| usize::from(item.as_bytes()[0] - b'A');
        let columns = items.split(' ').map(column).collect();
        Unique { rows: vec![row - 1], columns, support: 1 }
    };
    let rows = MANNING_HAGLIN_TABLE_5.into_iter();
    rows.flat_map(|(row, sets)| sets.iter().map(move |items| unique(row, items))).collect()
}

/// The KIMAS 2003 paper's Table 1: organisation, sex (1 female, 2 male), race (1 African,
/// 2 Caucasian), type and zip code of twelve people.
///
/// Scanned text is all that is left of the table: this is the reconstruction for which every
/// statement of the paper holds. Row 0 is the paper's record 1, and so on.
pub fn kimas_table_1() -> EncodedTable {
    let column = |name: &str, cells: [i64; 12]| (name.to_owned(), cells.map(Some).to_vec());
    let zip = [32122, 32122, 32110, 32110, 32110, 32110, 32110, 32111, 32111, 32111, 32110, 32110];
    EncodedTable::of_columns([
        column("oid", [1, 1, 2, 3, 3, 3, 3, 3, 1, 1, 2, 4]),
        column("sex", [2, 2, 1, 1, 1, 1, 2, 1, 2, 2, 2, 2]),
        column("race", [2, 2, 2, 1, 1, 1, 1, 2, 1, 1, 1, 2]),
        column("type", [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]),
        column("zip", zip),
    ])
}

/// The KIMAS 2003 paper on its table: columns, and the rows (from zero: the paper's record minus
/// one) that have a minimal unique in exactly these columns. The paper names no other groups, but
/// [`KIMAS_GROUPS_PER_ROW`] counts them.
pub const KIMAS_GROUPS: [(&[&str], &[u32]); 9] = [
    (&["oid", "sex"], &[2, 6, 10]),
    (&["oid", "race"], &[2, 7, 10]),
    (&["race", "type", "zip"], &[2, 10]),
    (&["sex", "race", "zip"], &[2, 11]),
    (&["oid", "type"], &[2, 10]),
    (&["race", "zip"], &[7]),
    (&["type", "zip"], &[7]),
    (&["sex", "zip"], &[7]),
    (&["oid", "zip"], &[7]),
];

/// The KIMAS 2003 paper on its table: the number of minimal uniques of each row.
pub const KIMAS_GROUPS_PER_ROW: [usize; 12] = [0, 0, 5, 0, 0, 0, 3, 5, 0, 0, 4, 3];

/// The IHSN guide's example of SUDA, Table 4.5: residence (1 urban, 2 rural), gender (1 female,
/// 2 male), education (1 primary incomplete, 2 primary complete, 3 secondary incomplete,
/// 4 secondary complete, 5 post-secondary) and labour (1 employed, 2 unemployed, 3 neither).
pub fn ihsn_table() -> EncodedTable {
    let column = |name: &str, cells: [i64; 10]| (name.to_owned(), cells.map(Some).to_vec());
    EncodedTable::of_columns([
        column("Residence", [1, 1, 1, 1, 2, 1, 1, 1, 1, 1]),
        column("Gender", [1, 1, 1, 2, 1, 2, 1, 2, 1, 1]),
        column("Education", [3, 3, 1, 4, 4, 4, 2, 5, 3, 3]),
        column("Labour", [1, 1, 3, 1, 2, 1, 3, 2, 3, 3]),
    ])
}

/// The SUDA score of each row of [`ihsn_table`] as printed: with n columns, a minimal unique of
/// i items adds the factorial of n - i. (The guide's DIS scores follow from another definition.)
pub const IHSN_SUDA: [f64; 10] = [0.0, 0.0, 6.0, 0.0, 12.0, 0.0, 6.0, 10.0, 0.0, 0.0];

/// Vinterbo and Ohno-Machado, Table 3 (their T1, and Table 1 again): columns a, b, c.
pub fn vinterbo_table_3() -> EncodedTable {
    let column = |name: &str, cells: [i64; 4]| (name.to_owned(), cells.map(Some).to_vec());
    EncodedTable::of_columns([
        column("a", [1, 3, 3, 1]),
        column("b", [1, 1, 2, 1]),
        column("c", [2, 1, 2, 2]),
    ])
}

/// Vinterbo and Ohno-Machado, Table 4 (their T2): columns B, P, A, C, F (0 is N, 1 is Y).
pub fn vinterbo_table_4() -> EncodedTable {
    let column = |name: &str, cells: [i64; 5]| (name.to_owned(), cells.map(Some).to_vec());
    EncodedTable::of_columns([
        column("B", [0, 0, 0, 1, 1]),
        column("P", [0, 0, 0, 0, 1]),
        column("A", [1, 1, 1, 0, 0]),
        column("C", [0, 0, 1, 0, 0]),
        column("F", [0, 1, 1, 1, 0]),
    ])
}

/// Vinterbo and Ohno-Machado, Table 5 (their T3, from Øhrn and Ohno-Machado): birth year, gender
/// (1 M, 2 F), ethnicity (1 Caucasian, 2 Black, 3 Asian) and zip code.
pub fn vinterbo_table_5() -> EncodedTable {
    let column = |name: &str, cells: [i64; 10]| (name.to_owned(), cells.map(Some).to_vec());
    let year = [1964, 1964, 1970, 1968, 1969, 1970, 1964, 1969, 1968, 1964];
    let zip = [2116, 2138, 2144, 2166, 2156, 2144, 2138, 2116, 2166, 2166];
    EncodedTable::of_columns([
        column("Birth year", year),
        column("Gender", [1, 2, 1, 2, 2, 1, 2, 2, 2, 1]),
        column("Ethnicity", [1, 1, 2, 3, 2, 2, 1, 3, 3, 1]),
        column("Zip", zip),
    ])
}

/// Cells as row and column, both from zero.
pub type Cells = &'static [(usize, usize)];

/// Vinterbo and Ohno-Machado: the cells with the subscript B in Tables 3, 4 and 5.
pub const VINTERBO_B: [Cells; 3] =
    [&[(1, 2), (2, 1)], &[(0, 4), (2, 3), (4, 1), (4, 4)], &[(0, 3), (4, 2), (4, 3)]];

/// Vinterbo and Ohno-Machado: the cells with the subscript C in Tables 3, 4 and 5.
pub const VINTERBO_C: [Cells; 3] = [
    &[(1, 0), (1, 2), (2, 1)],
    &[(0, 4), (2, 3), (3, 0), (3, 2), (4, 1), (4, 4)],
    &[(0, 3), (4, 2), (4, 3)],
];

/// Vinterbo and Ohno-Machado: the cells with an asterisk in Table 5, as Øhrn and Ohno-Machado
/// reported them.
pub const VINTERBO_ASTERISKS: Cells = &[(0, 3), (4, 2), (4, 3), (7, 0), (7, 3), (9, 3)];

/// Vinterbo and Ohno-Machado, Table 6: the cells that A, B and C suppress in Tables 3, 4 and 5.
pub const VINTERBO_TABLE_6: [[usize; 3]; 3] = [[3, 2, 3], [5, 4, 6], [4, 3, 3]];

/// Rows of a table of Lavanya and Srinivas as texts: age, sex, zip code, disease.
pub type LavanyaRows = [[&'static str; 4]; 8];

/// Lavanya and Srinivas, table (a): the table that the others are made from.
pub const LAVANYA_TABLE_A: LavanyaRows = [
    ["22", "M", "47906", "dyspepsia"],
    ["22", "F", "47906", "flu"],
    ["33", "F", "47905", "flu"],
    ["52", "F", "47905", "bronchitis"],
    ["54", "M", "47302", "flu"],
    ["60", "M", "47302", "dyspepsia"],
    ["60", "M", "47304", "dyspepsia"],
    ["64", "F", "47304", "gastritis"],
];

/// Lavanya and Srinivas, table (b): generalized, 4-anonymous. The first range is the one of the
/// paper's text and of table (a); the table is printed with [20-52].
pub const LAVANYA_TABLE_B: LavanyaRows = [
    ["[22-52]", "*", "4790*", "dyspepsia"],
    ["[22-52]", "*", "4790*", "flu"],
    ["[22-52]", "*", "4790*", "flu"],
    ["[22-52]", "*", "4790*", "bronchitis"],
    ["[54-64]", "*", "4730*", "flu"],
    ["[54-64]", "*", "4730*", "dyspepsia"],
    ["[54-64]", "*", "4730*", "dyspepsia"],
    ["[54-64]", "*", "4730*", "gastritis"],
];

/// Lavanya and Srinivas, table (c): bucketized, 2-diverse.
pub const LAVANYA_TABLE_C: LavanyaRows = [
    ["22", "M", "47906", "flu"],
    ["22", "F", "47906", "dyspepsia"],
    ["33", "F", "47905", "bronchitis"],
    ["52", "F", "47905", "flu"],
    ["54", "M", "47302", "gastritis"],
    ["60", "M", "47302", "flu"],
    ["60", "M", "47304", "dyspepsia"],
    ["64", "F", "47304", "dyspepsia"],
];

/// Lavanya and Srinivas, table (d): generalized to multisets, as printed but for the diseases,
/// which are abbreviated there.
pub const LAVANYA_TABLE_D: LavanyaRows = [
    ["22:2,33:1,52:1", "M:1,F:3", "47905:2,47906:2", "dyspepsia"],
    ["22:2,33:1,52:1", "M:1,F:3", "47905:2,47906:2", "flu"],
    ["22:2,33:1,52:1", "M:1,F:3", "47905:2,47906:2", "flu"],
    ["22:2,33:1,52:1", "M:1,F:3", "47905:2,47906:2", "bronchitis"],
    ["54:1,60:2,64:1", "M:3,F:1", "47302:2,47304:2", "flu"],
    ["54:1,60:2,64:1", "M:3,F:1", "47302:2,47304:2", "dyspepsia"],
    ["54:1,60:2,64:1", "M:3,F:1", "47302:2,47304:2", "dyspepsia"],
    ["54:1,60:2,64:1", "M:3,F:1", "47302:2,47304:2", "gastritis"],
];

/// Lavanya and Srinivas, table (e): each column a slice. The diseases are abbreviated there.
pub const LAVANYA_TABLE_E: LavanyaRows = [
    ["22", "F", "47906", "flu"],
    ["22", "M", "47905", "flu"],
    ["33", "F", "47906", "dyspepsia"],
    ["52", "F", "47905", "bronchitis"],
    ["54", "M", "47302", "dyspepsia"],
    ["60", "F", "47304", "gastritis"],
    ["60", "M", "47302", "dyspepsia"],
    ["64", "M", "47304", "flu"],
];

/// Lavanya and Srinivas, table (f): sliced, 2-diverse. The diseases are abbreviated there.
pub const LAVANYA_TABLE_F: LavanyaRows = [
    ["22", "M", "47905", "flu"],
    ["22", "F", "47906", "dyspepsia"],
    ["33", "F", "47905", "bronchitis"],
    ["52", "F", "47906", "flu"],
    ["54", "M", "47304", "gastritis"],
    ["60", "M", "47302", "flu"],
    ["60", "M", "47302", "dyspepsia"],
    ["64", "F", "47304", "dyspepsia"],
];

/// Lavanya and Srinivas: the bucket of each row, the same in all of their tables.
pub const LAVANYA_BUCKETS: [u32; 8] = [0, 0, 0, 0, 1, 1, 1, 1];

/// Lavanya and Srinivas: the slices of table (c), which is bucketized.
pub const LAVANYA_SLICES_C: [&[&str]; 2] = [&["Age", "Sex", "Zipcode"], &["Disease"]];

/// Lavanya and Srinivas: the slices of table (e).
pub const LAVANYA_SLICES_E: [&[&str]; 4] = [&["Age"], &["Sex"], &["Zipcode"], &["Disease"]];

/// Lavanya and Srinivas: the slices of table (f).
pub const LAVANYA_SLICES_F: [&[&str]; 2] = [&["Age", "Sex"], &["Zipcode", "Disease"]];

/// A table of Lavanya and Srinivas. Ages are whole numbers where all of them are, everything else
/// is text.
pub fn lavanya_table(rows: &LavanyaRows) -> EncodedTable {
    let text = |(at, name): (usize, &str)| {
        let positions = 0u32..8;
        Column::of_labels(name, &rows.map(|row| row[at]), positions).expect("a position each")
    };
    let names = ["Age", "Sex", "Zipcode", "Disease"].into_iter().enumerate();
    let mut columns: Vec<Column> = names.map(text).collect();
    let ages: Vec<Option<i64>> = rows.iter().map(|row| row[0].parse().ok()).collect();
    if ages.iter().all(Option::is_some) {
        let numbers = EncodedTable::of_columns([("Age".to_owned(), ages)]);
        columns.splice(..1, numbers.into_columns());
    }
    EncodedTable::new(8, columns).expect("names differ and lengths are equal")
}

/// Slices by name as column sets, in their order.
pub fn lavanya_slices(table: &EncodedTable, slices: &[&[&str]]) -> Vec<ColumnSet> {
    let id = |name: &&str| table.find(name).expect("the table has the column");
    slices.iter().map(|names| names.iter().map(id).collect()).collect()
}
