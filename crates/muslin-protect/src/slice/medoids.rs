//! Groups of near things, each around one of them: partitioning around medoids.

/// `count` groups of the things from 0 to `things`, each of members in order. The first medoids are
/// those that lower the sum of distances most, one by one; then a medoid changes places with
/// another thing while that lowers the sum. Of equal choices the first is taken.
pub(super) fn clusters(
    things: usize,
    count: usize,
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<Vec<usize>> {
    if count == 0 || things == 0 {
        return Vec::new();
    }
    let cost = |medoids: &[usize]| -> f64 {
        let nearest = |thing: usize| {
            medoids
                .iter()
                .map(|&medoid| apart(thing, medoid, &distance))
                .fold(f64::INFINITY, f64::min)
        };
        (0..things).map(nearest).sum()
    };
    let mut medoids: Vec<usize> = Vec::with_capacity(count);
    while medoids.len() < count.min(things) {
        let mut best: Option<(f64, usize)> = None;
        for thing in (0..things).filter(|thing| !medoids.contains(thing)) {
            let cost = cost(&[&medoids[..], &[thing]].concat());
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, thing));
            }
        }
        let Some((_, thing)) = best else { break };
        medoids.push(thing);
    }
    let mut least = cost(&medoids);
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for at in 0..medoids.len() {
            for thing in (0..things).filter(|thing| !medoids.contains(thing)) {
                let mut swapped = medoids.clone();
                swapped[at] = thing;
                let cost = cost(&swapped);
                // Rounding must not make it go in circles.
                if cost < best.map_or(least - 1e-12, |(cost, ..)| cost) {
                    best = Some((cost, at, thing));
                }
            }
        }
        let Some((cost, at, thing)) = best else { break };
        (least, medoids[at]) = (cost, thing);
    }
    medoids.sort_unstable();
    let mut groups = vec![Vec::new(); medoids.len()];
    for thing in 0..things {
        let from = |at: &usize| apart(thing, medoids[*at], &distance);
        let nearest = (0..medoids.len()).min_by(|a, b| from(a).total_cmp(&from(b)));
        groups[nearest.expect("there is a medoid")].push(thing);
    }
    groups
}

/// A thing is nearer to itself than anything else is, so that no group is empty.
fn apart(a: usize, b: usize, distance: &impl Fn(usize, usize) -> f64) -> f64 {
    if a == b { -1.0 } else { distance(a, b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_things_are_grouped() {
        let places: [f64; 6] = [0.0, 10.0, 0.1, 10.2, 0.3, 10.1];
        let distance = |a: usize, b: usize| (places[a] - places[b]).abs();
        assert_eq!(clusters(6, 2, distance), [vec![0, 2, 4], vec![1, 3, 5]]);
        assert_eq!(clusters(6, 6, distance).len(), 6);
        assert_eq!(clusters(6, 1, distance), [vec![0, 1, 2, 3, 4, 5]]);
        assert_eq!(clusters(3, 2, |_, _| 0.0), [vec![0, 2], vec![1]]);
    }
}
