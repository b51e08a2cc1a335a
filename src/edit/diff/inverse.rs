use super::{FileDiff, Hunk};

impl Hunk {
    /// Returns the hunk of the change in the other direction.
    #[must_use]
    pub fn inverse(self) -> Self {
        let Self { old_start, old_lines, new_start, new_lines } = self;
        Self { old_start: new_start, old_lines: new_lines, new_start: old_start, new_lines: old_lines }
    }
}

impl FileDiff {
    /// Returns the diff of the change in the other direction, without the texts that it was made from.
    ///
    /// ```
    /// use editd_edit::{Deadline, Labels, diff_texts};
    ///
    /// let diff = |old, new| diff_texts(old, new, Labels::same("a.txt"), Deadline::NONE);
    /// assert_eq!(diff("a\nb\n", "a\nc\n").inverse(), diff("a\nc\n", "a\nb\n"));
    /// ```
    #[must_use]
    pub fn inverse(&self) -> Self {
        let hunks: Vec<_> = self.hunks.iter().map(|hunk| hunk.inverse()).collect();
        Self {
            unified: inverse_text(&self.unified),
            // A removed end is shown at the last line that is left.
            first_changed_line: hunks.first().map(|hunk| hunk.new_start.max(1)),
            hunks,
            added: self.removed,
            removed: self.added,
        }
    }
}

/// Returns a unified diff with its sides exchanged. Removed lines stay before added ones.
fn inverse_text(unified: &str) -> String {
    let mut text = String::with_capacity(unified.len());
    let (mut removed, mut added) = (String::new(), String::new());
    let mut lines = unified.split_inclusive('\n').peekable();
    while let Some(line) = lines.next_if(|line| !line.starts_with("@@")) {
        match (line.strip_prefix("--- "), line.strip_prefix("+++ ")) {
            (Some(old), _) => added = format!("+++ {}", other_side(old, 'a', 'b')),
            (_, Some(new)) => {
                text.extend(["--- ", &other_side(new, 'b', 'a')]);
                text.push_str(&std::mem::take(&mut added));
            }
            _ => text.push_str(&line.replace("new file mode ", "deleted file mode ")),
        }
    }
    // The side of the last line, to which the note about a missing line ending belongs.
    let mut last = ' ';
    for line in lines {
        let kind = line.chars().next().unwrap_or(' ');
        let side = if kind == '\\' { last } else { kind };
        match side {
            '-' => push(&mut added, '+', line),
            '+' => push(&mut removed, '-', line),
            _ => {
                text.push_str(&std::mem::take(&mut removed));
                text.push_str(&std::mem::take(&mut added));
                text.push_str(&if side == '@' { inverse_head(line) } else { line.to_owned() });
            }
        }
        last = side;
    }
    text + &removed + &added
}

/// Appends a line with another sign, or a note as it is.
fn push(side: &mut String, sign: char, line: &str) {
    if line.starts_with('\\') {
        side.push_str(line);
    } else {
        side.push(sign);
        side.push_str(&line[1..]);
    }
}

/// Returns the name of a file with the prefix of the other side. It may be quoted.
fn other_side(name: &str, from: char, to: char) -> String {
    let (quote, rest) = if let Some(rest) = name.strip_prefix('"') { ("\"", rest) } else { ("", name) };
    match rest.strip_prefix(from).filter(|rest| rest.starts_with('/')) {
        Some(path) => format!("{quote}{to}{path}"),
        None => name.to_owned(),
    }
}

/// Returns the `@@` line with its two spans exchanged.
fn inverse_head(head: &str) -> String {
    let mut parts = head.split(' ');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(begin), Some(old), Some(new), Some(end)) => {
            let (old, new) = (old.trim_start_matches('-'), new.trim_start_matches('+'));
            format!("{begin} -{new} +{old} {end}")
        }
        _ => head.to_owned(),
    }
}
