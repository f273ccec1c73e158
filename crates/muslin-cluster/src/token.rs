//! The shared secret of a cluster: who shows it is let in.
//!
//! Ballista sets up most of its connections by itself, and the user agent is the only header that it lets others set on
//! all of them. So that is where the token travels, on every request from the asking program to the scheduler, from
//! executors to the scheduler, and from both to executors.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;

use ballista_core::extension::EndpointOverrideFn;
use muslin_engine::{Error, Fault, Result};
use muslin_engine_datafusion::Carried;
use subtle::ConstantTimeEq;
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// Fewest characters of a token.
const SHORTEST: usize = 32;
/// Most bytes of the file that holds one.
const LONGEST: u64 = 4096;
/// What a user agent with a token begins with.
const AGENT: &str = "muslin/";

/// A secret that the machines of a cluster and those who ask it share.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// The token in a file that nobody else can read.
    pub fn read(path: &Path) -> Result<Self> {
        let wrong = |reason: &str, hint: &str| Error::Elsewhere {
            fault: Fault::Question,
            reason: format!("token file {}: {reason}", path.display()),
            hint: hint.to_owned(),
        };
        let unreadable = |error: std::io::Error| {
            wrong(&format!("cannot be read: {}", error.kind()), "check the name")
        };
        let file = File::open(path).map_err(unreadable)?;
        let about = file.metadata().map_err(unreadable)?;
        if !about.is_file() {
            return Err(wrong("is not a file", "name an ordinary file that holds the token"));
        }
        if is_shared(&about) {
            return Err(wrong(
                "other users of this machine can read or change it",
                "run `chmod 600` on it, and make a new token if they may have read it",
            ));
        }
        let mut text = String::new();
        file.take(LONGEST + 1).read_to_string(&mut text).map_err(|_| {
            wrong(
                "is not text",
                "make a token, as in `(umask 077; openssl rand -hex 32 > cluster.token)`",
            )
        })?;
        let token = text.trim();
        let is_plain = token.bytes().all(|byte| byte.is_ascii_graphic());
        if token.len() < SHORTEST || text.len() as u64 > LONGEST || !is_plain {
            return Err(wrong(
                "does not hold a token, which has at least 32 printable characters and no spaces",
                "make one, as in `(umask 077; openssl rand -hex 32 > cluster.token)`",
            ));
        }
        Ok(Self(token.into()))
    }

    /// Whether a request brings this token.
    fn is_shown(&self, request: &Request<()>) -> bool {
        let agent = request.metadata().get("user-agent").map_or(&b""[..], |own| own.as_bytes());
        let shown = agent.strip_prefix(AGENT.as_bytes()).unwrap_or_default();
        let shown = shown.split(|&byte| byte == b' ').next().unwrap_or_default();
        shown.ct_eq(self.0.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(unix)]
fn is_shared(about: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0
}

/// Who else can read a file is not found out here.
#[cfg(not(unix))]
fn is_shared(_: &std::fs::Metadata) -> bool {
    false
}

/// Puts the token on every request of a connection.
pub(crate) fn shown(token: Option<&Token>) -> EndpointOverrideFn {
    let agent = token.map(|token| format!("{AGENT}{}", token.0));
    Arc::new(move |endpoint| match &agent {
        Some(agent) => Ok(endpoint.user_agent(agent.as_str())?),
        None => Ok(endpoint),
    })
}

/// Lets in who shows the token; everybody, where there is none.
#[derive(Clone, Debug)]
pub(crate) struct Guard(Option<Token>);

impl Guard {
    pub(crate) fn new(token: Option<&Token>) -> Self {
        Self(token.cloned())
    }
}

impl Interceptor for Guard {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        match &self.0 {
            Some(token) if !token.is_shown(&request) => {
                Err(Status::unauthenticated(Carried::NoToken.text()))
            }
            _ => Ok(request),
        }
    }
}

