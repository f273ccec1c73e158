//! UTF-8, UTF-16, code pages, marks, and characters that look alike.

use muslin_io::{Encoding, Problem};

use crate::case::{CANARY, Case, case, col, lines};

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn after(mark: &[u8], text: impl AsRef<[u8]>) -> Vec<u8> {
    [mark, text.as_ref()].concat()
}

/// A file of bytes that are no text in one cell of line three.
fn with_bytes(name: &str, bad: &[u8]) -> Case {
    let start = format!("a,b\n{CANARY},1\n{CANARY}");
    case(name, [start.as_bytes(), bad, b",2\n"].concat())
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all = unicode();
    all.extend(invalid());
    all.extend(code_pages());
    all.extend(odd_characters());
    all
}

fn unicode() -> Vec<Case> {
    let text = "a,b\nGrüße,1\n東京,2\n😀,3\n";
    let table =
        || [col("a", "text", &["Grüße", "東京", "😀"]), col("b", "integer", &["1", "2", "3"])];
    let plain = "name,place\nann,here\nbob,there\n";
    let plain_table =
        || [col("name", "text", &["ann", "bob"]), col("place", "text", &["here", "there"])];
    vec![
        case("UTF-8 without a mark", text).loads(table()),
        case("UTF-8 with a mark", after(b"\xEF\xBB\xBF", text)).loads(table()),
        case("a mark before a quoted name", after(b"\xEF\xBB\xBF", "\"a,x\",b\n1,2\n"))
            .loads([col("a,x", "integer", &["1"]), col("b", "integer", &["2"])]),
        case(
            "UTF-16, low byte first, with a mark",
            after(b"\xFF\xFE", utf16(text, u16::to_le_bytes)),
        )
        .loads(table()),
        case(
            "UTF-16, high byte first, with a mark",
            after(b"\xFE\xFF", utf16(text, u16::to_be_bytes)),
        )
        .loads(table()),
        case("UTF-16, low byte first, without a mark", utf16(plain, u16::to_le_bytes))
            .loads(plain_table()),
        case("UTF-16, high byte first, without a mark", utf16(plain, u16::to_be_bytes))
            .loads(plain_table()),
        case("UTF-16 that is asked for", utf16(text, u16::to_le_bytes))
            .reading(|o| o.csv.encoding = Some(Encoding::Utf16le))
            .loads(table()),
        case("UTF-16 with CR LF", after(b"\xFF\xFE", utf16("a\tb\r\n1\tx\r\n", u16::to_le_bytes)))
            .loads([col("a", "integer", &["1"]), col("b", "text", &["x"])]),
        case(
            "UTF-16 of characters whose bytes look like delimiters",
            // U+2C0A holds the bytes of a comma and a line feed.
            after(b"\xFF\xFE", utf16("a,b\n\u{2C0A},\u{0A2C}\n", u16::to_le_bytes)),
        )
        .loads([col("a", "text", &["\u{2C0A}"]), col("b", "text", &["\u{0A2C}"])]),
    ]
}

fn invalid() -> Vec<Case> {
    let not_utf8 = || Problem::NotEncoded("UTF-8");
    let bad: [(&str, &[u8]); 9] = [
        ("a byte of Latin-1", b"\xFC"),
        ("a byte that no UTF-8 has", b"\xFF"),
        ("a continuation byte alone", b"\x80"),
        ("a character cut short", b"\xE2\x82"),
        ("an overlong slash", b"\xC0\xAF"),
        ("an overlong NUL", b"\xC0\x80"),
        ("half a surrogate pair in UTF-8", b"\xED\xA0\x80"),
        ("a character above the last", b"\xF4\x90\x80\x80"),
        ("a five-byte character", b"\xF8\x88\x80\x80\x80"),
    ];
    let mut all: Vec<Case> = bad
        .into_iter()
        .map(|(name, bytes)| with_bytes(name, bytes).fails(not_utf8()).line(3).column("a"))
        .collect();
    let long = format!("a,b\n{}", format!("{CANARY},1\n").repeat(40_000));
    all.extend([
        case("a bad byte far down", after(long.as_bytes(), b"1,\xFC\n"))
            .fails(not_utf8())
            .line(40_002)
            .column("b"),
        case("a bad byte after a quoted line end", b"a,b\n\"x\ny\",1\n2,\xFC\n")
            .fails(not_utf8())
            .line(4)
            .column("b"),
        case("bad bytes in two columns", {
            let rows = lines((0..20_000).map(|n| format!("{CANARY}{n},1")));
            [b"a,b\n1,\xFC\n", rows.as_bytes(), b"\xFC,1\n"].concat()
        })
        .refused(),
        case("a bad byte in the header", b"a,\xFC\n1,2\n").fails(not_utf8()).line(1),
        case("a bad byte in a header after blank lines", b"\n\na,\xFC\n1,2\n")
            .fails(not_utf8())
            .line(3),
        case("UTF-8 and Latin-1 in one file", b"a\nGr\xC3\xBC\xC3\x9Fe\nGr\xFC\xDFe\n")
            .fails(not_utf8())
            .line(3)
            .column("a"),
        case(
            "UTF-16 of an odd number of bytes",
            after(b"\xFF\xFE", [&utf16("a,b\n1,2\n", u16::to_le_bytes)[..], b"x"].concat()),
        )
        .fails(Problem::NotEncoded("UTF-16")),
        case("half a surrogate pair in UTF-16", after(b"\xFF\xFE", b"a\0\n\0\x00\xD8x\0\n\0"))
            .fails(Problem::NotEncoded("UTF-16")),
        case(
            "UTF-32 with a mark",
            "\u{FEFF}a,b\n1,2\n"
                .chars()
                .flat_map(|c| u32::from(c).to_le_bytes())
                .collect::<Vec<u8>>(),
        )
        .refused(),
        case(
            "UTF-16 without a mark that is not Latin",
            utf16("имя,город\nанна,рим\n", u16::to_le_bytes),
        )
        .refused(),
        case(
            "a mark of UTF-8 and UTF-16 after it",
            after(b"\xEF\xBB\xBF", utf16("a,b\n1,2\n", u16::to_le_bytes)),
        )
        .fails(Problem::Nul)
        .line(1),
    ]);
    all
}

