// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/export.hpp>
#include <jtimer/detail/function_type.hpp>
#include <jtimer/detail/is_null.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/executor.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/go/timer.hpp>
#include <jtimer/time.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace jtimer::go {

namespace detail {
class Runtime;

/// What can be a timer's function. A null pointer is an error where it is given.
template <class F>
inline constexpr bool isFunction =
    std::is_invocable_v<std::decay_t<F>&> || std::is_null_pointer_v<std::decay_t<F>>;
}  // namespace detail

/// Construction options of Timers.
struct TimersOptions {
    /// Where the time comes from. Null: a SteadyClock.
    std::shared_ptr<Clock> clock;

    /// How many heaps the timers are spread over, each with a lock of its own: 1 to 1024, or 0 for
    /// as many as the machine has hardware threads. A timer lies in the heap of the thread that
    /// started it. The number matters for speed, and for the order of timers due at the same time.
    unsigned shards = 0;

    /// Runs the functions of timers. Called on the thread that fires the timers, and free to call
    /// the function at once, in which case all other timers wait meanwhile; or to hand it to a
    /// thread pool. Empty: each function runs on a thread of the runtime, see Timers::afterFunc.
    Executor executor;

    /// The name of the runtime, handed to the exception handler. Its threads carry its first 15
    /// bytes.
    std::string name = "timerproc";

    /// Told what a function, or the executor, has thrown. Everything goes on. It is not told of the
    /// exception by which a call that blocks a function ends with the runtime.
    UncaughtExceptionHandler uncaughtExceptionHandler;
};

/// What a runtime holds and has done.
struct TimersStats {
    std::size_t pending;    ///< running timers and tickers, sleeps, time-outs of blocked calls
    std::uint64_t signals;  ///< how often the thread that fires was woken for an earlier time
};

/// Go's timers, as they behave since Go 1.23: a runtime that makes timers and tickers, which can be
/// waited for, restarted and selected over.
///
/// \code
/// jtimer::go::Timers timers;
/// auto watchdog = timers.afterFunc(30s, [] { restart(); });
/// auto ticker = timers.newTicker(1s);
/// auto deadline = timers.after(1min);
/// while (jtimer::go::select({ticker.C(), deadline}).index == 0) {
///     if (answers()) watchdog.reset(30s);
/// }
/// watchdog.stop();
/// \endcode
///
/// Nothing is early: when a value is received, a function begins or a wait ends, the clock shows
/// its time or a later one. A time beyond the range of the clock, 292 years, never comes.
///
/// One thread fires the timers, in order of time, and sleeps while nothing is due. A timer is in a
/// heap from its start until it fires or is stopped, and leaves it at once.
///
/// **Threads.** Every function may be called by any thread, also inside a timer's function. Only
/// the destructor must not race with other calls of this object; handles, channels and blocked
/// calls may.
///
/// **Clock.** On a ManualClock, moving the time returns when all that is due has fired, and each
/// function that it started has ended or waits in a call of this header.
///
/// **Forked children.** A child made by fork() has none of the threads of its parent's runtimes.
/// There they are as after ~Timers, with a text of its own in the exceptions: "time: Timers of the
/// parent process, which nothing fires here". Handles, channels and the runtimes themselves can be
/// destroyed. defaultTimers() makes the child a runtime of its own.
///
/// **Memory.** 64 bytes for each timer, a function's captures besides, and 16 in a heap.
class JTIMER_API Timers {
  public:
    /// With default options. \throws std::system_error if its thread cannot be started
    Timers();

    /// \throws IllegalArgumentException for more than 1024 shards
    /// \throws std::system_error if its thread cannot be started
    explicit Timers(TimersOptions options);

    /// The end: what is pending never fires, and its functions are destroyed. Blocked calls throw
    /// IllegalStateException "time: Timers destroyed", which a function need not catch: it is not
    /// reported. Waits for each function that runs on a thread of the runtime; but on such a
    /// thread, or the one that fires, it waits for nobody, and the threads end by themselves.
    ///
    /// Handles and channels may outlive it. Then stop() answers false, tryReceive() nothing, and
    /// what would start a timer or block throws the same exception.
    ~Timers();

    Timers(const Timers&) = delete;
    Timers& operator=(const Timers&) = delete;

    /// A timer whose channel has a value in `d`; at once if that is 0 or negative.
    /// \throws std::bad_alloc, as do all that follow
    [[nodiscard]] Timer newTimer(TimeSpan d);

