//! Starting other programs: the line is shown first, a failure names it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::failure::{Failure, Result};

/// One program with its arguments, and the hint to give when it fails.
pub(crate) struct Call {
    shown: String,
    command: Command,
    hint: String,
}

impl Call {
    /// Calls `program`: a name looked up on the path, or a path.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref();
        Self {
            shown: quoted(program),
            command: Command::new(program),
            hint: "the output above says why".into(),
        }
    }

    /// Calls the cargo that runs us, as if nobody had: what it says about this package to us makes build
    /// scripts that ask for it run again, and all that is above them.
    pub(crate) fn cargo<I: IntoIterator<Item: AsRef<OsStr>>>(args: I) -> Self {
        #[expect(clippy::disallowed_methods, reason = "cargo names itself in the environment")]
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut call = Self::new(cargo).args(args);
        let told = env::vars_os().map(|(name, _)| name);
        let is_ours = |name: &OsString| {
            let name = name.to_string_lossy();
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        };
        for name in told.filter(is_ours) {
            call.command.env_remove(name);
        }
        Self { shown: "cargo".into(), ..call }
    }

    /// Adds arguments.
    pub(crate) fn args<I: IntoIterator<Item: AsRef<OsStr>>>(mut self, args: I) -> Self {
        self.command.args(args);
        self
    }

    /// Sets a variable in the environment of the program.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Says what to do when the program fails.
    pub(crate) fn hint(mut self, hint: &str) -> Self {
        hint.clone_into(&mut self.hint);
        self
    }

    /// Shows the line and runs it with our terminal.
    pub(crate) fn run(mut self) -> Result<()> {
        println!("$ {self}");
        let status = self.command.status();
        let status = status.map_err(|error| self.not_started(&error))?;
        if status.success() { Ok(()) } else { Err(self.failed(status)) }
    }

    /// The same for a program that ends with 1 where it finds something.
    pub(crate) fn run_for_findings(mut self) -> Result<()> {
        println!("$ {self}");
        let status = self.command.status();
        let status = status.map_err(|error| self.not_started(&error))?;
        if matches!(status.code(), Some(0 | 1)) { Ok(()) } else { Err(self.failed(status)) }
    }

    /// Runs without input and keeps the output, which is shown only after a failure.
    pub(crate) fn captured(mut self) -> Result<Output> {
        let output = self.command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| self.not_started(&error))?;
        if output.status.success() {
            return Ok(output);
        }
        print!("{}", String::from_utf8_lossy(&output.stdout));
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        Err(self.failed(output.status))
    }

    /// Whether the program can be started and ends well. Its output is dropped.
    pub(crate) fn works(mut self) -> bool {
        let status = self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        status.status().is_ok_and(|status| status.success())
    }

    fn not_started(&self, error: &std::io::Error) -> Failure {
        let message = format!("cannot start `{}`: {error}", self.shown);
        Failure::new(message, "install it, or put its folder on the path")
    }

    fn failed(&self, status: ExitStatus) -> Failure {
        Failure::new(format!("`{self}` failed: {status}"), self.hint.clone())
    }
}

/// The line as one would type it into a shell.
impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is taken out of the environment is nothing that one would type.
        for (name, value) in self.command.get_envs() {
            let Some(value) = value else { continue };
            write!(out, "{}={} ", name.to_string_lossy(), quoted(value))?;
        }
        write!(out, "{}", self.shown)?;
        self.command.get_args().try_for_each(|arg| write!(out, " {}", quoted(arg)))
    }
}

/// One word of a shell line; words with unusual characters get single quotes.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_shows_as_a_shell_line() {
        let call = Call::cargo(["doc", "it's", ""]).env("FLAGS", "-D warnings");
        assert_eq!(call.to_string(), r"FLAGS='-D warnings' cargo doc 'it'\''s' ''");
    }

    #[test]
    fn a_missing_program_is_a_failure_with_a_hint() {
        let missing = "no-such-program-anywhere";
        assert!(!Call::new(missing).works());
        let failure = Call::new(missing).captured().unwrap_err().to_string();
        assert!(failure.contains("cannot start `no-such-program-anywhere`"), "{failure}");
        assert!(failure.contains("\n  hint: "), "{failure}");
    }
}
