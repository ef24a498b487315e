// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/wait_report.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace jtimer::detail {

/// The one thread of a timer: its name, its start and its end.
///
/// **The end.** A destructor joins; but a task may destroy its own timer, and a thread cannot join
/// itself. So finish() joins the thread, except when called on the thread itself: there it detaches
/// it, and the thread ends by itself. An owner that must not wait can call letGo() instead. So the
/// thread's body, not the owner of this object, must own what the thread needs; and this object
/// shares its own state with the thread.
///
/// **Unwinding.** Boost.Thread does not notice when pthread_exit or pthread_cancel ends a thread:
/// joining such a thread would wait for ever. It is detached instead.
///
/// **Forked children** do not have this thread, and the locks that it held are
/// never released there.
class OwnThread {
  public:
    OwnThread();
    OwnThread(const OwnThread&) = delete;
    OwnThread& operator=(const OwnThread&) = delete;
    /// The body may be running: see finish().
    ~OwnThread();

    /// Starts the thread, which calls `body` and ends. Can be called again after an error.
    ///
    /// It inherits the signal mask of the calling thread, as every thread does, and passes it on to
    /// the processes that user code starts; if it blocked signals, these could not end those
    /// processes. So the process's signal handlers may run on it; they end none of its waits.
    /// \param name the thread carries its first 15 bytes, which is what Linux keeps
    /// \throws std::system_error "cannot start the thread of timer "NAME"" if the system cannot
    ///   create a thread
    void start(const std::string& name, std::function<void()> body);

    /// Whether this is the calling thread; also works while its thread_local objects are destroyed.
    bool isCurrent() const noexcept;

    /// Whether start() was called in another process, of which this one is a forked child.
    bool isOfAnotherProcess() const noexcept;

    /// Waits until the body has returned.
    /// \returns false if it still runs after `time`
    bool awaitEnd(std::chrono::milliseconds time);

    /// Called by the owner to end the thread: waits until the body has returned and the thread has
    /// been joined. On the thread itself it does not wait: the thread ends by itself. Without
    /// start(), and when called again, it returns at once. Several threads may call it at a time:
    /// each returns when the thread has ended. Must not be called in a forked child.
    void finish();

    /// The same. Makes the report if the wait takes long.
    void finish(WaitReport& report);

    /// As finish(), for an owner that has failed otherwise, and whose body ends at once: after it,
    /// start() can be called again. No other thread may be inside a call.
    void finishStart();

    /// Called instead by an owner that does not wait: the thread ends by itself after its body.
    /// Otherwise like finish().
    void letGo();

  private:
    class State;
    const std::shared_ptr<State> state_;
};

}  // namespace jtimer::detail
