use std::collections::HashMap;

use crate::{Column, Error, Result};

/// What the values of a column become, level by level: from each value by itself to fewer and
/// fewer groups.
///
/// # Invariants
/// Level 0 has a group for each slot of a value and one for missing. Rows that share a group share
/// one at every higher level. Groups are numbered in tree order, so that a group is a stretch of
/// the [positions](Self::position) of its values, at every level. Missing is a group by itself
/// until a level has the single label [`ANY`], which it joins: any other label says something about
/// a person, and of a missing cell nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    positions: Vec<u32>,
    levels: Vec<Level>,
}

/// One level of a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    groups: Vec<u32>,
    labels: Vec<Box<str>>,
    covered: Vec<u32>,
    leaves: Vec<u32>,
}

/// The label of a group that says nothing: published as a suppressed cell.
pub const ANY: &str = "*";

impl Hierarchy {
    /// A hierarchy of a column's values.
    ///
    /// `paths` lists for each value of the dictionary, in order, its label at levels 1, 2, ...;
    /// `others` the same for values that the column might have had. Each path is as long as the
    /// first. `name` is the column's, for messages.
    ///
    /// ```
    /// use muslin_table::Hierarchy;
    /// let path = |decade: &str| vec![decade.to_owned(), "*".to_owned()];
    /// let ages = Hierarchy::new("age", &[path("20-29"), path("30-39"), path("30-39")], &[])?;
    /// assert_eq!(ages.levels().len(), 3);
    /// assert_eq!(ages.levels()[1].covered(), [1, 2]);
    /// # Ok::<(), muslin_table::Error>(())
    /// ```
    pub fn new(name: &str, paths: &[Vec<String>], others: &[Vec<String>]) -> Result<Self> {
        Self::in_order(name, paths, others, |value| value)
    }

    /// The same with values in another order than the dictionary's: by `rank`.
    pub fn in_order(
        name: &str,
        paths: &[Vec<String>],
        others: &[Vec<String>],
        rank: impl Fn(usize) -> usize,
    ) -> Result<Self> {
        let depth = paths.iter().chain(others).next().map_or(0, Vec::len);
        if let Some(at) = paths.iter().chain(others).position(|path| path.len() != depth) {
            return Err(Error::UnevenHierarchy { name: name.to_owned(), line: at });
        }
        nested(name, &paths.iter().chain(others), depth)?;
        let mut ranked: Vec<usize> = (0..paths.len()).collect();
        ranked.sort_by_key(|&value| rank(value));
        let numbered: Vec<HashMap<&str, usize>> =
            (0..depth).map(|at| number(ranked.iter().map(|&value| &*paths[value][at]))).collect();
        // By the highest level first; groups are numbered by their first value.
        let key = |value: u32| -> Vec<usize> {
            let path = &paths[value as usize];
            let groups = (0..depth).rev().map(|at| numbered[at][path[at].as_str()]);
            groups.chain([rank(value as usize)]).collect()
        };
        let values = u32::try_from(paths.len())
            .map_err(|_| Error::TooManyValues { name: name.to_owned() })?;
        let mut order: Vec<u32> = (0..values).collect();
        order.sort_by_cached_key(|&value| key(value));
        let mut positions = vec![values; paths.len() + 1];
        (0u32..).zip(&order).for_each(|(at, &value)| positions[value as usize] = at);
        let mut levels = vec![Level::of_values(&positions)];
        levels.extend((0..depth).map(|at| Level::of_labels(paths, others, at, &order)));
        Ok(Self { positions, levels })
    }

    /// Values by themselves, then nothing.
    pub fn flat(column: &Column) -> Self {
        let paths = vec![vec![ANY.to_owned()]; column.dictionary().len()];
        Self::new(column.name(), &paths, &[]).expect("one level is nested")
    }

    /// The levels, from the values themselves to the fewest groups.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The place of a slot in tree order; missing comes last.
    pub fn position(&self, slot: u32) -> u32 {
        self.positions[slot as usize]
    }

    /// Number of values that the column has.
    pub fn values(&self) -> usize {
        self.positions.len() - 1
    }
}

impl Level {
    fn of_values(positions: &[u32]) -> Self {
        Self {
            groups: positions.to_vec(),
            labels: Vec::new(),
            covered: vec![1; positions.len()],
            leaves: vec![1; positions.len()],
        }
    }

