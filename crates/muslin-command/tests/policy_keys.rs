//! Every key of a policy, with every command that takes one: the command does what its own flags would do,
//! or names the key as one that it does not use, or refuses it by name.
//!
//! The keys are those of the policy's schema, and what commands use is what the guide says: a new key fails
//! here until both know it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use clap::Parser;
use muslin_command::args::{Args, Command};
use muslin_command::{Places, Wrong};
use serde_json::Value;

/// Commands that take a policy, with what each cannot do without.
const COMMANDS: [(&str, &[&str]); 15] = [
    ("scan", &["t.csv"]),
    ("uniques", &["t.csv"]),
    ("keys", &["t.csv"]),
    ("explain", &["t.csv", "--row", "0"]),
    ("mask", &["t.csv", "-o", "r.unknown"]),
    ("suppress", &["t.csv", "-o", "r.unknown"]),
    ("generalize", &["t.csv", "-o", "r.unknown"]),
    ("bucketize", &["t.csv", "-o", "r.unknown"]),
    ("slice", &["t.csv", "-o", "r.unknown"]),
    ("plan", &["t.csv"]),
    ("protect", &["t.csv", "-o", "release"]),
    ("diff", &["t.csv", "r.csv"]),
    ("verify", &["r.csv"]),
    ("attack", &["r.csv"]),
    ("report", &["t.csv", "-o", "r.html"]),
];

/// Commands that hold the policy as a whole, and whose jobs do what it says.
const WHOLE: [&str; 3] = ["plan", "protect", "report"];

/// Commands that protect by one method: they say which keys they do not use.
const SINGLE: [&str; 5] = ["mask", "suppress", "generalize", "bucketize", "slice"];

/// A key's example, and for each command that uses it the flags that say the same.
struct Example {
    key: &'static str,
    toml: &'static str,
    flags: &'static [(&'static str, &'static [&'static str])],
}

const ALL_READ: [&str; 12] = [
    "scan",
    "uniques",
    "keys",
    "explain",
    "mask",
    "suppress",
    "generalize",
    "bucketize",
    "slice",
    "diff",
    "verify",
    "attack",
];

const fn own(
    key: &'static str,
    toml: &'static str,
    flags: &'static [(&'static str, &'static [&'static str])],
) -> Example {
    Example { key, toml, flags }
}

