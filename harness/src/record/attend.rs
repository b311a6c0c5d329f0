//! Attends to a server and its client until both are done: passes signals on, and ends a server that does not end.
//!
//! Owns patience. A server that outlives its client is ended the way the protocol has a client do it.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::relay::Event;
use crate::engine::Ending;
use crate::engine::process::Server;

/// How long a server may take to end once its client is done with it, before it is told to, and then made to.
const GRACE: Duration = Duration::from_secs(10);

/// How long it may take where an answer is still due: as long as a step may at most.
const PATIENCE: Duration = Duration::from_secs(600);

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
    tell: &mut dyn FnMut(&str),
    hear: &mut Hear<'_>,
) -> Option<Ending> {
    let start = Instant::now();
    let mut state = State::default();
    let mut waits = false;
    while !state.is_over() {
        let event = match state.patience(waits).map(|patience| events.recv_timeout(patience)) {
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
    fn patience(self, waits: bool) -> Option<Duration> {
        match self {
            Self { ended: true, .. } => Some(GRACE),
            Self { closed: true, .. } if !waits || self.told > 0 => Some(GRACE),
            Self { closed: true, .. } => Some(PATIENCE),
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
    use super::*;

    fn after(events: &[Event]) -> State {
        let mut state = State::default();
        events.iter().for_each(|event| state.note(event));
        state
    }

    #[test]
    fn a_client_that_is_there_has_all_the_time() {
        assert_eq!(
            after(&[Event::Sent(vec![]), Event::Said(vec![]), Event::Signal(2)]).patience(false),
            None
        );
        assert_eq!(after(&[Event::Silent, Event::Quiet]).patience(false), None);
        assert_eq!(after(&[Event::Closed]).patience(true), Some(PATIENCE));
        assert_eq!(after(&[Event::Closed]).patience(false), Some(GRACE));
        assert_eq!(after(&[Event::Ended]).patience(true), Some(GRACE));
        assert_eq!(State { told: 1, ..after(&[Event::Closed]) }.patience(true), Some(GRACE));
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
