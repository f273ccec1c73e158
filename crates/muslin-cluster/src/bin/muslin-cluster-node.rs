//! A scheduler or an executor for tests: `scheduler PORT` or `executor SCHEDULER_PORT PORT FOLDER [BYTES]`,
//! on loopback. The program itself has `muslin cluster`.
#![expect(clippy::print_stderr, reason = "a program says what is wrong")]

use std::process::ExitCode;

use muslin_cluster::{ExecutorSettings, executor, scheduler};
use muslin_engine::Run;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let port = |text: &str| text.parse::<u16>().unwrap_or(0);
    let run = Run::new();
    let served = match args[..] {
        ["scheduler", own] => scheduler(([127, 0, 0, 1], port(own)).into(), &run),
        ["executor", of, own, folder, ref memory @ ..] => {
            let settings = ExecutorSettings {
                scheduler: ("127.0.0.1".into(), port(of)),
                bind: "127.0.0.1".into(),
                host: None,
                port: port(own),
                work_dir: folder.into(),
            };
            let memory = memory.first().and_then(|bytes| bytes.parse().ok());
            run.memory(memory).threads(1).and_then(|run| executor(&settings, &run))
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
