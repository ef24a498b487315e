// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/compiler.hpp>
#include <jtimer/detail/function_type.hpp>
#include <jtimer/detail/is_null.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/executor.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/go/detail/advice.hpp>
#include <jtimer/go/timer.hpp>
#include <jtimer/stats.hpp>
#include <jtimer/time.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace jtimer::go {

namespace detail {
class Runtime;

/// The types of a timer's function. A null pointer is accepted here, so that the call can throw.
template <class F>
inline constexpr bool isFunction =
    std::is_invocable_v<std::decay_t<F>&> || std::is_null_pointer_v<std::decay_t<F>>;
}  // namespace detail

/// Construction options of Timers.
struct TimersOptions {
    /// The source of the time. Null: a SteadyClock.
    std::shared_ptr<Clock> clock;

    /// The number of heaps, each with its own lock, that the timers are spread over: 1 to 1024, or
    /// 0 for the number of hardware threads. The number affects speed, and the order of timers due
    /// at the same time. Threads with different heaps do not wait for each other; but each heap in
    /// use costs a fire about a nanosecond.
    unsigned shards = 0;

    /// Runs the functions of timers. Called on the thread that fires the timers. It may call the
    /// function at once, while all other timers wait, or hand it to a thread pool, which may call
    /// it even after ~Timers. If the executor throws, that run is lost. Empty: each function runs
    /// on a thread of the runtime, see Timers::afterFunc.
    Executor executor;

    /// The name of the runtime, passed to the exception handler. The runtime's threads carry its
    /// first 15 bytes. Empty: "timerproc".
    std::string name = "timerproc";

    /// Called with exceptions from functions and the executor. The runtime goes on. Not called for
    /// the exception that a blocked call in a function throws when the runtime ends.
    UncaughtExceptionHandler uncaughtExceptionHandler;

    /// Called on each thread of the runtime before anything else, to set its priority, affinity or
    /// signal mask; perhaps on several at a time. The constructor waits for it on the thread that
    /// fires. If it throws there, the constructor throws the same exception; if it ends the thread
    /// by pthread_exit, IllegalStateException. If it does so on a thread for functions, that is
    /// passed to the handler, and counts as a thread that cannot be started: see Timers::afterFunc.
    /// Other calls, and the thread that fires, may wait for it, so it must not wait for these
    /// Timers. Not called on an executor's threads.
    std::function<void()> onThreadStart;
};

/// What a runtime holds and what it has done; see CommonStats.
///
/// `pending` are running timers and tickers, sleeps, and time-outs of blocked calls; the latter two
/// are counted nowhere else. `executed` are the values that timers and tickers have fired, and the
/// functions that were handed over. `cancelled` are timers and tickers that were running when they
/// were stopped, or their last handle and channel were destroyed; a reset does not count.
struct TimersStats : CommonStats {
    std::uint64_t signals = 0;  ///< how often the thread that fires was woken for an earlier time
};

/// Go's timers, as they have behaved since Go 1.23: a runtime that creates timers and tickers, to
/// be waited for, restarted and selected over.
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
/// its time or a later one. A time after April 2262 never comes.
///
/// One thread fires the timers, in order of time, and sleeps while nothing is due. A timer that is
/// stopped leaves its heap at once.
///
/// **Threads.** Every function may be called by any thread, and inside a timer's function. Only the
/// destructor must not race with other calls of this object; it may race with calls of handles and
/// channels, and with blocked calls.
///
/// **Clock.** On a ManualClock, a call that moves the time returns when everything due has fired
/// and each function started by that has ended or waits in a call of this header.
///
/// **Forked children.** A child made by fork() has none of the threads of its parent's runtimes.
/// There these runtimes behave as after ~Timers, but TimersDestroyed has another text: "time:
/// Timers belong to the parent process". Handles, channels and the runtimes themselves can be
/// destroyed. In the child, defaultTimers() creates a new runtime.
///
/// **Memory.** 64 bytes for each timer, plus a function's captures, plus 16 bytes while the timer
/// is running.
class JTIMER_API Timers : private detail::CallAdvice {
  public:
    /// With default options. \throws std::system_error if its thread cannot be started
    Timers();

    /// \throws IllegalArgumentException for more than 1024 shards
    /// \throws as Timers(), and what TimersOptions::onThreadStart throws
    explicit Timers(TimersOptions options);

    /// Pending timers never fire, and their functions are destroyed. Blocked calls throw
    /// TimersDestroyed, which a function need not catch: it is not reported. Waits for each
    /// function that has been handed to a thread of the runtime, even if it has not begun; it does
    /// not wait for an executor. On such a thread, or on the thread that fires, it does not wait,
    /// and the threads end on their own.
    ///
    /// Handles and channels may outlive the runtime. Then stop() returns false and tryReceive()
    /// nothing; calls that would start a timer or block throw the same exception.
    ~Timers();

