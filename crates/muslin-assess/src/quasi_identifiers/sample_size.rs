//! How many rows or pairs a uniform sample needs, so that what holds in it holds in the table.
//!
//! A column set is *bad* when its ratio in the table is below 1 - epsilon. Each bound makes the
//! chance that one bad set is a key of the sample at most delta / 2^m, m being the number of
//! columns. There are at most 2^m bad sets, so with probability 1 - delta none of them is.
//!
//! # Pairs (MX07, Theorem 5)
//! A bad set tells k independent pairs apart with a chance of at most (1 - epsilon)^k.
//!
//! # Rows, for the separation ratio (after Hildebrant, Le, Ta and Vu, 2022, arXiv 2211.13882)
//! All pairs of r rows count at once, so about m / sqrt(epsilon) rows are enough where pairs take
//! m / epsilon. Proof, for rows without replacement. Let the bad set's classes have sizes s, and
//! let every one of the n rows be in the sample with chance p, for itself. A class has at most one
//! row there with chance (1-p)^(s-1) (1 + (s-1)p), which is at most h(p sqrt(s(s-1))) for h(x) =
//! (1 + x) exp(-x): the logarithms are both nought at p = 0, and their slopes are -s(s-1)p over
//! (1-p)(1 + (s-1)p) and over 1 + p sqrt(s(s-1)), the first of which is smaller. As a function of
//! x^2, ln h is convex and nought at nought, so the sum over classes is largest for a single heavy
//! one: the chance is at most h(x) with x^2 = p^2 sum s(s-1) > p^2 epsilon n(n-1). Take p = r/n. The
//! number of rows in the sample then is r or fewer with a chance of at least 1/2, r being its
//! median, and fewer rows are a key more often. So r rows are a key with a chance of at
//! most 2 h(r sqrt(epsilon (1 - 1/n))). One row more than r sqrt(epsilon) asks for makes up for
//! 1 - 1/n, since (r+1)^2 (1 - 1/n) >= r^2 while n > r.
//!
//! # Rows, for the distinct ratio (MX07, Theorem 7)
//! With d < (1 - epsilon) n classes, k rows are in different ones most often when all classes have
//! equal sizes (Maclaurin), and then with a chance of at most exp(-(n/d - 1) k(k-1) / (2n)).
//!
//! MX07: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers. 2007.

#![expect(clippy::cast_precision_loss, reason = "sizes of samples are bounds, rounded up")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive and rounded up; a cast of more than 64 bits gives the largest number"
)]

/// ln(2^columns / delta).
pub(super) fn log_sets(columns: usize, delta: f64) -> f64 {
    columns as f64 * std::f64::consts::LN_2 - delta.ln()
}

/// Independent pairs for the separation ratio (MX07, Theorem 5).
pub(super) fn pairs_for_separation(columns: usize, epsilon: f64, delta: f64) -> u64 {
    (log_sets(columns, delta) / -(-epsilon).ln_1p()).ceil() as u64
}

/// Rows for the separation ratio.
pub(super) fn rows_for_separation(columns: usize, epsilon: f64, delta: f64) -> u64 {
    let wanted = log_sets(columns, delta) + std::f64::consts::LN_2;
    // x - ln(1 + x) grows with x, and is at least x / 2 - 1.
    let (mut less, mut enough) = (0.0, 2.0 * wanted + 2.0);
    for _ in 0..100 {
        let middle = f64::midpoint(less, enough);
        if middle - middle.ln_1p() >= wanted {
            enough = middle;
        } else {
            less = middle;
        }
    }
    (enough / epsilon.sqrt()).ceil() as u64 + 1
}

/// Rows for the distinct ratio (MX07, Theorem 7): the smallest k whose k(k-1) is enough.
pub(super) fn rows_for_distinct(all_rows: u64, columns: usize, epsilon: f64, delta: f64) -> u64 {
    let wanted = 2.0 * (1.0 - epsilon) / epsilon * all_rows as f64 * log_sets(columns, delta);
    let k = 0.5 + (0.25 + wanted).sqrt();
    (k.ceil() as u64).min(all_rows)
}

/// Independent pairs for a beta-separation quasi-identifier (MX07, Theorem 8).
pub(super) fn pairs_for_beta(columns: usize, beta: f64, epsilon: f64, delta: f64) -> u64 {
    (16.0 / (beta * epsilon * epsilon) * log_sets(columns, delta)).ceil() as u64
}

#[cfg(test)]
mod tests {
    use muslin_engine::Seed;

    use super::*;

    #[test]
    fn sizes_are_those_of_the_paper() {
        // The paper's adult (29,096 rows, 14 columns) and covtype (581,012 rows, 54 columns). For the
        // distinct ratio, k(k - 1) in place of its k^2 takes one row more.
        assert_eq!(pairs_for_separation(14, 0.001, 0.01), 14_303);
        assert_eq!(pairs_for_separation(54, 0.001, 0.01), 42_015);
        assert_eq!(rows_for_distinct(29_096, 14, 0.1, 0.01), 2_739);
        assert_eq!(rows_for_distinct(581_012, 54, 0.1, 0.01), 20_968);
        assert!((560..=580).contains(&rows_for_separation(14, 0.001, 0.01)));
        assert!((pairs_for_beta(10, 0.8, 0.1, 0.01) as f64 - 23_073.0).abs() < 2.0);
    }