/// How keys are said by flags. Keys of `input`, roles and types are those of every command. Where a flag
/// says something a little different (a hierarchy's file beside a rule, a cost of a column that must lose
/// cells beside one of a column that may), there is none: then the job differs, and other tests say how.
#[rustfmt::skip]
const EXAMPLES: [Example; 44] = [
    own("columns.*.hierarchy", "[columns.a]\nhierarchy.file = 'a.csv'", &[]),
    own("columns.*.weight", "[columns.a]\nweight = 2.5", &[]),
    own("columns.*.diversity", "[columns.s]\ndiversity = '3'", &[
        ("generalize", &["--diversity", "s=3"]),
        ("suppress", &["--diversity", "s=3"]),
        ("verify", &["--diversity", "s=3"]),
        ("bucketize", &["-l", "3"]),
        ("slice", &["-l", "3"]),
    ]),
    own("columns.*.closeness", "[columns.s]\ncloseness = 'ordered:0.2'", &[
        ("generalize", &["--closeness", "s=ordered:0.2"]),
        ("verify", &["--closeness", "s=ordered:0.2"]),
    ]),
    own("release.k", "[release]\nk = 7", &[
        ("generalize", &["-k", "7"]), ("suppress", &["-k", "7"]), ("verify", &["-k", "7"]),
        ("attack", &["-k", "7"]), ("diff", &["-k", "7"]), ("scan", &["-k", "7"]),
    ]),
    own("release.preset", "[release]\npreset = 'ihsn-3'", &[
        ("generalize", &["-k", "3"]), ("suppress", &["-k", "3"]), ("verify", &["-k", "3"]),
        ("attack", &["-k", "3"]), ("diff", &["-k", "3"]), ("scan", &["-k", "3"]),
    ]),
    own("release.format", "[release]\nformat = 'parquet'", &[
        ("mask", &["--format", "parquet"]), ("suppress", &["--format", "parquet"]),
        ("generalize", &["--format", "parquet"]), ("bucketize", &["--format", "parquet"]),
        ("slice", &["--format", "parquet"]),
    ]),
    own("release.order", "[release]\norder = 'sorted'", &[
        ("mask", &["--row-order", "sorted"]), ("suppress", &["--row-order", "sorted"]),
        ("generalize", &["--row-order", "sorted"]), ("bucketize", &["--row-order", "sorted"]),
        ("slice", &["--row-order", "sorted"]),
    ]),
    own("release.combination", "[[release.combination]]\ncolumns = ['a', 'b']\nk = 9", &[]),
    own("release.accept", "[release]\naccept = ['downcoding']", &[]),
    own("release.max_unique", "[release]\nmax_unique = 0.25", &[
        ("verify", &["--max-unique", "0.25"]),
    ]),
    own("release.max_advantage", "[release]\nmax_advantage = 0.25", &[
        ("verify", &["--max-advantage", "0.25"]),
        ("attack", &["--max-advantage", "0.25"]),
    ]),
    own("release.delimiter", "[release]\ndelimiter = ';'", &[
        ("mask", &["--release-delimiter", ";"]), ("suppress", &["--release-delimiter", ";"]),
        ("generalize", &["--release-delimiter", ";"]), ("bucketize", &["--release-delimiter", ";"]),
        ("slice", &["--release-delimiter", ";"]),
        ("diff", &["--release-delimiter", ";"]), ("verify", &["--release-delimiter", ";"]), ("attack", &["--release-delimiter", ";"]),
    ]),
    own("release.decimal_comma", "[release]\ndecimal_comma = true", &[
        ("mask", &["--release-decimal-comma"]), ("suppress", &["--release-decimal-comma"]),
        ("generalize", &["--release-decimal-comma"]), ("bucketize", &["--release-decimal-comma"]),
        ("slice", &["--release-decimal-comma"]),
        ("diff", &["--release-decimal-comma"]), ("verify", &["--release-decimal-comma"]), ("attack", &["--release-decimal-comma"]),
    ]),
    own("release.encoding", "[release]\nencoding = 'latin-1'", &[
        ("mask", &["--release-encoding", "latin-1"]), ("suppress", &["--release-encoding", "latin-1"]),
        ("generalize", &["--release-encoding", "latin-1"]), ("bucketize", &["--release-encoding", "latin-1"]),
        ("slice", &["--release-encoding", "latin-1"]),
        ("diff", &["--release-encoding", "latin-1"]), ("verify", &["--release-encoding", "latin-1"]), ("attack", &["--release-encoding", "latin-1"]),
    ]),
    own("release.population", "[release]\npopulation = 'table'", &[]),
    own("release.undeclared", "[release]\nundeclared = 'other'", &[]),
    own("columns.*.publish", "[columns.a]\nrole = 'weight'\npublish = true", &[
        ("mask", &["--role", "a=other"]), ("suppress", &["--role", "a=other"]),
        ("generalize", &["--role", "a=other"]), ("bucketize", &["--role", "a=other"]),
        ("slice", &["--role", "a=other"]),
    ]),
    own("protect.generalize.max_set", "[protect]\ngeneralize.max_set = 3", &[
        ("generalize", &["--max-set", "3"]),
    ]),
    own("protect.methods", "[protect]\nmethods = ['suppress']", &[]),
    own("protect.mask.measure", "[protect]\nmask.measure = 'separation'", &[
        ("mask", &["--measure", "separation"]),
    ]),
    own("protect.mask.beta", "[protect]\nmask.beta = 0.3", &[("mask", &["--beta", "0.3"])]),
    own("protect.mask.exact", "[protect]\nmask.exact = true", &[("mask", &["--exact"])]),
    own("protect.generalize.recoding", "[protect]\ngeneralize.recoding = 'local'", &[
        ("generalize", &["--recoding", "local"]),
    ]),
    own("protect.generalize.suppression_limit", "[protect]\ngeneralize.suppression_limit = 0.1", &[
        ("generalize", &["--suppression-limit", "0.1"]),
    ]),
    own("protect.generalize.labels", "[protect]\ngeneralize.labels = 'sets'", &[
        ("generalize", &["--labels", "sets"]),
    ]),
    own("protect.generalize.tight", "[protect]\ngeneralize.tight = true", &[
        ("generalize", &["--bounds", "tight"]),
    ]),
    own("protect.generalize.grid", "[protect]\ngeneralize.grid = { a = 5 }", &[
        ("generalize", &["--grid", "a=5"]),
    ]),
    own("protect.generalize.levels", "[protect]\ngeneralize.levels = { a = 1 }", &[]),
    own("protect.suppress.notion", "[protect]\nmethods = ['suppress']\nsuppress.notion = 'kk'", &[
        ("suppress", &["--notion", "kk"]),
        ("attack", &["--notion", "kk"]),
    ]),
    own("protect.suppress.gap", "[protect]\nsuppress.gap = 0.5", &[("suppress", &["--gap", "0.5"])]),
    own("protect.suppress.robust", "[protect]\nsuppress.robust = true", &[("suppress", &["--robust"])]),
    own("protect.suppress.closed", "[protect]\nsuppress.closed = true", &[("suppress", &["--closed"])]),
    own("protect.bucketize.l", "[protect]\nbucketize.l = 4", &[("bucketize", &["-l", "4"])]),
    own("protect.bucketize.method", "[protect]\nbucketize.method = 'mondrian'", &[
        ("bucketize", &["--method", "mondrian"]),
    ]),
    own("protect.slice.l", "[protect]\nslice.l = 4", &[("slice", &["-l", "4"])]),
    own("protect.slice.slices", "[protect]\nmethods = ['slice']\nslice.slices = [['a', 'b'], ['s']]", &[
        ("slice", &["--slices", "a,b|s"]),
        ("diff", &["--slices", "a,b|s"]),
        ("verify", &["--slices", "a,b|s"]),
        ("attack", &["--slices", "a,b|s"]),
    ]),
    own("limits.gcp", "[limits]\ngcp = 0.5", &[]),
    own("limits.suppressed", "[limits]\nsuppressed = 0.5", &[]),
    own("limits.removed", "[limits]\nremoved = 0.5", &[]),
    own("limits.counts_off", "[limits]\ncounts_off = 0.5", &[]),
    own("utility.keep", "[utility]\nkeep = ['a']", &[]),
    own("missing", "missing = 'distinct'", &[
        ("scan", &["--missing", "distinct"]),
        ("uniques", &["--missing", "distinct"]),
        ("keys", &["--missing", "distinct"]),
        ("explain", &["--missing", "distinct"]),
        ("mask", &["--missing", "distinct"]),
    ]),
    own("schema", "", &[]),
];

