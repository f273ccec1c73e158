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
            for word in own.spell(arg, &name, &value)?.map_err(wrong)? {
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
            // The folder of a release is the only one that may stay in memory.
            let is_file = takes == "FILE" || (takes == "FOLDER" && name == "output");
            return match (yes, is_file) {
                (true, true) => one(self.hold(name)),
                (false, true) => Ok(Ok(Vec::new())),
                _ => one(yes_or_no(arg, yes).to_owned()),
            };
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
                let (key, value) = (key.extract::<String>().ok()?, scalar(&value)?);
                Some(Some(format!("{key}={value}")))
            };
            let all: Option<Vec<_>> = pairs.iter().map(pair).collect();
            return Ok(all
                .filter(|_| takes.contains('='))
                .ok_or_else(|| "takes no dictionary like this".to_owned()));
        }
        if let Some(text) = scalar(value) {
            return one(text);
        }
        if let Some(name) = self.input(value)? {
            return one(name);
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

fn yes_or_no(arg: &Arg, yes: bool) -> &'static str {
    let is_there = arg.get_possible_values().iter().any(|own| own.get_name() == "yes");
    match (is_there, yes) {
        (true, true) => "yes",
        (true, false) => "no",
        (false, true) => "true",
        (false, false) => "false",
    }
}

/// One name, or several.
fn names(value: &Bound<'_, PyAny>) -> Option<Vec<String>> {
    match value.extract::<String>() {
        Ok(name) => Some(vec![name]),
        Err(_) => value.try_iter().ok()?.map(|name| name.ok()?.extract().ok()).collect(),
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
    let seconds = value.call_method0("total_seconds").ok()?.extract::<f64>().ok()?;
    Some(format!("{seconds}s"))
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
    let value =
        if value.hasattr("to_dict")? { value.call_method0("to_dict")? } else { value.clone() };
    if let Ok(text) = value.extract::<String>() {
        // A path has no second line.
        return Ok(text.contains('\n').then_some(Ok(text)));
    }
    if !value.is_instance_of::<PyDict>() {
        return Ok(None);
    }
    let dumps = value.py().import("json")?.getattr("dumps")?;
    let json: String = dumps.call1((value,))?.extract()?;
    if !is_policy {
        return Ok(Some(Ok(json)));
    }
    let table = serde_json::from_str::<toml::Table>(&json);
    Ok(Some(match table {
        Ok(table) => Ok(table.to_string()),
        Err(_) => Err("has values that a policy file has none of, such as None".into()),
    }))
}
