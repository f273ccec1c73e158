//! Every command that prints tables, on terminals of several widths with colours: what stands on the
//! screen in the end.

use std::fs::File;
use std::io::Read as _;
use std::num::NonZeroU16;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;

use super::{folder_with, muslin, seen};

/// Room for everything that a command prints.
const ROWS: u16 = 2_000;
/// A terminal on which every table has all the room that it wants.
const VERY_WIDE: u16 = 400;

/// Cells on a line without two blanks between them.
struct Chunk {
    start: usize,
    end: usize,
    text: String,
    is_bold: bool,
}

struct Line {
    text: String,
    /// What of it is bold.
    bold: String,
    chunks: Vec<Chunk>,
    /// The terminal went on in the next line by itself.
    is_wrapped: bool,
}

impl Line {
    fn is_bold(&self) -> bool {
        !self.chunks.is_empty() && self.chunks.iter().all(|chunk| chunk.is_bold)
    }
}

/// What stands on the screen after a command, and how it ended.
fn screen(folder: &Path, args: &[&str], width: u16) -> (Vec<Line>, Option<i32>) {
    // What an earlier run of the same command has written.
    let _ = std::fs::remove_dir_all(folder.join("again"));
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let size = Winsize { ws_row: ROWS, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size).unwrap();
    let theirs = File::from(theirs);
    let mut child = Command::new(env!("CARGO_BIN_EXE_muslin"))
        .current_dir(folder)
        .args(args)
        .env_remove("COLUMNS")
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null())
        .stdout(theirs.try_clone().unwrap())
        .stderr(theirs)
        .spawn()
        .unwrap();
    // The other end closes when the program ends, which some systems call an error.
    let (mut bytes, mut ours) = (Vec::new(), File::from(ours));
    let _ = ours.read_to_end(&mut bytes);
    let code = child.wait().unwrap().code();
    let (rows, columns) = (NonZeroU16::new(ROWS).unwrap(), NonZeroU16::new(width).unwrap());
    let mut parser = vt100::Parser::new(rows, columns, 0);
    parser.process(&bytes);
    let screen = parser.screen();
    assert_eq!(screen.scrollback_len(), 0, "more lines than the test has room for");
    let mut lines: Vec<Line> = (0..ROWS).map(|row| line_of(screen, row, width)).collect();
    while lines.last().is_some_and(|line| line.text.is_empty()) {
        lines.pop();
    }
    (lines, code)
}

fn line_of(screen: &vt100::Screen, row: u16, width: u16) -> Line {
    let (mut text, mut bold) = (String::new(), String::new());
    let (mut chunks, mut blanks) = (Vec::<Chunk>::new(), 2);
    for column in 0..width {
        let cell = screen.cell(row, column).unwrap();
        if cell.is_wide_continuation() {
            if let Some(chunk) = chunks.last_mut() {
                chunk.end += 1;
            }
            continue;
        }
        let contents = cell.contents();
        let is_blank = contents.trim().is_empty();
        text += if is_blank { " " } else { contents };
        bold += if is_blank || !cell.bold() { " " } else { contents };
        if is_blank {
            blanks += 1;
            continue;
        }
        let at = usize::from(column);
        match chunks.last_mut() {
            Some(chunk) if blanks < 2 => {
                chunk.text += &" ".repeat(blanks);
                chunk.text += contents;
                chunk.end = at + 1;
                chunk.is_bold &= cell.bold();
            }
            _ => chunks.push(Chunk {
                start: at,
                end: at + 1,
                text: contents.to_owned(),
                is_bold: cell.bold(),
            }),
        }
        blanks = 0;
    }
    Line { text: text.trim_end().to_owned(), bold, chunks, is_wrapped: screen.row_wrapped(row) }
}

fn text_of(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.clone() + "\n").collect()
}

/// Lines with headings: those of a table are above each other, and each has a part in the last line.
fn headers(lines: &[Line]) -> impl Iterator<Item = usize> {
    (0..lines.len()).filter(|&at| {
        let is_last =
            lines.get(at + 1).is_some_and(|next| !next.is_bold() && !next.text.is_empty());
        lines[at].is_bold() && lines[at].chunks.len() > 1 && is_last
    })
}

/// The lines of the table below a line with headings.
fn body(lines: &[Line], header: usize) -> impl Iterator<Item = &Line> {
    lines[header + 1..].iter().take_while(|line| !line.text.is_empty() && !line.is_bold())
}

/// The words of the headings of tables that have something below them: a list leaves out what is empty.
fn words_of_headings(lines: &[Line]) -> Vec<String> {
    let is_used = |at: usize, heading: &Chunk| {
        let overlaps = |chunk: &Chunk| heading.start < chunk.end && chunk.start < heading.end;
        body(lines, at).any(|line| line.chunks.iter().any(overlaps))
    };
    let chunks = headers(lines)
        .flat_map(|at| lines[at].chunks.iter().filter(move |heading| is_used(at, heading)));
    chunks.flat_map(|chunk| chunk.text.split(' ').map(str::to_owned)).collect()
}

