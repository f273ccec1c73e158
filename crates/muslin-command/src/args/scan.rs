use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, ValueHint};

use super::names::parse_names;
use super::{EngineArgs, InputArgs, Names, parse_time};

#[derive(Debug, ClapArgs)]
pub struct Scan {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub place: EngineArgs,
    /// Look at the classes of these columns together instead of the suggested ones.
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names, help_heading = "What to look for")]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// Compare columns by the rows that they put into classes below this [default: by the policy, or 5].
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u32).range(2..), help_heading = "What to look for")]
    pub k: Option<u32>,
    /// How long to search once the file is read, such as 10s or 2m: more time, more depth.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time, help_heading = "What to look for")]
    pub budget: Duration,
    /// Write the report with plots to this file too, for those who have the data: `.html`, `.md` or `.json`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Report")]
    pub html: Option<PathBuf>,
}

impl InputArgs {
    /// The flags that say how this input is read, for a command that reads it again.
    pub fn reading_flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut add = |flag: &str, value: String| flags.extend([flag.to_owned(), value]);
        let lists = [("--columns", &self.columns), ("--exclude", &self.exclude)];
        for (flag, names) in lists {
            if let Some(names) = names {
                add(flag, super::joined(&Names::all(names)));
            }
        }
        self.role.iter().for_each(|(name, role)| add("--role", format!("{name}={}", role.name())));
        self.types.iter().for_each(|(name, own)| add("--type", format!("{name}={}", own.name())));
        self.date_format
            .iter()
            .for_each(|(name, own)| add("--date-format", format!("{name}={own}")));
        if let Some(missing) = self.missing {
            add("--missing", missing.to_string());
        }
        self.null.iter().for_each(|null| add("--null", null.clone()));
        if let Some(delimiter) = self.delimiter {
            add("--delimiter", if delimiter == '\t' { "tab".into() } else { delimiter.into() });
        }
        if let Some(quote) = self.quote {
            add("--quote", quote.0.map_or("none".into(), String::from));
        }
        let yes_or_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        if let Some(header) = self.header {
            add("--header", yes_or_no(header));
        }
        if let Some(encoding) = self.encoding {
            add("--encoding", encoding.name().into());
        }
        flags.extend(self.decimal_comma.map(|yes| format!("--decimal-comma={}", yes_or_no(yes))));
        flags.extend(self.trim.then(|| "--trim".to_owned()));
        flags
    }
}
