//! The marked block of a document that publishes the count.
//!
//! Only what stands between the marks is compared and rewritten; the rest of the document is somebody's text.

use std::fmt;

/// Opens the block.
pub const BEGIN: &str = "<!-- requirements: begin -->";
/// Closes the block.
pub const END: &str = "<!-- requirements: end -->";

/// The document has no block, or more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoBlock;

impl fmt::Display for NoBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the document needs exactly one `{BEGIN}` and one `{END}` behind it")
    }
}

impl std::error::Error for NoBlock {}

/// What the block says.
///
/// # Errors
/// [`NoBlock`].
pub fn published(document: &str) -> Result<&str, NoBlock> {
    let (_, rest) = document.split_once(BEGIN).ok_or(NoBlock)?;
    let (inside, after) = rest.split_once(END).ok_or(NoBlock)?;
    if rest.contains(BEGIN) || after.contains(END) {
        return Err(NoBlock);
    }
    Ok(inside.trim())
}

/// The document with this sentence in its block.
///
/// # Errors
/// [`NoBlock`].
pub fn replace(document: &str, sentence: &str) -> Result<String, NoBlock> {
    published(document)?;
    let (before, rest) = document.split_once(BEGIN).ok_or(NoBlock)?;
    let (_, after) = rest.split_once(END).ok_or(NoBlock)?;
    Ok(format!("{before}{BEGIN}\n{sentence}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_block_is_rewritten() {
        let document = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(published(&document), Ok("old"));
        let replaced = format!("a\n{BEGIN}\nnew\n{END}\nb\n");
        assert_eq!(replace(&document, "new"), Ok(replaced));
    }

    #[test]
    fn a_document_has_one_block() {
        let block = format!("{BEGIN}\n{END}");
        for document in ["", BEGIN, &format!("{END}{BEGIN}"), &block.repeat(2), &format!("{block}{END}")] {
            assert_eq!(published(document), Err(NoBlock), "{document}");
            assert_eq!(replace(document, ""), Err(NoBlock), "{document}");
        }
    }
}