/// Everything that has to be so on any terminal.
fn check(lines: &[Line], width: u16, headings: &[String]) {
    let mut is_copied = false;
    for (at, line) in lines.iter().enumerate() {
        if at == 0 || !lines[at - 1].is_wrapped {
            let start = line.text.trim_start();
            is_copied =
                ["muslin ", "next: muslin ", "--slices "].iter().any(|own| start.starts_with(own));
        }
        assert!(is_copied || !line.is_wrapped, "too wide: {}", line.text);
        let escapes = ["\u{1b}", "[0m", "[1m"].iter().any(|escape| line.text.contains(escape));
        assert!(!escapes, "escape codes: {}", line.text);
        let alone = line.text.trim();
        let is_letter = alone.chars().count() == 1 && alone.chars().all(char::is_alphabetic);
        assert!(is_copied || !is_letter, "one letter by itself: {alone}");
    }
    let mut known: Vec<&str> = lines.iter().flat_map(|line| line.bold.split(' ')).collect();
    let text = text_of(lines).replace('\n', " ");
    let told: Vec<&str> = text.split("Left out for lack of width: ").skip(1).collect();
    let told = told.iter().filter_map(|text| text.split(". ").next());
    known.extend(told.flat_map(|names| names.split([' ', ','])));
    if width < 60 {
        assert_eq!(headers(lines).count(), 0, "a table on a narrow terminal");
    }
    for word in headings {
        assert!(known.contains(&word.as_str()), "the column `{word}` is lost");
    }
    for at in headers(lines) {
        let headings = &lines[at].chunks;
        for chunk in
            body(lines, at).filter(|line| line.chunks.len() > 1).flat_map(|line| &line.chunks)
        {
            let fits = |heading: &Chunk| heading.start == chunk.start || heading.end == chunk.end;
            let overlaps = |heading: &Chunk| heading.start < chunk.end && chunk.start < heading.end;
            let is_first = |chunk: &Chunk| chunk.start < headings[0].end;
            // Bars and verdicts have no heading.
            let is_beside = !chunk.text.contains(|c: char| c.is_ascii_digit())
                && !headings.iter().any(overlaps);
            // A part of what is above it.
            let is_indented = is_first(chunk) && chunk.start == 2 && headings[0].start == 0;
            let is_right = headings.iter().any(fits) || is_beside || is_indented;
            assert!(is_right, "`{}` is under no heading: {}", chunk.text, lines[at].text);
        }
    }
}

