//! Looks at the lengths that an Arrow IPC input claims before anything is made of that length.
//!
//! The decoder reserves as much memory as a compressed buffer says it will become. A damaged
//! length asks for terabytes, which ends the program at once; so claims that no compression keeps
//! are refused here. Also refused is a stream without its end mark: it may have been cut.

use std::io::{self, Read, Seek, SeekFrom};

use arrow_ipc::{CompressionType, MessageHeader, root_as_footer, root_as_message};

/// LZ4 makes no byte into more than this many.
const MOST_LZ4: u64 = 255;
/// Nor does Zstandard: its densest block says in four bytes that 128 KiB are alike.
const MOST_ZSTD: u64 = (128 << 10) / 4;

fn invalid() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// Checks the buffers of one message.
fn check_message(metadata: &[u8], body: &[u8]) -> io::Result<()> {
    let message = root_as_message(metadata).map_err(|_| invalid())?;
    let batch = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => {
            message.header_as_dictionary_batch().and_then(|d| d.data())
        }
        _ => None,
    };
    let Some(batch) = batch else { return Ok(()) };
    let Some(compression) = batch.compression() else { return Ok(()) };
    let most = if compression.codec() == CompressionType::LZ4_FRAME { MOST_LZ4 } else { MOST_ZSTD };
    let buffers = batch.buffers();
    for buffer in buffers.iter().flatten() {
        let place =
            usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = place.and_then(|(start, length)| body.get(start..start.checked_add(length)?));
        let bytes = bytes.ok_or_else(invalid)?;
        // A buffer of eight bytes or more begins with its length; -1 says it is stored as it is.
        if let Some(claim) = bytes.first_chunk().map(|claim| i64::from_le_bytes(*claim)) {
            let most = most * (bytes.len() as u64 + 64);
            if claim != -1 && u64::try_from(claim).map_or(true, |claim| claim > most) {
                return Err(invalid());
            }
        }
    }
    Ok(())
}

/// Checks every message that the footer of an IPC file lists; leaves the position at the start.
pub(super) fn check_file(content: &mut (impl Read + Seek)) -> io::Result<()> {
    // The last bytes are the footer's length and the magic.
    let end = content.seek(SeekFrom::End(-10))?;
    let mut tail = [0; 10];
    content.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    let length = u64::try_from(i32::from_le_bytes([a, b, c, d])).map_err(|_| invalid())?;
    if &magic != b"ARROW1" || length > end {
        return Err(invalid());
    }
    let footer = read_at(content, end - length, length)?;
    let footer = root_as_footer(&footer).map_err(|_| invalid())?;
    let blocks = footer
        .dictionaries()
        .into_iter()
        .flatten()
        .chain(footer.recordBatches().into_iter().flatten());
    for block in blocks {
        let unsigned = |number: i64| u64::try_from(number).map_err(|_| invalid());
        let (offset, body) = (unsigned(block.offset())?, unsigned(block.bodyLength())?);
        let metadata = unsigned(block.metaDataLength().into())?;
        let whole = metadata.checked_add(body).and_then(|whole| whole.checked_add(offset));
        if whole.is_none_or(|whole| whole > end) {
            return Err(invalid());
        }
        let metadata = read_at(content, offset, metadata)?;
        let body = read_some(content, body)?;
        // The length comes first, in newer files after a mark.
        let message = metadata.strip_prefix(&[0xFF; 4]).unwrap_or(&metadata);
        check_message(message.get(4..).ok_or_else(invalid)?, &body)?;
    }
    content.rewind()
}

fn read_at(content: &mut (impl Read + Seek), at: u64, length: u64) -> io::Result<Vec<u8>> {
    content.seek(SeekFrom::Start(at))?;
    read_some(content, length)
}

/// Reads `length` bytes; memory grows with what arrives, not with what was claimed.
fn read_some(content: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    content.by_ref().take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(invalid()) }
}

/// An IPC stream that passes a message on once it was checked.
pub(super) struct CheckedStream<R> {
    content: R,
    message: io::Cursor<Vec<u8>>,
    ended: bool,
}

impl<R: Read> CheckedStream<R> {
    pub(super) fn new(content: R) -> Self {
        Self { content, message: io::Cursor::default(), ended: false }
    }

    /// An error unless the stream had its end mark and nothing comes after it. Reads to the end of
    /// the content, where a decompressor compares its sum.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let after = io::copy(&mut self.content, &mut io::sink())?;
        if self.ended && after == 0 { Ok(()) } else { Err(invalid()) }
    }

    /// The next message with its prefix; the end mark is the last.
    fn next_message(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = read_some(&mut self.content, 4)?;
        if bytes == [0xFF; 4] {
            bytes.extend(read_some(&mut self.content, 4)?);
        }
        let length = bytes.last_chunk().map_or(0, |length| i32::from_le_bytes(*length));
        if length == 0 {
            self.ended = true;
            return Ok(bytes);
        }
        let metadata = read_some(&mut self.content, u64::try_from(length).map_err(|_| invalid())?)?;
        let message = root_as_message(&metadata).map_err(|_| invalid())?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| invalid())?;
        let body = read_some(&mut self.content, body)?;
        check_message(&metadata, &body)?;
        bytes.extend(metadata);
        bytes.extend(body);
        Ok(bytes)
    }
}

impl<R: Read> Read for CheckedStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.message.read(buffer)?;
        if read > 0 || self.ended || buffer.is_empty() {
            return Ok(read);
        }
        self.message = io::Cursor::new(self.next_message()?);
        self.message.read(buffer)
    }
}
