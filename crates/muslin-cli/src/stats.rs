use std::time::Instant;

/// Peak memory of this program so far, in bytes, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The line that `--stats` prints.
#[expect(clippy::cast_precision_loss, reason = "a few digits are printed")]
pub(crate) fn line(started: Instant, rows: u64) -> String {
    let seconds = started.elapsed().as_secs_f64();
    let memory = peak_memory()
        .map_or("not known on this system".into(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6));
    format!("{rows} rows in {seconds:.3} s; peak memory {memory}")
}
