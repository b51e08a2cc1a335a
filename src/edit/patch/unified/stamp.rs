//! Time stamps behind the file names in the headers of a diff.

/// Names of days at the start of the time stamps of `ctime`.
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Splits a header without a tab into the name and the time stamp, which is empty if there is none. Returns
/// `None` if the last word is a date without a time: it can be a part of the name.
pub(super) fn split(header: &str) -> Option<(&str, &str)> {
    let words: Vec<(usize, &str)> = words(header).collect();
    let text: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
    let first = (1..words.len()).find(|&first| is_stamp(&text[first..]));
    if let Some(first) = first {
        let (name, stamp) = header.split_at(words[first].0);
        return Some((name.trim_end(), stamp));
    }
    match text[..] {
        ["/dev/null", ..] => Some(("/dev/null", "")),
        [_, .., last] if date(last).is_some() => None,
        _ => Some((header, "")),
    }
}

/// Returns `true` for the time 0, which `diff -N` writes for a file that does not exist.
pub(super) fn is_of_missing_file(stamp: &str) -> bool {
    let words: Vec<&str> = stamp.split_whitespace().collect();
    let [day, clock, ..] = words[..] else { return false };
    let (Some(day), Some((minutes, 0.0))) = (date(day), time(clock)) else { return false };
    let days = match day {
        (1970, 1, 1) => 0,
        (1969, 12, 31) => -1,
        (1970, 1, 2) => 1,
        _ => return false,
    };
    let offset = words.iter().skip(1).find_map(|word| zone(word)).unwrap_or(0);
    days * 24 * 60 + minutes == offset
}

/// Returns the words of a line with their offsets.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// Returns `true` if words are a date with a time: `2024-01-31 12:00:00.0 +0100` or `Mon Jan 31 12:00:00 2024`.
fn is_stamp(words: &[&str]) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_zone = |word: &str| zone(word).is_some() || matches!(word, "UTC" | "GMT" | "Z");
    match words {
        [joined] => joined
            .split_once('T')
            .is_some_and(|(day, clock)| date(day).is_some() && time(clock.trim_end_matches('Z')).is_some()),
        [day, clock, zones @ ..] if date(day).is_some() => {
            time(clock).is_some() && zones.len() <= 1 && zones.iter().all(|word| is_zone(word))
        }
        [day, _, number, clock, rest @ ..] if DAYS.contains(day) => {
            is_number(number)
                && time(clock).is_some()
                && rest.len() <= 2
                && rest.last().is_some_and(|word| is_number(word))
        }
        _ => false,
    }
}

/// Parses a date such as `2024-01-31`.
fn date(word: &str) -> Option<(u32, u32, u32)> {
    let mut parts = word.split('-');
    let mut number = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits)?;
        part.parse::<u32>().ok()
    };
    let found = (number(4)?, number(2)?, number(2)?);
    parts.next().is_none().then_some(found)
}

/// Parses a time such as `12:30:00.0` into its minutes and its seconds.
fn time(word: &str) -> Option<(i32, f32)> {
    let mut parts = word.split(':');
    let mut number = || parts.next().filter(|part| part.len() == 2)?.parse::<i32>().ok();
    let (hours, minutes) = (number()?, number()?);
    let seconds = parts.next().unwrap_or("00").parse::<f32>().ok().filter(|seconds| *seconds >= 0.0)?;
    parts.next().is_none().then_some((hours * 60 + minutes, seconds))
}

/// Parses the offset of a time zone, such as `+0100`, into minutes.
fn zone(word: &str) -> Option<i32> {
    let (sign, digits) = word.split_at_checked(1)?;
    let digits = digits.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2).filter(|_| digits.len() == 4)?;
    let offset = hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?;
    match sign {
        "+" => Some(offset),
        "-" => Some(-offset),
        _ => None,
    }
}
