//! Blocks of code between fences: no link is looked for in them.

/// Whether a line stands inside a fenced block, line after line.
#[derive(Debug, Default)]
pub(super) struct Fences {
    open: Option<(char, usize)>,
}

impl Fences {
    /// Takes the next line; tells whether it is part of a block, its fences included.
    pub fn take(&mut self, line: &str) -> bool {
        match (self.open, fence(line)) {
            (None, None) => false,
            (None, Some((sign, length, _))) => {
                self.open = Some((sign, length));
                true
            }
            (Some((sign, length)), found) => {
                // Nothing may follow the fence that closes.
                if found.is_some_and(|(s, l, rest)| s == sign && l >= length && rest.is_empty()) {
                    self.open = None;
                }
                true
            }
        }
    }
}

/// The sign of a fence, its length, and what follows it without blanks around.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let text = after_indent(line);
    let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = text.trim_start_matches(sign);
    let length = text.len() - rest.len();
    (length >= 3).then(|| (sign, length, rest.trim_matches([' ', '\t'])))
}

/// The line behind its indentation, of which at most three blanks count.
pub(super) fn after_indent(line: &str) -> &str {
    let blanks = line.bytes().take(3).take_while(|b| matches!(b, b' ' | b'\t')).count();
    &line[blanks..]
}
