//! The largest p(t, s) of one combination t, in exact fractions.

use std::collections::BTreeMap;

use muslin_table::Ratio;

use super::big::Big;

/// What one matching bucket says of a combination.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// Rows of the bucket.
    pub(super) size: u32,
    /// For each slice but the sensitive one, the rows that may have the combination's values.
    pub(super) alike: Vec<u32>,
    /// The same for the sensitive one.
    pub(super) beside: u32,
    /// Of these, the rows of each sensitive value.
    pub(super) values: Vec<(u32, u32)>,
}

/// The largest p(t, s) over all sensitive values, and whether it was rounded up.
///
/// With f(t, B) the product over the slices of the share of the bucket's rows that may have the
/// combination's values, a bucket of n rows and c slices adds to the value s
///
/// ```text
/// f(t, B) p(s | t, B)  =  (the product of `alike`) (rows of s in `beside`) / n^c
/// ```
///
/// and p(t, s) is the sum of these over the same with all of `beside`. So only powers of the
/// buckets' sizes are in denominators: n^`power`, where weighting by size takes one n away.
pub(super) fn largest(terms: &[Term], power: u32) -> (Ratio, bool) {
    if let Some(ratio) = small(terms, power) {
        return (ratio, false);
    }
    let (part, whole) = large(terms, power);
    let common = part.common(&whole);
    if let Some((part, whole)) = part.divided(&common).zip(whole.divided(&common)) {
        return (Ratio::new(part, whole), false);
    }
    // Both without their lowest bits, the first rounded up.
    let shift = whole.bits().saturating_sub(120);
    let cut = |number: &Big| number.shifted_down(shift).small().unwrap_or(u128::MAX >> 1);
    let (part, whole) = (cut(&part) + 1, cut(&whole));
    (Ratio::new(part.min(whole), whole), true)
}

/// The largest one where everything has 128 bits at most.
fn small(terms: &[Term], power: u32) -> Option<Ratio> {
    let mut common = u128::from(terms.first()?.size);
    for term in terms {
        let size = u128::from(term.size);
        common = common.checked_mul(size / divisor(common, size))?;
    }
    let mut whole = 0u128;
    let mut parts: BTreeMap<u32, u128> = BTreeMap::new();
    // One bucket alone counts fully, however much is alike.
    let is_alone = terms.len() == 1;
    for term in terms {
        let scale = (common / u128::from(term.size)).checked_pow(power)?;
        let times = |all: Option<u128>, &rows: &u32| all?.checked_mul(rows.into());
        let weight = if is_alone { 1 } else { term.alike.iter().fold(Some(scale), times)? };
        whole = whole.checked_add(weight.checked_mul(term.beside.into())?)?;
        for &(value, rows) in &term.values {
            let part = parts.entry(value).or_default();
            *part = part.checked_add(weight.checked_mul(rows.into())?)?;
        }
    }
    let part = parts.into_values().max()?;
    let common = divisor(part, whole).max(1);
    Some(Ratio::new(part / common, whole / common))
}

/// The same in numbers of any size.
fn large(terms: &[Term], power: u32) -> (Big, Big) {
    let mut sizes: Vec<u32> = terms.iter().map(|term| term.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut whole = Big::new(0);
    let mut parts: BTreeMap<u32, Big> = BTreeMap::new();
    for term in terms {
        let mut weight = Big::new(1);
        for &other in sizes.iter().filter(|&&other| other != term.size) {
            weight = (0..power).fold(weight, |weight, _| weight.times(other.into()));
        }
        weight = term.alike.iter().fold(weight, |weight, &rows| weight.times(rows.into()));
        whole.add(&weight.clone().times(term.beside.into()));
        for &(value, rows) in &term.values {
            let part = parts.entry(value).or_insert_with(|| Big::new(0));
            part.add(&weight.clone().times(rows.into()));
        }
    }
    let part = parts.into_values().max().filter(|part| !part.is_zero());
    match part {
        Some(part) if !whole.is_zero() => (part, whole),
        // A bucket that matches has rows, so this does not come up; the worst is said all the same.
        _ => (Big::new(1), Big::new(1)),
    }
}

fn divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms() -> impl Strategy<Value = Vec<Term>> {
        let term = (1u32..40, prop::collection::vec(1u32..40, 3), 1u32..9, 0u32..9).prop_map(
            |(size, alike, first, second)| {
                let values = [(0, first), (1, second)].into_iter().filter(|of| of.1 > 0).collect();
                Term { size, alike, beside: first + second, values }
            },
        );
        prop::collection::vec(term, 1..5)
    }

    proptest! {
        #[test]
        fn large_and_small_numbers_say_the_same(terms in terms(), power in 0u32..4) {
            let (part, whole) = large(&terms, power);
            let common = part.common(&whole);
            let ratio = Ratio::new(part.divided(&common).unwrap(), whole.divided(&common).unwrap());
            prop_assert_eq!(Some(ratio), small(&terms, power));
            prop_assert_eq!(largest(&terms, power), (ratio, false));
        }
    }

    #[test]
    fn a_tie_is_exact_in_large_numbers_and_what_does_not_fit_is_rounded_up() {
        let term = |size, values: &[(u32, u32)]| Term {
            size,
            alike: vec![size; 9],
            beside: values.iter().map(|of| of.1).sum(),
            values: values.to_vec(),
        };
        // Primes, so that nothing cancels but what is equal everywhere.
        let even = [4093, 4091, 4079, 4073].map(|size| term(size, &[(0, 5), (1, 5)]));
        assert_eq!(small(&even, 10), None);
        assert_eq!(largest(&even, 10), (Ratio::new(1, 2), false));
        let odd = [4093, 4091, 4079, 4073].map(|size| term(size, &[(0, size % 7), (1, 5)]));
        let (ratio, is_rounded) = largest(&odd, 24);
        let (part, whole) = large(&odd, 24);
        let near = ratio.as_f64();
        let shift = whole.bits() - 60;
        let [part, whole] = [part, whole].map(|big| big.shifted_down(shift).small().unwrap());
        assert!(is_rounded && (near - Ratio::new(part, whole).as_f64()).abs() < 1e-12);
    }
}
