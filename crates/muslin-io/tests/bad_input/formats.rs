//! Files of other formats, and files around which there is compression.

use std::io::Write;

use muslin_io::Problem;

use crate::case::{CANARY, Case, case, col, lines};

pub(crate) fn cases() -> Vec<Case> {
    let mut all = others();
    all.extend(texts());
    all.extend(compressed());
    all.extend(cut());
    all
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).expect("memory can be written to");
    encoder.finish().expect("memory can be written to")
}

fn zstd(content: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("a level that there is");
    encoder.include_checksum(true).expect("a setting that there is");
    encoder.write_all(content).expect("memory can be written to");
    encoder.finish().expect("memory can be written to")
}

fn others() -> Vec<Case> {
    let files: Vec<(&str, Vec<u8>, &'static str)> = vec![
        ("a zip archive", b"PK\x03\x04\x14\0\0\0".into(), "a zip archive or an Excel workbook"),
        ("an old workbook", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".into(), "an old Excel workbook"),
        ("bzip2", b"BZh91AY&SY".into(), "bzip2 data"),
        ("xz", b"\xFD7zXZ\0\0".into(), "xz data"),
        ("SPSS", b"$FL2@(#) SPSS DATA FILE".into(), "an SPSS file"),
        ("Stata", b"<stata_dta><header>".into(), "a Stata file"),
        ("SQLite", b"SQLite format 3\0".into(), "an SQLite database"),
        ("ORC", b"ORC\x0A\x06\x08".into(), "an ORC file"),
        ("Avro", b"Obj\x01\x04\x14avro.codec".into(), "an Avro file"),
        ("PDF", b"%PDF-1.7\n".into(), "a PDF"),
        ("Feather of version one", b"FEA1\0\0\0\0".into(), "a Feather file of version 1"),
        ("encrypted Parquet", b"PARE\0\0\0\0PARE".into(), "encrypted Parquet"),
        ("compress", b"\x1F\x9D\x90a".into(), "compress data"),
    ];
    told(files)
}

fn told(files: Vec<(&str, Vec<u8>, &'static str)>) -> Vec<Case> {
    files
        .into_iter()
        .map(|(name, bytes, told)| case(name, bytes).fails(Problem::OtherFormat(told)))
        .collect()
}

fn texts() -> Vec<Case> {
    let files: Vec<(&str, Vec<u8>, &'static str)> = vec![
        ("an object of JSON", format!("{{\"a\": \"{CANARY}\"}}").into(), "JSON"),
        ("lines of JSON", format!("{{\"a\": 1, \"b\": \"{CANARY}\"}}\n").repeat(3).into(), "JSON"),
        ("a list of JSON", format!("[{{\"a\": \"{CANARY}\"}}]").into(), "JSON"),
        ("a list of JSON on lines", format!("[\n  {{\"a\": \"{CANARY}\"}}\n]\n").into(), "JSON"),
        (
            "a list of JSON with CR LF",
            format!("[\r\n  {{\"a\": \"{CANARY}\"}}\r\n]\r\n").into(),
            "JSON",
        ),
        ("a list of JSON with a space", format!("[ {{\"a\": \"{CANARY}\"}} ]").into(), "JSON"),
        (
            "an object of JSON on lines",
            format!("{{\n  \"a\": \"{CANARY}\",\n  \"b\": 1\n}}\n").into(),
            "JSON",
        ),
        (
            "an object of JSON with a space",
            format!("{{ \"a\": \"{CANARY}\", \"b\": 1 }}\n").into(),
            "JSON",
        ),
        (
            "JSON after a mark",
            format!("\u{FEFF}{{\"a\": 1, \"b\": \"{CANARY}\"}}\n").into(),
            "JSON",
        ),
        ("a web page", format!("<!DOCTYPE html>\n<p>{CANARY}, 1").into(), "a web page or XML"),
        ("a web page after spaces", format!("\n  <HTML>\n<p>{CANARY}").into(), "a web page or XML"),
        (
            "XML after a mark",
            format!("\u{FEFF}<?xml version=\"1.0\"?>\n<a>{CANARY}</a>").into(),
            "a web page or XML",
        ),
        ("gzip in gzip", gzip(&gzip(b"a,b\n1,2\n")), "data that was compressed twice"),
        ("a workbook in gzip", gzip(b"PK\x03\x04\x14\0"), "a zip archive or an Excel workbook"),
    ];
    told(files)
}

fn compressed() -> Vec<Case> {
    let table = || [col("a", "integer", &["1"]), col("b", "text", &["x"])];
    let text = b"a,b\n1,x\n";
    let mut wrong_sum = gzip(text);
    let sum = wrong_sum.len() - 8;
    wrong_sum[sum] ^= 1;
    let mut wrong_zstd_sum = zstd(text);
    let sum = wrong_zstd_sum.len() - 1;
    wrong_zstd_sum[sum] ^= 1;
    vec![
        case("text in gzip", gzip(text)).loads(table()),
        case("text in zstd", zstd(text)).loads(table()),
        case("gzip in two members", [gzip(b"a,b\n1"), gzip(b",x\n")].concat()).loads(table()),
        case("zstd in two frames", [zstd(b"a,b\n1"), zstd(b",x\n")].concat()).loads(table()),
        case("nothing in gzip", gzip(b"")).fails(Problem::Empty),
        case("nothing in zstd", zstd(b"")).fails(Problem::Empty),
        case("a bad byte in gzip", gzip(b"a,b\n1,\xFC\n"))
            .fails(Problem::NotEncoded("UTF-8"))
            .line(2)
            .column("b"),
        case("gzip with a wrong sum", wrong_sum).fails(Problem::Damaged("gzip")),
        case("zstd with a wrong sum", wrong_zstd_sum).fails(Problem::Damaged("zstd")),
        case("bytes after gzip", [gzip(text), b"garbage".into()].concat())
            .fails(Problem::Damaged("gzip")),
        case("bytes after zstd", [zstd(text), b"garbage".into()].concat())
            .fails(Problem::Damaged("zstd")),
        case("only the first bytes of gzip", b"\x1F\x8B").fails(Problem::Damaged("gzip")),
        case("only the first bytes of zstd", b"\x28\xB5\x2F\xFD").fails(Problem::Damaged("zstd")),
    ]
}

/// Compressed text that ends early, at many lengths.
fn cut() -> Vec<Case> {
    // Words that repeat little, so that the compressed text is long enough to cut.
    let rows = lines(
        (0_u64..20_000).map(|n| format!("{:x},{CANARY}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15))),
    );
    let text = format!("a,b\n{rows}");
    let files = [("gzip", gzip(text.as_bytes())), ("zstd", zstd(text.as_bytes()))];
    let lengths = |whole: usize| {
        let near_end = [1, 2, 4, 7, 8, 9, 12].map(|short| whole - short);
        let spread = (1..12).map(move |part| whole * part / 12);
        [4, 5, 10, 18].into_iter().chain(spread).chain(near_end)
    };
    let mut all = Vec::new();
    for (name, bytes) in &files {
        all.extend(lengths(bytes.len()).map(|length| {
            case(format!("{name} cut to {length} bytes"), &bytes[..length])
                .fails(Problem::Damaged(name))
        }));
    }
    all
}
