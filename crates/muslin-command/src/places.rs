//! What names on a command line stand for.

use std::path::{Path, PathBuf};

use muslin::{Destination, Input, Memory, Policy, ReportText, check_folder, check_outputs};

use crate::args::{Args, Command, InputArgs, ReleaseArgs};
use crate::jobs::Wrong;

/// Tables in memory and texts that have a name on a command line. All other names are those of files.
///
/// A name begins with the character of number 0, which no file's name can hold.
#[derive(Clone, Debug, Default)]
pub struct Places {
    inputs: Vec<Input>,
    outputs: Vec<Memory>,
    texts: Vec<String>,
}

const INPUT: &str = "\0input ";
const OUTPUT: &str = "\0output ";
const TEXT: &str = "\0text ";

impl Places {
    /// Names are files.
    pub fn files() -> Self {
        Self::default()
    }

    /// A name for an input.
    pub fn name_input(&mut self, input: Input) -> String {
        self.inputs.push(input);
        format!("{INPUT}{}", self.inputs.len() - 1)
    }

    /// A name for where a table goes.
    pub fn name_output(&mut self, memory: Memory) -> String {
        self.outputs.push(memory);
        format!("{OUTPUT}{}", self.outputs.len() - 1)
    }

    /// A name for what would stand in a file.
    pub fn name_text(&mut self, text: String) -> String {
        self.texts.push(text);
        format!("{TEXT}{}", self.texts.len() - 1)
    }

    /// The input of a name.
    pub fn input(&self, name: &Path) -> Input {
        named(&self.inputs, INPUT, name).cloned().unwrap_or_else(|| Input::named(name))
    }

    /// The destination of a name.
    pub fn destination(&self, name: &Path) -> Destination {
        let memory = named(&self.outputs, OUTPUT, name);
        memory.map_or_else(|| Destination::named(name), |own| Destination::Memory(own.clone()))
    }

    /// The text of a name.
    pub fn text(&self, name: &Path) -> std::io::Result<String> {
        match named(&self.texts, TEXT, name) {
            Some(text) => Ok(text.clone()),
            None => std::fs::read_to_string(name),
        }
    }

    /// The report of a name.
    pub fn report(&self, name: &Path) -> ReportText {
        match named(&self.texts, TEXT, name) {
            Some(text) => ReportText::Text(text.clone()),
            None => ReportText::File(name.to_owned()),
        }
    }

    /// A policy's name, for messages.
    pub(crate) fn shown(&self, name: &Path) -> String {
        match named(&self.texts, TEXT, name) {
            Some(_) => "the policy".to_owned(),
            None => name.display().to_string(),
        }
    }

    /// The policy of a name.
    pub fn policy(&self, name: &Path) -> muslin::Result<Policy> {
        match named(&self.texts, TEXT, name) {
            Some(text) => Policy::parse("the policy", text),
            None => Policy::read(name),
        }
    }
}

/// What a command reads and writes.
struct Files<'a> {
    places: &'a Places,
    reads: Vec<PathBuf>,
    writes: Vec<Destination>,
    /// A folder that is replaced as a whole.
    folder: Option<&'a Path>,
}

impl Args {
    /// An error where two outputs of the command go to one place, or one goes where something is that the
    /// command reads: tables, the policy, hierarchies, through links as well. Nothing is read for it but
    /// the policy.
    pub fn check_places(&self, places: &Places) -> Result<(), Wrong> {
        let files = Files::of(&self.command, places);
        check_outputs(&files.writes, &files.reads)?;
        Ok(files.folder.map_or(Ok(()), |folder| check_folder(folder, &files.reads))?)
    }
}

impl<'a> Files<'a> {
    fn of(command: &'a Command, places: &'a Places) -> Self {
        let mut files = Self { places, reads: Vec::new(), writes: Vec::new(), folder: None };
        files.add(command);
        files
    }

    fn add(&mut self, command: &'a Command) {
        match command {
            Command::Scan(own) => {
                self.input(&own.input);
                self.write(own.html.as_ref());
            }
            Command::Init(own) => {
                self.input(&own.input);
                self.write(Some(&own.output));
            }
            Command::Uniques(own) => {
                self.input(&own.input);
                self.write(own.table.output.as_ref());
            }
            Command::Keys(own) => {
                self.input(&own.input);
                self.write(own.all.output.as_ref());
            }
            Command::Mask(own) => self.released(&own.input, &own.release),
            Command::Suppress(own) => {
                self.released(&own.input, &own.release);
                self.write(own.search.certificate.as_ref());
                self.write(own.search.ledger.as_ref());
            }
            Command::Generalize(own) => {
                self.released(&own.input, &own.release);
                self.hierarchies(&own.recode.hierarchy, own.recode.hierarchies.as_ref());
            }
            Command::Bucketize(own) => {
                self.released(&own.input, &own.release);
                self.write(own.sensitive_table.as_ref());
            }
            Command::Slice(own) => {
                self.released(&own.input, &own.release);
                self.hierarchies(&own.how.hierarchy, own.how.hierarchies.as_ref());
            }
            Command::Protect(own) => {
                self.input(&own.input);
                let is_folder =
                    matches!(self.places.destination(&own.output), Destination::Path(_));
                self.folder = is_folder.then_some(own.output.as_path());
            }
            Command::Diff(own) => {
                self.input(&own.input);
                own.release.iter().for_each(|release| self.read(release));
                let labels = &own.labels;
                self.hierarchies(&labels.hierarchy, labels.hierarchies.as_ref());
                labels.sensitive_table.iter().for_each(|table| self.read(table));
                self.write(own.shown.plots.as_ref());
            }
            Command::Report(own) => {
                self.input(&own.input);
                own.release.iter().for_each(|release| self.read(release));
                self.write(Some(&own.output));
            }
            Command::DemoData(own) => self.write(Some(&own.output)),
            // They write nothing, or nothing by name.
            Command::Explain(_)
            | Command::Plan(_)
            | Command::Verify(_)
            | Command::Attack(_)
            | Command::Cluster(_)
            | Command::Completions { .. } => {}
        }
    }

    fn released(&mut self, input: &InputArgs, release: &ReleaseArgs) {
        self.input(input);
        self.write(release.output.as_ref());
    }

    fn input(&mut self, input: &InputArgs) {
        self.read(&input.file);
        let Some(name) = &input.policy else { return };
        let is_text = named(&self.places.texts, TEXT, name).is_some();
        if !is_text {
            self.reads.push(name.clone());
        }
        // A pipe is read once, by whoever makes the job, who also says what is wrong with a policy.
        let policy = (is_text || name.is_file()).then(|| self.places.policy(name));
        if let Some(Ok(policy)) = policy {
            self.reads.extend(policy.hierarchies().files());
        }
    }

    fn hierarchies(&mut self, files: &[(String, PathBuf)], folder: Option<&PathBuf>) {
        self.reads.extend(files.iter().map(|(_, file)| file.clone()));
        self.reads.extend(folder.cloned());
    }

    fn read(&mut self, name: &Path) {
        if let Input::Path(path) = self.places.input(name) {
            self.reads.push(path);
        }
    }

    fn write(&mut self, name: Option<&PathBuf>) {
        self.writes.extend(name.map(|name| self.places.destination(name)));
    }
}

fn named<'a, T>(all: &'a [T], kind: &str, name: &Path) -> Option<&'a T> {
    let number = name.to_str()?.strip_prefix(kind)?;
    all.get(number.parse::<usize>().ok()?)
}