/// Without a token, everybody who reaches an address is let in: on this machine alone that may do.
pub(crate) fn check_open(token: Option<&Token>, what: &str, is_here: bool) -> Result<()> {
    if token.is_some() || is_here {
        return Ok(());
    }
    Err(Error::Elsewhere {
        fault: Fault::Question,
        reason: format!("{what} is not limited to this machine, and no token was given"),
        hint: "pass `--token-file FILE`, the same on scheduler, executors and asking programs; make one with \
               `(umask 077; openssl rand -hex 32 > cluster.token)`"
            .into(),
    })
}

/// Whether a host is this machine and nothing else.
pub(crate) fn is_here(host: &str, port: u16) -> bool {
    let host = host.trim_matches(['[', ']']);
    let found: Vec<SocketAddr> =
        (host, port).to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    !found.is_empty() && found.iter().map(SocketAddr::ip).all(|ip| is_loopback(&ip))
}

pub(crate) fn is_loopback(ip: &IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const GOOD: &str = "0123456789abcdef0123456789abcdef";

    fn file(content: &[u8], mode: u32) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(mode))
            .unwrap();
        file
    }

    fn request(agent: Option<&str>) -> Request<()> {
        let mut request = Request::new(());
        if let Some(agent) = agent {
            request.metadata_mut().insert("user-agent", agent.parse().unwrap());
        }
        request
    }

    #[test]
    fn a_token_is_read_from_a_private_file_alone() {
        let own = file(format!("{GOOD}\n").as_bytes(), 0o600);
        let token = Token::read(own.path()).unwrap();
        assert_eq!(&*token.0, GOOD);
        assert_eq!(format!("{token:?}"), "Token(..)");
        for mode in [0o640, 0o604, 0o620, 0o644] {
            let error = Token::read(file(GOOD.as_bytes(), mode).path()).unwrap_err().to_string();
            assert!(error.contains("other users of this machine can read or change it"), "{error}");
        }
        let long = GOOD.repeat(200);
        let spaced = GOOD.replace('7', " ");
        for wrong in [&GOOD[1..], "", &long, &spaced, "ä0123456789abcdef0123456789abcdef"] {
            let error = Token::read(file(wrong.as_bytes(), 0o600).path()).unwrap_err().to_string();
            assert!(error.contains("does not hold a token"), "{error}");
            assert!(wrong.is_empty() || !error.contains(wrong), "a token is in a message");
        }
        assert!(Token::read(Path::new("/nowhere/token")).is_err());
        assert!(Token::read(&std::env::temp_dir()).is_err());
    }

    #[test]
    fn only_who_shows_the_token_is_let_in() {
        let token = Token(GOOD.into());
        let mut guard = Guard::new(Some(&token));
        let mut is_let_in = |agent: Option<String>| guard.call(request(agent.as_deref())).is_ok();
        assert!(is_let_in(Some(format!("muslin/{GOOD} tonic/0.14"))));
        assert!(is_let_in(Some(format!("muslin/{GOOD}"))));
        for agent in [
            None,
            Some(String::new()),
            Some(GOOD.to_owned()),
            Some(format!("muslin/{}", &GOOD[1..])),
            Some(format!("muslin/{GOOD}0")),
            Some("muslin/".to_owned()),
            Some("muslin/fedcba9876543210fedcba9876543210".to_owned()),
        ] {
            assert!(!is_let_in(agent.clone()), "{agent:?}");
        }
        assert!(Guard::new(None).call(request(None)).is_ok());
    }

    #[test]
    fn addresses_of_others_ask_for_a_token() {
        let token = Token(GOOD.into());
        assert!(check_open(None, "the scheduler", true).is_ok());
        assert!(check_open(Some(&token), "the scheduler", false).is_ok());
        assert!(check_open(None, "the scheduler", false).is_err());
        for (host, here) in [
            ("127.0.0.1", true),
            ("127.8.8.8", true),
            ("::1", true),
            ("[::1]", true),
            ("[::]", false),
            ("::ffff:127.0.0.1", true),
            ("0.0.0.0", false),
            ("::", false),
            ("10.0.0.1", false),
            ("192.168.1.1", false),
        ] {
            assert_eq!(is_here(host, 1), here, "{host}");
        }
    }
}
