//! Attends to a server and its client until both are done: passes signals on, and ends a server that does not end.
//!
//! Owns patience. A server that outlives its client is ended the way the protocol has a client do it.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::relay::Event;
use crate::engine::Ending;
use crate::engine::process::Server;

/// How long a server may take once its client is done with it.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// To end, before it is told to, and then made to.
    pub grace: Duration,
    /// The same where an answer is still due.
    pub answer: Duration,
}

impl Default for Patience {
    /// As long as a step takes at most, unless its conversation says otherwise; as long as one may take at most.
    fn default() -> Self {
        Self { grace: Duration::from_secs(10), answer: Duration::from_secs(600) }
    }
}

/// How far both sides are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    closed: bool,
    silent: bool,
    quiet: bool,
    ended: bool,
    /// How often the server was told to end.
    told: usize,
}

/// Hears an event, the time since the start, and where to say what a person has to know.
pub type Hear<'h> = dyn FnMut(&Event, Duration, &mut dyn FnMut(&str)) -> bool + 'h;

/// Hears of everything until the server has ended and said all, and gives how it ended where that can be seen.
///
/// `hear` gets each event and says whether some request still waits for its answer. `tell` gets what a person has to
/// know.
pub fn attend(
    server: &Server,
    events: &Receiver<Event>,
    patience: Patience,
    tell: &mut dyn FnMut(&str),
    hear: &mut Hear<'_>,
) -> Option<Ending> {
    let start = Instant::now();
    let mut state = State::default();
    let mut waits = false;
    while !state.is_over() {
        let event = match state.patience(patience, waits).map(|patience| events.recv_timeout(patience)) {
            None => events.recv().ok(),
            Some(Ok(event)) => Some(event),
            // Something that the server started holds its streams; what was written by its end is heard already.
            Some(Err(RecvTimeoutError::Timeout)) if !state.ended => Some(state.end_it(tell)),
            Some(Err(_)) => None,
        };
        let Some(event) = event else { break };
        if let Event::Signal(number) = event
            && !state.ended
            && let Err(error) = server.signal(number)
        {
            tell(&format!("the server does not get signal {number}: {error}"));
        }
        state.note(&event);
        waits = hear(&event, start.elapsed(), tell);
    }
    server.ending().ok().flatten()
}

impl State {
    fn is_over(self) -> bool {
        self.ended && self.silent && self.quiet
    }

    /// How long to wait for what comes next; without end while the client is there.
    fn patience(self, patience: Patience, waits: bool) -> Option<Duration> {
        match self {
            Self { ended: true, .. } => Some(patience.grace),
            Self { closed: true, .. } if !waits || self.told > 0 => Some(patience.grace),
            Self { closed: true, .. } => Some(patience.answer),
            _ => None,
        }
    }

    fn note(&mut self, event: &Event) {
        match event {
            Event::Closed => self.closed = true,
            Event::Silent | Event::HungUp => self.silent = true,
            Event::Quiet => self.quiet = true,
            Event::Ended => self.ended = true,
            Event::Sent(_) | Event::Said(_) | Event::Complained(_) | Event::Signal(_) => {}
        }
    }

