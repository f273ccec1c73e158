use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};

#[derive(Debug, ClapArgs)]
pub struct Cluster {
    #[command(subcommand)]
    pub node: Node,
}

#[derive(Debug, Subcommand)]
pub enum Node {
    /// Run the scheduler, which hands out work; a cluster has one.
    Scheduler(Scheduler),
    /// Run an executor, which does work; one on each machine.
    Executor(Executor),
}

#[derive(Debug, ClapArgs)]
pub struct Scheduler {
    /// The address and port to listen at; whoever reaches it can read what executors can.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    pub bind: SocketAddr,
}

#[derive(Debug, ClapArgs)]
pub struct Executor {
    /// Where the scheduler is.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050", value_parser = parse_place)]
    pub scheduler: (String, u16),
    /// The address and port to listen at; the next port is used too.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub bind: SocketAddr,
    /// The name by which other machines know this one [default: the address].
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// A folder for what is on its way between executors [default: a temporary one].
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub work_dir: Option<PathBuf>,
}

fn parse_place(text: &str) -> Result<(String, u16), String> {
    let wrong = "a host and a port, such as scheduler.example:50050";
    let (host, port) = text.rsplit_once(':').ok_or(wrong)?;
    let port = port.parse().map_err(|_| wrong)?;
    if host.is_empty() { Err(wrong.into()) } else { Ok((host.to_owned(), port)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_host_and_a_port() {
        assert_eq!(parse_place("one:7"), Ok(("one".into(), 7)));
        assert!(parse_place("one").is_err() && parse_place(":7").is_err());
        assert!(parse_place("one:many").is_err());
    }
}
