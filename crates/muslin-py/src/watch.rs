//! Work on a thread of its own, while Python is shown how far it is and may interrupt it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use muslin::{Cancel, Progress};
use pyo3::prelude::*;

use crate::errors::Failed;

/// How often Python is asked whether somebody pressed Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);
/// How often it is shown how far the work is.
const SHOW: Duration = Duration::from_millis(200);
/// How long work that is interrupted may take to end by itself.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far the work is.
#[derive(Default)]
pub(crate) struct Gauge {
    stage: Mutex<Option<(&'static str, Option<u64>)>>,
    done: AtomicU64,
}

impl Gauge {
    fn stage_now(&self) -> Option<(&'static str, Option<u64>)> {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, stage: Option<(&'static str, Option<u64>)>) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        self.done.store(0, Ordering::Relaxed);
    }
}

impl Progress for Gauge {
    fn stage(&self, name: &'static str, total: Option<u64>) {
        self.set(Some((name, total)));
    }

    fn advance(&self, amount: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
    }

    fn finish(&self) {
        self.set(None);
    }
}

/// Does `work` without the interpreter's lock, and calls `show(stage, done, total)` while it lasts.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    gauge: &Arc<Gauge>,
    cancel: &Cancel,
    show: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> Result<T, Failed> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(work));
        // What a panic says may hold a value.
        let mistake =
            || Err(Failed::Mistake("muslin made a mistake\n  hint: please report the call".into()));
        let _ = sender.send(done.unwrap_or_else(|_| mistake()));
    });
    let receiver = Mutex::new(receiver);
    let wait = |time| {
        py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time))
    };
    let mut shown = Instant::now();
    loop {
        match wait(LOOK) {
            Ok(done) => return done.map_err(|failed| failed.raise(py)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failed::Mistake("a thread ended".into()).raise(py));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut stopped = py.check_signals();
        if let Some(show) = show.filter(|_| stopped.is_ok() && shown.elapsed() >= SHOW) {
            shown = Instant::now();
            if let Some((stage, total)) = gauge.stage_now() {
                stopped = show.call1((stage, gauge.done.load(Ordering::Relaxed), total)).map(drop);
            }
        }
        if let Err(error) = stopped {
            cancel.cancel();
            let _ = wait(PATIENCE);
            return Err(error);
        }
    }
}
