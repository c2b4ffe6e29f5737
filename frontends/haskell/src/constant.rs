//! Constant expressions of C, as far as `foreign import capi "value EXPRESSION"` needs them.

/// Returns the value of an expression of integers: literals, names, brackets and operators.
pub fn value(text: &str, name: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut parser = Parser { rest: text, name, depth: 0 };
    let value = parser.operation(0)?;
    parser.rest.is_empty().then_some(value)
}

/// The binary operators; those of a later row bind tighter.
const OPERATORS: [&[&str]; 6] =
    [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

/// How many brackets and signs may be within each other.
const DEEPEST: u32 = 100;

struct Parser<'a> {
    rest: &'a str,
    name: &'a dyn Fn(&str) -> Option<i64>,
    depth: u32,
}

impl Parser<'_> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn operation(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = OPERATORS.get(level) else { return self.operand() };
        let mut left = self.operation(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            let right = self.operation(level + 1)?;
            let places = u32::try_from(right).ok();
            left = match *operator {
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "<<" => left.checked_shl(places?)?,
                ">>" => left.checked_shr(places?)?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn operand(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = if self.take("(") {
            let value = self.operation(0)?;
            self.take(")").then_some(value)
        } else if self.take("-") {
            self.operand()?.checked_neg()
        } else if self.take("~") {
            self.operand().map(|value| !value)
        } else {
            self.word()
        };
        self.depth -= 1;
        value
    }

    fn word(&mut self) -> Option<i64> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return (self.name)(word);
        }
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None if digits.len() > 1 && digits.starts_with('0') => {
                i64::from_str_radix(digits, 8).ok()
            }
            None => digits.parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn an_expression_of_c_has_its_value() {
        let name = |name: &str| (name == "O_RDWR").then_some(2);
        for (text, expected) in [
            ("3+4", Some(7)),
            ("2*(3+4)-1", Some(13)),
            ("10-3-2", Some(5)),
            ("O_RDWR|0x800", Some(2050)),
            ("1<<4|017", Some(31)),
            ("-~5", Some(6)),
            ("7%4*2UL", Some(6)),
            ("sizeof(int)", None),
            ("1/0", None),
            ("(1", None),
            ("", None),
            ("9223372036854775807+1", None),
        ] {
            assert_eq!(value(text, &name), expected, "{text}");
        }
        assert_eq!(value(&"(".repeat(100_000), &name), None);
    }
}
