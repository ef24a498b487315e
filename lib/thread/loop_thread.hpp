// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/assert.hpp"
#include "sync/process_number.hpp"
#include "sync/uninterruptible.hpp"
#include "sync/wait_report.hpp"
#include "thread/monitor.hpp"
#include "thread/own_thread.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::detail {

/// A timer's thread with its monitor, its name, and its reports of exceptions. A room derives its
/// loop from it.
///
/// **The thread** calls the user's onThreadStart, then mainLoop(), and then end(). It calls end()
/// also when mainLoop() throws, and when pthread_exit in user code unwinds the thread. While it
/// runs it keeps the room's objects alive, so that a task may destroy its own timer.
///
/// **Forked children** do not have the thread, and its locks may never be released there. A room
/// checks isOfAnotherProcess() before it waits for either. If user code on the thread itself forks
/// and returns in the child, the child's only thread is inside this loop, with the parent's tasks
/// before it. So after every call of user code the loop checks isForkedChild(), and in the child
/// returns at once: it takes no lock, which another thread of the parent may hold, and end() is not
/// called. Then the thread ends, and with it the child, unless user code has started other threads
/// there.
class LoopThread : public WaiterOwner {
  public:
    struct Settings {
        /// From the options that all timers have. \param makeDefault called if `clock` is null
        /// \param room the name of the timer's class
        static Settings of(const char* room, std::string name, UncaughtExceptionHandler handler,
                           std::shared_ptr<Clock> clock,
                           const std::shared_ptr<Clock>& (*makeDefault)());

        std::shared_ptr<const Reporter> reporter;
        std::shared_ptr<Clock> clock;
        /// See TimerOptions::timerSlack.
        std::optional<Nanos> timerSlack;
        /// See TimerOptions::onThreadStart; and the struct of which it is an option.
        std::function<void()> onThreadStart;
        const char* optionsType = "TimerOptions";
        /// The thread is started later, if at all, by a call of Monitor::takePart() and of start().
        bool startsLater = false;
    };

    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;

    const std::string& name() const noexcept { return reporter_->name; }
    const TimerTitle& title() const noexcept override { return *reporter_; }
    const std::shared_ptr<Clock>& clock() const noexcept { return monitor_.clock(); }
    /// What the handler throws is ignored.
    void report(const std::exception_ptr& exception) const {
        static_cast<void>(reporter_->report(exception));
    }
    void reportRun(const std::exception_ptr& exception) const {
        static_cast<void>(reporter_->reportRun(exception));
    }
    std::uint64_t failedRuns() const noexcept { return reporter_->failedRuns(); }

    bool isCurrent() const noexcept { return thread_.isCurrent(); }
    /// False before start().
    bool isOfAnotherProcess() const noexcept { return thread_.isOfAnotherProcess(); }

  protected:
    /// \throws std::system_error if the clock cannot make another Waiter
    explicit LoopThread(Settings settings);
    ~LoopThread() = default;

    /// Starts the thread, and waits until onThreadStart has returned.
    /// \param keptAlive by the thread, while it uses this object
    /// \throws std::system_error if the system cannot create a thread
    /// \throws what onThreadStart throws, or IllegalStateException if that has ended the thread
    ///
    /// After an error the thread has ended, without a call of end(), and this can be called again.
    void start(std::shared_ptr<const void> keptAlive);
    /// As start(), but returns what onThreadStart has thrown. \returns null if it has returned
    std::exception_ptr tryToStart(std::shared_ptr<const void> keptAlive);

    // Called on the thread.

    /// Returns when the timer has been stopped, or in a forked child.
    virtual void mainLoop() = 0;
    /// Stops the timer for good. A second call does nothing, or continues where the first one was
    /// unwound.
    virtual void end() = 0;
    /// Called with what mainLoop() has thrown, before the last call of end(). Ends the timer, so
    /// that the handler finds it stopped, and reports the exception. In a forked child it only
    /// reports.
    virtual void failed(const std::exception_ptr& uncaught);

    /// Called on the thread: whether this is a child that user code on it has forked.
    bool isForkedChild() const noexcept {
        JTIMER_ASSERT(isCurrent());
        return forkWatch_.hasForked();
    }

    /// For a destructor: calls `steps`, which stop the loop and wait for the thread. They cannot be
    /// interrupted. In a forked child it does nothing: there is no thread to wait for.
    template <class Steps>
    void close(const Steps& steps) noexcept {
        if (isOfAnotherProcess()) return;
        const Uninterruptible uninterruptible;
        steps();
    }

    /// Ends the thread as OwnThread::finish() does, for a call that may wait for a run.
    /// \param call its name, for a report
    /// \param onExecutor the thread calls an executor, which runs the tasks
    void finish(const char* call, bool onExecutor = false);

    const std::shared_ptr<const Reporter> reporter_;
    Monitor monitor_;
    OwnThread thread_;

  private:
    void run();
    bool callOnThreadStart();

    const std::function<void()> onThreadStart_;
    const char* const optionsType_;
    /// What receives the exception of onThreadStart, or null.
    std::optional<std::promise<std::exception_ptr>> started_;
    /// Used by the thread only.
    ForkWatch forkWatch_;
};

}  // namespace jtimer::detail