/// What is needed beside flags, unless the key says it.
fn needed(command: &str, key: &str) -> Vec<&'static str> {
    let is_k = ["release.k", "release.preset"].contains(&key);
    let is_l = ["protect.bucketize.l", "protect.slice.l", "columns.*.diversity"].contains(&key);
    match command {
        "generalize" | "suppress" if !is_k => vec!["-k", "2"],
        "bucketize" | "slice" if !is_l => vec!["-l", "2"],
        "mask" if key == "protect.mask.measure" => vec!["--beta", "0.5"],
        "mask" if key == "protect.mask.beta" => vec!["--measure", "distinct"],
        "mask" => vec!["--measure", "distinct", "--beta", "0.5"],
        _ => Vec::new(),
    }
}

/// The job of some words, and the keys that it says it does not use; or what went wrong.
fn job(words: &[&str], policy: Option<&str>) -> Result<(String, Vec<String>), String> {
    let mut places = Places::files();
    let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    if let Some(policy) = policy {
        words.extend(["-p".into(), places.name_text(format!("schema = 1\n{policy}\n"))]);
    }
    let words = std::iter::once("muslin".to_owned()).chain(words);
    let Args { command, common } =
        Args::try_parse_from(words).map_err(|error| error.to_string())?;
    let said = |wrong: Wrong| match wrong {
        Wrong::Usage(text) => text.to_owned(),
        Wrong::Job(error) => error.to_string(),
    };
    macro_rules! shown {
        ($job:expr) => {
            $job.map(|job| (format!("{job:?}"), Vec::new())).map_err(said)
        };
    }
    macro_rules! single {
        ($job:expr) => {
            $job.map(|mut job| {
                let unused = std::mem::take(&mut job.unused_keys);
                (format!("{job:?}"), unused)
            })
            .map_err(said)
        };
    }
    match command {
        Command::Scan(own) => shown!(own.job(&places)),
        Command::Uniques(own) => shown!(own.job(&places)),
        Command::Keys(own) => shown!(own.job(&places)),
        Command::Explain(own) => shown!(own.job(&places)),
        Command::Mask(own) => single!(own.job(&common, &places)),
        Command::Suppress(own) => single!(own.job(&common, &places)),
        Command::Generalize(own) => single!(own.job(&common, &places)),
        Command::Bucketize(own) => single!(own.job(&common, &places)),
        Command::Slice(own) => single!(own.job(&common, &places)),
        Command::Plan(own) => shown!(own.job(&places)),
        Command::Protect(own) => shown!(own.job(&common, &places)),
        Command::Diff(own) => shown!(own.job(&common, &places)),
        Command::Verify(own) => shown!(own.job(&places)),
        Command::Attack(own) => shown!(own.job(&places)),
        Command::Report(own) => shown!(own.job(&places)),
        _ => unreachable!("no other command takes a policy"),
    }
}

