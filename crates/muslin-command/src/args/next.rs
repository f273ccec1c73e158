//! The command that comes after another: `init`, `plan`, `protect --dry-run`, `protect`, `verify`, `attack`, `report`.
//!
//! Each is given as words, with the files and the flags that the one before was given, so that it can be pasted
//! as it stands. There is none where a table came from standard input.

use std::path::Path;

use muslin::LabelFormat;

use super::{Attack, Init, InputArgs, Plan, Protect, ReleaseReadArgs, Verify};

/// The folder of a release, where nobody has named one yet.
const RELEASE: &str = "release";
/// The report at the end.
const REPORT: &str = "report.html";

impl Init {
    /// What comes after the policy is written.
    pub fn next(&self) -> Option<Vec<String>> {
        let mut words = command("plan", &self.input.file)?;
        // What was said of the input is in the policy.
        words.extend(["-p".to_owned(), named(&self.output)?]);
        Some(words)
    }
}

impl Plan {
    /// What comes after the protections are compared; the policy is the one that was named.
    pub fn next(&self) -> Option<Vec<String>> {
        self.input.policy.as_ref()?;
        let mut words = command("protect", &self.input.file)?;
        words.extend(self.input.again());
        words.extend(["-o", RELEASE, "--dry-run"].map(str::to_owned));
        Some(words)
    }
}

impl Protect {
    /// What comes after the rehearsal, or after the release is written.
    pub fn next(&self) -> Option<Vec<String>> {
        let mut words = if self.dry_run {
            let mut words = command("protect", &self.input.file)?;
            words.extend(self.input.again());
            words.extend(["-o".to_owned(), named(&self.output)?]);
            words.extend(self.reproducible.then(|| "--reproducible".to_owned()));
            words
        } else {
            let mut words = command("verify", &self.output)?;
            words.extend(["--original".to_owned(), named(&self.input.file)?]);
            words.extend(self.input.again());
            words
        };
        words.extend(self.verdict.max_unique.map(|share| format!("--max-unique={share}")));
        words.extend(self.verdict.max_advantage.map(|share| format!("--max-advantage={share}")));
        words.extend(self.verdict.allow_findings.then(|| "--allow-findings".to_owned()));
        Some(words)
    }
}

impl Verify {
    /// What comes after the release is verified against its original.
    pub fn next(&self) -> Option<Vec<String>> {
        let original = self.claimed.original.as_ref()?;
        let mut words = command("attack", &self.input.file)?;
        words.extend(["--original".to_owned(), named(original)?]);
        words.extend(self.input.again());
        words.extend(self.release_read.again());
        words.extend(formats(&self.labels.label_format));
        Some(words)
    }
}

impl Attack {
    /// This command, for somebody who adds to it.
    pub fn again(&self) -> Option<Vec<String>> {
        let mut words = command("attack", &self.input.file)?;
        if let Some(original) = &self.attacker.original {
            words.extend(["--original".to_owned(), named(original)?]);
        }
        words.extend(self.input.again());
        words.extend(self.release_read.again());
        words.extend(formats(&self.made.label_format));
        Some(words)
    }

    /// What comes after a release is attacked with its original at hand.
    pub fn next(&self) -> Option<Vec<String>> {
        let mut words = command("report", self.attacker.original.as_ref()?)?;
        words.extend(self.input.again());
        words.extend(["--release".to_owned(), named(&self.input.file)?]);
        words.extend(self.release_read.again());
        words.extend(formats(&self.made.label_format));
        words.extend(["-o", REPORT].map(str::to_owned));
        Some(words)
    }
}

impl InputArgs {
    /// The policy and the flags that say how the original is read.
    fn again(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(policy) = &self.policy {
            words.extend(["-p".to_owned(), policy.display().to_string()]);
        }
        words.extend(self.reading_flags());
        words
    }
}

/// Forms of labels, as flags.
fn formats(all: &[LabelFormat]) -> impl Iterator<Item = String> {
    all.iter().flat_map(|form| ["--label-format".to_owned(), form.to_string()])
}