    /// A timer that runs `f` in `d`; at once if that is 0 or negative. The handle may be dropped.
    ///
    /// Each run has a thread of the runtime to itself: it may block and take its time, and overlaps
    /// with other runs, even of the same timer if that is reset meanwhile. Threads are used again,
    /// so functions that take microseconds need no more than a few. A function that blocks keeps
    /// its thread: 10,000 blocked ones take 10,000 threads. Each has a stack of the default size
    /// (`ulimit -s`, pthread_setattr_default_np); at 8 MB these reserve 80 GB of address space.
    /// Only the system limits their number. A TimersOptions::executor, which runs the functions
    /// instead, can set a limit of its own.
    ///
    /// Idle threads stay, one more than the machine has hardware threads. The others end by
    /// themselves: nobody waits for the destructors of their thread_local objects. If the system
    /// gives no more threads, a run waits for one of the others; if there is none, it runs on the
    /// thread that fires.
    ///
    /// \param f anything that can be called without arguments, move-only too. It is kept while it
    ///   can run, and destroyed with no lock held, on whichever thread that happens
    /// \throws NullPointerException "f cannot be null" if it is an empty std::function or a null
    ///   pointer
    /// \throws what copying or moving it throws
    template <class F, std::enable_if_t<detail::isFunction<F>, int> = 0>
    Timer afterFunc(TimeSpan d, F&& f) {
        using Function = std::decay_t<F>;
        if constexpr (std::is_null_pointer_v<Function>) {
            throw NullPointerException("f cannot be null");
        } else {
            if (jtimer::detail::isNull(f)) throw NullPointerException("f cannot be null");
            const auto make = [&f](void* storage) { ::new (storage) Function(std::forward<F>(f)); };
            return startFunction(
                d, jtimer::detail::FunctionMaker(jtimer::detail::functionType<Function>, make));
        }
    }

    /// The channel of newTimer(d). To give up waiting early, drop the channel.
    [[nodiscard]] Channel after(TimeSpan d);

    /// A ticker of this period, the first tick due after one.
    /// \throws IllegalArgumentException "non-positive interval for NewTicker"
    [[nodiscard]] Ticker newTicker(TimeSpan d);

    /// The channel of newTicker(d); nil if `d` is 0 or negative.
    [[nodiscard]] Channel tick(TimeSpan d);

    /// Blocks the calling thread for `d`; returns at once if that is 0 or negative.
    /// \throws IllegalStateException "time: Timers destroyed" if that happens meanwhile
    /// \throws IllegalStateException if it would block the thread that fires the timers
    void sleep(TimeSpan d);

    /// The present time on the runtime's clock.
    [[nodiscard]] Date now() const;

    [[nodiscard]] unsigned shards() const noexcept;          ///< how many heaps it has
    [[nodiscard]] const std::string& name() const noexcept;  ///< TimersOptions::name
    [[nodiscard]] TimersStats stats() const;                 ///< what it has done until now

    /// Recomputes the invariants of every heap, for tests.
    /// \throws std::logic_error that names what is wrong
    void check() const;

  private:
    Timer startFunction(TimeSpan d, const jtimer::detail::FunctionMaker& maker);

    const std::shared_ptr<detail::Runtime> runtime_;
};

/// The process's own runtime, with default options: made at first use, never destroyed, so that its
/// timers end with the process, as Go's do. A forked child gets one of its own.
/// \throws std::system_error if its thread cannot be started; the next call tries again
JTIMER_API Timers& defaultTimers();

/// \name The functions of Go's package time: those of defaultTimers()
///
/// POSIX has ::sleep and ::select: qualify these, and do not write `using namespace jtimer::go`.
/// @{
[[nodiscard]] inline Timer newTimer(TimeSpan d) { return defaultTimers().newTimer(d); }

template <class F, std::enable_if_t<detail::isFunction<F>, int> = 0>
Timer afterFunc(TimeSpan d, F&& f) {
    return defaultTimers().afterFunc(d, std::forward<F>(f));
}

[[nodiscard]] inline Channel after(TimeSpan d) { return defaultTimers().after(d); }
[[nodiscard]] inline Ticker newTicker(TimeSpan d) { return defaultTimers().newTicker(d); }
[[nodiscard]] inline Channel tick(TimeSpan d) { return defaultTimers().tick(d); }
inline void sleep(TimeSpan d) { defaultTimers().sleep(d); }
[[nodiscard]] inline Date now() { return defaultTimers().now(); }
/// @}

}  // namespace jtimer::go