/// The keys of the policy's schema.
fn keys() -> BTreeSet<String> {
    let schema: Value =
        serde_json::from_str(include_str!("../../../docs/schema/policy.schema.json")).unwrap();
    let mut keys = BTreeSet::new();
    let of = |own: &Value| -> Value {
        let found = own["$ref"].as_str().map(|name| name.rsplit('/').next().unwrap().to_owned());
        found.map_or_else(|| own.clone(), |name| schema["$defs"][name.as_str()].clone())
    };
    let properties = |own: &Value| own["properties"].as_object().cloned().unwrap_or_default();
    for (section, own) in properties(&schema) {
        if section == "columns" {
            let column = of(&own["additionalProperties"]);
            keys.extend(properties(&column).keys().map(|key| format!("columns.*.{key}")));
            continue;
        }
        let parts = properties(&of(&own));
        if parts.is_empty() {
            keys.insert(section.clone());
        }
        for (part, own) in parts {
            let inner = properties(&of(&own));
            if inner.is_empty() {
                keys.insert(format!("{section}.{part}"));
            }
            keys.extend(inner.keys().map(|key| format!("{section}.{part}.{key}")));
        }
    }
    keys
}

/// What the guide says: keys, and the commands that use each.
fn guide() -> BTreeMap<String, BTreeSet<String>> {
    let text = include_str!("../../../docs/guide/policy.md");
    let rows = text.lines().filter(|line| line.starts_with("| `") && line.ends_with('|'));
    let mut guide = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [keys, commands] = cells[..] else { continue };
        let commands: BTreeSet<String> = commands.split(", ").map(str::to_owned).collect();
        for key in keys.split(", ") {
            guide.insert(key.trim_matches('`').to_owned(), commands.clone());
        }
    }
    guide
}

