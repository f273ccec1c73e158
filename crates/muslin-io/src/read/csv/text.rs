//! Bytes of any encoding to blocks of UTF-8 text that end with a line.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder};
use serde::{Deserialize, Serialize};

use super::tokens::PADDING;
use crate::Problem;

/// How the characters of a text are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    Utf8,
    /// UTF-16, low byte first.
    Utf16le,
    /// UTF-16, high byte first.
    Utf16be,
    /// ISO 8859-1: each byte is the character of that number.
    Latin1,
    /// The Western code page of Windows.
    Windows1252,
}

impl Encoding {
    /// Every encoding, in the order in which help texts list them.
    pub const ALL: [Self; 5] =
        [Self::Utf8, Self::Utf16le, Self::Utf16be, Self::Latin1, Self::Windows1252];

    /// The encoding's name, as flags and policy files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16le => "utf-16le",
            Self::Utf16be => "utf-16be",
            Self::Latin1 => "latin-1",
            Self::Windows1252 => "windows-1252",
        }
    }

    /// What stands before a text in this encoding, so that readers know it.
    pub(crate) fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf16le => &[0xFF, 0xFE],
            Self::Utf16be => &[0xFE, 0xFF],
            Self::Utf8 | Self::Latin1 | Self::Windows1252 => &[],
        }
    }

    /// UTF-8 text in this encoding; nothing where a character is not in it.
    pub(crate) fn encode(self, text: Vec<u8>) -> Option<Vec<u8>> {
        if self == Self::Utf8 {
            return Some(text);
        }
        let text = String::from_utf8(text).ok()?;
        match self {
            Self::Utf8 => Some(text.into_bytes()),
            Self::Utf16le => Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Self::Utf16be => Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Self::Latin1 => text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect(),
            Self::Windows1252 => {
                let (bytes, _, has_others) = encoding_rs::WINDOWS_1252.encode(&text);
                (!has_others).then(|| bytes.into_owned())
            }
        }
    }

    /// The encoding that the first bytes show: by their mark, or by the zeros that UTF-16 has
    /// in every second byte of plain text.
    fn sniff(head: &[u8]) -> Self {
        match head {
            [0xFF, 0xFE, ..] => return Self::Utf16le,
            [0xFE, 0xFF, ..] => return Self::Utf16be,
            [0xEF, 0xBB, 0xBF, ..] => return Self::Utf8,
            _ => {}
        }
        let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|&&b| b == 0).count();
        let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
        match (even, odd) {
            (0, odd) if odd * 10 >= half * 7 && odd > 0 => Self::Utf16le,
            (even, 0) if even * 10 >= half * 7 && even > 0 => Self::Utf16be,
            _ => Self::Utf8,
        }
    }
}

/// A stretch of text that ends with a line or with the input, and padding after it.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) text: Vec<u8>,
    /// Length without the padding.
    pub(super) len: usize,
    /// Bytes of the input that it was made from.
    pub(super) consumed: u64,
    /// Whether the input ends with it.
    pub(super) last: bool,
}

/// Why there is no further block.
#[derive(Debug)]
pub(super) enum TextFault {
    Io(io::Error),
    Text(Problem),
}

/// Cuts an input into blocks.
pub(super) struct Blocks {
    source: TextSource<Box<dyn Read + Send>>,
    /// The begun line after the last block.
    rest: Vec<u8>,
    /// What held the text of blocks that are done with.
    spares: Vec<Vec<u8>>,
    block_bytes: usize,
    pub(super) encoding: Encoding,
}

/// Text per block and few threads.
const BLOCK_BYTES: usize = 1 << 20;
/// No record of a table about people is longer than this.
pub(super) const RECORD_LIMIT: usize = 64 << 20;

impl Blocks {
    /// Starts reading. The first bytes decide the encoding unless it is given.
    pub(super) fn start(
        mut content: Box<dyn Read + Send>,
        encoding: Option<Encoding>,
    ) -> Result<Self, TextFault> {
        let mut head = Vec::new();
        content.by_ref().take(4096).read_to_end(&mut head).map_err(TextFault::Io)?;
        let encoding = encoding.unwrap_or_else(|| Encoding::sniff(&head));
        let content: Box<dyn Read + Send> = Box::new(io::Cursor::new(head).chain(content));
        let source = TextSource::new(content, encoding);
        // A block keeps every thread busy, and no more: all of it is fresh memory once.
        let block_bytes = BLOCK_BYTES * rayon::current_num_threads().div_ceil(4).min(4);
        Ok(Self { source, rest: Vec::new(), spares: Vec::new(), block_bytes, encoding })
    }

