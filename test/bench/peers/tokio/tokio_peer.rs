// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

//! Tokio's own timers, as the C++ peers (peer.hpp): what they play is told in calls.hpp, firings.hpp
//! and pending.hpp, and means the same here. A runtime on the calling thread, with nothing but time.
//!
//! Sleeps are polled outside of block_on: inside, Tokio's cooperative budget answers all polls of
//! one task after the 128th with Pending, and registers nothing.

use std::future::Future;
use std::pin::Pin;
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::Mutex;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, sleep_until, Instant, Sleep};

const ROUNDS: usize = 5;
const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3600 * SECOND;

// --- what is measured with -----------------------------------------------------------------------

struct Random(u64);

impl Random {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) % bound as u64) as i64
    }
}

struct Setup {
    mode: String,
    size: String,
    quick: bool,
}

impl Setup {
    fn count(&self) -> usize {
        self.size.parse::<f64>().expect("SIZE is a number") as usize
    }

    fn scaled(&self, full: usize) -> usize {
        if self.quick { full / 100 } else { full }
    }

    fn seconds(&self, full: i64, quickly: i64) -> i64 {
        if self.quick { quickly } else { full }
    }

    fn report(&self, workload: &str, when: &str, figure: &str, value: f64) {
        let space = if when.is_empty() { "" } else { " " };
        println!("{}\t{} {}{}{}\t{}\t{}", workload, self.mode, self.size, space, when, figure, value);
    }

    /// Wall and CPU time for each of the items.
    fn report_time(&self, workload: &str, when: &str, what: &str, time: &Stopwatch, items: f64) {
        self.report(workload, when, &format!("{}_ns", what), time.wall as f64 / items);
        self.report(workload, when, &format!("{}_cpu_ns", what), time.cpu as f64 / items);
    }
}

fn read_clock(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as i64 * SECOND + time.tv_nsec as i64
}

fn now() -> i64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

fn nanoseconds(time: i64) -> Duration {
    Duration::from_nanos(time.max(0) as u64)
}

#[derive(Default)]
struct Stopwatch {
    wall: i64,
    cpu: i64,
}

impl Stopwatch {
    fn measure(&mut self, work: impl FnOnce()) {
        let (wall, cpu) = (now(), read_clock(libc::CLOCK_THREAD_CPUTIME_ID));
        work();
        self.wall += now() - wall;
        self.cpu += read_clock(libc::CLOCK_THREAD_CPUTIME_ID) - cpu;
    }
}

/// In nanoseconds.
fn make_delays(count: usize, mode: &str, seed: u64) -> Vec<i64> {
    let (mut random, n) = (Random(seed), count as i64);
    let millis = |i: i64| match mode {
        "ascending" => i * 3_600_000 / n,
        "descending" => 3_600_000 - i * 3_600_000 / n,
        _ => random.below(3_600_000),
    };
    (0..n).map(millis).map(|one| HOUR + one * MILLISECOND).collect()
}

fn make_order(count: usize) -> Vec<usize> {
    let (mut order, mut random) = ((0..count).collect::<Vec<_>>(), Random(7));
    for i in (2..=count).rev() {
        order.swap(i - 1, random.below(i as i64) as usize);
    }
    order
}

/// As keepHeap() in measure.hpp.
fn keep_heap() {
    Box::leak(vec![0u8; 1024].into_boxed_slice());
}

fn resident_bytes() -> i64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("/proc");
    let pages: i64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("pages");
    pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) }
}

/// How often this thread, the only one, has gone to sleep.
fn sleeps() -> i64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("/proc");
    let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches:"));
    line.and_then(|line| line.split('\t').nth(1)?.parse().ok()).expect("context switches")
}

// --- tasks ---------------------------------------------------------------------------------------

/// What a waker runs. It is the waker's own data, so to clone a waker is to copy two words.
struct Task {
    run: fn(&Task),
    due: i64,
    late: AtomicI64,
}

static NOTHING: Task = Task { run: |_| {}, due: 0, late: AtomicI64::new(0) };
static COUNT: Task = Task { run: |_| count_to_target(), due: 0, late: AtomicI64::new(0) };
static TASKS: RawWakerVTable = RawWakerVTable::new(clone_waker, wake, wake, |_| {});