/// Keys that say how the input is read, which every command takes.
fn is_of_input(key: &str) -> bool {
    key.starts_with("input.")
        || ["columns.*.role", "columns.*.type", "columns.*.format"].contains(&key)
}

#[test]
fn the_guide_and_the_schema_know_the_same_keys() {
    let (keys, guide) = (keys(), guide());
    let of_guide: BTreeSet<String> = guide.keys().cloned().collect();
    let mut of_schema: BTreeSet<String> =
        keys.iter().filter(|key| !is_of_input(key)).cloned().collect();
    of_schema.remove("schema");
    assert_eq!(of_guide, of_schema, "keys of the guide's table, and of the schema");
    let examples: BTreeSet<String> = EXAMPLES.iter().map(|own| own.key.to_owned()).collect();
    of_schema.insert("schema".into());
    assert_eq!(examples, of_schema, "keys of the examples here, and of the schema");
}

/// The key, with the name of the example's column.
fn named(key: &str, toml: &str) -> String {
    key.replace('*', if toml.contains("[columns.s]") { "s" } else { "a" })
}

#[test]
fn each_key_is_honoured_or_named_by_each_command() {
    let guide = guide();
    for Example { key, toml, flags } in EXAMPLES.iter().filter(|own| own.key != "schema") {
        let used = &guide[*key];
        // The key needs a role, which every command takes.
        let is_publish = *key == "columns.*.publish";
        let bare = if is_publish { "[columns.a]\nrole = 'weight'" } else { "" };
        for (command, base) in COMMANDS {
            let label = format!("`{key}` and `muslin {command}`");
            let words = [&[command], base, &needed(command, key)[..]].concat();
            let with_policy = job(&words, Some(toml));
            let is_used = used.contains(command);
            if WHOLE.contains(&command) {
                // Refused, or held as a whole.
                match with_policy {
                    Ok((job, _)) => {
                        assert_ne!(job, self::job(&words, Some(bare)).unwrap().0, "{label}");
                    }
                    Err(said) => {
                        assert!(said.contains(key.rsplit('.').next().unwrap()), "{label}: {said}");
                    }
                }
                continue;
            }
            let own = flags.iter().find(|(name, _)| *name == command).map(|(_, flags)| *flags);
            match (with_policy, own) {
                (Ok((job, unused)), Some(flags)) => {
                    let by_flags = self::job(&[&words[..], flags].concat(), Some(bare)).unwrap().0;
                    assert!(is_used, "{label}: the guide does not say that it is used");
                    assert!(!unused.contains(&named(key, toml)), "{label}: {unused:?}");
                    assert_eq!(job, by_flags, "{label}");
                    let none = self::job(&words, Some(bare));
                    assert!(none.is_err() || none.unwrap().0 != job, "{label}: says nothing");
                }
                (Ok((job, unused)), None) => {
                    let none = self::job(&words, Some(bare)).unwrap().0;
                    if is_used {
                        assert_ne!(job, none, "{label}: the guide says that it is used");
                    } else {
                        assert_eq!(job, none, "{label}: used, and the guide does not say so");
                        let is_named = unused.contains(&named(key, toml));
                        assert_eq!(is_named, SINGLE.contains(&command), "{label}: {unused:?}");
                    }
                }
                (Err(said), _) => {
                    assert!(said.contains(key.rsplit('.').next().unwrap()), "{label}: {said}");
                    assert!(!is_used, "{label}: the guide says that it is used: {said}");
                }
            }
        }
    }
}