    Timers(const Timers&) = delete;
    Timers& operator=(const Timers&) = delete;

    /// A timer whose channel has a value after `d`, or at once if `d` is 0 or negative.
    /// \throws std::bad_alloc, as do the following functions
    [[nodiscard]] Timer newTimer(TimeSpan d) &;

    /// A timer that runs `f` after `d`, or at once if `d` is 0 or negative. The handle may be
    /// dropped.
    ///
    /// Each run has a thread of the runtime to itself: it may block or take long, and overlaps with
    /// other runs, even of the same timer if that is reset meanwhile. Threads are reused, so
    /// functions that take microseconds need only a few. A function that blocks keeps its thread:
    /// 10,000 blocked functions take 10,000 threads. Each has a stack of the default size (`ulimit
    /// -s`, pthread_setattr_default_np); at 8 MB these reserve 80 GB of address space. Only the
    /// system limits their number. To set a limit, run the functions on a TimersOptions::executor.
    ///
    /// The runtime keeps as many idle threads as there are hardware threads, plus one. The others
    /// end on their own: no call waits for the destructors of their thread_local objects. If the
    /// system has no more threads, a run waits until another one ends, or until a thread can be
    /// started, which the runtime tries again every 10 ms. If it has no thread for functions at
    /// all, they run on the thread that fires.
    ///
    /// \param f anything that can be called without arguments, even if it is move-only. It is kept
    ///   while it can run, and destroyed with no lock held, on any thread
    /// \throws NullPointerException "f cannot be null" if it is an empty std::function or a null
    ///   pointer
    /// \throws what copying or moving it throws
    template <class F, std::enable_if_t<detail::isFunction<F>, int> = 0>
    Timer afterFunc(TimeSpan d, F&& f) & {
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

    /// The channel of newTimer(d). To stop waiting early, drop the channel.
    [[nodiscard]] Channel after(TimeSpan d) &;

    /// A ticker with the period `d`; the first tick is due after one period.
    /// \throws IllegalArgumentException "non-positive interval for NewTicker"
    [[nodiscard]] Ticker newTicker(TimeSpan d) &;

    /// The channel of newTicker(d); nil if `d` is 0 or negative.
    [[nodiscard]] Channel tick(TimeSpan d) &;

    ///@{ Deleted overloads, for advice: a call on a temporary, or of a function that cannot run.
    using detail::CallAdvice::after;
    using detail::CallAdvice::afterFunc;
    using detail::CallAdvice::newTicker;
    using detail::CallAdvice::newTimer;
    using detail::CallAdvice::tick;
    ///@}

    /// Blocks the calling thread for `d`; returns at once if `d` is 0 or negative.
    /// \throws TimersDestroyed if the runtime is destroyed meanwhile
    /// \throws IllegalStateException if it would block the thread that fires the timers
    void sleep(TimeSpan d);

    /// The current time on the runtime's clock.
    [[nodiscard]] Date now() const;

    /// The runtime's clock, never null.
    [[nodiscard]] const std::shared_ptr<Clock>& clock() const noexcept;

    [[nodiscard]] unsigned shards() const noexcept;          ///< how many heaps it has
    [[nodiscard]] const std::string& name() const noexcept;  ///< TimersOptions::name
    [[nodiscard]] TimersStats stats() const;                 ///< takes each heap's lock once

    /// Checks the invariants of every heap, for tests.
    /// \throws std::logic_error that names the violated invariant
    void check() const;

  private:
    friend class Access;

    Timer startFunction(TimeSpan d, const jtimer::detail::FunctionMaker& maker);

    const std::shared_ptr<detail::Runtime> runtime_;
};

/// The process's own runtime, with default options: created at first use and never destroyed, so
/// that its timers end with the process, as in Go. A forked child gets a new one.
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
///@{ Deleted overloads, for advice.
template <class C, class M, class... T>
detail::write_a_lambda_that_calls_the_member_function afterFunc(TimeSpan, M C::*, T&&...) = delete;
detail::write_a_duration_and_a_callable_without_parameters afterFunc(...) = delete;
///@}

[[nodiscard]] inline Channel after(TimeSpan d) { return defaultTimers().after(d); }
[[nodiscard]] inline Ticker newTicker(TimeSpan d) { return defaultTimers().newTicker(d); }
[[nodiscard]] inline Channel tick(TimeSpan d) { return defaultTimers().tick(d); }
inline void sleep(TimeSpan d) { defaultTimers().sleep(d); }
[[nodiscard]] inline Date now() { return defaultTimers().now(); }
/// @}

}  // namespace jtimer::go
