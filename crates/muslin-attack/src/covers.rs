//! What the labels of a release may stand for among the values of people, who need not be all that
//! the release is about.

use std::collections::BTreeMap;

use muslin_engine::take_rows;
use muslin_table::{Column, ColumnId, EncodedTable, Hierarchy};
use muslin_verify::Error as Unread;
use muslin_verify::loss::{Cover, Reading};

use crate::Result;

/// What each slot of a column of a release may stand for; nothing where it is no value of anybody's.
pub(crate) type Covers = Vec<Option<Cover>>;

/// The covers of a column that was read.
pub(crate) fn read(reading: &Reading, column: ColumnId, slots: usize) -> Covers {
    (0u32..).take(slots).map(|slot| Some(reading.cover(column, slot).clone())).collect()
}

/// Relates the labels of a release's column to the values of people.
///
/// Labels are read as [`Reading`] does. It refuses a label that stands for no value at all; here that
/// is somebody who is not among the people.
pub(crate) fn find(
    people: &Column,
    release: &Column,
    hierarchy: Option<&Hierarchy>,
) -> Result<Covers> {
    let values = people.dictionary();
    let texts: BTreeMap<String, u32> = values.texts().into_iter().zip(0u32..).collect();
    let numbers = values.numbers();
    let labels = release.dictionary().len();
    let mut covers: Covers = vec![None; labels];
    let mut open: Vec<usize> = Vec::new();
    for (at, cover) in covers.iter_mut().enumerate() {
        let text = release.dictionary().text(at);
        let number = numbers.as_ref().zip(text.trim().parse::<f64>().ok());
        match (texts.get(&text), number) {
            (Some(&value), _) => *cover = Some(Cover::Exact(value)),
            // Values are in order. A plain number is no range, so it is somebody's or nobody's.
            (None, Some((numbers, number))) if hierarchy.is_none() => {
                let place = numbers.partition_point(|&own| own < number);
                let is_same = numbers.get(place).is_some_and(|own| own.total_cmp(&number).is_eq());
                *cover = u32::try_from(place).ok().filter(|_| is_same).map(Cover::Exact);
            }
            _ => open.push(at),
        }
    }
    let named = Column::of_labels(
        people.name(),
        &open.iter().map(|&at| release.dictionary().text(at)).collect::<Vec<_>>(),
        0u32..u32::try_from(open.len()).expect("codes are 32 bits wide"),
    )?;
    let people = EncodedTable::new(people.rows(), vec![people.clone()])?;
    let labels = EncodedTable::new(open.len(), vec![named])?;
    let mut hierarchies = BTreeMap::new();
    if let Some(hierarchy) = hierarchy {
        hierarchies.insert(people.columns()[0].name().to_owned(), hierarchy.clone());
    }
    let all: Vec<u32> = (0u32..).take(open.len()).collect();
    halves(&people, &labels, &hierarchies, &all, &mut |row, cover| {
        covers[open[row as usize]] = Some(cover);
    })?;
    let is_missing = people.columns()[0].missing() > 0;
    covers.push(Some(if is_missing { Cover::Missing } else { Cover::Any }));
    covers.push(Some(Cover::Any));
    Ok(covers)
}

/// Reads some labels, each a row; those that cannot be read together are read in halves.
fn halves(
    people: &EncodedTable,
    labels: &EncodedTable,
    hierarchies: &BTreeMap<String, Hierarchy>,
    rows: &[u32],
    found: &mut dyn FnMut(u32, Cover),
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let some = take_rows(labels, rows)?;
    match Reading::of(people, &some, hierarchies, None) {
        Ok(reading) => {
            for (&row, slot) in rows.iter().zip(some.columns()[0].codes().slots()) {
                found(row, reading.cover(ColumnId::new(0), slot).clone());
            }
            Ok(())
        }
        Err(Unread::UnknownLabels { .. }) if rows.len() == 1 => Ok(()),
        Err(Unread::UnknownLabels { .. }) => {
            let (one, other) = rows.split_at(rows.len() / 2);
            halves(people, labels, hierarchies, one, found)?;
            halves(people, labels, hierarchies, other, found)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_nobody_are_told_from_labels_of_somebody() {
        let people = EncodedTable::of(&[[20], [35], [50]]);
        let labels = ["20", "21", "35.0", "[30-60]", "[90-99]", "*"];
        let release = Column::of_labels("c0", &labels, 0u32..6).unwrap();
        let covers = find(&people.columns()[0], &release, None).unwrap();
        let of = |label: &str| {
            let at = release.dictionary().texts().iter().position(|text| text == label).unwrap();
            covers[at].clone()
        };
        assert_eq!(of("20"), Some(Cover::Exact(0)));
        assert_eq!(of("35.0"), Some(Cover::Exact(1)));
        assert_eq!(of("[30-60]"), Some(Cover::Range { first: 1, last: 2 }));
        assert_eq!(of("*"), Some(Cover::Any));
        assert_eq!((of("21"), of("[90-99]")), (None, None));
        assert_eq!(covers.len(), release.slots());
    }
}
