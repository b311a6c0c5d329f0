//! Reads a conversation file; everything it does not know is a fault with its line.

use super::fault::{Fault, FaultKind};
use super::{Conversation, header, steps};

/// Reads a conversation from the bytes of its file.
///
/// # Errors
/// The first [`Fault`] of the file; bytes that are not UTF-8 are one.
pub fn read_bytes(bytes: &[u8]) -> Result<Conversation, Fault> {
    match str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            Err(Fault::new(1 + before.iter().filter(|b| **b == b'\n').count(), FaultKind::NotUtf8))
        }
    }
}

/// Reads a conversation from the text of its file.
///
/// # Errors
/// The first [`Fault`] of the file.
pub fn read(text: &str) -> Result<Conversation, Fault> {
    if text.starts_with('\u{feff}') {
        return Err(Fault::new(1, FaultKind::ByteOrderMark));
    }
    let lines: Vec<&str> = text.split('\n').collect();
    if let Some(at) = lines.iter().position(|line| line.ends_with('\r')) {
        return Err(Fault::new(at + 1, FaultKind::CarriageReturn));
    }
    let Some((&"", lines)) = lines.split_last() else {
        return Err(Fault::new(lines.len(), FaultKind::NoFinalLineFeed));
    };
    let (header, length) = header::read(lines)?;
    let (steps, trailing) = steps::read(lines, length)?;
    Ok(Conversation { header, steps, trailing })
}
