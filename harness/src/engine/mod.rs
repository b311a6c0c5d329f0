//! Replays one conversation through a spawned server and says what came of it.