    /// The client is done and the server is not: it is told to end, and then made to.
    fn end_it(&mut self, tell: &mut dyn FnMut(&str)) -> Event {
        self.told += 1;
        let (number, word) = if self.told == 1 { (15, "TERM") } else { (9, "KILL") };
        tell(&format!("the server does not end although its input has ended, and gets the signal {word}"));
        Event::Signal(number)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::io;
    use std::sync::mpsc;

    use super::super::relay;
    use super::*;

    fn after(events: &[Event]) -> State {
        let mut state = State::default();
        events.iter().for_each(|event| state.note(event));
        state
    }

    #[test]
    fn a_client_that_is_there_has_all_the_time() {
        let given = Patience::default();
        let left = |events: &[Event], waits| after(events).patience(given, waits);
        assert_eq!(left(&[Event::Sent(vec![]), Event::Said(vec![]), Event::Signal(2)], false), None);
        assert_eq!(left(&[Event::Silent, Event::Quiet], false), None);
        assert_eq!(left(&[Event::Closed], true), Some(given.answer));
        assert_eq!(left(&[Event::Closed], false), Some(given.grace));
        assert_eq!(left(&[Event::Ended], true), Some(given.grace));
        assert_eq!(State { told: 1, ..after(&[Event::Closed]) }.patience(given, true), Some(given.grace));
        assert!(given.grace < given.answer);
    }

    /// Attends to a shell script whose client writes nothing, and is there as long as `signal` says nothing.
    fn attended(script: &str, grace: Duration, signal: Option<i32>) -> (Option<Ending>, Vec<Event>, usize) {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let command = ["/bin/sh", "-c", script].map(OsString::from);
        let (server, streams) = Server::spawn(&command, scratch.path()).expect("sh starts");
        let (sender, receiver) = mpsc::channel();
        let (open, writer) = io::pipe().expect("a pipe");
        let input: Box<dyn io::Read + Send> =
            if signal.is_some() { Box::new(open) } else { Box::new(io::empty()) };
        let (output, errors) = (Box::new(io::sink()), Box::new(io::sink()));
        relay::start(streams, relay::Client { input, output, watched: None, errors }, &sender);
        if let Some(number) = signal {
            sender.send(Event::Signal(number)).expect("somebody listens");
        }
        let (mut heard, mut told) = (Vec::new(), 0);
        let patience = Patience { grace, answer: grace };
        let ending = attend(&server, &receiver, patience, &mut |_| told += 1, &mut |event, _, _| {
            heard.push(event.clone());
            false
        });
        drop(writer);
        (ending, heard, told)
    }

    const LONG: Duration = Duration::from_secs(300);
    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn everything_is_heard_until_the_server_has_ended() {
        let (ending, heard, told) = attended("echo one; echo two >&2; exit 3", LONG, None);
        assert_eq!((ending, told), (Some(Ending::Exit(3)), 0));
        for event in [
            Event::Closed,
            Event::Said(b"one\n".to_vec()),
            Event::Complained(b"two\n".to_vec()),
            Event::Silent,
            Event::Quiet,
            Event::Ended,
        ] {
            assert!(heard.contains(&event), "no {event:?} in {heard:?}");
        }
    }

    #[test]
    fn a_server_that_does_not_end_is_ended() {
        for script in ["exec sleep 1000", "trap '' TERM; exec sleep 1000"] {
            let (ending, heard, told) = attended(script, SHORT, None);
            // On a busy machine it may be made to before it has done what it was told.
            assert!(matches!(ending, Some(Ending::Signal(9 | 15))) && told > 0, "{ending:?} {told}");
            assert!(heard.contains(&Event::Signal(15)), "{heard:?}");
        }
    }

    #[test]
    fn what_a_server_leaves_behind_is_not_waited_for() {
        let (ending, heard, told) = attended("sleep 1000 & exit 4", SHORT, Some(0));
        assert_eq!((ending, told), (Some(Ending::Exit(4)), 1), "{heard:?}");
    }

    #[test]
    fn a_signal_is_passed_on() {
        let (ending, _, told) = attended("exec sleep 1000", LONG, Some(15));
        assert_eq!((ending, told), (Some(Ending::Signal(15)), 0));
    }

    #[test]
    fn it_is_over_when_the_server_has_ended_and_said_all() {
        use Event::{Ended, HungUp, Quiet, Silent};
        assert!(after(&[Silent, Ended, Quiet]).is_over() && after(&[HungUp, Quiet, Ended]).is_over());
        assert!(!after(&[Silent, Quiet]).is_over());
        assert!(!after(&[Ended, Quiet]).is_over());
        assert!(!after(&[Ended, Silent]).is_over());
    }

    #[test]
    fn a_server_is_told_to_end_and_then_made_to() {
        let (mut state, mut told) = (State::default(), Vec::new());
        let events = [1, 2].map(|_| state.end_it(&mut |text| told.push(text.to_owned())));
        assert_eq!(events, [Event::Signal(15), Event::Signal(9)]);
        assert!(told[0].ends_with("signal TERM") && told[1].ends_with("signal KILL"), "{told:?}");
    }
}
