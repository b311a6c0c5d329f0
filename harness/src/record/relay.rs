//! Passes bytes between a client and a server, each at once and as it is, and tells what passed.
//!
//! An event is told before its bytes are passed on, so whatever they cause is told behind them. Must not know what the
//! bytes mean; [`super::transcript`] does.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ChildStdout;
use std::sync::mpsc::Sender;
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};

use crate::engine::process::Streams;

/// How many bytes are moved at once.
const CHUNK: usize = 64 << 10;

/// Something that happened between the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The client wrote these bytes.
    Sent(Vec<u8>),
    /// The client closed the server's input.
    Closed,
    /// The server wrote these bytes on stdout.
    Said(Vec<u8>),
    /// The server closed its stdout.
    Silent,
    /// The client reads no more: bytes that were told could not be passed on, and nothing more is read.
    HungUp,
    /// The server wrote these bytes on stderr.
    Complained(Vec<u8>),
    /// The server closed its stderr.
    Quiet,
    /// Somebody sent this process a signal that is meant for the server.
    Signal(i32),
    /// The server ended.
    Ended,
}

/// The client's side: what it writes, what it reads, and where it looks for what goes wrong.
pub struct Client {
    /// What the client writes.
    pub input: Box<dyn Read + Send>,
    /// Where the client reads.
    pub output: Box<dyn Write + Send>,
    /// The same as the system knows it, where somebody may hang up there.
    pub watched: Option<BorrowedFd<'static>>,
    /// Where what the server says to people goes.
    pub errors: Box<dyn Write + Send>,
}

/// Starts to pass everything on, each stream by itself; what passes is told until both sides are done.
pub fn start(streams: Streams, client: Client, events: &Sender<Event>) {
    let Streams { stdin, stdout, stderr, ended } = streams;
    let Client { input, output, watched, errors } = client;
    let to = || events.clone();
    let events = to();
    thread::spawn(move || client_to_server(input, stdin, &events));
    let events = to();
    thread::spawn(move || {
        let mut gone = |from: &ChildStdout| watched.is_some_and(|watched| hangs_up(from.as_fd(), watched));
        server_to_client(stdout, output, &mut gone, &events);
    });
    let events = to();
    thread::spawn(move || server_to_people(stderr, errors, &events));
    let events = to();
    thread::spawn(move || {
        // It is closed at the server's end, and nothing ever comes out of it.
        let _ = io::copy(&mut { ended }, &mut io::sink());
        tell(&events, Event::Ended);
    });
}

/// Whoever listened may be done already.
fn tell(events: &Sender<Event>, event: Event) {
    let _ = events.send(event);
}

/// Reads until the end, and takes a broken stream for ended.
fn read(from: &mut dyn Read, buffer: &mut [u8]) -> usize {
    loop {
        match from.read(buffer) {
            Ok(count) => return count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return 0,
        }
    }
}

fn pass(to: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}

fn client_to_server(mut from: Box<dyn Read + Send>, to: impl Write, events: &Sender<Event>) {
    let mut buffer = vec![0; CHUNK];
    let mut to = Some(to);
    loop {
        let count = read(&mut from, &mut buffer);
        if count == 0 {
            tell(events, Event::Closed);
            return;
        }
        tell(events, Event::Sent(buffer[..count].to_vec()));
        // A server that no longer reads loses the rest; the client learns it from the server's end.
        to = to.and_then(|mut to| pass(&mut to, &buffer[..count]).is_ok().then_some(to));
    }
}

/// Waits until there is something to read or its reader is gone, and says whether the latter came first.
fn hangs_up(from: BorrowedFd<'_>, reader: BorrowedFd<'_>) -> bool {
    // A closed other end is told without being asked for.
    let mut both =
        [PollFd::from_borrowed_fd(from, PollFlags::IN), PollFd::from_borrowed_fd(reader, PollFlags::empty())];
    loop {
        match poll(&mut both, None) {
            Err(rustix::io::Errno::INTR) => {}
            // What cannot be watched is read, and then it shows.
            Err(_) => return false,
            Ok(_) => return both[0].revents().is_empty() && !both[1].revents().is_empty(),
        }
    }
}

