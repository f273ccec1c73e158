//! SPDX license expressions.
//!
//! ```text
//! either = both (("OR" | "/") both)*
//! both   = term ("AND" term)*
//! term   = "(" either ")" | id ["WITH" id]
//! ```
//!
//! "/" is how crates wrote OR before they used SPDX. Operators and ids are read without regard
//! to case. "id+" means this version or a later one, so permission for the
//! id is enough.

/// Whether the licences in `allowed` are enough to use what `expression` covers.
///
/// An entry of `allowed` is one id, or `id WITH exception`; an exception counts only where it is
/// listed. The error says why an expression cannot be read.
pub(super) fn is_satisfied(expression: &str, allowed: &[&str]) -> Result<bool, String> {
    let mut reader = Reader { tokens: tokens(expression), place: 0, allowed };
    let satisfied = reader.either()?;
    match reader.peek() {
        None => Ok(satisfied),
        Some(token) => Err(format!("unexpected `{token}`")),
    }
}

/// Words; parentheses and slashes are words of their own.
fn tokens(expression: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for word in expression.split_whitespace() {
        let mut rest = word;
        while let Some(sign) = rest.find(['(', ')', '/']) {
            tokens.extend([&rest[..sign], &rest[sign..=sign]]);
            rest = &rest[sign + 1..];
        }
        tokens.push(rest);
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

struct Reader<'a> {
    tokens: Vec<&'a str>,
    place: usize,
    allowed: &'a [&'a str],
}

impl<'a> Reader<'a> {
    fn either(&mut self) -> Result<bool, String> {
        let mut satisfied = self.both()?;
        while self.take("OR") || self.take("/") {
            // Read first: the rest must be well formed even when it cannot matter.
            satisfied = self.both()? || satisfied;
        }
        Ok(satisfied)
    }

    fn both(&mut self) -> Result<bool, String> {
        let mut satisfied = self.term()?;
        while self.take("AND") {
            satisfied = self.term()? && satisfied;
        }
        Ok(satisfied)
    }

    fn term(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let satisfied = self.either()?;
            return if self.take(")") { Ok(satisfied) } else { Err("`)` is missing".into()) };
        }
        let id = self.id()?;
        let id = id.strip_suffix('+').unwrap_or(id);
        if self.take("WITH") {
            let exception = self.id()?;
            return Ok(self.allows(&format!("{id} WITH {exception}")));
        }
        Ok(self.allows(id))
    }

    fn id(&mut self) -> Result<&'a str, String> {
        let token = self.peek().ok_or("it ends too early")?;
        let is_operator = ["OR", "AND", "WITH"].iter().any(|word| token.eq_ignore_ascii_case(word));
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || b"-.+:".contains(&byte);
        if is_operator || !token.bytes().all(is_id) {
            return Err(format!("`{token}` stands where an id is expected"));
        }
        self.place += 1;
        Ok(token)
    }

    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.place).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.eq_ignore_ascii_case(word));
        self.place += usize::from(found);
        found
    }

    fn allows(&self, licence: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(licence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: &[&str] = &["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "ISC"];

    fn satisfied(expression: &str) -> bool {
        is_satisfied(expression, ALLOWED).unwrap()
    }

    #[test]
    fn one_branch_of_or_is_enough_and_and_needs_both() {
        assert!(satisfied("MIT"));
        assert!(!satisfied("GPL-3.0-only"));
        assert!(satisfied("GPL-3.0-only OR MIT"));
        assert!(satisfied("MIT OR GPL-3.0-only"));
        assert!(satisfied("MIT AND ISC"));
        assert!(!satisfied("MIT AND GPL-3.0-only"));
        assert!(!satisfied("GPL-3.0-only AND MIT"));
    }

    #[test]
    fn and_binds_tighter_than_or_and_parentheses_tighter_than_both() {
        assert!(satisfied("MIT OR ISC AND GPL-3.0-only"));
        assert!(!satisfied("(MIT OR ISC) AND GPL-3.0-only"));
        assert!(satisfied("GPL-3.0-only AND ISC OR MIT"));
        assert!(satisfied("(MIT OR Apache-2.0) AND ISC"));
        assert!(satisfied("((MIT)) AND (ISC OR (GPL-3.0-only AND MIT))"));
    }

    #[test]
    fn an_exception_counts_only_with_its_licence() {
        assert!(satisfied("Apache-2.0 WITH LLVM-exception"));
        assert!(satisfied("GPL-2.0-only OR Apache-2.0 WITH LLVM-exception AND MIT"));
        assert!(!satisfied("MIT WITH LLVM-exception"));
        assert!(!satisfied("Apache-2.0 WITH Classpath-exception-2.0"));
        assert!(!is_satisfied("Apache-2.0", &["Apache-2.0 WITH LLVM-exception"]).unwrap());
    }

    #[test]
    fn the_old_slash_means_or() {
        assert!(satisfied("MIT/Apache-2.0"));
        assert!(satisfied("GPL-3.0-only / MIT"));
        assert!(!satisfied("GPL-3.0-only/LGPL-3.0-only"));
        assert!(satisfied("(GPL-3.0-only/MIT)AND ISC"));
    }

    #[test]
    fn case_and_a_later_version_do_not_matter() {
        assert!(satisfied("mit or gpl-3.0-only"));
        assert!(satisfied("apache-2.0 with llvm-EXCEPTION"));
        assert!(satisfied("Apache-2.0+"));
        assert!(!satisfied("GPL-2.0+"));
    }

    #[test]
    fn what_is_not_an_expression_is_refused() {
        for expression in [
            "",
            "OR",
            "MIT OR",
            "MIT ISC",
            "AND MIT",
            "(MIT",
            "MIT)",
            "()",
            "MIT // ISC",
            "MIT WITH",
            "MIT WITH OR",
            "(MIT) WITH LLVM-exception",
            "MIT, ISC",
        ] {
            assert!(is_satisfied(expression, ALLOWED).is_err(), "`{expression}` was accepted");
        }
    }
}
