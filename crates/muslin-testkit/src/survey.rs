//! A made-up table that behaves like a labour force survey, for benches at any size.
//!
//! Each row belongs to one of 40 hidden classes of people, a few of them large and many small.
//! The class decides which answers are common and how common they are, so columns go together and
//! a row that is odd in one is often odd in others. Filter questions route: whoever says no has
//! the same "not applicable" code in the whole block that follows. Some columns are recodings of
//! others, exact or nearly so. A few, like the month of the interview, depend on nothing.
//!
//! The shares are set so that minimal uniques are about as many as in the British survey of 2000.
//! There, in 137,823 rows and 84 columns, Manning and Haglin (ICDM 2005) find 1,570,173,746 of up
//! to six items, 11,400 per row. Here 300 rows drawn under each of three seeds have 15,000 to
//! 24,000 per row.

use muslin_engine::Seed;
use muslin_table::EncodedTable;

const CLASSES: u64 = 40;

/// The answer of those to whom a question is not put. Other answers count from one.
const NOT_APPLICABLE: u64 = 0;
const YES: u64 = 1;
const NO: u64 = 2;

/// A survey-like table: its first column is an age of up to 80 values, the others have 2 to 20
/// answers and perhaps "not applicable", of which rare ones may not occur. No cell is missing.
///
/// A cell depends on the seed, its row and its column alone: fewer rows or columns cut the table.
pub fn survey(rows: u64, columns: usize, seed: Seed) -> EncodedTable {
    let people = People::draw(rows, seed.part(0));
    let mut answers: Vec<Vec<u8>> = Vec::new();
    for (question, part) in questionnaire(columns, seed.part(1)).into_iter().zip(2..) {
        let next = question.answers(&people, &answers, seed.part(part));
        answers.push(next);
    }
    EncodedTable::of_columns(answers.into_iter().enumerate().map(|(c, answers)| {
        (format!("q{c}"), answers.into_iter().map(|answer| Some(answer.into())).collect())
    }))
}

/// Who answers.
struct People {
    /// The class of each row.
    classes: Vec<u8>,
    /// For each class, how much its members are alike.
    conformity: Vec<u64>,
}

impl People {
    /// Classes have sizes by Zipf's law: the first is twice as large as the second.
    fn draw(rows: u64, seed: Seed) -> Self {
        let share = |class| 1_000_000 / (class + 1);
        let ends: Vec<u64> = (0..CLASSES).map(|class| (0..=class).map(share).sum()).collect();
        let all = (0..CLASSES).map(share).sum();
        let class = |drawn| ends.partition_point(|&end| end <= drawn);
        let classes = (0..rows).map(|row| byte(class(seed.below(row, all)) as u64)).collect();
        let conformity = (0..CLASSES).map(|class| 1 + seed.part(0).below(class, 8)).collect();
        Self { classes, conformity }
    }
}

/// How the answers to a question come about.
#[derive(Clone, Copy, Debug)]
enum Question {
    Age,
    /// One of 20 answers, each as likely as the others.
    Even,
    /// Yes or no. Each class has its own share of them.
    Filter,
    /// One of `values` answers, put to those who said yes to question `filter`. Each class has its
    /// own order of answers; the first are the more common the larger the skew.
    Choice {
        values: u64,
        skew: u64,
        filter: Option<usize>,
    },
    /// The answer to question `of`, made one of `values` answers; one row in `noise` differs.
    Recode {
        of: usize,
        values: u64,
        noise: Option<u64>,
    },
}

/// What is asked, question by question.
fn questionnaire(columns: usize, seed: Seed) -> Vec<Question> {
    let mut questions = vec![Question::Age];
    let mut even = 5;
    while questions.len() < columns {
        let asked = questions.len();
        let seed = seed.part(asked as u64);
        let choice = |n: u64, filter| {
            // Few answers are more usual than many.
            let (seed, more) = (seed.part(n), 1 + seed.part(n).below(0, 19));
            Question::Choice {
                values: 2 + seed.below(1, more),
                skew: 50 + seed.below(2, 100),
                filter,
            }
        };
        match seed.below(0, 16) {
            _ if asked >= even => {
                even += 30;
                questions.push(Question::Even);
            }
            0..4 => {
                let of = usize::try_from(seed.below(1, asked as u64)).expect("a column's position");
                let noise = (seed.below(3, 2) == 0).then_some(50);
                questions.push(Question::Recode { of, values: 2 + seed.below(2, 9), noise });
            }
            4..10 => {
                let block = 3 + seed.below(1, 4);
                questions.push(Question::Filter);
                questions.extend((0..block).map(|n| choice(n, Some(asked))));
            }
            _ => questions.push(choice(0, None)),
        }
    }
    questions.truncate(columns);
    questions
}

impl Question {
    /// The answers of these people, who gave the earlier ones.
    fn answers(self, people: &People, earlier: &[Vec<u8>], seed: Seed) -> Vec<u8> {
        let (habit, other) = (seed.part(0), seed.part(1));
        let habits = |bound| -> Vec<u64> { (0..CLASSES).map(|c| habit.below(c, bound)).collect() };
        let answers = |answer: &dyn Fn(usize, usize) -> u64| -> Vec<u8> {
            let people = people.classes.iter().enumerate();
            people.map(|(row, &class)| byte(answer(row, class.into()))).collect()
        };
        match self {
            Self::Age => {
                let youngest = habits(50);
                let years = |row| seed.below(row, 16) + other.below(row, 16);
                answers(&|row, class| youngest[class] + years(row as u64))
            }
            Self::Even => answers(&|row, _| 1 + seed.below(row as u64, 20)),
            Self::Filter => {
                let percent = |habit| [0, 0, 0, 1, 10, 99, 100][usize::from(byte(habit))];
                let percent: Vec<u64> = habits(7).into_iter().map(percent).collect();
                let yes = |row, class: usize| seed.below(row, 100) < percent[class];
                answers(&|row, class| if yes(row as u64, class) { YES } else { NO })
            }
            Self::Choice { values, skew, filter } => {
                let first = habits(values);
                let asked = |row: usize| filter.is_none_or(|f| u64::from(earlier[f][row]) == YES);
                let choice = |row, class: usize| {
                    let skew = skew * people.conformity[class];
                    1 + (first[class] + skewed(seed.draw(row), skew, values)) % values
                };
                answers(&|row, class| {
                    if asked(row) { choice(row as u64, class) } else { NOT_APPLICABLE }
                })
            }
            Self::Recode { of, values, noise } => {
                let recode = |row: usize| habit.below(earlier[of][row].into(), values);
                let differs = |row| noise.is_some_and(|noise| other.below(row, noise) == 0);
                answers(&|row, _| {
                    let wrong = differs(row as u64).then(|| seed.below(row as u64, values));
                    1 + wrong.unwrap_or_else(|| recode(row))
                })
            }
        }
    }
}

/// A number below `bound`, mostly small: even bits as a fraction, to the power of `skew`. Whole
/// numbers only, so that every machine draws the same.
pub(crate) fn skewed(bits: u64, skew: u64, bound: u64) -> u64 {
    let times = |a: u64, b: u64| (a * b) >> 32;
    let (mut power, mut square, mut left) = (u64::from(u32::MAX), bits >> 32, skew);
    while left > 0 {
        if left % 2 == 1 {
            power = times(power, square);
        }
        (square, left) = (times(square, square), left / 2);
    }
    times(power, bound)
}

fn byte(number: u64) -> u8 {
    u8::try_from(number).expect("classes, ages and answers are below 256")
}
