//! Parquet and Arrow files that are cut short, overwritten, or have a bit turned.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::types::Int32Type;
use arrow_array::{DictionaryArray, Int64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use muslin_engine::Run;
use muslin_io::{Input, Problem, ReadOptions};
use parquet::basic::Compression;

use crate::case::{CANARY, Case, case};
use crate::formats::gzip;
use crate::tables::{arrow_file, arrow_stream, batch, parquet};

/// A process that takes longer is one that never ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// Two batches of words and numbers.
fn batches() -> [RecordBatch; 2] {
    [0, 1].map(|part: i64| {
        let words: Vec<String> = (0..50).map(|n| format!("{CANARY}{}", n % 7)).collect();
        let numbers: Vec<Option<i64>> = (0..50).map(|n| (n % 9 != 0).then_some(n * part)).collect();
        let keys: DictionaryArray<Int32Type> =
            words.iter().map(|word| Some(word.as_str())).collect();
        batch(vec![
            ("a", Arc::new(StringArray::from_iter_values(&words))),
            ("b", Arc::new(Int64Array::from(numbers))),
            ("c", Arc::new(keys)),
        ])
    })
}

fn files() -> [(&'static str, Vec<u8>); 5] {
    let batches = batches();
    let schema = batches[0].schema();
    [
        ("Parquet", parquet(&schema, &batches, Compression::SNAPPY)),
        ("plain Parquet", parquet(&schema, &batches, Compression::UNCOMPRESSED)),
        ("an Arrow file", arrow_file(&schema, &batches, None)),
        ("a pressed Arrow file", arrow_file(&schema, &batches, Some(CompressionType::LZ4_FRAME))),
        ("an Arrow stream", arrow_stream(&schema, &batches)),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    let [(_, pressed), (_, plain), (_, file), _, (_, stream)] = files();
    let mut all = Vec::new();
    all.extend(cut("Parquet", &pressed, &Problem::Damaged("Parquet")));
    all.extend(cut("Arrow", &file, &Problem::Damaged("Arrow")));
    all.extend(stream_cuts(&stream));
    all.extend(footers(&plain));
    all.extend(arrow_ends(&file, &stream));
    all
}

fn cut(format: &str, bytes: &[u8], problem: &Problem) -> Vec<Case> {
    let whole = bytes.len();
    let near_end = [1, 4, 7, 8, 9, 12, 13, 20, 40].map(|short| whole - short);
    let spread = (1..16).map(|part| whole * part / 16);
    let lengths = [6, 8, 11, 12, 16].into_iter().chain(spread).chain(near_end);
    lengths
        .map(|length| {
            case(format!("{format} cut to {length} bytes"), &bytes[..length]).fails(problem.clone())
        })
        .collect()
}

/// Where the messages of a stream begin: at the marks of four bytes that are all ones.
fn messages(stream: &[u8]) -> Vec<usize> {
    (0..stream.len()).step_by(8).filter(|&at| stream[at..].starts_with(&[0xFF; 4])).collect()
}

/// A cut inside a message shows. One between messages does not have to: a writer may end a stream
/// by closing it, without the message that says so.
fn stream_cuts(stream: &[u8]) -> Vec<Case> {
    let at_messages = messages(stream).into_iter().skip(1).map(|length| {
        let name = format!("a stream cut after a message, at {length} bytes");
        case(name, &stream[..length])
    });
    let inside = (1..24).map(|part| stream.len() * part / 24 + 3);
    let inside = inside.map(|length| {
        case(format!("a stream cut to {length} bytes"), &stream[..length])
            .fails(Problem::Damaged("Arrow"))
    });
    at_messages.chain(inside).collect()
}

fn footers(plain: &[u8]) -> Vec<Case> {
    let end = plain.len();
    let changed = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = plain.to_vec();
        change(&mut bytes);
        case(name, bytes).fails(Problem::Damaged("Parquet"))
    };
    let length = |length: u32| {
        move |bytes: &mut Vec<u8>| bytes[end - 8..end - 4].copy_from_slice(&length.to_le_bytes())
    };
    vec![
        changed("a footer of no length", &length(0)),
        changed("a footer longer than the file", &length(u32::MAX)),
        changed("a footer a little too long", &length(u32::try_from(end).expect("a small file"))),
        changed("a footer of one byte", &length(1)),
        changed("no magic at the end", &|bytes| {
            bytes[end - 4..].copy_from_slice(b"XXXX");
        }),
        changed("a footer of zeros", &|bytes| {
            bytes[end - 200..end - 8].fill(0);
        }),
        changed("a footer of ones", &|bytes| {
            bytes[end - 200..end - 8].fill(0xFF);
        }),
        changed("pages of zeros", &|bytes| bytes[4..200].fill(0)),
        changed("pages of ones", &|bytes| bytes[4..200].fill(0xFF)),
        changed("bytes after the footer", &|bytes| {
            bytes.extend_from_slice(b"more");
        }),
        changed("a byte less in front", &|bytes| {
            bytes.remove(10);
        }),
        changed("only magic", &|bytes| *bytes = b"PAR1PAR1".to_vec()),
    ]
}

fn arrow_ends(file: &[u8], stream: &[u8]) -> Vec<Case> {
    let end = file.len();
    let damaged = || Problem::Damaged("Arrow");
    let changed = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = file.to_vec();
        change(&mut bytes);
        case(name, bytes).fails(damaged())
    };
    let length = |length: i32| {
        move |bytes: &mut Vec<u8>| bytes[end - 10..end - 6].copy_from_slice(&length.to_le_bytes())
    };
    let footer = i32::from_le_bytes(*file[end - 10..].first_chunk().expect("four bytes"));
    let footer = usize::try_from(footer).expect("a length");
    let mut zipped = gzip(stream);
    let sum = zipped.len() - 8;
    zipped[sum] ^= 1;
    vec![
        changed("an Arrow footer of no length", &length(0)),
        changed("an Arrow footer longer than the file", &length(i32::MAX)),
        changed("an Arrow footer of negative length", &length(-1)),
        changed("an Arrow footer of zeros", &|bytes| {
            bytes[end - 10 - footer..end - 10].fill(0);
        }),
        changed("no Arrow magic at the end", &|bytes| {
            bytes[end - 6..].copy_from_slice(b"XXXXXX");
        }),
        changed("only Arrow magic", &|bytes| *bytes = b"ARROW1\0\0".to_vec()),
        case("only the mark of a stream", b"\xFF\xFF\xFF\xFF").fails(damaged()),
        case("a stream without a schema", b"\xFF\xFF\xFF\xFF\0\0\0\0").fails(damaged()),
        case("a stream of a negative length", b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF").fails(damaged()),
        case("a stream of two gigabytes in eight bytes", b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F")
            .fails(damaged()),
        case("a stream in gzip with a wrong sum", zipped).fails(Problem::Damaged("gzip")),
        case("a stream after a stream", [stream, stream].concat()).fails(damaged()),
    ]
}

/// The file with one bit turned, for bits that are drawn the same way every time.
fn flipped(bytes: &[u8], draws: u64) -> impl Iterator<Item = (String, Vec<u8>)> + '_ {
    let bits = bytes.len() as u64 * 8;
    (0..draws).map(move |draw| {
        let bit = draw.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) % bits;
        let mut bytes = bytes.to_vec();
        let at = usize::try_from(bit / 8).expect("a small file");
        bytes[at] ^= 1 << (bit % 8);
        (format!("bit {bit} turned"), bytes)
    })
}

/// A pressed Arrow file of which one buffer says that it is of 32 terabytes.
fn overlong(name: &str, mut bytes: Vec<u8>, magic: [u8; 4]) -> (String, Vec<u8>) {
    let frame = bytes.windows(4).position(|four| four == magic);
    let frame = frame.expect("a buffer that is pressed");
    bytes[frame - 8..frame].copy_from_slice(&(1_i64 << 45).to_le_bytes());
    (format!("32 terabytes said by {name}"), bytes)
}

/// A length in the file may ask for more memory than there is, which ends the whole process, so
/// the files are read in a process of their own. Neither format has sums that would tell every
/// bit, so a load is as right as an error.
fn check_apart(name: &str, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Option<String> {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    for (file, bytes) in files {
        let path = folder.path().join(file + ".bad");
        std::fs::write(path, bytes).expect("the folder can be written to");
    }
    let program = std::env::current_exe().expect("a test has a program");
    let mut child = Command::new(program)
        .args(["--exact", "damage::reads_every_file_here"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a test can be run again");
    let begun = Instant::now();
    let end = loop {
        match child.try_wait().expect("the process is ours") {
            Some(status) if status.success() => return None,
            Some(status) => break status.to_string(),
            None if begun.elapsed() > PATIENCE => {
                child.kill().expect("the process is ours");
                child.wait().expect("the process is ours");
                break "does not end".to_owned();
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let reached = std::fs::read_to_string(folder.path().join("reached")).unwrap_or_default();
    Some(format!("{name}: {end} at {reached}"))
}

#[test]
fn a_turned_bit_ends_no_process() {
    let faults: Vec<String> = files()
        .into_iter()
        .filter_map(|(name, bytes)| check_apart(name, flipped(&bytes, 100)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_length_beyond_all_memory_ends_no_process() {
    let batches = batches();
    let pressed = |by| arrow_file(&batches[0].schema(), &batches, Some(by));
    let lz4 = pressed(CompressionType::LZ4_FRAME);
    let zstd = pressed(CompressionType::ZSTD);
    let faults: Vec<String> = [
        overlong("lz4", lz4, [0x04, 0x22, 0x4D, 0x18]),
        overlong("zstd", zstd, [0x28, 0xB5, 0x2F, 0xFD]),
    ]
    .into_iter()
    .filter_map(|file| check_apart("Arrow", [file]))
    .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Run by the tests above, in a folder of files; anywhere else there are none.
#[test]
fn reads_every_file_here() {
    let files = std::fs::read_dir(".").expect("a folder to be in");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bad"));
    paths.sort_unstable();
    for path in paths {
        std::fs::write("reached", path.display().to_string()).expect("a file");
        let run = Run::new().threads(1).expect("a thread can be had");
        let end = muslin_io::read(&Input::named(&path), &ReadOptions::default(), &run);
        if let Err(error) = end {
            let (shown, debug) = (error.to_string(), format!("{error:?}"));
            assert!(shown.contains("hint: "), "no hint");
            assert!(!shown.contains(CANARY) && !debug.contains(CANARY), "a cell in a message");
        }
    }
}
