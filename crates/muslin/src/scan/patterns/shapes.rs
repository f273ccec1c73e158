//! Shapes of text that need no arithmetic: addresses of mail and machines, telephone numbers, places, dates, prose.

use super::checks::digits;

/// Something, an at sign, and a name with a dot.
pub(super) fn is_email(text: &str) -> bool {
    let Some((own, host)) = text.split_once('@') else { return false };
    let is_own = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    !own.is_empty() && own.bytes().all(is_own) && is_host(host)
}

/// Parts of letters, digits and hyphens between dots, of which the last is letters.
fn is_host(host: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    host.contains('.')
        && host.split('.').all(is_part)
        && last.chars().count() >= 2
        && last.chars().all(char::is_alphabetic)
}

/// A scheme or `www.`, and a host.
pub(super) fn is_url(text: &str) -> bool {
    let after = ["http://", "https://", "ftp://", "www."].into_iter().find_map(|start| {
        let head = text.get(..start.len())?;
        head.eq_ignore_ascii_case(start).then(|| &text[start.len()..])
    });
    after.is_some_and(|rest| {
        let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
        !rest.contains(char::is_whitespace) && (is_host(host) || is_ip(host))
    })
}

/// An address of the fourth or sixth version.
pub(super) fn is_ip(text: &str) -> bool {
    text.parse::<std::net::IpAddr>().is_ok()
}

/// Six pairs of hexadecimal digits.
pub(super) fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 17
        && matches!(bytes[2], b':' | b'-')
        && bytes.iter().enumerate().all(|(at, byte)| match at % 3 {
            2 => *byte == bytes[2],
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Eight, four, four, four and twelve hexadecimal digits.
pub(super) fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
        && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// A latitude and a longitude with some digits after the point.
pub(super) fn is_coordinates(text: &str) -> bool {
    let text = text.trim_matches(['(', ')', '[', ']', ' ']);
    let Some((latitude, longitude)) = text.split_once([',', ';', ' ']) else { return false };
    let degrees = |text: &str, most: f64| {
        let text = text.trim();
        let after = text.split_once('.').map_or(0, |(_, after)| after.len());
        after >= 2 && text.parse::<f64>().is_ok_and(|degrees| degrees.abs() <= most)
    };
    degrees(latitude, 90.0) && degrees(longitude, 180.0)
}

/// Digits as people group them for the telephone. `sure` says that the column's name speaks of one.
pub(super) fn is_phone(text: &str, sure: bool) -> bool {
    let plus = text.starts_with('+');
    let body = text.strip_prefix('+').unwrap_or(text);
    let (mut count, mut separators, mut previous) = (0, 0, b' ');
    for byte in body.bytes() {
        match byte {
            b'0'..=b'9' => count += 1,
            b'(' | b')' => separators += 1,
            b' ' | b'-' | b'.' | b'/' => {
                if previous == byte && byte != b' ' {
                    return false;
                }
                separators += 1;
            }
            _ => return false,
        }
        previous = byte;
    }
    let (least, most) = if plus || sure { (7, 15) } else { (8, 15) };
    let one_point = separators == 1 && body.contains('.');
    let is_grouped = plus || sure || (separators > 0 && !one_point) || body.starts_with('0');
    (least..=most).contains(&count) && is_grouped && !is_date(text)
}

/// A day, a month and a year, in one of the orders and with one of the marks that people use.
pub(super) fn is_date(text: &str) -> bool {
    let text = text.split([' ', 'T']).next().unwrap_or_default();
    let Some(mark) = text.chars().find(|c| matches!(c, '-' | '.' | '/')) else { return false };
    let parts: Vec<&str> = text.split(mark).collect();
    let [first, second, third] = parts[..] else { return false };
    let number = |part: &str| {
        let is_short = (1..=4).contains(&part.len());
        is_short.then(|| part.parse::<u32>().ok()).flatten()
    };
    let (Some(a), Some(b), Some(c)) = (number(first), number(second), number(third)) else {
        return false;
    };
    let is_day_month =
        |a: u32, b: u32| (1..=31).contains(&a) && (1..=31).contains(&b) && (a <= 12 || b <= 12);
    let is_year = |year: u32| (1850..=2100).contains(&year);
    match (first.len(), third.len()) {
        (4, 1 | 2) => is_year(a) && is_day_month(b, c),
        (1 | 2, 4) => is_year(c) && is_day_month(a, b),
        (1 | 2, 2) => is_day_month(a, b),
        _ => false,
    }
}

/// The United States' social security number, grouped; `sure` takes nine digits as well.
pub(super) fn is_ssn(text: &str, sure: bool) -> bool {
    let is_grouped = text.split('-').map(str::len).eq([3, 2, 4]);
    let Some(digits) = digits(text) else { return false };
    let number = |from: usize, to: usize| {
        digits[from..to].iter().fold(0, |sum, &digit| sum * 10 + u32::from(digit))
    };
    digits.len() == 9
        && (is_grouped || (sure && text.len() == 9))
        && !matches!(number(0, 3), 0 | 666 | 900..)
        && number(3, 5) != 0
        && number(5, 9) != 0
}

/// The United Kingdom's national insurance number: two letters, six digits, a letter from A to D.
pub(super) fn is_nino(text: &str) -> bool {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let ([a, b, middle @ .., last], 9) = (&bytes[..], bytes.len()) else { return false };
    a.is_ascii_uppercase()
        && b.is_ascii_uppercase()
        && !b"DFIQUV".contains(a)
        && !b"DFIQUVO".contains(b)
        && !matches!(&[*a, *b], b"BG" | b"GB" | b"KN" | b"NK" | b"NT" | b"TN" | b"ZZ")
        && middle.iter().all(u8::is_ascii_digit)
        && (b'A'..=b'D').contains(last)
}

/// Two to four words that begin with capitals and hold nothing but letters.
pub(super) fn is_person_name(text: &str) -> bool {
    let is_word = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '.' | '\u{2019}'))
    };
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let long = words.iter().filter(|word| word.chars().count() > 1).count();
    // Words in capitals only are codes and headings more often than people.
    let has_small = text.chars().any(char::is_lowercase);
    (2..=4).contains(&words.len())
        && long >= 2
        && has_small
        && words.iter().all(|word| is_word(word))
}

