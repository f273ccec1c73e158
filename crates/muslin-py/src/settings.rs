//! Settings of a call as words of a command: names are flags, values are spelled as flags take them.

use std::path::PathBuf;

use clap::{Arg, ArgAction, CommandFactory};
use muslin::{Input, Memory};
use muslin_command::Places;
use muslin_command::args::{Args, joined};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::errors::Failed;
use crate::table::Table;

/// The words of a call, and what some of them stand for.
pub(crate) struct Words {
    pub(crate) all: Vec<String>,
    pub(crate) places: Places,
    /// Tables that stay in memory, by the setting that asks for them.
    pub(crate) held: Vec<(String, Memory)>,
}

impl Words {
    /// The words of a command, of the tables it reads and of settings by name.
    pub(crate) fn new(
        command: &str,
        tables: &[Bound<'_, PyAny>],
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let py = settings.py();
        let args = args_of(command);
        let all = vec!["muslin".to_owned(), command.to_owned()];
        let mut own = Self { all, places: Places::files(), held: Vec::new() };
        let mut given = Vec::new();
        for (name, value) in settings.iter() {
            let name: String = name.extract()?;
            if value.is_none() {
                continue;
            }
            let Some(arg) = args.iter().find(|arg| name_of(arg) == name || is_alias(arg, &name))
            else {
                return Err(Failed::Words(format!("{command} takes no `{name}`")).raise(py));
            };
            let wrong = |text: String| Failed::Words(format!("`{name}` {text}")).raise(py);
            if given.contains(arg.get_id()) {
                return Err(wrong("was given twice, by two names".into()));
            }
            given.push(arg.get_id().clone());
            for word in own.spell(command, arg, &name, &value)?.map_err(wrong)? {
                let flag = match (arg.get_long(), arg.get_short()) {
                    (Some(long), _) => format!("--{long}"),
                    (None, Some(short)) => format!("-{short}"),
                    (None, None) => continue,
                };
                own.all.push(match word {
                    Some(value) => format!("{flag}={value}"),
                    None => flag,
                });
            }
        }
        // What follows is no flag, whatever it looks like.
        own.all.push("--".into());
        for table in tables {
            let name = own.input(table)?.ok_or_else(|| {
                let text = "what to read is neither a table nor a path\n  hint: pass a frame, something with the Arrow PyCapsule interface, or a path";
                crate::errors::raise(py, "InputError", text)
            })?;
            own.all.push(name);
        }
        Ok(own)
    }

    /// A name for a table or a path; none where it is neither.
    fn input(&mut self, value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        if let Ok(table) = value.cast::<Table>() {
            return Ok(Some(self.places.name_input(Input::Memory(table.get().batches.clone()))));
        }
        path(value)
    }

    /// A name for a table that is to stay in memory.
    pub(crate) fn hold(&mut self, setting: &str) -> String {
        let memory = Memory::new();
        self.held.push((setting.to_owned(), memory.clone()));
        self.places.name_output(memory)
    }

    /// The values of a flag, one for each time it is given; none for a flag without a value. The inner error
    /// says what the setting takes.
    fn spell(
        &mut self,
        command: &str,
        arg: &Arg,
        name: &str,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<Result<Vec<Option<String>>, String>> {
        let takes = arg.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str());
        let one = |text: String| Ok(Ok(vec![Some(text)]));
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            return Ok(match value.extract::<bool>() {
                Ok(true) => Ok(vec![None]),
                Ok(false) => Ok(Vec::new()),
                Err(_) => Err("is True or False".into()),
            });
        }
        if let Ok(yes) = value.cast::<PyBool>() {
            let yes = yes.is_true();
            if is_made(command, name) && yes {
                return one(self.hold(name));
            }
            return Ok(match yes_or_no(arg, yes) {
                Some(word) => Ok(vec![Some(word.to_owned())]),
                None => Err("is neither True nor False".into()),
            });
        }
        if matches!(name, "policy" | "claims")
            && let Some(text) = text_of(value, name == "policy")?
        {
            return match text {
                Ok(text) => one(self.places.name_text(text)),
                Err(why) => Ok(Err(why)),
            };
        }
        match takes {
            "NAMES" => {
                let names = names(value);
                return Ok(names
                    .map(|own| vec![Some(joined(&own))])
                    .ok_or_else(|| "is a column's name, or a list of them".to_owned()));
            }
            "SLICES" => {
                let lists = value.extract::<Vec<Vec<String>>>().ok();
                return Ok(lists
                    .map(|own| vec![Some(between(&own, "|"))])
                    .ok_or_else(|| "is a list of lists of columns' names".to_owned()));
            }
            "X -> Y" => {
                let sides = value.cast::<PyTuple>().ok().and_then(|sides| {
                    let [from, to] = [sides.get_item(0).ok()?, sides.get_item(1).ok()?];
                    (sides.len() == 2).then_some(vec![names(&from)?, names(&to)?])
                });
                return Ok(sides.map(|own| vec![Some(between(&own, "->"))]).ok_or_else(|| {
                    "is a pair of columns, or lists of them: what tells, and what is told"
                        .to_owned()
                }));
            }
            _ => {}
        }
        if let Ok(pairs) = value.cast::<PyDict>() {
            let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                let (key, value) =
                    (name_text(&key)?, scalar(&value).or_else(|| path(&value).ok()?)?);
                Some(Some(format!("{key}={value}")))
            };
            if !takes.contains('=') {
                return Ok(Err("is no dictionary".into()));
            }
            let all: Option<Vec<_>> = pairs.iter().map(pair).collect();
            let wrong = || "is a dictionary of columns' names to texts or numbers".to_owned();
            return Ok(all.ok_or_else(wrong));
        }
        if let Some(text) = scalar(value) {
            return one(text);
        }
        if let Some(path) = path(value)? {
            return one(path);
        }
        if value.is_instance_of::<Table>() {
            let is_read = matches!(takes, "FILE" | "RELEASE") && !is_written(command, name);
            return match self.input(value)? {
                Some(name) if is_read => one(name),
                _ => Ok(Err("is no table that is read".into())),
            };
        }
        let each = value.try_iter().ok().and_then(|all| {
            let each = |value: PyResult<Bound<'_, PyAny>>| Some(Some(scalar(&value.ok()?)?));
            all.map(each).collect::<Option<Vec<_>>>()
        });
        let is_repeated = matches!(arg.get_action(), ArgAction::Append);
        Ok(each
            .filter(|_| is_repeated)
            .ok_or_else(|| "is of a type that it does not take".to_owned()))
    }
}