    /// The chance that `rows` of the rows of classes of these sizes, drawn without replacement,
    /// are all in different classes: elementary symmetric polynomial over binomial coefficient,
    /// each step divided as it goes.
    fn chance_of_a_key(sizes: &[u64], rows: usize) -> f64 {
        let all: u64 = sizes.iter().sum();
        // of[j]: j rows in different classes, over the binomial of all and j.
        let mut of = vec![0.0f64; rows + 1];
        of[0] = 1.0;
        for &size in sizes {
            for j in (1..=rows).rev() {
                // choose(all, j) = choose(all, j - 1) * (all - j + 1) / j
                let step = j as f64 / (all as f64 - j as f64 + 1.0);
                of[j] += of[j - 1] * size as f64 * step;
            }
        }
        of[rows]
    }

    /// Class sizes of about `rows` rows that leave more than epsilon of all pairs together, but
    /// hardly more.
    fn bad_shapes(rows: u64, epsilon: f64) -> Vec<Vec<u64>> {
        let pairs = |sizes: &[u64]| sizes.iter().map(|s| s * (s - 1)).sum::<u64>();
        let enough = |sizes: &[u64]| {
            let all: u64 = sizes.iter().sum();
            pairs(sizes) as f64 > epsilon * (all * (all - 1)) as f64
        };
        let padded = |mut sizes: Vec<u64>| {
            let used: u64 = sizes.iter().sum();
            sizes.extend((used..rows).map(|_| 1));
            sizes
        };
        let mut shapes = Vec::new();
        for classes in [1u64, 2, 3, 7, 20, 100] {
            let size = (2..=rows / classes)
                .find(|&size| enough(&padded(vec![size; usize::try_from(classes).unwrap()])));
            if let Some(size) = size {
                shapes.push(padded(vec![size; usize::try_from(classes).unwrap()]));
                // A heavy class and many light ones.
                let mut mixed = vec![(size * 7 / 10).max(2)];
                while !enough(&padded(mixed.clone())) && mixed.iter().sum::<u64>() + 3 < rows {
                    mixed.push(3);
                }
                let mixed = padded(mixed);
                shapes.extend(enough(&mixed).then_some(mixed));
            }
        }
        // All classes of equal size, no row alone.
        let equal = (2..rows).map(|size| vec![size; usize::try_from(rows / size).unwrap()]);
        shapes.extend(equal.into_iter().find(|sizes| enough(sizes)));
        shapes
    }

    #[test]
    fn no_shape_of_classes_is_a_key_of_the_sample_more_often_than_the_bound_says() {
        for (rows, epsilon) in [(400, 0.1), (400, 0.02), (1_500, 0.004), (60, 0.3), (12, 0.5)] {
            let shapes = bad_shapes(rows, epsilon);
            assert!(!shapes.is_empty());
            for shape in &shapes {
                let all: u64 = shape.iter().sum();
                for sampled in [2u64, 3, 5, 8, 20, 50, 100, 200].into_iter().filter(|&r| r < all) {
                    let exact = chance_of_a_key(shape, usize::try_from(sampled).unwrap());
                    let x = (sampled - 1) as f64 * epsilon.sqrt();
                    let bound = 2.0 * (1.0 + x) * (-x).exp();
                    assert!(exact <= bound, "{rows} {epsilon} {sampled}: {exact} > {bound}");
                }
                for delta in [0.2, 0.01, 1e-4] {
                    let needed = rows_for_separation(0, epsilon, delta);
                    if needed < all {
                        let exact = chance_of_a_key(shape, usize::try_from(needed).unwrap());
                        assert!(exact <= delta, "{rows} {epsilon} {delta}: {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_chance_is_what_drawing_shows() {
        let sizes = [40u64, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
        let class_of: Vec<usize> = sizes
            .iter()
            .enumerate()
            .flat_map(|(class, &size)| vec![class; usize::try_from(size).unwrap()])
            .collect();
        let (draws, mut keys) = (20_000u64, 0u32);
        for draw in 0..draws {
            let seed = Seed::new(5).part(draw);
            let mut order: Vec<(u64, usize)> =
                class_of.iter().zip(0u64..).map(|(&class, row)| (seed.draw(row), class)).collect();
            order.sort_unstable();
            let mut first: Vec<usize> = order[..3].iter().map(|&(_, class)| class).collect();
            first.sort_unstable();
            first.dedup();
            keys += u32::from(first.len() == 3);
        }
        let seen = f64::from(keys) / draws as f64;
        assert!((seen - chance_of_a_key(&sizes, 3)).abs() < 0.02);
    }

    #[test]
    fn classes_of_equal_size_keep_the_distinct_bound() {
        for (rows, size, epsilon) in [(1_000u64, 2, 0.49), (1_000, 4, 0.7), (600, 10, 0.85)] {
            for delta in [0.3, 0.05, 0.001] {
                let shape = vec![size; usize::try_from(rows / size).unwrap()];
                let needed = rows_for_distinct(rows, 0, epsilon, delta);
                let exact = chance_of_a_key(&shape, usize::try_from(needed).unwrap());
                assert!(exact <= delta, "{size} {delta}: {exact}");
                // The bound is of use: two thirds of the rows would not do.
                let fewer = usize::try_from(needed * 2 / 3).unwrap();
                assert!(delta > 0.2 || chance_of_a_key(&shape, fewer) > delta);
            }
        }
    }

    #[test]
    fn needs_grow_with_rows_and_columns() {
        let mut last = 0;
        for rows in 0..3_000 {
            let needed = rows_for_distinct(rows, 5, 0.1, 0.1);
            assert!(needed >= last && needed <= rows);
            last = needed;
        }
        let sizes: Vec<u64> =
            (0..100).map(|columns| rows_for_separation(columns, 0.01, 0.01)).collect();
        assert!(sizes.is_sorted());
    }
}