fn clone_waker(task: *const ()) -> RawWaker {
    RawWaker::new(task, &TASKS)
}

unsafe fn wake(task: *const ()) {
    let task = &*(task as *const Task);
    (task.run)(task);
}

fn waker_of(task: &'static Task) -> Waker {
    unsafe { Waker::from_raw(clone_waker(task as *const Task as *const ())) }
}

static RUNS: AtomicI64 = AtomicI64::new(0);
static TARGET: AtomicI64 = AtomicI64::new(0);
static FIRST: AtomicI64 = AtomicI64::new(0);
static LAST: AtomicI64 = AtomicI64::new(0);
static WAITING: Mutex<Option<Waker>> = Mutex::new(None);

fn count_to_target() {
    let runs = RUNS.load(Relaxed) + 1; // one thread
    RUNS.store(runs, Relaxed);
    if runs == 1 {
        FIRST.store(now(), Relaxed);
    }
    if runs == TARGET.load(Relaxed) {
        LAST.store(now(), Relaxed);
        if let Some(waker) = WAITING.lock().unwrap().take() {
            waker.wake();
        }
    }
}

fn expect_runs(target: usize) {
    RUNS.store(0, Relaxed);
    TARGET.store(target as i64, Relaxed);
}

struct AllRuns;

impl Future for AllRuns {
    type Output = ();
    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<()> {
        if RUNS.load(Relaxed) == TARGET.load(Relaxed) {
            return Poll::Ready(());
        }
        *WAITING.lock().unwrap() = Some(context.waker().clone());
        Poll::Pending
    }
}

/// A Sleep must not move, so one that is kept is boxed.
type Handle = Option<Pin<Box<Sleep>>>;

/// The first poll, which registers it.
fn start(sleep: Sleep, task: &'static Task) -> Handle {
    let mut sleep = Box::pin(sleep);
    let waker = waker_of(task);
    let _ = sleep.as_mut().poll(&mut Context::from_waker(&waker));
    Some(sleep)
}

fn schedule(delay: i64, task: &'static Task) -> Handle {
    start(sleep(nanoseconds(delay)), task)
}

fn no_handles(count: usize) -> Vec<Handle> {
    (0..count).map(|_| None).collect()
}

fn new_runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("a runtime")
}

// --- W1 to W3, W10 and W11 -----------------------------------------------------------------------

fn temperature_of(round: usize) -> Option<&'static str> {
    match round {
        1 => Some("cold"),
        ROUNDS => Some("warm"),
        _ => None,
    }
}

fn schedule_and_cancel(setup: &Setup) {
    const SMALL: usize = 10_000;
    let n = setup.count();
    let (delays, order, small) =
        (make_delays(n, &setup.mode, 42), make_order(n), make_order(n.min(SMALL)));
    let mut handles = no_handles(n);
    let mut play = |order: &[usize], rounds: usize, when: Option<&str>| {
        let (mut scheduling, mut cancelling) = (Stopwatch::default(), Stopwatch::default());
        for _ in 0..rounds {
            let runtime = new_runtime();
            let _context = runtime.enter();
            scheduling.measure(|| {
                for (handle, delay) in handles.iter_mut().zip(&delays).take(order.len()) {
                    *handle = schedule(*delay, &NOTHING);
                }
            });
            keep_heap();
            cancelling.measure(|| order.iter().for_each(|&i| handles[i] = None));
        }
        if let Some(when) = when {
            let items = (rounds * n) as f64;
            setup.report_time("W1", when, "schedule", &scheduling, items);
            setup.report_time("W2", when, "cancel", &cancelling, items);
        }
    };
    play(&small, 20, None);
    if n <= SMALL {
        return play(&order, 100, Some("warm"));
    }
    for round in 1..=ROUNDS {
        play(&order, 1, temperature_of(round));
    }
}

/// The Sleep of a pair is on the stack, as that of a time-out in an async function.
fn produce(seed: u64, pairs: usize) {
    let delays = make_delays(4096, "random", seed);
    let waker = waker_of(&NOTHING);
    for i in 0..pairs {
        let sleep = sleep(nanoseconds(delays[i % delays.len()]));
        tokio::pin!(sleep);
        let _ = sleep.as_mut().poll(&mut Context::from_waker(&waker));
    }
    keep_heap();
}