/// What a command takes, flags alone.
pub(crate) fn args_of(command: &str) -> Vec<Arg> {
    let mut all = Args::command();
    all.build();
    let own = all.find_subcommand(command).map(|own| own.get_arguments().cloned().collect());
    let own: Vec<Arg> = own.unwrap_or_default();
    own.into_iter().filter(|arg| !arg.is_positional()).collect()
}

/// The name of a flag as an argument.
pub(crate) fn name_of(arg: &Arg) -> String {
    let long = arg.get_long().map(|long| long.replace('-', "_"));
    let name = long.or(arg.get_short().map(String::from)).unwrap_or_default();
    // Words of the language cannot be arguments.
    if name == "break" { "break_".into() } else { name }
}

fn is_alias(arg: &Arg, name: &str) -> bool {
    let aliases = arg.get_all_aliases().unwrap_or_default();
    aliases.iter().any(|alias| alias.replace('-', "_") == name)
}

/// How a flag spells yes or no, if it does.
fn yes_or_no(arg: &Arg, yes: bool) -> Option<&'static str> {
    let values = arg.get_possible_values();
    let words = if yes { ["yes", "true"] } else { ["no", "false"] };
    words.into_iter().find(|word| values.iter().any(|own| own.get_name() == *word))
}

/// Whether a setting is where a table goes that may stay in memory.
fn is_made(command: &str, name: &str) -> bool {
    match name {
        "output" => !matches!(command, "init" | "report"),
        "certificate" | "ledger" => command == "suppress",
        "sensitive_table" => command == "bucketize",
        _ => false,
    }
}

/// Whether a setting is where something goes.
fn is_written(command: &str, name: &str) -> bool {
    is_made(command, name) || matches!(name, "output" | "html" | "plots")
}

/// One name, or several.
fn names(value: &Bound<'_, PyAny>) -> Option<Vec<String>> {
    match value.extract::<String>() {
        Ok(name) => Some(vec![name]),
        Err(_) if value.is_instance_of::<PyDict>() => None,
        Err(_) if value.is_instance_of::<PyInt>() => Some(vec![name_text(value)?]),
        Err(_) => {
            let all = value.try_iter().ok()?.map(|name| name_text(&name.ok()?));
            all.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
        }
    }
}

/// A column's name; pandas has numbers for names too.
fn name_text(value: &Bound<'_, PyAny>) -> Option<String> {
    match value.extract::<String>() {
        Ok(name) => Some(name),
        Err(_) if value.is_instance_of::<PyInt>() => value.str().ok()?.extract().ok(),
        Err(_) => None,
    }
}

fn between(lists: &[Vec<String>], between: &str) -> String {
    lists.iter().map(|names| joined(names)).collect::<Vec<_>>().join(between)
}

/// A text or a number as a flag takes it; a length of time in seconds.
fn scalar(value: &Bound<'_, PyAny>) -> Option<String> {
    if value.is_instance_of::<PyString>() {
        return value.extract().ok();
    }
    if value.is_instance_of::<PyInt>() {
        return value.str().ok()?.extract().ok();
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract::<f64>().ok().map(|number| number.to_string());
    }
    if let Ok(seconds) = value.call_method0("total_seconds") {
        return Some(format!("{}s", seconds.extract::<f64>().ok()?));
    }
    // Numbers of other libraries; what has a length is none.
    if value.hasattr("__len__").ok()? {
        return None;
    }
    if let Ok(whole) = value.call_method0("__index__") {
        return whole.str().ok()?.extract().ok();
    }
    let number = value.call_method0("__float__").ok()?;
    number.extract::<f64>().ok().map(|number| number.to_string())
}

fn path(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if !value.is_instance_of::<PyString>() && !value.hasattr("__fspath__")? {
        return Ok(None);
    }
    let path: PathBuf = value.extract()?;
    Ok(path.to_str().map(str::to_owned))
}

/// A policy or a report that is no file: a dictionary, a report of ours, or the text of a policy.
fn text_of(value: &Bound<'_, PyAny>, is_policy: bool) -> PyResult<Option<Result<String, String>>> {
    if let Ok(text) = value.extract::<String>() {
        // A path has no second line.
        return Ok(text.contains('\n').then_some(Ok(text)));
    }
    if !value.is_instance_of::<PyDict>() {
        return Ok(None);
    }
    let dumps = value.py().import("json")?.getattr("dumps")?;
    let Ok(json) = dumps.call1((value,)).and_then(|json| json.extract::<String>()) else {
        return Ok(Some(Err("is a dictionary with values that JSON has not".into())));
    };
    if !is_policy {
        return Ok(Some(Ok(json)));
    }
    let table = serde_json::from_str::<toml::Table>(&json);
    Ok(Some(match table {
        Ok(table) => Ok(table.to_string()),
        Err(_) => Err("has values that a policy file has none of, such as None".into()),
    }))
}
