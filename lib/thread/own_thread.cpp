// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/own_thread.hpp"

#include "sync/assert.hpp"
#include "sync/lock.hpp"
#include "sync/process.hpp"
#include "sync/process_number.hpp"
#include "sync/reported_wait.hpp"
#include "sync/threads.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/thread_name.hpp"
#include "thread/thread_serial.hpp"

#include <jtimer/detail/own_thread_end.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <system_error>
#include <utility>

namespace jtimer::detail {

namespace {

void nameThisThread(const std::string& name) noexcept {
    std::array<char, 16> shown{};  // the last character stays 0
    name.copy(shown.data(), shown.size() - 1);
    detail::nameThisThread(shown.data());
}

/// A number for each OwnThread, from 1, which its thread has, too. A pthread_t would not do: it is
/// reused after the thread has ended.
std::atomic<std::uint64_t> lastSerial{0};

}  // namespace

/// Shared by the owner and the thread. `mutex` guards what says so, and is below `joining`.
class OwnThread::State {
  public:
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    /// Nobody has joined a thread that ended while its timer could not be started, for instance.
    /// The destructor of boost::thread detaches it, that of std::thread would end the program.
    ~State() {
        if (thread != nullptr && thread->joinable()) thread->detach();
    }

    const std::uint64_t serial = lastSerial.fetch_add(1, std::memory_order_relaxed) + 1;
    /// The process in which the thread runs, 0 before start(). Read without the mutex, which
    /// may never be released in a forked child; perhaps even while start() writes it, if the
    /// owner ends the timer while another thread starts it. Relaxed: a caller that then relies
    /// on the thread, as finish() does, knows that it exists through the lock under which the
    /// timer called start(). Until then isOfAnotherProcess() may read 0, as the thread would
    /// belong to this process.
    std::atomic<ProcessId> pid{0};

    Mutex mutex;
    Condition changed;
    /// Null once it was joined, and once pthread_exit or pthread_cancel has unwound the thread,
    /// which then uses its handle alone.
    std::unique_ptr<threads::thread> thread JTIMER_GUARDED_BY(mutex);
    bool bodyEnded JTIMER_GUARDED_BY(mutex) = false;
    /// The thread will not be joined.
    bool letGo JTIMER_GUARDED_BY(mutex) = false;
    /// Held by the thread that is inside join(): any others wait until it has joined.
    Mutex joining;

    void run(const std::string& name, const std::function<void()>& body) {
        struct Leave {
            State& state;
            bool isUnwinding = true;
            const ForkWatch forkWatch = {};
            ~Leave() {
                // In a child that the body has forked, nobody waits for the thread, and the mutex
                // may never be released.
                if (!forkWatch.hasForked()) state.leave(isUnwinding);
            }
        } leave{*this};
        const OwnThreadEnd end;
        setSerialOfThisThread(serial);
        nameThisThread(name);
        // This thread is never interrupted, and a wait is cheaper without interruption points.
        const NoInterruption uninterrupted;
        body();
        leave.isUnwinding = false;
    }

    void doNotJoin() {
        Guard lock(mutex);
        if (!bodyEnded) {
            letGo = true;
            return;
        }
        // On the thread itself, the call comes from the destructor of a thread_local object.
        const std::unique_ptr<threads::thread> ended = std::move(thread);
        lock.unlock();
        // Destroys the body, and with it user objects.
        if (ended != nullptr && ended->joinable()) ended->detach();
    }

    bool awaitEnd(std::chrono::milliseconds time) {
        const Uninterruptible uninterruptible;
        Guard lock(mutex);
        return changed.wait_for(lock, threads::chrono::milliseconds(time.count()),
                                [this]() JTIMER_REQUIRES(mutex) { return bodyEnded; });
    }

    void join() {
        const Uninterruptible uninterruptible;
        // Destroys the body, and with it user objects, outside of the locks.
        std::unique_ptr<threads::thread> ended;
        const Guard inTurn(joining);
        Guard lock(mutex);
        changed.wait(lock, [this]() JTIMER_REQUIRES(mutex) { return bodyEnded; });
        ended = std::move(thread);
        lock.unlock();
        // Not if it was unwound, let go or joined.
        if (ended != nullptr && ended->joinable()) ended->join();
    }

  private:
    void leave(bool isUnwinding) {
        const Guard lock(mutex);
        if (isUnwinding) {
            detachUnwound(thread.release());
        } else if (letGo) {
            thread->detach();
        }
        bodyEnded = true;
        changed.notify_all();
    }
};

OwnThread::OwnThread() : state_(std::make_shared<State>()) {}

OwnThread::~OwnThread() = default;

void OwnThread::start(const std::string& name, std::function<void()> body) {
    const Guard lock(state_->mutex);
    JTIMER_ASSERT(state_->thread == nullptr && !state_->bodyEnded);
    try {
        state_->thread = std::make_unique<threads::thread>(
            [state = state_, name, body = std::move(body)] { state->run(name, body); });
    } catch (const ThreadNotStarted& e) {
        throw std::system_error(e.code().value(), std::generic_category(),
                                "cannot start the thread of timer \"" + name + '"');
    }
    state_->pid.store(idOfThisProcess(), std::memory_order_relaxed);
}

bool OwnThread::isCurrent() const noexcept { return serialOfThisThread() == state_->serial; }

bool OwnThread::isOfAnotherProcess() const noexcept {
    const ProcessId pid = state_->pid.load(std::memory_order_relaxed);
    return pid != 0 && pid != idOfThisProcess();
}

bool OwnThread::awaitEnd(std::chrono::milliseconds time) { return state_->awaitEnd(time); }

void OwnThread::finish() {
    JTIMER_ASSERT(!isOfAnotherProcess());
    const std::shared_ptr<State> state = state_;
    if (isCurrent()) {
        state->doNotJoin();
    } else if (state->pid.load(std::memory_order_relaxed) != 0) {
        state->join();
    }
}

void OwnThread::finishStart() {
    finish();
    const Guard lock(state_->mutex);
    state_->bodyEnded = false;
    state_->pid.store(0, std::memory_order_relaxed);
}

void OwnThread::finish(WaitReport& report) {
    const std::shared_ptr<State> state = state_;
    if (!isCurrent() && state->pid.load(std::memory_order_relaxed) != 0) {
        Lock none;
        waitOrReport(report, none,
                     [&](std::chrono::milliseconds step) { return state->awaitEnd(step); });
    }
    finish();
}

void OwnThread::letGo() {
    const std::shared_ptr<State> state = state_;
    state->doNotJoin();
}

}  // namespace jtimer::detail
