//! A scheduler or an executor for tests, on loopback: `scheduler PORT ROOT TOKEN_FILE` or
//! `executor SCHEDULER_PORT PORT FOLDER ROOT TOKEN_FILE [BYTES]`; `-` is no token. The program itself has `muslin cluster`.
#![expect(clippy::print_stderr, reason = "a program says what is wrong")]

use std::net::Ipv4Addr;
use std::path::Path;
use std::process::ExitCode;

use muslin_cluster::{ExecutorSettings, SchedulerSettings, Token, executor, scheduler};
use muslin_engine::{Result, Run};
use muslin_engine_datafusion::Roots;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = Run::new();
    let served = match args[..] {
        ["scheduler", own, root, token] => serve_scheduler(own, root, token, &run),
        ["executor", of, own, folder, root, token, ref memory @ ..] => {
            let memory = memory.first().and_then(|bytes| bytes.parse().ok());
            let run = run.memory(memory).threads(1);
            run.and_then(|run| serve_executor([of, own, folder, root, token], &run))
        }
        _ => return ExitCode::from(2),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn port(text: &str) -> u16 {
    text.parse().unwrap_or(0)
}

fn token(file: &str) -> Result<Option<Token>> {
    if file == "-" { Ok(None) } else { Token::read(Path::new(file)).map(Some) }
}

fn serve_scheduler(own: &str, root: &str, file: &str, run: &Run) -> Result<()> {
    let settings = SchedulerSettings {
        bind: (Ipv4Addr::LOCALHOST, port(own)).into(),
        roots: Roots::new(&[root.to_owned()])?,
        token: token(file)?,
    };
    scheduler(&settings, run)
}

fn serve_executor([of, own, folder, root, file]: [&str; 5], run: &Run) -> Result<()> {
    let settings = ExecutorSettings {
        scheduler: ("127.0.0.1".into(), port(of)),
        bind: Ipv4Addr::LOCALHOST.into(),
        host: None,
        port: port(own),
        work_dir: folder.into(),
        roots: Roots::new(&[root.to_owned()])?,
        token: token(file)?,
    };
    executor(&settings, run)
}
