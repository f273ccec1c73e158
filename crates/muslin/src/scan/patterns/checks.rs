//! Check digits: the arithmetic that tells a number that was issued from one that was made up.
//!
//! Every function takes the digits of a number, without what stands between them.

/// Digits, with none of ` `, `-`, `.` and `/` between them; none where something else is there.
pub(super) fn digits(text: &str) -> Option<Vec<u8>> {
    let kept = text.bytes().filter(|byte| !matches!(byte, b' ' | b'-' | b'.' | b'/'));
    kept.map(|byte| byte.is_ascii_digit().then(|| byte - b'0')).collect()
}

/// The sum of digits times weights.
fn weighted(digits: &[u8], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(&digit, weight)| u32::from(digit) * weight).sum()
}

/// What is left when a number of many digits is divided.
pub(super) fn remainder(digits: impl IntoIterator<Item = u8>, by: u64) -> u64 {
    digits.into_iter().fold(0, |rest, digit| (rest * 10 + u64::from(digit)) % by)
}

/// Whether all digits are one and the same, which no office issues and every form gets.
fn is_one_digit(digits: &[u8]) -> bool {
    digits.windows(2).all(|pair| pair[0] == pair[1])
}

/// Luhn: every second digit from the right counts twice.
pub(super) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits.iter().rev().enumerate().map(|(at, &digit)| doubled(at, digit)).sum();
    !digits.is_empty() && !is_one_digit(digits) && sum.is_multiple_of(10)
}

fn doubled(at: usize, digit: u8) -> u32 {
    let digit = u32::from(digit);
    match at % 2 {
        0 => digit,
        _ if digit > 4 => digit * 2 - 9,
        _ => digit * 2,
    }
}

/// Verhoeff: a check by the symmetries of a pentagon, as India's Aadhaar has it.
pub(super) fn verhoeff(digits: &[u8]) -> bool {
    const FIRST: [usize; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    /// Turns come before mirrored turns: 0 to 4 and 5 to 9.
    fn combine(a: usize, b: usize) -> usize {
        match (a < 5, b < 5) {
            (true, true) => (a + b) % 5,
            (true, false) => (a + b - 5) % 5 + 5,
            (false, true) => (a - 5 + 5 - b) % 5 + 5,
            (false, false) => (a + 5 - b) % 5,
        }
    }
    let permuted =
        |at: usize, digit: u8| (0..at % 8).fold(usize::from(digit), |digit, _| FIRST[digit]);
    let sum = digits
        .iter()
        .rev()
        .enumerate()
        .fold(0, |sum, (at, &digit)| combine(sum, permuted(at, digit)));
    sum == 0 && !is_one_digit(digits)
}

/// The mod-97 check of an IBAN whose first four characters were moved to its end.
pub(super) fn iban(text: &str) -> bool {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let is_formed = (15..=34).contains(&bytes.len())
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit)
        && bytes.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    if !is_formed {
        return false;
    }
    let moved = bytes[4..].iter().chain(&bytes[..4]);
    let digits = moved.flat_map(|&byte| match byte {
        b'0'..=b'9' => [Some(byte - b'0'), None],
        _ => [Some((byte - b'A' + 10) / 10), Some((byte - b'A' + 10) % 10)],
    });
    remainder(digits.flatten(), 97) == 1
}

/// The United Kingdom's NHS number: ten digits, modulus 11.
pub(super) fn nhs(digits: &[u8]) -> bool {
    let [.., last] = digits else { return false };
    let sum = weighted(digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2]);
    digits.len() == 10 && !is_one_digit(digits) && (11 - sum % 11) % 11 == u32::from(*last)
}

