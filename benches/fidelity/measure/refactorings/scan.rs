//! A simple scanner that sets comments and strings apart from code.

use editd_syntax::Language;

/// The part of a text that a byte belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Code,
    Comment,
    Text,
    /// A string that may contain code, as `f"{name}"`.
    Mixed,
}

/// A text whose bytes have classes.
pub(crate) struct Scanned {
    pub(crate) classes: Vec<Class>,
    /// Code alone: all other bytes except line endings are spaces.
    pub(crate) code: String,
    /// Offsets of the lines.
    pub(crate) starts: Vec<usize>,
}

impl Scanned {
    /// Returns the class at the start of a line if the line before it ends in the same one, else `Code`.
    pub(crate) fn carried(&self, line: usize) -> Class {
        let Some(at) = self.starts.get(line).and_then(|start| start.checked_sub(1)) else {
            return Class::Code;
        };
        self.classes.get(at).copied().unwrap_or(Class::Code)
    }

    pub(crate) fn begins_in_string(&self, line: usize) -> bool {
        matches!(self.carried(line), Class::Text | Class::Mixed)
    }

    /// Returns the text with letters in place of all strings, line by line as before.
    pub(crate) fn without_strings(&self, text: &str) -> String {
        let plain = |(byte, class): (u8, &Class)| match class {
            Class::Text | Class::Mixed if !byte.is_ascii_whitespace() => b'x',
            _ => byte,
        };
        let bytes = text.bytes().zip(&self.classes).map(plain).collect();
        String::from_utf8(bytes).unwrap_or_default()
    }

    pub(crate) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// Returns the code of lines.
    pub(crate) fn code_of(&self, lines: std::ops::Range<usize>) -> &str {
        let end = self.starts.get(lines.end).copied().unwrap_or(self.code.len());
        &self.code[self.starts[lines.start]..end]
    }

    /// Returns `true` if all brackets that these lines open are closed in them, and no others.
    pub(crate) fn is_balanced(&self, lines: std::ops::Range<usize>) -> bool {
        let mut open = Vec::new();
        for sign in self.code_of(lines).bytes() {
            match sign {
                b'(' | b'[' | b'{' => open.push(sign),
                b')' | b']' | b'}' => {
                    let of = match sign {
                        b')' => b'(',
                        b']' => b'[',
                        _ => b'{',
                    };
                    if open.pop() != Some(of) {
                        return false;
                    }
                }
                _ => {}
            }
        }
        open.is_empty()
    }
}

struct Scanner<'t> {
    text: &'t [u8],
    language: Language,
    classes: Vec<Class>,
}