#[test]
fn flags_win_over_the_policy_and_the_policy_over_defaults() {
    let policy = "[columns.s]\ndiversity = '3'\ncloseness = '0.2'\n[release]\nk = 7\norder = 'sorted'\n[protect]\ngeneralize.recoding = 'local'\ngeneralize.grid = { a = 5, b = 2 }";
    let of = |flags: &[&str], policy| {
        let words = [&["generalize", "t.csv", "-o", "r.csv"], flags].concat();
        job(&words, policy).unwrap().0
    };
    let all = ["-k", "7", "--diversity", "s=3", "--closeness", "s=0.2", "--row-order", "sorted"];
    let all = [&all[..], &["--recoding", "local", "--grid", "a=5", "--grid", "b=2"]].concat();
    assert_eq!(of(&[], Some(policy)), of(&all, None));
    // A flag takes the place of what it names, and of nothing else.
    let some =
        ["-k", "9", "--diversity", "s=distinct:4", "--grid", "b=1", "--recoding", "mondrian"];
    let all =
        ["-k", "9", "--closeness", "s=0.2", "--diversity", "s=distinct:4", "--row-order", "sorted"];
    let all = [&all[..], &["--recoding", "mondrian", "--grid", "a=5", "--grid", "b=1"]].concat();
    let (by_both, by_flags) = (of(&some, Some(policy)), of(&all, None));
    let sorted = |text: &str| {
        let mut parts: Vec<String> = text.split("SpreadSetting").map(str::to_owned).collect();
        parts.sort();
        parts.len()
    };
    assert_eq!(sorted(&by_both), sorted(&by_flags));
    assert!(by_both.contains("Distinct { l: 4 }") && !by_both.contains("Probabilistic"));
    assert!(by_both.contains("k: 9") && by_both.contains("\"b\": 1.0"));
    // What a file's name says of its format is a flag's word.
    let named = ["generalize", "t.csv", "-k", "2", "-o", "r.csv"];
    let format = job(&named, Some("[release]\nformat = 'parquet'")).unwrap();
    assert_eq!(format.0, job(&named, None).unwrap().0);
}

#[test]
fn what_is_missing_is_asked_for() {
    for (words, wanted) in [
        (["generalize", "t.csv"], "`release.k = 5`"),
        (["suppress", "t.csv"], "`-k 5`"),
        (["bucketize", "t.csv"], "`-l 3`"),
        (["slice", "t.csv"], "`diversity = \"3\"`"),
        (["mask", "t.csv"], "`protect.mask.beta`"),
    ] {
        let said = job(&words, None).unwrap_err();
        assert!(said.contains("hint: ") && said.contains(wanted), "{said}");
    }
}

#[test]
fn the_input_is_read_as_the_policy_says_by_every_command() {
    for (toml, flags) in [
        ("[input]\ndelimiter = ';'", &["--delimiter", ";"][..]),
        ("[input]\nquote = ''", &["--quote", "none"]),
        ("[input]\nheader = false", &["--header", "no"]),
        ("[input]\nencoding = 'latin-1'", &["--encoding", "latin-1"]),
        ("[input]\ndecimal_comma = true", &["--decimal-comma"]),
        ("[input]\ntrim = true", &["--trim"]),
        ("[input]\nnull = ['-9']", &["--null", "-9"]),
        ("[columns.a]\nformat = '%d.%m.%Y'", &["--date-format", "a=%d.%m.%Y"]),
        ("[columns.a]\nrole = 'sensitive'", &["--role", "a=sensitive"]),
    ] {
        for (command, base) in COMMANDS.iter().filter(|(name, _)| ALL_READ.contains(name)) {
            let words = [&[*command], *base, &needed(command, "")[..]].concat();
            // Of a release alone, flags are about the release, and the policy about its original.
            let is_of_release = ["verify", "attack"].contains(command);
            let original: &[&str] = if is_of_release { &["--original", "t.csv"] } else { &[] };
            let words = [&words[..], original].concat();
            let by_flags = job(&[&words[..], flags].concat(), Some("")).unwrap().0;
            assert_eq!(job(&words, Some(toml)).unwrap().0, by_flags, "{command}: {toml}");
        }
    }
}
