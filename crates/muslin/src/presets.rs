//! Thresholds that people use, by name, with where they come from.

/// A threshold that is in use somewhere.
///
/// A preset says what a release must meet; it never says that a release is safe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    name: &'static str,
    k: Option<u32>,
    global_risk: Option<f64>,
    reading: &'static str,
    source: &'static str,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 11] = [
        Self::of_k("ihsn-3", 3, IHSN),
        Self::of_k("ihsn-5", 5, IHSN),
        Self::of_k("cell-3", 3, CELLS),
        Self::of_k("cell-5", 5, CELLS),
        Self::of_k("cell-20", 20, CELLS),
        Self::of_k(
            "cms-11",
            11,
            "CMS cell size suppression policy (resdac.org/node/1506): no cell of 1 to 10 people, nor one that can be derived",
        ),
        Self::of_k(
            "pcornet-11",
            11,
            "PCORnet query fulfillment (countmaskr): counts below 11 are masked",
        ),
        Self::of_k("pedsnet-5", 5, "PEDSnet, as in countmaskr: counts below 5 are masked"),
        Self::of_k(
            "uk-tre-10",
            10,
            "default limits of ACRO for UK trusted research environments (acro/default.yaml): counts below 10 are withheld",
        ),
        Self {
            reading: "a risk of at most 0.09 for anybody takes classes of 12 rows, since 1/11 is more",
            ..Self::of_k(
                "ema-009",
                12,
                "EMA Policy 0070 and Health Canada PRCI: a maximum risk of 0.09",
            )
        },
        Self {
            k: None,
            global_risk: Some(0.03),
            reading: "the mean re-identification risk of the people in the population is below 3 %",
            ..Self::of_k(
                "hdx-3pct",
                0,
                "OCHA Centre for Humanitarian Data: a global re-identification risk below 3 %",
            )
        },
    ];

    /// Why a threshold for the risk of people is not decided by rows alone.
    pub(crate) const POPULATION: &'static str =
        "it limits the risk of people in the population, which the rows of a sample do not show";

    const fn of_k(name: &'static str, k: u32, source: &'static str) -> Self {
        Self {
            name,
            k: Some(k),
            global_risk: None,
            reading: "every class has at least k rows",
            source,
        }
    }

    /// The preset of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name == name)
    }

    /// Its name, as policies and flags spell it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The least rows of a class.
    pub fn k(&self) -> Option<u32> {
        self.k
    }

    /// What the mean risk of the people in the population must be below.
    pub fn global_risk(&self) -> Option<f64> {
        self.global_risk
    }

    /// What it asks for, in words.
    pub fn reading(&self) -> &'static str {
        self.reading
    }

    /// Where it comes from.
    pub fn source(&self) -> &'static str {
        self.source
    }
}

const IHSN: &str = "IHSN and World Bank, SDC for Microdata: A Practice Guide (measure_risk): k of 3 or 5 is typically required";
const CELLS: &str =
    "El Emam, Cell size precedents (doi 10.1201/b14764-29): 3, 5, 11 and 20 are in use";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_names_of_their_own_and_ask_for_something() {
        for (at, preset) in Preset::ALL.iter().enumerate() {
            assert_eq!(Preset::named(preset.name()), Some(*preset));
            assert!(preset.k().is_some() != preset.global_risk().is_some());
            assert!(preset.k().is_none_or(|k| k >= 2));
            assert!(!preset.source().is_empty());
            assert!(!Preset::ALL[..at].iter().any(|other| other.name() == preset.name()));
        }
        // The largest risk of a class of twelve is at most 0.09, that of eleven is not.
        let k = Preset::named("ema-009").and_then(|preset| preset.k()).unwrap();
        assert!(1.0 / f64::from(k) <= 0.09 && 1.0 / f64::from(k - 1) > 0.09);
    }
}
