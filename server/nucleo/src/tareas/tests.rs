//! The tracker on disk.