fn server_to_client<R: Read>(
    mut from: R,
    mut to: Box<dyn Write + Send>,
    gone: &mut dyn FnMut(&R) -> bool,
    events: &Sender<Event>,
) {
    let mut buffer = vec![0; CHUNK];
    loop {
        if gone(&from) {
            tell(events, Event::HungUp);
            return;
        }
        let count = read(&mut from, &mut buffer);
        if count == 0 {
            tell(events, Event::Silent);
            return;
        }
        tell(events, Event::Said(buffer[..count].to_vec()));
        if pass(&mut to, &buffer[..count]).is_err() {
            tell(events, Event::HungUp);
            return;
        }
    }
}

fn server_to_people(mut from: impl Read, mut to: Box<dyn Write + Send>, events: &Sender<Event>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = read(&mut from, &mut buffer);
        if count == 0 {
            tell(events, Event::Quiet);
            return;
        }
        tell(events, Event::Complained(buffer[..count].to_vec()));
        // Nobody may look, and the server is none the wiser.
        let _ = pass(&mut to, &buffer[..count]);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Gives its chunks one by one, a fault between them.
    struct Chunks(Vec<io::Result<&'static [u8]>>);

    impl Read for Chunks {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let chunk = self.0.remove(0)?;
            buffer[..chunk.len()].copy_from_slice(chunk);
            Ok(chunk.len())
        }
    }

    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn told(run: impl FnOnce(&Sender<Event>)) -> Vec<Event> {
        let (sender, receiver) = mpsc::channel();
        run(&sender);
        drop(sender);
        receiver.into_iter().collect()
    }

    #[test]
    fn an_interrupted_read_goes_on_and_a_broken_one_ends() {
        let chunks = || {
            Chunks(vec![Err(ErrorKind::Interrupted.into()), Ok(b"a"), Err(ErrorKind::Other.into()), Ok(b"b")])
        };
        let mut passed = Vec::new();
        let events = told(|events| client_to_server(Box::new(chunks()), &mut passed, events));
        assert_eq!(events, [Event::Sent(b"a".to_vec()), Event::Closed]);
        assert_eq!(passed, b"a");
    }

    #[test]
    fn a_server_that_reads_no_more_is_still_sent_to() {
        let chunks = Chunks(vec![Ok(b"a"), Ok(b"b")]);
        let events = told(|events| client_to_server(Box::new(chunks), Broken, events));
        assert_eq!(events, [Event::Sent(b"a".to_vec()), Event::Sent(b"b".to_vec()), Event::Closed]);
    }

    #[test]
    fn a_reader_that_goes_is_noticed_and_what_is_there_to_read_comes_first() {
        let (from, mut server) = io::pipe().expect("a pipe");
        let (client, to) = io::pipe().expect("a pipe");
        server.write_all(b"a").expect("written");
        assert!(!hangs_up(from.as_fd(), to.as_fd()));
        drop(client);
        assert!(!hangs_up(from.as_fd(), to.as_fd()));
        Read::read_exact(&mut &from, &mut [0]).expect("readable");
        assert!(hangs_up(from.as_fd(), to.as_fd()));
    }

    #[test]
    fn a_client_that_reads_no_more_hangs_up() {
        let chunks = || Chunks(vec![Ok(b"a"), Ok(b"b")]);
        let events = told(|events| server_to_client(chunks(), Box::new(Broken), &mut |_| false, events));
        assert_eq!(events, [Event::Said(b"a".to_vec()), Event::HungUp]);
        let events = told(|events| server_to_client(chunks(), Box::new(io::sink()), &mut |_| true, events));
        assert_eq!(events, [Event::HungUp]);
        let events = told(|events| server_to_people(chunks(), Box::new(Broken), events));
        assert_eq!(
            events,
            [Event::Complained(b"a".to_vec()), Event::Complained(b"b".to_vec()), Event::Quiet]
        );
    }
}
