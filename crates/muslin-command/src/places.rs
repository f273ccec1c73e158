//! What names on a command line stand for.

use std::path::Path;

use muslin::{Destination, Input, Memory, Policy, ReportText};

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

fn named<'a, T>(all: &'a [T], kind: &str, name: &Path) -> Option<&'a T> {
    let number = name.to_str()?.strip_prefix(kind)?;
    all.get(number.parse::<usize>().ok()?)
}
