//! What the jobs that put rows into buckets share.

use std::collections::BTreeMap;

use muslin_io::{RowOrder, SystemDraws};
use muslin_protect::{BucketOrder, Draws, Error as ProtectError};
use muslin_table::{ColumnId, MissingRule, Ratio, Role};
use muslin_verify::BucketFacts;

use crate::input::names;
use crate::release::ReleaseOutput;
use crate::whole::Whole;
use crate::{Error, Result};

/// Draws of the operating system's randomness.
#[derive(Debug)]
struct Secret(SystemDraws);

impl Draws for Secret {
    fn sequence(&self, part: u64) -> Box<dyn FnMut() -> u64 + '_> {
        Box::new(self.0.sequence(part))
    }
}

/// The order of what stands in a bucket: by the order of the release's rows. Where none is written,
/// nothing has to be drawn.
pub(crate) fn order(output: Option<&ReleaseOutput>) -> Result<BucketOrder> {
    Ok(match output.map(|output| output.order) {
        None | Some(RowOrder::Sorted) => BucketOrder::Sorted,
        Some(RowOrder::Seeded(seed)) => BucketOrder::random(seed),
        Some(RowOrder::Shuffled | RowOrder::AsRead) => {
            BucketOrder::random(Secret(SystemDraws::new()?))
        }
    })
}

/// What the order in buckets gives away.
pub(crate) fn order_warnings(output: Option<&ReleaseOutput>) -> Vec<String> {
    let mut warnings: Vec<String> = output.and_then(ReleaseOutput::warning).into_iter().collect();
    if let Some(RowOrder::Seeded(_)) = output.map(|output| output.order) {
        warnings.push(
            "values change places within buckets by the seed too: whoever guesses it puts them back, and nothing is protected from them".into(),
        );
    }
    warnings
}

/// An error for a rule about missing cells that buckets are not made by.
pub(crate) fn check_missing(missing: MissingRule) -> Result<()> {
    if missing == MissingRule::Category {
        return Ok(());
    }
    Err(setting(
        "rows are put into buckets where a missing cell is a value of its own\n  hint: pass `--missing category`",
    ))
}

/// The sensitive column that is named, or the only one with that role; an error where it is not told
/// which that is.
pub(crate) fn sensitive(
    whole: &Whole,
    named: Option<&str>,
    roles: &BTreeMap<String, Role>,
) -> Result<ColumnId> {
    let found = whole.sensitive(named, roles)?;
    match found[..] {
        [id] => Ok(id),
        [] => Err(setting(
            "no column that is read is sensitive\n  hint: name it with `--sensitive NAME`, or give it the role `sensitive`",
        )),
        _ => {
            let all: Vec<&str> = found.iter().map(|&id| whole.table.column(id).name()).collect();
            Err(setting(format!(
                "several columns are sensitive ({}), and one can be protected\n  hint: say which with `--sensitive NAME`",
                names(&all)
            )))
        }
    }
}

/// Other columns that somebody called sensitive, and that are published all the same.
pub(crate) fn sensitive_warning(
    whole: &Whole,
    roles: &BTreeMap<String, Role>,
    sensitive: &str,
) -> Option<String> {
    let is_other =
        |name: &&String| name.as_str() != sensitive && roles.get(*name) == Some(&Role::Sensitive);
    let published = whole.names(&whole.published());
    let others: Vec<&str> = published.iter().filter(is_other).map(String::as_str).collect();
    (!others.is_empty()).then(|| {
        format!(
            "sensitive too, and not protected: {}; who knows the other values of somebody may learn them",
            names(&others)
        )
    })
}

/// An error where a release does not show, bucket by bucket, what its rows had.
pub(crate) fn check_kept(facts: &BucketFacts) -> Result<()> {
    if facts.is_kept() {
        return Ok(());
    }
    let claim = "in each bucket the original's values, slice by slice,".into();
    Err(Error::NotHeld { claim, found: facts.differing() })
}

/// An error where a value is too frequent in a bucket.
pub(crate) fn check_diverse(facts: &BucketFacts, l: u32) -> Result<()> {
    if facts.is_diverse(l) {
        return Ok(());
    }
    let found = largest_l(facts.max_p()).unwrap_or(0);
    Err(Error::NotHeld { claim: format!("an l of {l} in every bucket"), found: found.into() })
}

/// The largest l for which a probability is at most 1/l; none where nothing is told.
pub(crate) fn largest_l(p: Ratio) -> Option<u32> {
    let l = p.whole().checked_div(p.part())?;
    Some(u32::try_from(l).unwrap_or(u32::MAX))
}

/// An l that a table allows; none for a table of no rows, which allows any.
pub(crate) fn feasible(l: u32) -> Option<u32> {
    (l < u32::MAX).then_some(l)
}

/// An error about a setting.
pub(crate) fn setting(text: impl Into<String>) -> Error {
    Error::Protect(ProtectError::Setting(text.into()))
}
