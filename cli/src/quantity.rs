//! Sizes, durations and counts: as options give them and as messages show them.

use std::time::Duration;

/// The factors of sizes.
const SIZES: [(&str, u64); 4] = [("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];

/// Reads a size in bytes: `4096`, `64K`, `512M`, `2G`, `1.5G`; the letters are powers of 1024.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wrong =
        || "a size is a number of bytes, or a number with K, M, G or T, like 512M".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_uppercase();
    let unit = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit);
    let factor = if unit.is_empty() {
        1
    } else {
        SIZES.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?.1
    };
    let bytes = decimal(digits).ok_or_else(wrong)? * factor as f64;
    if bytes >= u64::MAX as f64 {
        return Err("that is more than any machine has".to_owned());
    }
    match bytes as u64 {
        0 => Err("it has to be more than nothing".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Reads a duration: `10s`, `500ms`, `1.5m`, `2h`; a bare number is seconds.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || "a duration is a number with ms, s, m or h, like 10s".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let seconds = decimal(digits).ok_or_else(wrong)? * factor;
    Duration::try_from_secs_f64(seconds).map_err(|_| "that is too long".to_owned())
}

/// Reads a count: `1000000`, or `1_000_000`.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("it has to be a whole number, like 1000000".to_owned());
    }
    digits.parse().map_err(|_| format!("it can be {} at most", u64::MAX))
}

/// Returns how often something is to be run.
///
/// # Errors
/// In words, if it is no number from 1 to a million.
pub fn parse_runs(text: &str) -> Result<u32, String> {
    let runs = parse_count(text)?;
    let runs = u32::try_from(runs).ok().filter(|runs| (1..=1_000_000).contains(runs));
    runs.ok_or_else(|| "it can be 1 to 1,000,000".to_owned())
}

/// Reads a number of digits with perhaps a fraction.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    if plain && digit { text.parse().ok() } else { None }
}

/// Returns a size as a message shows it: `512M`, `1.5G`, `100 bytes`.
pub fn show_size(bytes: u64) -> String {
    for (name, factor) in SIZES {
        if bytes >= factor {
            let tenths = (bytes as u128 * 10 + u128::from(factor) / 2) / u128::from(factor);
            return match tenths % 10 {
                0 => format!("{}{name}", tenths / 10),
                tenth => format!("{}.{tenth}{name}", tenths / 10),
            };
        }
    }
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// Returns a duration as a message shows it.
pub fn show_duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    match (millis / 1000, millis % 1000) {
        (0, _) => format!("{millis}ms"),
        (seconds, 0) => format!("{seconds}s"),
        (seconds, rest) => format!("{seconds}.{rest:03}").trim_end_matches('0').to_owned() + "s",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024_and_nonsense_is_refused() {
        assert_eq!(parse_size("4096"), Ok(4096));
        assert_eq!(parse_size("64K"), Ok(64 << 10));
        assert_eq!(parse_size("512m"), Ok(512 << 20));
        assert_eq!(parse_size("1.5G"), Ok(3 << 29));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        for bad in ["", "-1", "M", "1Q", "1 M", "0", "1e9", "..", "99999999T", "∞", "0x10"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn durations_have_units_and_nonsense_is_refused() {
        assert_eq!(parse_duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        for bad in ["", "s", "-1s", "10 s", "1d", "99999999999999999999999h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn counts_are_whole() {
        assert_eq!(parse_count("1_000"), Ok(1000));
        for bad in ["", "_", "-1", "1.5", "1e3", "99999999999999999999"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_runs("5"), Ok(5));
        assert!(parse_runs("0").is_err() && parse_runs("1000001").is_err());
    }

    #[test]
    fn quantities_are_shown_as_they_are_given() {
        assert_eq!(show_size(512 << 20), "512M");
        assert_eq!(show_size(3 << 29), "1.5G");
        assert_eq!(show_size(100), "100 bytes");
        assert_eq!(show_size(1), "1 byte");
        assert_eq!(show_duration(Duration::from_millis(1500)), "1.5s");
        assert_eq!(show_duration(Duration::from_secs(10)), "10s");
        assert_eq!(show_duration(Duration::from_millis(20)), "20ms");
    }
}