/// Five words and more.
pub(super) fn is_prose(text: &str) -> bool {
    let has_letters = |word: &&str| word.chars().any(char::is_alphabetic);
    text.split_whitespace().filter(has_letters).nth(4).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told() {
        for (text, is) in [
            ("ann.lee+x@mail.example.org", true),
            ("ann@example", false),
            ("ann lee@example.org", false),
            ("@example.org", false),
            ("a@b@c.de", false),
        ] {
            assert_eq!(is_email(text), is, "{text}");
        }
        assert!(is_url("https://example.org/a?b") && is_url("WWW.example.org"));
        assert!(!is_url("http://") && !is_url("see http://x.org") && !is_url("wwwé.example.org"));
        assert!(is_ip("10.0.0.255") && is_ip("2001:db8::1") && !is_ip("10.0.0.256"));
        assert!(is_mac("00:1a:2B:3c:4d:5e") && !is_mac("00:1a:2B:3c-4d:5e") && !is_mac("00:1a"));
        assert!(is_uuid("123e4567-e89b-12d3-a456-426614174000"));
        assert!(!is_uuid("123e4567-e89b-12d3-a456-42661417400g"));
        assert!(is_coordinates("48.2082, 16.3738") && is_coordinates("(-33.86 151.21)"));
        assert!(!is_coordinates("98.2082, 16.3738") && !is_coordinates("1, 2"));
    }

    #[test]
    fn telephone_numbers_are_told_from_dates_and_decimals() {
        for (text, is) in [
            ("+43 1 234 56 78", true),
            ("(555) 123-4567", true),
            ("030/1234567", true),
            ("0301234567", true),
            ("555-1234", false),
            ("1999-12-31", false),
            ("31.12.1999", false),
            ("12345678", false),
            ("12345.6789", false),
            ("12--345678", false),
            ("call me", false),
        ] {
            assert_eq!(is_phone(text, false), is, "{text}");
        }
        assert!(is_phone("5551234", true) && is_phone("12345678", true) && !is_phone("12", true));
    }

    #[test]
    fn dates_come_in_several_orders() {
        for text in ["1999-12-31", "31.12.1999", "12/31/99", "1999/1/2", "1999-12-31T10:00:00"] {
            assert!(is_date(text), "{text}");
        }
        for text in ["1999-31-31", "1.2", "1.2.3.4", "2500-01-01", "a-b-c", "", "-", "--"] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn numbers_of_offices_have_a_form() {
        assert!(is_ssn("123-45-6789", false) && !is_ssn("123456789", false));
        assert!(is_ssn("123456789", true) && !is_ssn("000-45-6789", true));
        assert!(!is_ssn("666-45-6789", true) && !is_ssn("123-00-6789", true));
        assert!(is_nino("AB 12 34 56 C") && !is_nino("GB123456C") && !is_nino("AB123456E"));
    }

    #[test]
    fn names_and_prose_are_told() {
        assert!(is_person_name("Ann Lee") && is_person_name("Lee, Ann-Marie O'Neill"));
        assert!(
            !is_person_name("Ann") && !is_person_name("ann lee") && !is_person_name("WARD TWO")
        );
        assert!(
            is_prose("came in with a cough") && !is_prose("1 2 3 4 5 6") && !is_prose("a cough")
        );
    }
}