/// Names of six columns: a number of each person, age, sex, town, work, illness.
type Names = [&'static str; 6];

const PLAIN: Names = ["person", "age", "sex", "town", "occupation", "diagnosis"];
const WIDE: Names = [
    "患者番号",
    "年齢(歳)",
    "😀 sex",
    "郵便番号の長い名前を持つ列",
    "me\u{301}tier exerce\u{301}",
    "診断",
];
const LONG: Names = [
    "number_of_the_person_in_our_own_register",
    "age_in_completed_years_on_the_first_day_",
    "sexasithasbeenrecordedintheregisterofcit",
    "town where the person has lived for long",
    "occupation-in-the-four-digit-codes-ofISCO",
    "diagnosis.of.the.first.visit.of.the.year",
];

/// A release that is the same every time, and so are the guesses of attacks on it.
const PROTECT: [&str; 9] =
    ["protect", "p.csv", "-p", "p.toml", "--allow-findings", "--reproducible", "--seed", "3", "-o"];

/// Two hundred people, three releases of them, and a policy.
fn people(names: Names) -> TempDir {
    let mut table = names.join(",") + "\n";
    for row in 0..200_usize {
        let towns = ["北海道札幌市", "Zürich", "Oberammergau am Fluss", "Rom"];
        let (age, town) = (20 + row * row % 37, towns[row * 7 % 31 % 4]);
        let (sex, job) = (["f", "m"][row % 2], ["baker", "nurse", "teacher", "clerk"][row / 3 % 4]);
        let ill = ["flu", "asthma", "gout", "broken leg"][(row * 11 + row / 5) % 4];
        table += &format!("p{row},{age},{sex},{town},{job},{ill}\n");
    }
    let policy = format!(
        "schema = 1\n[input]\n[columns]\n'{}'.role = 'identifier'\n'{}'.role = 'quasi-identifier'\n'{}'.role = 'sensitive'\n[release]\nk = 3\naccept = ['downcoding']\n",
        names[0],
        names[1..5].join("'.role = 'quasi-identifier'\n'"),
        names[5],
    );
    let folder = folder_with(&[("p.csv", table.as_bytes()), ("p.toml", policy.as_bytes())]);
    let (quasi, slices) = (names[1..5].join(","), slices(names));
    let id = format!("{}=identifier", names[0]);
    let suppressed = ["suppress", "p.csv", "-k", "2", "--qi", &quasi, "--role", &id];
    let seeded = ["--row-order", "seeded", "--seed", "9", "-o", "r.csv"];
    let suppressed = [&suppressed[..], &seeded].concat();
    let sliced = ["slice", "p.csv", "--sensitive", names[5], "-l", "2", "--role", &id];
    let sliced = [&sliced[..], &["--slices", &slices, "-o", "s.csv"]].concat();
    for args in [&suppressed[..], &[&PROTECT[..], &["release"]].concat(), &sliced] {
        let made = muslin(folder.path(), args);
        assert!(made.status.success(), "{}", seen(&made));
    }
    folder
}

/// Illnesses by themselves.
fn slices(names: Names) -> String {
    format!("{}|{}", names[1..5].join(","), names[5])
}

/// Every command that prints a table.
fn commands(names: Names) -> Vec<Vec<String>> {
    let quasi = names[1..5].join(",");
    let (two, four) = (names[1..3].join(","), names[..4].join(","));
    let id = format!("{}=identifier", names[0]);
    let sensitive = names[5];
    let slices = slices(names);
    let all: &[&[&str]] = &[
        &["scan", "p.csv", "--budget", "60s"],
        &["scan", "p.csv", "--qi", &quasi, "--role", &id, "--missing", "distinct"],
        &["uniques", "p.csv"],
        &["uniques", "p.csv", "--columns", &quasi, "--dry-run"],
        &["keys", "p.csv", "--columns", &quasi],
        &["keys", "p.csv", "--all"],
        &["keys", "p.csv", "--columns", &quasi, "--all", "--measure", "distinct", "--beta", "0.3"],
        &["keys", "p.csv", "--minimum", "--exact"],
        &["keys", "p.csv", "--set", &four],
        &["explain", "p.csv", "--row", "3", "--qi", &quasi, "--show-values"],
        &["explain", "p.csv", "--columns", &two],
        &["mask", "p.csv", "--role", &id, "--measure", "distinct", "--beta", "0.4"],
        &["suppress", "p.csv", "-k", "3", "--qi", &quasi, "--role", &id],
        &["generalize", "p.csv", "-k", "3", "--qi", &quasi, "--role", &id],
        &[
            "generalize",
            "p.csv",
            "-k",
            "3",
            "--qi",
            &quasi,
            "--role",
            &id,
            "--recoding",
            "full-domain",
        ],
        &["bucketize", "p.csv", "--sensitive", sensitive, "-l", "2", "--role", &id],
        &["slice", "p.csv", "--sensitive", sensitive, "-l", "2", "--role", &id],
        &["plan", "p.csv", "-p", "p.toml"],
        &[&PROTECT[..], &["elsewhere", "--dry-run"]].concat(),
        &[&PROTECT[..], &["again"]].concat(),
        &["verify", "--allow-findings", "release", "--original", "p.csv", "-p", "p.toml"],
        &["verify", "--allow-findings", "r.csv", "--qi", &quasi, "-k", "20"],
        &["attack", "release", "--original", "p.csv", "-p", "p.toml", "--seeds", "5"],
        &["attack", "r.csv", "--qi", &quasi, "--sensitive", sensitive, "-k", "2", "--seeds", "5"],
        &["diff", "p.csv", "r.csv", "--qi", &quasi, "--sensitive", sensitive],
        &["diff", "p.csv", "s.csv", "--sensitive", sensitive, "--slices", &slices],
        &["report", "p.csv", "-p", "p.toml", "-o", "report.html"],
    ];
    all.iter().map(|args| args.iter().map(|&arg| arg.to_owned()).collect()).collect()
}

fn every_command_fits(names: Names, widths: &[u16]) {
    let folder = people(names);
    for args in commands(names) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (whole, code) = screen(folder.path(), &args, VERY_WIDE);
        assert!(matches!(code, Some(0 | 1)), "{args:?}: {code:?}\n{}", text_of(&whole));
        let headings = words_of_headings(&whole);
        for &width in widths {
            let (lines, again) = screen(folder.path(), &args, width);
            assert_eq!(code, again);
            let checked = std::panic::catch_unwind(|| check(&lines, width, &headings));
            assert!(checked.is_ok(), "{args:?} at {width}\n{}", text_of(&lines));
        }
    }
}

#[test]
fn every_command_fits_every_terminal() {
    every_command_fits(PLAIN, &[40, 50, 60, 80, 100, 140]);
}

#[test]
fn wide_and_combining_names_take_the_room_that_they_take() {
    every_command_fits(WIDE, &[50, 60, 80]);
}

#[test]
fn long_names_are_broken_and_columns_stay_readable() {
    every_command_fits(LONG, &[50, 60, 80, 100]);
}

#[test]
fn screens_are_as_they_were() {
    let folder = people(PLAIN);
    let attack = ["attack", "r.csv", "--original", "p.csv", "--qi", "age,sex,town,occupation"];
    let attack = [&attack[..], &["--sensitive", "diagnosis", "-k", "2", "--seeds", "20"]].concat();
    for width in [50, 60, 80] {
        for (name, args) in [
            ("scan", &["scan", "p.csv", "--role", "person=identifier", "--budget", "60s"][..]),
            ("attack", &attack),
            ("protect", &[&PROTECT[..], &["again"]].concat()),
        ] {
            let (lines, _) = screen(folder.path(), args, width);
            insta::assert_snapshot!(format!("{name}_{width}"), text_of(&lines));
        }
    }
}