fn code_pages() -> Vec<Case> {
    let read_as =
        |encoding: Encoding| move |o: &mut muslin_io::ReadOptions| o.csv.encoding = Some(encoding);
    vec![
        case("Latin-1 that is asked for", b"a,b\nGr\xFC\xDFe,\xA4\n")
            .reading(read_as(Encoding::Latin1))
            .loads([col("a", "text", &["Grüße"]), col("b", "text", &["¤"])]),
        case("every byte of Latin-1 has a character", b"a,b\n\x80\x9F,\xFF\n")
            .reading(read_as(Encoding::Latin1))
            .loads([col("a", "text", &["\u{80}\u{9F}"]), col("b", "text", &["ÿ"])]),
        case("Windows-1252 that is asked for", b"a,b\n\x80 5,\x93x\x94\n")
            .reading(read_as(Encoding::Windows1252))
            .loads([col("a", "text", &["€ 5"]), col("b", "text", &["“x”"])]),
        case("plain letters in any code page", b"a,b\nx,1\n")
            .reading(read_as(Encoding::Windows1252))
            .loads([col("a", "text", &["x"]), col("b", "integer", &["1"])]),
        case("UTF-8 that is asked for and is not", b"a,b\nx,\xE9\n")
            .reading(read_as(Encoding::Utf8))
            .fails(Problem::NotEncoded("UTF-8"))
            .line(2)
            .column("b"),
    ]
}

fn odd_characters() -> Vec<Case> {
    let kept = |name: &str, cells: [&str; 2]| {
        case(name, format!("a,n\n{},1\n{},2\n", cells[0], cells[1]))
            .loads([col("a", "text", &cells), col("n", "integer", &["1", "2"])])
    };
    vec![
        case("a NUL in a cell", format!("a,b\n{CANARY},1\nx\0{CANARY},2\n"))
            .fails(Problem::Nul)
            .line(3)
            .column("a"),
        case("a NUL in a quoted cell", format!("a,b\n1,\"{CANARY}\0\"\n"))
            .fails(Problem::Nul)
            .line(2)
            .column("b"),
        case("a NUL in the header", "a\0,b\n1,2\n").fails(Problem::Nul).line(1),
        case("a cell that is one NUL", format!("a,b\n{CANARY},\0\n"))
            .fails(Problem::Nul)
            .line(2)
            .column("b"),
        case("NULs at the end of the file", format!("a,b\n{CANARY},2\n\0\0\0\0\0\0\0\0")).refused(),
        kept("control characters are kept", ["\u{1}x\u{1F}", "\u{7F}\u{85}"]),
        kept("a form feed ends no line", ["x\u{C}y", "x\u{B}y"]),
        kept("line and paragraph separators end no line", ["x\u{2028}y", "x\u{2029}y"]),
        kept("a zero-width space makes another value", ["ann", "ann\u{200B}"]),
        kept("a mark inside the text is kept", ["x", "\u{FEFF}x"]),
        kept("composed and decomposed letters differ", ["é", "e\u{301}"]),
        kept("a Cyrillic letter is not a Latin one", ["a", "а"]),
        kept("text from right to left is kept", ["שלום", "\u{202E}abc\u{202C}"]),
        kept("spaces are part of a value", [" x", "x "]),
        kept("spaces that do not break are kept", ["\u{A0}", "x\u{A0}y"]),
        kept("the last characters of Unicode are kept", ["\u{10FFFF}", "\u{FFFD}"]),
        kept("an escape sequence of a terminal is kept", ["\u{1B}[31m", "x"]),
        kept("digits of other scripts are text", ["٣", "１"]),
    ]
}
