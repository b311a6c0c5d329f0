//! Requests that wait for their answer, by id; the workers that run them; their cancellation.
//!
//! Owns that an id gets at most one answer, and none after its cancellation. Must not parse, nor know what a
//! call does.

use crate::era;
use crate::message::{self, Id, Key};
use crate::transport::Output;
use nucleo::algebra::Cancellation;
use nucleo::valor::Valor;
use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// How long the next answer may take once the input has ended.
const DEADLINE: Duration = Duration::from_secs(10);

/// How many calls may wait for a worker before no more lines are read: what bounds memory.
const QUEUE: usize = 64;

/// Fewest workers, so that one long call never keeps a short one waiting.
const FEWEST_WORKERS: usize = 2;

/// Stack of a worker: values nest as deep as the reader of JSON lets them.
const STACK_BYTES: usize = 16_777_216;

/// Something that owes an answer.
enum Pending {
    /// A call, running or queued.
    Call(Cancellation),
    /// A subscription, open until somebody ends it.
    Subscription(Id),
}

/// Every request that owes an answer. Clones share it.
#[derive(Clone)]
pub struct Inflight {
    shared: Arc<Shared>,
}

struct Shared {
    pending: Mutex<BTreeMap<Key, Pending>>,
    answered: Condvar,
    output: Output,
}

impl Inflight {
    /// Nobody waits yet; answers will leave through `output`.
    pub fn new(output: Output) -> Inflight {
        let shared = Shared { pending: Mutex::default(), answered: Condvar::new(), output };
        Inflight { shared: Arc::new(shared) }
    }

    fn pending(&self) -> MutexGuard<'_, BTreeMap<Key, Pending>> {
        self.shared.pending.lock().expect("nothing panics while it holds the pending requests")
    }

    /// Whether a request of that id still owes its answer.
    pub fn holds(&self, id: &Id) -> bool {
        self.pending().contains_key(id.key())
    }

    /// Notes that a call owes an answer, and gives what its cancellation will be seen by.
    pub fn begin(&self, id: &Id) -> Cancellation {
        let cancellation = Cancellation::new();
        self.pending().insert(id.key().clone(), Pending::Call(cancellation.clone()));
        cancellation
    }

    /// Notes that a subscription is open.
    pub fn subscribe(&self, id: Id) {
        self.pending().insert(id.key().clone(), Pending::Subscription(id));
    }

    /// Answers a call, unless it was cancelled. The pending requests stay locked until the answer has left,
    /// so that whoever cancels afterwards cancels something else.
    pub fn finish(&self, id: &Id, cancellation: &Cancellation, result: &Valor) {
        let line = message::answer(id, result);
        let mut pending = self.pending();
        if !cancellation.requested() {
            pending.remove(id.key());
            self.shared.output.send(line);
            self.shared.answered.notify_all();
        }
    }

    /// Drops whatever owes an answer to that id. An id that nobody waits for is none of its business.
    pub fn cancel(&self, id: &Id) {
        if let Some(Pending::Call(cancellation)) = self.pending().remove(id.key()) {
            cancellation.cancel();
        }
    }

    /// Ends the session: waits for the calls as long as answers come, at most [`DEADLINE`] for the next one, then
    /// closes every subscription.
    pub fn drain(&self) {
        let mut pending = self.pending();
        while pending.values().any(|it| matches!(it, Pending::Call(_))) {
            let waited = self.shared.answered.wait_timeout(pending, DEADLINE);
            let (now, wait) = waited.expect("nothing panics while it holds the pending requests");
            pending = now;
            if wait.timed_out() {
                break;
            }
        }
        for request in pending.values() {
            if let Pending::Subscription(id) = request {
                self.shared.output.send(message::answer(id, &era::end_of_subscription(id)));
            }
        }
    }
}

/// A piece of work for a worker.
pub type Job = Box<dyn FnOnce() + Send>;

/// A fixed number of workers and their bounded queue.
pub struct Pool {
    queue: SyncSender<Job>,
}

impl Pool {
    /// Starts as many workers as the machine has cores, two at least.
    ///
    /// # Errors
    /// When the system grants no threads.
    pub fn start() -> io::Result<Pool> {
        let (queue, jobs) = mpsc::sync_channel(QUEUE);
        let jobs = Arc::new(Mutex::new(jobs));
        let cores = thread::available_parallelism()?.get();
        for _ in 0..cores.max(FEWEST_WORKERS) {
            let jobs = Arc::clone(&jobs);
            thread::Builder::new().stack_size(STACK_BYTES).spawn(move || work(&jobs))?;
        }
        Ok(Pool { queue })
    }

    /// Queues a job; waits while the queue is full.
    pub fn run(&self, job: Job) {
        self.queue.send(job).expect("workers live as long as the process");
    }
}

/// A worker's life: one job after the other, until nobody can queue any more.
fn work(jobs: &Mutex<Receiver<Job>>) {
    let next = || jobs.lock().expect("no worker panics while it waits").recv();
    while let Ok(job) = next() {
        job();
    }
}
