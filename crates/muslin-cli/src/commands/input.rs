use muslin::{InputReport, printable};

use crate::style::{Style, counted};

/// The first line of a report: the file, its shape and its form.
pub(super) fn title(input: &InputReport, rows: u64, columns: usize, style: &Style) -> String {
    let title = format!(
        "{}: {}, {} ({})",
        printable(&input.file),
        counted(rows, "row"),
        counted(columns as u64, "column"),
        describe(input, columns)
    );
    style.wrap(&title, 2)
}

/// How an input of some columns was read, in a few words.
fn describe(input: &InputReport, columns: usize) -> String {
    let mut parts = vec![input.format.clone()];
    parts.extend(input.compression.clone());
    if let Some(delimiter) = input.delimiter.filter(|_| columns > 1) {
        parts.push(match delimiter {
            '\t' => "tab between fields".into(),
            delimiter => format!("`{delimiter}` between fields"),
        });
    }
    if input.header == Some(false) {
        parts.push("no header".into());
    }
    parts.extend(input.encoding.clone().filter(|encoding| encoding != "utf-8"));
    if input.decimal_comma == Some(true) {
        parts.push("decimal comma".into());
    }
    parts.join(", ")
}
