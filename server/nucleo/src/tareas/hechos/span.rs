//! Code between backticks, and what a backslash takes the meaning from.
//!
//! Everything counts bytes of one line: the signs that matter are ASCII, so no offset falls inside a letter.

use std::ops::Range;

/// Whether the byte at `at` is behind an odd number of backslashes.
pub(super) fn is_escaped(line: &[u8], at: usize) -> bool {
    line[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Parts of one line that lie side by side, in order.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Range<usize>>);

impl Spans {
    /// Code between backticks: a run of them closes only another of the same length. A backslash before the
    /// opening run takes one backtick away from it; inside code it means nothing.
    pub fn of_code(line: &[u8]) -> Spans {
        let runs = runs(line);
        let opening = |run: &Range<usize>| run.start + usize::from(is_escaped(line, run.start));
        // The next run of each length, kept while going backwards, so that the whole takes linear time.
        let mut next_of_length = std::collections::HashMap::new();
        let mut closings = vec![None; runs.len()];
        for (index, run) in runs.iter().enumerate().rev() {
            closings[index] = next_of_length.get(&(run.end - opening(run))).copied();
            next_of_length.insert(run.len(), index);
        }
        let mut spans: Vec<Range<usize>> = Vec::new();
        for (run, closing) in runs.iter().zip(closings) {
            let start = opening(run);
            if let Some(closing) = closing
                && spans.last().is_none_or(|span| span.end <= start)
            {
                spans.push(start..runs[closing].end);
            }
        }
        Spans(spans)
    }

    /// Adds a part behind the others.
    pub fn push(&mut self, span: Range<usize>) {
        self.0.push(span);
    }

    /// The part that holds the byte at `at`.
    pub fn holding(&self, at: usize) -> Option<&Range<usize>> {
        let behind = self.0.partition_point(|span| span.start <= at);
        self.0[..behind].last().filter(|span| at < span.end)
    }
}

/// Runs of backticks, in order.
fn runs(line: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..line.len()).filter(|at| line[*at] == b'`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
