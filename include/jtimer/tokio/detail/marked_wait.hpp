// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/sleep.hpp>
#include <jtimer/tokio/waker.hpp>

namespace jtimer::tokio::detail {

struct MarkEntry;

/// The wait of a coroutine for an operation. Its waker only marks the wait in the driver, and the
/// driver's next turn, or its shutdown, calls a function, which polls again. So the waker may be
/// called late, twice, on any thread, or after the end of the wait: then it does nothing.
class JTIMER_API MarkedWait {
  public:
    using Function = void (*)(void* argument);

    explicit MarkedWait(Driver& driver);
    MarkedWait(const MarkedWait&) = delete;
    MarkedWait& operator=(const MarkedWait&) = delete;
    /// Withdraws the mark.
    ~MarkedWait();

    /// What to poll with.
    const Waker& waker() const noexcept { return waker_; }

    /// Has the function called, once, after the waker has been called. If it returns true, that may
    /// have happened already on another thread: the caller must no longer touch what the function
    /// uses, such as this object.
    /// \param mayRepeat if the waker has been called since the last poll began: whether this
    ///   returns false, so that the caller polls again; otherwise the next turn calls the function,
    ///   so that an operation that always wakes itself holds up nothing
    /// \throws DriverShutdown
    bool begin(Function function, void* argument, bool mayRepeat);

    /// To be called before the first poll. \returns whether the next turn calls the function, because
    ///   the coroutine has gone on very often in this one; then as begin()
    bool yields(Function function, void* argument);

  private:
    MarkEntry* entry_;
    Waker waker_;
};

/// Polls for a coroutine, which is resumed inside the waker.
/// \param what names the object in a message
/// \throws IllegalStateException if another coroutine waits for it
///@{
JTIMER_API bool pollFor(Sleep& sleep, const char* what, MarkedWait::Function resume,
                        void* coroutine);
JTIMER_API bool pollFor(Notified& notified, const char* what, MarkedWait::Function resume,
                        void* coroutine);
///@}

/// \throws IllegalStateException "Another coroutine is waiting for this WHAT."
[[noreturn]] JTIMER_API void refuseCoroutine(const char* what);

/// The Sleep that an Interval waits with.
JTIMER_API Sleep& sleepOf(Interval& interval) noexcept;

JTIMER_API Driver& driverOf(const TimeDriver& driver) noexcept;
JTIMER_API Driver& driverOf(const Sleep& sleep) noexcept;

/// For Task: reports the exception that is being handled, unless it is a DriverShutdown.
JTIMER_API void reportFromTask();

}  // namespace jtimer::tokio::detail