/// Germany's tax number: eleven digits, ISO 7064 modulus 11, 10.
pub(super) fn steuer_id(digits: &[u8]) -> bool {
    let [first, .., last] = digits else { return false };
    if digits.len() != 11 || *first == 0 {
        return false;
    }
    // Of the first ten digits one or two are missing, and another comes two or three times.
    let mut counts = [0u32; 10];
    digits[..10].iter().for_each(|&digit| counts[usize::from(digit)] += 1);
    let absent = counts.iter().filter(|&&count| count == 0).count();
    if !(1..=2).contains(&absent) {
        return false;
    }
    let product = digits[..10].iter().fold(10, |product, &digit| {
        let sum = (u32::from(digit) + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == u32::from(*last)
}

/// The Netherlands' citizen service number: the eleven test.
pub(super) fn bsn(digits: &[u8]) -> bool {
    let [.., last] = digits else { return false };
    let sum = weighted(&digits[..digits.len() - 1], &[9, 8, 7, 6, 5, 4, 3, 2]);
    digits.len() == 9 && !is_one_digit(digits) && sum % 11 == u32::from(*last)
}

/// Brazil's CPF: eleven digits, of which two check.
pub(super) fn cpf(digits: &[u8]) -> bool {
    let check = |count: usize| {
        let weights: Vec<u32> = (2..).take(count).collect::<Vec<_>>().into_iter().rev().collect();
        weighted(&digits[..count], &weights) * 10 % 11 % 10 == u32::from(digits[count])
    };
    digits.len() == 11 && !is_one_digit(digits) && check(9) && check(10)
}

/// Poland's PESEL: a date of birth, a number, a check digit.
pub(super) fn pesel(digits: &[u8]) -> bool {
    digits.len() == 11
        && is_day(two(digits, 4))
        && matches!(two(digits, 2) % 20, 1..=12)
        && weighted(digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
        && !is_one_digit(digits)
}

/// Sweden's personnummer: a date of birth and a number of four digits, by Luhn.
pub(super) fn personnummer(digits: &[u8]) -> bool {
    let short = match digits.len() {
        10 => digits,
        // With the century.
        12 if matches!(two(digits, 0), 18..=20) => &digits[2..],
        _ => return false,
    };
    matches!(two(short, 2), 1..=12) && is_day(two(short, 4) % 60) && luhn(short)
}

/// Denmark's CPR number: a date of birth and four digits. New numbers have no check digit any more.
pub(super) fn cpr(digits: &[u8]) -> bool {
    digits.len() == 10 && is_day(two(digits, 0)) && matches!(two(digits, 2), 1..=12)
}

/// Norway's birth number: a date of birth and five digits, of which two check.
pub(super) fn fodselsnummer(digits: &[u8]) -> bool {
    digits.len() == 11
        && is_day(two(digits, 0) % 40)
        && matches!(two(digits, 2) % 40, 1..=12)
        && weighted(digits, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]).is_multiple_of(11)
        && weighted(digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

/// France's NIR: sex, year, month and place of birth, a number, and a key that makes 97.
pub(super) fn nir(text: &str) -> bool {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    if bytes.len() != 15 || !matches!(bytes[0], b'1'..=b'4' | b'7' | b'8') {
        return false;
    }
    // Corsica's departments count as 19 and 18.
    let mut plain = bytes;
    match (plain[5], plain[6]) {
        (b'2', b'A') => (plain[5], plain[6]) = (b'1', b'9'),
        (b'2', b'B') => (plain[5], plain[6]) = (b'1', b'8'),
        _ => {}
    }
    let Some(digits) = plain
        .iter()
        .map(|byte| byte.is_ascii_digit().then(|| byte - b'0'))
        .collect::<Option<Vec<u8>>>()
    else {
        return false;
    };
    let key = u64::from(two(&digits, 13));
    97 - remainder(digits[..13].iter().copied(), 97) == key
}

/// Spain's DNI and NIE: digits and the letter that their remainder by 23 gives.
pub(super) fn dni(text: &str) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let bytes: Vec<u8> =
        text.bytes().filter(|byte| *byte != b'-').map(|byte| byte.to_ascii_uppercase()).collect();
    let ([first, .., letter], 9) = (&bytes[..], bytes.len()) else { return false };
    // A foreigner's number begins with a letter that stands for a digit.
    let first = match first {
        b'X' => 0,
        b'Y' => 1,
        b'Z' => 2,
        b'0'..=b'9' => first - b'0',
        _ => return false,
    };
    let rest = &bytes[1..8];
    if !rest.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let digits = std::iter::once(first).chain(rest.iter().map(|byte| byte - b'0'));
    let at = usize::try_from(remainder(digits, 23)).unwrap_or(0);
    LETTERS[at] == *letter
}

/// Italy's codice fiscale: sixteen letters and digits, of which the last checks.
pub(super) fn codice_fiscale(text: &str) -> bool {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let bytes: Vec<u8> = text.bytes().map(|byte| byte.to_ascii_uppercase()).collect();
    if bytes.len() != 16
        || !bytes[..6].iter().all(u8::is_ascii_uppercase)
        || !bytes[8].is_ascii_uppercase()
        || !bytes[15].is_ascii_uppercase()
        || !bytes.iter().all(u8::is_ascii_alphanumeric)
    {
        return false;
    }
    let value = |byte: u8| if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' };
    let sum: u32 = bytes[..15]
        .iter()
        .enumerate()
        .map(|(at, &byte)| match at % 2 {
            0 => ODD[usize::from(value(byte))],
            _ => u32::from(value(byte)),
        })
        .sum();
    sum % 26 == u32::from(bytes[15] - b'A')
}

/// Two digits as a number.
fn two(digits: &[u8], at: usize) -> u32 {
    u32::from(digits[at]) * 10 + u32::from(digits[at + 1])
}

fn is_day(day: u32) -> bool {
    (1..=31).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that was issued as an example, and every number with one digit changed.
    fn holds_and_notices(check: fn(&[u8]) -> bool, text: &str) {
        let right = digits(text).unwrap();
        assert!(check(&right), "{text}");
        for at in 0..right.len() {
            let mut wrong = right.clone();
            wrong[at] = (wrong[at] + 1) % 10;
            assert!(!check(&wrong), "{text}: digit {at}");
        }
    }

    #[test]
    fn check_digits_notice_a_changed_digit() {
        holds_and_notices(luhn, "4111 1111 1111 1111");
        holds_and_notices(luhn, "79927398713");
        holds_and_notices(verhoeff, "2363");
        holds_and_notices(verhoeff, "123451");
        holds_and_notices(nhs, "943 476 5919");
        holds_and_notices(bsn, "111222333");
        holds_and_notices(cpf, "529.982.247-25");
        holds_and_notices(pesel, "44051401359");
        holds_and_notices(personnummer, "811228-9874");
        holds_and_notices(steuer_id, "86095742719");
        assert!(personnummer(&digits("19811228-9874").unwrap()));
        assert!(cpr(&digits("070761-4285").unwrap()) && !cpr(&digits("320761-4285").unwrap()));
    }

    #[test]
    fn numbers_with_letters_are_checked() {
        assert!(iban("DE89 3704 0044 0532 0130 00") && iban("GB82WEST12345698765432"));
        assert!(!iban("DE88370400440532013000") && !iban("de89370400440532013000"));
        assert!(dni("12345678Z") && dni("X1234567L") && !dni("12345678A") && !dni("A1234567L"));
        assert!(codice_fiscale("RSSMRA85T10A562S") && !codice_fiscale("RSSMRA85T10A562T"));
        assert!(nir("2 55 08 14 168 025 38") && !nir("2 55 08 14 168 025 39"));
    }

    #[test]
    fn a_norwegian_number_is_checked_twice() {
        // Computed from the weights: 01 01 70 with a number that both checks take.
        let all = (0..100_000u32).map(|rest| format!("010170{rest:05}"));
        let right: Vec<_> = all.filter(|text| fodselsnummer(&digits(text).unwrap())).collect();
        assert!((700..1000).contains(&right.len()), "{}", right.len());
    }

    #[test]
    fn one_digit_repeated_is_nobody() {
        for count in 1..20 {
            let text = "0".repeat(count);
            let digits = digits(&text).unwrap();
            let checks =
                [luhn, verhoeff, nhs, bsn, cpf, pesel, steuer_id, personnummer, fodselsnummer, cpr];
            assert!(checks.iter().all(|check| !check(&digits)), "{count}");
        }
    }
}