/// Scans a text. Returns `None` in languages that it does not know, and if a construct leaves a doubt.
pub(crate) fn scan(text: &str, language: Language) -> Option<Scanned> {
    let mut scanner = Scanner { text: text.as_bytes(), language, classes: Vec::with_capacity(text.len()) };
    while scanner.classes.len() < text.len() {
        scanner.step()?;
    }
    let code: Vec<u8> = text
        .bytes()
        .zip(&scanner.classes)
        .map(|(byte, class)| match class {
            _ if byte == b'\n' => byte,
            Class::Code => byte,
            _ => b' ',
        })
        .collect();
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let starts = starts.filter(|at| *at < text.len()).collect();
    Some(Scanned { code: String::from_utf8(code).ok()?, classes: scanner.classes, starts })
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t [u8] {
        &self.text[self.classes.len()..]
    }

    fn before(&self) -> u8 {
        self.classes.len().checked_sub(1).map_or(b'\n', |at| self.text[at])
    }

    fn put(&mut self, size: usize, class: Class) {
        let size = size.min(self.text.len() - self.classes.len());
        self.classes.resize(self.classes.len() + size, class);
    }

    /// Classifies up to and with the next `end`. Returns `None` if there is none.
    fn put_to(&mut self, head: usize, end: &[u8], class: Class) -> Option<()> {
        let at = self.rest()[head..].windows(end.len()).position(|found| found == end)?;
        self.put(head + at + end.len(), class);
        Some(())
    }

    fn put_line(&mut self, class: Class) {
        let size = self.rest().iter().position(|byte| *byte == b'\n').unwrap_or(self.rest().len());
        self.put(size, class);
    }

    /// Classifies a string with escapes.
    fn put_string(&mut self, head: usize, end: &[u8], class: Class, spans_lines: bool) -> Option<()> {
        let rest = self.rest();
        let mut at = head;
        loop {
            match *rest.get(at)? {
                b'\\' => at += 2,
                b'\n' if !spans_lines => return None,
                _ if rest[at..].starts_with(end) => break,
                _ => at += 1,
            }
        }
        self.put(at + end.len(), class);
        Some(())
    }

    fn step(&mut self) -> Option<()> {
        match self.language {
            Language::Rust => self.rust(),
            Language::C | Language::Java | Language::Css => self.braces(false),
            Language::Go => self.braces(true),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.script(),
            Language::Python => self.python(),
            Language::Lua => self.lua(),
            Language::Bash => self.bash(),
            _ => None,
        }
    }

    fn comment(&mut self) -> bool {
        if self.rest().starts_with(b"//") && self.language != Language::Css {
            self.put_line(Class::Comment);
            return true;
        }
        self.rest().starts_with(b"/*") && self.put_to(2, b"*/", Class::Comment).is_some()
    }

    fn rust(&mut self) -> Option<()> {
        let rest = self.rest();
        if rest.starts_with(b"/*") {
            let (mut depth, mut at) = (0, 0);
            loop {
                if rest[at..].starts_with(b"/*") {
                    (depth, at) = (depth + 1, at + 2);
                } else if rest[at..].starts_with(b"*/") {
                    (depth, at) = (depth - 1, at + 2);
                    if depth == 0 {
                        break;
                    }
                } else {
                    rest.get(at)?;
                    at += 1;
                }
            }
            self.put(at, Class::Comment);
            return Some(());
        }
        if self.comment() {
            return Some(());
        }
        let is_word = self.before().is_ascii_alphanumeric() || self.before() == b'_';
        let prefix = if is_word {
            0
        } else {
            rest.iter().take_while(|byte| matches!(byte, b'b' | b'c' | b'r')).count()
        };
        let marks = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
        if rest[..prefix].contains(&b'r') && rest.get(prefix + marks) == Some(&b'"') {
            let end = [b"\"".as_slice(), &vec![b'#'; marks]].concat();
            return self.put_to(prefix + marks + 1, &end, Class::Text);
        }
        if prefix <= 1 && rest.get(prefix) == Some(&b'"') {
            return self.put_string(prefix + 1, b"\"", Class::Text, true);
        }
        if rest[0] == b'\'' {
            if rest.get(1) == Some(&b'\\') {
                return self.put_string(1, b"'", Class::Text, false);
            }
            let text = std::str::from_utf8(&rest[1..rest.len().min(6)]);
            let size = match text {
                Ok(text) => text.chars().next().map_or(1, char::len_utf8),
                Err(error) if error.valid_up_to() > 0 => {
                    let valid = String::from_utf8_lossy(&rest[1..=error.valid_up_to()]).into_owned();
                    valid.chars().next().map_or(1, char::len_utf8)
                }
                Err(_) => return None,
            };
            if rest.get(1 + size) == Some(&b'\'') {
                self.put(size + 2, Class::Text);
                return Some(());
            }
        }
        self.put(1, Class::Code);
        Some(())
    }

    fn braces(&mut self, raw: bool) -> Option<()> {
        if self.comment() {
            return Some(());
        }
        match self.rest()[0] {
            b'"' if self.rest().starts_with(b"\"\"\"") => self.put_string(3, b"\"\"\"", Class::Text, true),
            b'`' if raw => self.put_to(1, b"`", Class::Text),
            sign @ (b'"' | b'\'') => self.put_string(1, &[sign], Class::Text, false),
            _ => {
                self.put(1, Class::Code);
                Some(())
            }
        }
    }

    fn script(&mut self) -> Option<()> {
        if self.comment() {
            return Some(());
        }
        match self.rest()[0] {
            sign @ (b'"' | b'\'') => self.put_string(1, &[sign], Class::Text, false),
            b'`' => {
                let rest = self.rest();
                let mut end = 1;
                while *rest.get(end)? != b'`' {
                    end += if rest[end] == b'\\' { 2 } else { 1 };
                }
                let class =
                    if rest[..end].windows(2).any(|two| two == b"${") { Class::Mixed } else { Class::Text };
                // A template in a template ends the outer one too early.
                let nested =
                    class == Class::Mixed && rest.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
                if nested {
                    return None;
                }
                self.put(end + 1, class);
                Some(())
            }
            b'/' => {
                let code: Vec<u8> = (0..self.classes.len())
                    .rev()
                    .take(40)
                    .filter(|at| self.classes[*at] == Class::Code)
                    .map(|at| self.text[at])
                    .skip_while(u8::is_ascii_whitespace)
                    .take(8)
                    .collect();
                let starts = code.first().is_none_or(|sign| b"(,=:[!&|?{};".contains(sign))
                    || code.starts_with(b"nruter");
                if !starts {
                    self.put(1, Class::Code);
                    return Some(());
                }
                let rest = self.rest();
                let (mut at, mut in_class) = (1, false);
                loop {
                    match *rest.get(at)? {
                        b'\n' => return None,
                        b'\\' => at += 1,
                        b'[' => in_class = true,
                        b']' => in_class = false,
                        b'/' if !in_class => break,
                        _ => {}
                    }
                    at += 1;
                }
                self.put(at + 1, Class::Text);
                Some(())
            }
            _ => {
                self.put(1, Class::Code);
                Some(())
            }
        }
    }

    fn python(&mut self) -> Option<()> {
        let rest = self.rest();
        if rest[0] == b'#' {
            self.put_line(Class::Comment);
            return Some(());
        }
        let is_word = self.before().is_ascii_alphanumeric() || self.before() == b'_';
        let is_prefix = |byte: &&u8| matches!(byte.to_ascii_lowercase(), b'r' | b'b' | b'f' | b'u');
        let size = if is_word { 0 } else { rest.iter().take_while(is_prefix).count().min(2) };
        let Some(sign) = rest.get(size).copied().filter(|byte| matches!(byte, b'"' | b'\'')) else {
            self.put(1, Class::Code);
            return Some(());
        };
        let class = if rest[..size].iter().any(|byte| byte.eq_ignore_ascii_case(&b'f')) {
            Class::Mixed
        } else {
            Class::Text
        };
        let triple = [sign; 3];
        if rest[size..].starts_with(&triple) {
            return self.put_string(size + 3, &triple, class, true);
        }
        self.put_string(size + 1, &[sign], class, false)
    }

    fn lua(&mut self) -> Option<()> {
        let rest = self.rest();
        let comment = rest.starts_with(b"--");
        let head = if comment { 2 } else { 0 };
        if rest.get(head) == Some(&b'[') {
            let marks = rest[head + 1..].iter().take_while(|byte| **byte == b'=').count();
            if rest.get(head + 1 + marks) == Some(&b'[') {
                let end = [b"]".as_slice(), &vec![b'='; marks], b"]"].concat();
                return self.put_to(
                    head + 2 + marks,
                    &end,
                    if comment { Class::Comment } else { Class::Text },
                );
            }
        }
        match rest[0] {
            _ if comment => self.put_line(Class::Comment),
            sign @ (b'"' | b'\'') => return self.put_string(1, &[sign], Class::Text, false),
            _ => self.put(1, Class::Code),
        }
        Some(())
    }

    fn bash(&mut self) -> Option<()> {
        let rest = self.rest();
        // A here-document has its own rules.
        if rest.starts_with(b"<<") {
            return None;
        }
        match rest[0] {
            b'#' if self.before().is_ascii_whitespace() || self.before() == b';' => {
                self.put_line(Class::Comment);
            }
            b'\\' => self.put(2, Class::Code),
            b'\'' if self.before() == b'$' => return self.put_string(1, b"'", Class::Text, true),
            b'\'' => return self.put_to(1, b"'", Class::Text),
            b'"' => return self.put_string(1, b"\"", Class::Mixed, true),
            _ => self.put(1, Class::Code),
        }
        Some(())
    }
}