    fn of_labels(paths: &[Vec<String>], others: &[Vec<String>], at: usize, order: &[u32]) -> Self {
        let mut number: HashMap<&str, u32> = HashMap::new();
        let mut level = Self {
            groups: vec![0; paths.len() + 1],
            labels: Vec::new(),
            covered: Vec::new(),
            leaves: Vec::new(),
        };
        for &value in order {
            let label = paths[value as usize][at].as_str();
            let group = *number.entry(label).or_insert_with(|| {
                level.labels.push(label.into());
                level.covered.push(0);
                u32::try_from(level.labels.len() - 1).expect("no more groups than values")
            });
            level.groups[value as usize] = group;
            level.covered[group as usize] += 1;
        }
        level.leaves.clone_from(&level.covered);
        for path in others {
            if let Some(&group) = number.get(path[at].as_str()) {
                level.leaves[group as usize] += 1;
            }
        }
        // Only a label that says nothing is true of a missing cell.
        if !matches!(&level.labels[..], [only] if **only == *ANY) {
            level.groups[paths.len()] =
                u32::try_from(level.labels.len()).expect("no more groups than values");
        }
        level
    }

    /// The group of each slot: the values, then missing.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Number of groups that values or missing are in.
    pub fn len(&self) -> usize {
        self.groups.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// Whether there is no group, which never happens.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The label of a group; none at level 0 and for missing.
    pub fn label(&self, group: u32) -> Option<&str> {
        self.labels.get(group as usize).map(AsRef::as_ref)
    }

    /// Number of values of the column in each group.
    pub fn covered(&self) -> &[u32] {
        &self.covered
    }

    /// Number of values in each group, those included that the column does not have.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves
    }
}

/// Labels numbered by first appearance.
fn number<'a>(labels: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut numbers = HashMap::new();
    for label in labels {
        let next = numbers.len();
        numbers.entry(label).or_insert(next);
    }
    numbers
}

/// An error where a label of one level has two labels at the next.
fn nested<'a>(
    name: &str,
    paths: &(impl Iterator<Item = &'a Vec<String>> + Clone),
    depth: usize,
) -> Result<()> {
    for level in 1..depth {
        let mut above: HashMap<&str, &str> = HashMap::new();
        for path in paths.clone() {
            let up = *above.entry(&path[level - 1]).or_insert(&path[level]);
            if up != path[level] {
                return Err(Error::TangledHierarchy { name: name.to_owned(), level });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &[&str]) -> Vec<Vec<String>> {
        text.iter().map(|line| line.split(';').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn groups_are_stretches_of_positions() {
        // Values 0 and 2 belong together, 1 and 3 too.
        let made = Hierarchy::new("c", &paths(&["a;*", "b;*", "a;*", "b;*"]), &[]).expect("nested");
        let positions: Vec<u32> = (0..5).map(|slot| made.position(slot)).collect();
        assert_eq!(positions, [0, 2, 1, 3, 4]);
        assert_eq!(made.levels()[0].groups(), [0, 2, 1, 3, 4]);
        assert_eq!(made.levels()[1].groups(), [0, 1, 0, 1, 2]);
        assert_eq!(made.levels()[1].len(), 3);
        // A single group that says nothing takes in missing.
        assert_eq!(made.levels()[2].groups(), [0; 5]);
        assert_eq!(made.levels()[2].label(0), Some("*"));
    }

    #[test]
    fn a_single_label_that_says_something_leaves_missing_apart() {
        let made = Hierarchy::new("c", &paths(&["Europe;*", "Europe;*"]), &[]).expect("nested");
        assert_eq!(made.levels()[1].groups(), [0, 0, 1]);
        assert_eq!(made.levels()[1].label(1), None);
        assert_eq!(made.levels()[2].groups(), [0, 0, 0]);
    }

    #[test]
    fn another_order_is_kept_within_groups_and_among_them() {
        let lines = paths(&["a;*", "b;*", "a;*", "b;*"]);
        let made = Hierarchy::in_order("c", &lines, &[], |value| [3, 0, 2, 1][value]);
        let made = made.expect("nested");
        let positions: Vec<u32> = (0..4).map(|slot| made.position(slot)).collect();
        assert_eq!(positions, [3, 0, 2, 1]);
        assert_eq!(made.levels()[1].label(0), Some("b"));
    }

    #[test]
    fn values_that_do_not_occur_count_as_leaves_only() {
        let made = Hierarchy::new("c", &paths(&["a;*", "b;*"]), &paths(&["a;*", "z;*"]));
        let made = made.expect("nested");
        assert_eq!(
            (made.levels()[1].covered(), made.levels()[1].leaves()),
            (&[1, 1][..], &[2, 1][..])
        );
        assert_eq!(made.levels()[2].leaves(), [4]);
    }

    #[test]
    fn a_hierarchy_that_is_no_tree_is_refused() {
        let tangled = Hierarchy::new("c", &paths(&["a;x;*", "a;y;*"]), &[]);
        assert_eq!(tangled, Err(Error::TangledHierarchy { name: "c".into(), level: 1 }));
        let uneven = Hierarchy::new("c", &paths(&["a;*", "*"]), &[]);
        assert_eq!(uneven, Err(Error::UnevenHierarchy { name: "c".into(), line: 1 }));
    }
}
