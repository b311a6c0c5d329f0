//! The marked block of a document that publishes something generated.
//!
//! Only what stands between the marks is compared and rewritten; the rest of the document is somebody's text.

use std::fmt;

/// The two marks of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Opens the block.
    pub begin: &'static str,
    /// Closes the block.
    pub end: &'static str,
}

/// The document has no block of these marks, or more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoBlock(pub Marks);

impl fmt::Display for NoBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Marks { begin, end } = self.0;
        write!(f, "the document needs exactly one `{begin}` and one `{end}` behind it")
    }
}

impl std::error::Error for NoBlock {}

impl Marks {
    /// What the block says.
    ///
    /// # Errors
    /// [`NoBlock`].
    pub fn published<'d>(&self, document: &'d str) -> Result<&'d str, NoBlock> {
        let (_, inside, _) = self.parts(document)?;
        Ok(inside.trim())
    }

    /// The document with this text in its block.
    ///
    /// # Errors
    /// [`NoBlock`].
    pub fn replace(&self, document: &str, text: &str) -> Result<String, NoBlock> {
        let (before, _, after) = self.parts(document)?;
        let Self { begin, end } = self;
        Ok(format!("{before}{begin}\n{text}\n{end}{after}"))
    }

    fn parts<'d>(&self, document: &'d str) -> Result<(&'d str, &'d str, &'d str), NoBlock> {
        let none = NoBlock(*self);
        let (before, rest) = document.split_once(self.begin).ok_or(none)?;
        let (inside, after) = rest.split_once(self.end).ok_or(none)?;
        if rest.contains(self.begin) || after.contains(self.end) {
            return Err(none);
        }
        Ok((before, inside, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: Marks = Marks { begin: "<!-- it: begin -->", end: "<!-- it: end -->" };

    #[test]
    fn only_the_block_is_rewritten() {
        let Marks { begin, end } = MARKS;
        let document = format!("a\n{begin}\nold\n{end}\nb\n");
        assert_eq!(MARKS.published(&document), Ok("old"));
        let replaced = format!("a\n{begin}\nnew\nlines\n{end}\nb\n");
        assert_eq!(MARKS.replace(&document, "new\nlines"), Ok(replaced));
    }

    #[test]
    fn a_document_has_one_block() {
        let Marks { begin, end } = MARKS;
        let block = format!("{begin}\n{end}");
        for document in ["", begin, &format!("{end}{begin}"), &block.repeat(2), &format!("{block}{end}")] {
            assert_eq!(MARKS.published(document), Err(NoBlock(MARKS)), "{document}");
            assert_eq!(MARKS.replace(document, ""), Err(NoBlock(MARKS)), "{document}");
        }
        let words =
            "the document needs exactly one `<!-- it: begin -->` and one `<!-- it: end -->` behind it";
        assert_eq!(NoBlock(MARKS).to_string(), words);
    }
}
