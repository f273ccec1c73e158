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
    /// The address and port to listen at.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    pub bind: SocketAddr,
    #[command(flatten)]
    pub access: Access,
}

/// Who may ask a machine of a cluster, and what it may read.
#[derive(Debug, ClapArgs)]
pub struct Access {
    /// A folder, or a prefix such as `s3://bucket/visits/`, below which tables may be read; may be repeated. Nothing else is
    /// read.
    #[arg(long = "root", value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    pub roots: Vec<String>,
    /// File with the secret token that everyone must present: at least 32 characters, readable only by its owner. Required
    /// on any address but this machine's own (`127.0.0.1`, `::1`).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub token_file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Executor {
    /// Where the scheduler is.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050", value_parser = parse_place)]
    pub scheduler: (String, u16),
    /// The address and port to listen at.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub bind: SocketAddr,
    /// The name by which other machines know this one [default: the address].
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// The folder in which the executor makes a private one for data in transit [default: the system's temporary folder].
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub work_dir: Option<PathBuf>,
    #[command(flatten)]
    pub access: Access,
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