fn one_producer(setup: &Setup) {
    let n = setup.count();
    let delays = make_delays(n, "random", 42);
    let pairs = setup.scaled(1_000_000);
    for round in 0..=ROUNDS {
        let runtime = new_runtime();
        let _context = runtime.enter();
        if round == 0 {
            produce(99, setup.scaled(20_000));
            continue;
        }
        let pending: Vec<Handle> = delays.iter().map(|&delay| schedule(delay, &NOTHING)).collect();
        let mut time = Stopwatch::default();
        time.measure(|| produce(1, pairs));
        if let Some(when) = temperature_of(round) {
            setup.report_time("W3", when, "pair", &time, pairs as f64);
        }
        drop(pending);
    }
}

fn restarts(setup: &Setup) {
    let n = setup.count();
    let (delays, order) = (make_delays(n, "random", 42), make_order(n));
    let runtime = new_runtime();
    let _context = runtime.enter();
    let mut handles: Vec<Handle> = delays.iter().map(|&delay| schedule(delay, &NOTHING)).collect();
    for round in 1..=ROUNDS {
        let mut time = Stopwatch::default();
        time.measure(|| {
            for &i in &order {
                let delay = delays[i] + round as i64 * HOUR;
                let handle = handles[i].as_mut().unwrap();
                handle.as_mut().reset(Instant::now() + nanoseconds(delay));
            }
        });
        if round == ROUNDS {
            setup.report_time("W10", "warm", "reset", &time, n as f64);
        }
    }
}

fn extensions(setup: &Setup) {
    const TIMES: i64 = 10;
    let n = setup.count();
    let delays = make_delays(n, "random", 42);
    let order = if setup.mode == "random" { make_order(n) } else { (0..n).collect() };
    for round in 1..=ROUNDS {
        let runtime = new_runtime();
        let _context = runtime.enter();
        let mut handles: Vec<Handle> =
            delays.iter().map(|&delay| schedule(delay, &NOTHING)).collect();
        let begin = Instant::now() + nanoseconds(2 * HOUR);
        let mut time = Stopwatch::default();
        time.measure(|| {
            for i in 1..=TIMES {
                let deadline = begin + nanoseconds(i * SECOND);
                for &j in &order {
                    handles[j].as_mut().unwrap().as_mut().reset(deadline);
                }
            }
        });
        if let Some(when) = temperature_of(round) {
            setup.report_time("W11", when, "extend", &time, n as f64 * TIMES as f64);
        }
    }
}

// --- W4 to W7 ------------------------------------------------------------------------------------

fn block_until(task: &Task) {
    std::thread::sleep(nanoseconds(task.due - now()));
}

/// False: the work began before everything was scheduled, so it was not this that was measured.
fn fill_and_fire(setup: &Setup, lead: i64) -> bool {
    let n = setup.count();
    let backlog = setup.mode == "backlog";
    expect_runs(n);
    let mut random = Random(42);
    let runtime = new_runtime();
    let _context = runtime.enter();
    let (due, date) = (now() + lead, Instant::now() + nanoseconds(lead));
    let released = if backlog { due + SECOND + 20 * MILLISECOND } else { due };
    let mut handles = no_handles(n + 1);
    if backlog {
        let task = Task { run: block_until, due: released, late: AtomicI64::new(0) };
        handles[n] =
            start(sleep_until(date - nanoseconds(50 * MILLISECOND)), Box::leak(Box::new(task)));
    }
    for handle in handles.iter_mut().take(n) {
        *handle = match setup.mode.as_str() {
            "own-delays" => schedule(due - now(), &COUNT),
            "backlog" => start(sleep_until(date + nanoseconds(random.below(SECOND))), &COUNT),
            _ => start(sleep_until(date), &COUNT),
        };
    }
    let in_time = now() < released;
    runtime.block_on(AllRuns);
    in_time
}

