//! Days and months, counted and spelled.

/// Year and month (from 1) of a day, and the day of the month.
pub fn calendar(days: i64) -> (i64, i64, i64) {
    // Years from March on, in cycles of 400; 719,468 days lie between 0000-03-01 and 1970-01-01.
    let since = days.saturating_add(719_468);
    let (cycle, rest) = (since.div_euclid(146_097), since.rem_euclid(146_097));
    let year = (rest - rest / 1_460 + rest / 36_524 - rest / 146_096) / 365;
    let of_year = rest - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (cycle * 400 + year + i64::from(month <= 2), month, day)
}

/// A day of the years 1 to 9999, counted from 1970-01-01; nothing where the calendar has no such day.
pub fn day_of(year: i32, month: i32, day: i32) -> Option<i32> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=9_999).contains(&year) || day < 1 || day > days_in {
        return None;
    }
    // Years are counted from March so that leap days come last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * m + 2) / 5 + day - 1;
    Some(365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719_468)
}

/// The first day of a month that is counted from January of year 0.
pub fn first_of_month(month: i64) -> i64 {
    let from_march = month - 2;
    let (year, month) = (from_march.div_euclid(12), from_march.rem_euclid(12));
    let (cycle, of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
    let days = 365 * of_cycle + of_cycle / 4 - of_cycle / 100 + (153 * month + 2) / 5;
    cycle * 146_097 + days - 719_468
}

/// A day as text.
pub fn date(days: i64) -> String {
    let (year, month, day) = calendar(days);
    let sign = if year < 0 { "-" } else { "" };
    format!("{sign}{:04}-{month:02}-{day:02}", year.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_where_the_calendar_says() {
        for days in (-1_000_000..1_000_000).step_by(911) {
            let (year, month, day) = calendar(days);
            assert_eq!(first_of_month(year * 12 + month - 1) + day - 1, days);
        }
        assert_eq!(
            (date(0), date(11_016), date(-719_529)),
            ("1970-01-01".into(), "2000-02-29".into(), "-0001-12-31".into())
        );
    }
}
