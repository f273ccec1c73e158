//! What the labels of a release may stand for among the values of people, who need not be all that
//! the release is about.

use muslin_table::{Column, ColumnId, Hierarchy};
use muslin_verify::loss::{self, Cover, Reading};

use crate::Result;

/// What each slot of a column of a release may stand for; nothing where it is no value of these people.
pub(crate) type Covers = Vec<Option<Cover>>;

/// The covers of a column that was read.
pub(crate) fn read(reading: &Reading, column: ColumnId, slots: usize) -> Covers {
    (0u32..).take(slots).map(|slot| Some(reading.cover(column, slot).clone())).collect()
}

/// Relates the labels of a release's column to the values of people, who need not have all values that a label names.
pub(crate) fn find(
    people: &Column,
    release: &Column,
    hierarchy: Option<&Hierarchy>,
) -> Result<Covers> {
    let mut covers = loss::covers(people, release, hierarchy)?;
    covers.push(Some(if people.missing() > 0 { Cover::Missing } else { Cover::Any }));
    covers.push(Some(Cover::Any));
    Ok(covers)
}

#[cfg(test)]
mod tests {
    use muslin_table::EncodedTable;

    use super::*;

    #[test]
    fn labels_of_nobody_are_told_from_labels_of_somebody() {
        let people = EncodedTable::of(&[[20], [35], [50]]);
        let labels = ["20", "21", "35.0", "[30-60]", "[90-99]", "*", "{20, 99}", "99:2,20:1"];
        let release = Column::of_labels("c0", &labels, 0u32..8).unwrap();
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
        assert_eq!(
            (of("{20, 99}"), of("99:2,20:1")),
            (Some(Cover::Exact(0)), Some(Cover::Exact(0)))
        );
        assert_eq!(covers.len(), release.slots());
    }

    #[test]
    fn numbers_among_texts_are_compared_as_numbers() {
        let values = ["12000", "12000.0", "3000", "unknown"];
        let people = Column::of_labels("income", &values, 0u32..4).unwrap();
        let labels = ["[5000-15000]", "[20000-90000]", "<5000", ">=12000"];
        let release = Column::of_labels("income", &labels, 0u32..4).unwrap();
        let covers = find(&people, &release, None).unwrap();
        let of = |label: &str| {
            let at = release.dictionary().texts().iter().position(|text| text == label).unwrap();
            covers[at].clone()
        };
        assert_eq!(of("[5000-15000]"), Some(Cover::Range { first: 0, last: 1 }));
        assert_eq!((of("[20000-90000]"), of("<5000")), (None, Some(Cover::Exact(2))));
        assert_eq!(of(">=12000"), Some(Cover::Range { first: 0, last: 1 }));
    }
}