fn burst(setup: &Setup) {
    let mut lead = if setup.quick { SECOND / 2 } else { 5 * SECOND / 2 };
    while !fill_and_fire(setup, lead) {
        lead *= 2;
    }
    let time = LAST.load(Relaxed) - FIRST.load(Relaxed);
    setup.report("W4", "", "task_ns", time as f64 / (setup.count() - 1).max(1) as f64);
}

fn note(task: &Task) {
    task.late.store(now() - task.due, Relaxed);
    count_to_target();
}

fn lateness(setup: &Setup) {
    let n = setup.count();
    let mut random = Random(42);
    expect_runs(n);
    let runtime = new_runtime();
    let _context = runtime.enter();
    let mut tasks: Vec<&Task> = Vec::with_capacity(n);
    let mut handles = no_handles(n);
    for handle in handles.iter_mut() {
        let delay = SECOND + random.below(setup.seconds(10, 1) * 1000) * MILLISECOND;
        let task = Task { run: note, due: now() + delay, late: AtomicI64::new(0) };
        let task: &'static Task = Box::leak(Box::new(task));
        *handle = schedule(delay, task);
        tasks.push(task);
    }
    runtime.block_on(AllRuns);
    let mut late: Vec<i64> = tasks.iter().map(|task| task.late.load(Relaxed)).collect();
    late.sort_unstable();
    setup.report("W5", "", "p1_us", late[n / 100] as f64 / 1e3);
    setup.report("W5", "", "p50_us", late[n / 2] as f64 / 1e3);
    setup.report("W5", "", "p99_us", late[n * 99 / 100] as f64 / 1e3);
}

fn memory(setup: &Setup) {
    let delays = make_delays(setup.count(), "random", 42);
    let runtime = new_runtime();
    let _context = runtime.enter();
    let mut handles = no_handles(delays.len());
    // Not None, whose zeros the system may give without a page.
    handles.iter_mut().for_each(|handle| unsafe { ptr::write_volatile(handle, None) });
    handles[0] = schedule(delays[0], &NOTHING);
    let before = resident_bytes();
    for (handle, delay) in handles.iter_mut().zip(&delays).skip(1) {
        *handle = schedule(*delay, &NOTHING);
    }
    let bytes = (resident_bytes() - before) as f64 / (delays.len() - 1) as f64;
    setup.report("W6", "", "task_bytes", bytes);
    setup.report("W6", "", "sleep_bytes", bytes + std::mem::size_of::<Handle>() as f64);
}

/// Another thread wakes it: a Sleep would have wake-ups of its own.
fn let_pass(runtime: &Runtime, time: i64) {
    expect_runs(1);
    std::thread::spawn(move || {
        std::thread::sleep(nanoseconds(time));
        count_to_target();
    });
    runtime.block_on(AllRuns);
}

fn idleness(setup: &Setup) {
    let delays = make_delays(setup.count(), "random", 42);
    let runtime = new_runtime();
    let _context = runtime.enter();
    let _handles: Vec<Handle> = delays.iter().map(|&delay| schedule(delay, &NOTHING)).collect();
    let seconds = setup.seconds(5, 1);
    let_pass(&runtime, SECOND);
    let before = sleeps();
    let_pass(&runtime, seconds * SECOND);
    // It sleeps once, in let_pass() itself.
    let wakeups = (sleeps() - before - 1).max(0);
    setup.report("W7", "", "wakeups_per_s", wakeups as f64 / seconds as f64);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--version"] {
        return println!("Tokio {}", env!("TOKIO_VERSION"));
    }
    let play: fn(&Setup) = match arguments.first().map(String::as_str) {
        Some("W1") => schedule_and_cancel,
        Some("W3") => one_producer,
        Some("W4") => burst,
        Some("W5") => lateness,
        Some("W6") => memory,
        Some("W7") => idleness,
        Some("W10") => restarts,
        Some("W11") => extensions,
        _ => usage(),
    };
    if arguments.len() < 3 {
        usage();
    }
    let (mode, size) = (arguments[1].clone(), arguments[2].clone());
    play(&Setup { mode, size, quick: arguments.len() == 4 });
    // Nothing is taken down, as in the others.
}

fn usage() -> ! {
    eprintln!("Usage: tokio_peer --version | WORKLOAD MODE SIZE [--quick]");
    std::process::exit(2)
}