    /// Takes back the text of a block that is done with.
    pub(super) fn give_back(&mut self, text: Vec<u8>) {
        self.spares.push(text);
    }

    /// The next block; to be called until one is the last or there is a fault.
    pub(super) fn next(&mut self) -> Result<Block, TextFault> {
        let mut text = self.spares.pop().unwrap_or_default();
        text.clear();
        text.reserve(self.rest.len() + self.block_bytes + PADDING);
        text.append(&mut self.rest);
        let mut consumed = 0;
        loop {
            let wanted = text.len() + self.block_bytes;
            let mut over = false;
            while text.len() < wanted && !over {
                let (read, ended) = self.source.read_into(&mut text, wanted)?;
                consumed += read;
                over = ended;
            }
            if over {
                let len = text.len();
                text.resize(len + PADDING, 0);
                return Ok(Block { text, len, consumed, last: true });
            }
            if let Some(end) = last_line_end(&text) {
                self.rest.extend_from_slice(&text[end + 1..]);
                text.truncate(end + 1);
                let len = text.len();
                text.resize(len + PADDING, 0);
                return Ok(Block { text, len, consumed, last: false });
            }
            if text.len() > RECORD_LIMIT {
                return Err(TextFault::Text(Problem::LongRecord(RECORD_LIMIT)));
            }
        }
    }
}

/// The last place where a block can be cut: a line feed or, where there is none, a carriage return.
fn last_line_end(text: &[u8]) -> Option<usize> {
    memchr::memrchr(b'\n', text).or_else(|| {
        // The last byte may be half of a CR LF.
        memchr::memrchr(b'\r', &text[..text.len().saturating_sub(1)])
    })
}

/// Reads bytes and gives UTF-8.
struct TextSource<R> {
    content: R,
    decoder: Option<TextDecoder>,
    raw: Vec<u8>,
    started: bool,
}

enum TextDecoder {
    Latin1,
    Other(Box<Decoder>, &'static str),
}

impl<R: Read> TextSource<R> {
    fn new(content: R, encoding: Encoding) -> Self {
        let other = |encoding: &'static encoding_rs::Encoding, name| {
            TextDecoder::Other(Box::new(encoding.new_decoder_with_bom_removal()), name)
        };
        let decoder = match encoding {
            Encoding::Utf8 => None,
            Encoding::Latin1 => Some(TextDecoder::Latin1),
            Encoding::Utf16le => Some(other(encoding_rs::UTF_16LE, "UTF-16")),
            Encoding::Utf16be => Some(other(encoding_rs::UTF_16BE, "UTF-16")),
            Encoding::Windows1252 => Some(other(encoding_rs::WINDOWS_1252, "Windows-1252")),
        };
        Self { content, decoder, raw: Vec::new(), started: false }
    }

    /// Appends text up to about `wanted` bytes in all; bytes consumed and whether it was the end.
    fn read_into(&mut self, text: &mut Vec<u8>, wanted: usize) -> Result<(u64, bool), TextFault> {
        let room = (wanted - text.len()).max(1);
        let Some(decoder) = &mut self.decoder else {
            let before = text.len();
            let read = (&mut self.content).take(room as u64).read_to_end(text);
            let read = read.map_err(TextFault::Io)?;
            if !std::mem::replace(&mut self.started, true)
                && text[before..].starts_with(b"\xEF\xBB\xBF")
            {
                text.drain(before..before + 3);
            }
            return Ok((read as u64, read < room));
        };
        // A third of the room: a byte may become up to three.
        let raw_room = (room / 3).max(64);
        self.raw.clear();
        let read = (&mut self.content).take(raw_room as u64).read_to_end(&mut self.raw);
        let read = read.map_err(TextFault::Io)?;
        let last = read < raw_room;
        match decoder {
            TextDecoder::Latin1 => {
                text.extend(self.raw.iter().flat_map(|&byte| {
                    let mut utf8 = [0; 2];
                    let len = char::from(byte).encode_utf8(&mut utf8).len();
                    utf8.into_iter().take(len)
                }));
            }
            TextDecoder::Other(decoder, name) => {
                let before = text.len();
                let most = decoder.max_utf8_buffer_length(read).unwrap_or(read * 4 + 16);
                text.resize(before + most, 0);
                let (result, _, written, replaced) =
                    decoder.decode_to_utf8(&self.raw, &mut text[before..], last);
                text.truncate(before + written);
                if replaced || result == CoderResult::OutputFull {
                    return Err(TextFault::Text(Problem::NotEncoded(name)));
                }
            }
        }
        Ok((read as u64, last))
    }
}