impl ReleaseReadArgs {
    /// The flags that say how the release is read.
    fn again(&self) -> Vec<String> {
        let yes_or_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        let mut words = Vec::new();
        let mut add = |flag: &str, value: Option<String>| {
            words.extend(value.map(|value| format!("--release-{flag}={value}")));
        };
        let character = |c: char| if c == '\t' { "tab".to_owned() } else { c.into() };
        add("delimiter", self.release_delimiter.map(character));
        let quote = |quote: super::Quote| quote.0.map_or("none".into(), String::from);
        add("quote", self.release_quote.map(quote));
        add("header", self.release_header.map(yes_or_no));
        add("encoding", self.release_encoding.map(|own| own.name().to_owned()));
        add("decimal-comma", self.release_decimal_comma.map(yes_or_no));
        words
    }
}

fn command(name: &str, file: &Path) -> Option<Vec<String>> {
    Some(vec!["muslin".to_owned(), name.to_owned(), named(file)?])
}

/// A file by its name; standard input has none.
fn named(file: &Path) -> Option<String> {
    let name = file.to_str()?;
    match name {
        "-" => None,
        // What begins with a dash would be taken for a flag.
        name if name.starts_with('-') => Some(format!("./{name}")),
        name => Some(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Args, Command, command_for_shell};

    fn next(words: &[&str]) -> Option<String> {
        let words = ["muslin"].iter().chain(words);
        let next = match Args::try_parse_from(words).unwrap().command {
            Command::Init(args) => args.next(),
            Command::Plan(args) => args.next(),
            Command::Protect(args) => args.next(),
            Command::Verify(args) => args.next(),
            Command::Attack(args) => args.next(),
            _ => None,
        };
        next.map(|words| command_for_shell(&words))
    }

    #[test]
    fn each_command_names_the_next_with_its_files_and_flags() {
        let mut words: Vec<String> =
            ["init", "my survey.csv", "-o", "my policy.toml", "--null", ""]
                .map(str::to_owned)
                .into();
        let mut chain = Vec::new();
        loop {
            let given: Vec<&str> = words.iter().map(String::as_str).collect();
            let Some(text) = next(&given) else { break };
            chain.push(text.clone());
            // What is printed is what is typed: words as a shell would take them apart.
            words = unquoted(&text).into_iter().skip(1).collect();
        }
        assert_eq!(
            chain,
            [
                "muslin plan 'my survey.csv' -p 'my policy.toml'",
                "muslin protect 'my survey.csv' -p 'my policy.toml' -o release --dry-run",
                "muslin protect 'my survey.csv' -p 'my policy.toml' -o release",
                "muslin verify release --original 'my survey.csv' -p 'my policy.toml'",
                "muslin attack release --original 'my survey.csv' -p 'my policy.toml'",
                "muslin report 'my survey.csv' -p 'my policy.toml' --release release -o report.html",
            ]
        );
    }

    #[test]
    fn flags_that_were_given_go_on() {
        let words = [
            "protect",
            "a.csv",
            "-p",
            "p.toml",
            "-o",
            "out",
            "--null",
            "",
            "--encoding",
            "latin-1",
        ];
        assert_eq!(
            next(&words).unwrap(),
            "muslin verify out --original a.csv -p p.toml --null '' --encoding latin-1"
        );
        assert_eq!(next(&["init", "-", "-o", "p.toml"]), None);
        assert_eq!(next(&["verify", "release", "-k", "3"]), None);
        assert_eq!(
            next(&["init", "./-a.csv", "--output=-p.toml"]).unwrap(),
            "muslin plan ./-a.csv -p ./-p.toml"
        );
    }

    /// The words of a line in which only single quotes quote.
    fn unquoted(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
        for c in line.chars() {
            match c {
                '\'' => (quoted, any) = (!quoted, true),
                ' ' if !quoted => {
                    if any || !word.is_empty() {
                        words.push(std::mem::take(&mut word));
                    }
                    any = false;
                }
                c => word.push(c),
            }
        }
        words.push(word);
        words
    }
}
