//! Command line to [`Command`]; nothing here runs anything.

use crate::bench::{Part, Settings, Subject};
use crate::check::Scope;
use crate::failure::{Failure, Result};
use crate::generate::Mode;

/// What `cargo xtask help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo xtask COMMAND [OPTIONS]

commands:
  check [--fast]     what every change must pass: format, lints, deps, gen --check, tests,
                     docs, licences, each feature alone; --fast stops before the tests
  test [ARGS..]      tests, doc tests and examples; ARGS go to the test runner
  bench [OPTIONS] [ARGS..]
                     benchmarks; ARGS go to the benchmark programs
      --instructions   count instructions with valgrind instead
      --peers          compare with other readers instead; ARGS go to benches/peers/read.py
      --peers-uniques  compare minimal uniques instead; ARGS go to benches/peers/uniques.py
      --peers-keys     compare minimal keys instead; ARGS go to benches/peers/keys.py
      --scale          ask about a table larger than memory instead; ARGS are its rows and files
  demo               build the program and run it on example data
  gen [--check]      write the generated files that are checked in; --check only compares
  deps               check arrows between our crates, licences, bans and manifests
  python             build the Python package, install it on the side and run its tests
  help               print this text
";

/// One command with its options.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Print the usage text.
    Help,
    /// The gate.
    Check(Scope),
    /// Tests, doc tests, examples; the arguments are for the test runner.
    Test(Vec<String>),
    /// Benchmarks.
    Bench(Settings),
    /// The program on example data.
    Demo,
    /// Generated files.
    Gen(Mode),
    /// Dependencies.
    Deps,
    /// The Python package.
    Python,
}

/// Understands `args`, the command line without the name of the program.
pub(crate) fn parse(args: &[String]) -> Result<Command> {
    let Some((name, rest)) = args.split_first() else {
        return Err(Failure::usage("no command given"));
    };
    if matches!(rest.first().map(String::as_str), Some("-h" | "--help")) {
        return Ok(Command::Help);
    }
    match name.as_str() {
        "help" | "-h" | "--help" => Ok(Command::Help),
        "check" => Ok(Command::Check(switch(name, rest, "--fast", Scope::Full, Scope::Fast)?)),
        "test" => Ok(Command::Test(rest.to_vec())),
        "bench" => parse_bench(rest).map(Command::Bench),
        "demo" => nothing(name, rest).map(|()| Command::Demo),
        "gen" => Ok(Command::Gen(switch(name, rest, "--check", Mode::Write, Mode::Check)?)),
        "deps" => nothing(name, rest).map(|()| Command::Deps),
        "python" => nothing(name, rest).map(|()| Command::Python),
        other => Err(Failure::usage(format!("no such command: `{other}`"))),
    }
}

/// Accepts no arguments.
fn nothing(command: &str, rest: &[String]) -> Result<()> {
    match rest.first() {
        None => Ok(()),
        Some(arg) => Err(unexpected(command, arg)),
    }
}

/// Accepts at most the one switch `flag`: `off` without it, `on` with it.
fn switch<T>(command: &str, rest: &[String], flag: &str, off: T, on: T) -> Result<T> {
    match rest {
        [] => Ok(off),
        [arg] if arg == flag => Ok(on),
        [first, second, ..] if first == flag => Err(unexpected(command, second)),
        [arg, ..] => Err(unexpected(command, arg)),
    }
}

/// Our own options may stand anywhere before a `--`; everything else is passed on.
fn parse_bench(rest: &[String]) -> Result<Settings> {
    let mut settings = Settings { parts: Vec::new(), args: Vec::new() };
    let mut rest = rest.iter();
    while let Some(arg) = rest.next() {
        let part = match arg.as_str() {
            "--instructions" => Part::Instructions,
            "--peers" => Part::Peers(Subject::Read),
            "--peers-uniques" => Part::Peers(Subject::Uniques),
            "--peers-keys" => Part::Peers(Subject::Keys),
            "--scale" => Part::Scale,
            "--" => {
                settings.args.extend(rest.by_ref().cloned());
                break;
            }
            _ => {
                settings.args.push(arg.clone());
                continue;
            }
        };
        if !settings.parts.contains(&part) {
            settings.parts.push(part);
        }
    }
    if settings.parts.is_empty() {
        settings.parts.push(Part::Benches);
    }
    if let ([Part::Instructions], Some(arg)) = (&settings.parts[..], settings.args.first()) {
        return Err(unexpected("bench --instructions", arg));
    }
    Ok(settings)
}

fn unexpected(command: &str, arg: &str) -> Failure {
    Failure::usage(format!("unexpected argument for `{command}`: `{arg}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<Command> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&args).ok()
    }

    fn bench(parts: &[Part], args: &[&str]) -> Command {
        let args = args.iter().copied().map(str::to_owned).collect();
        let parts = parts.to_vec();
        Command::Bench(Settings { parts, args })
    }

    #[test]
    fn each_command_is_understood() {
        assert_eq!(parsed("check"), Some(Command::Check(Scope::Full)));
        assert_eq!(parsed("check --fast"), Some(Command::Check(Scope::Fast)));
        assert_eq!(parsed("demo"), Some(Command::Demo));
        assert_eq!(parsed("gen"), Some(Command::Gen(Mode::Write)));
        assert_eq!(parsed("gen --check"), Some(Command::Gen(Mode::Check)));
        assert_eq!(parsed("deps"), Some(Command::Deps));
        assert_eq!(parsed("help"), Some(Command::Help));
        assert_eq!(parsed("bench --help"), Some(Command::Help));
    }

    #[test]
    fn test_passes_everything_on() {
        let args = ["-p", "muslin-io", "--", "--nocapture"].map(str::to_owned).to_vec();
        assert_eq!(parsed("test -p muslin-io -- --nocapture"), Some(Command::Test(args)));
    }

    #[test]
    fn bench_keeps_its_own_options_and_passes_on_the_rest() {
        let both = [Part::Peers(Subject::Read), Part::Instructions];
        for (line, expected) in [
            ("bench", bench(&[Part::Benches], &[])),
            ("bench read", bench(&[Part::Benches], &["read"])),
            ("bench -- --peers", bench(&[Part::Benches], &["--peers"])),
            ("bench --peers -n 5", bench(&[Part::Peers(Subject::Read)], &["-n", "5"])),
            ("bench --peers --instructions --peers", bench(&both, &[])),
            ("bench --peers-keys", bench(&[Part::Peers(Subject::Keys)], &[])),
            ("bench --scale 1000 2", bench(&[Part::Scale], &["1000", "2"])),
        ] {
            assert_eq!(parsed(line), Some(expected), "`{line}`");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for line in [
            "",
            "chekc",
            "check --slow",
            "check --fast --fast",
            "demo now",
            "gen --check x",
            "deps --all",
            "bench --instructions read",
        ] {
            assert_eq!(parsed(line), None, "`{line}` was accepted");
        }
    }
}
