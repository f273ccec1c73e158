use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use muslin::Progress;

/// A bar on a terminal; nothing anywhere else.
pub(crate) struct Bar {
    bar: ProgressBar,
    template: &'static str,
}

/// What a bar shows on a terminal of some columns, in one line.
fn template(columns: u16) -> &'static str {
    match columns {
        ..50 => "{msg} {percent}%",
        50..70 => "{msg} [{bar:10}] {percent}% {elapsed}",
        70..90 => "{msg} [{bar:10}] {percent}% {elapsed} (about {eta} left)",
        90.. => "{msg} [{bar:30}] {percent}% {elapsed} (about {eta} left)",
    }
}

impl Bar {
    /// A bar on standard error, if that is a terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown {
            ProgressDrawTarget::stderr_with_hz(8)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let size = terminal_size::terminal_size_of(std::io::stderr());
        let template = template(size.map_or(u16::MAX, |(columns, _)| columns.0));
        // Until there is a stage, there is nothing to draw.
        Self {
            bar: bar.with_style(
                ProgressStyle::with_template("{msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            ),
            template,
        }
    }
}

/// Work that ends with an error ends its bar too, before the error is printed.
impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Progress for Bar {
    fn stage(&self, name: &'static str, total: Option<u64>) {
        let template = match total {
            Some(_) => self.template,
            None => "{msg} {spinner} {elapsed}",
        };
        self.bar.set_message(name);
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("=> "));
        }
        self.bar.reset();
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        self.bar.enable_steady_tick(Duration::from_millis(250));
    }

    fn advance(&self, amount: u64) {
        self.bar.inc(amount);
    }

    fn finish(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }
}
