// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/own_thread.hpp"

#include "base/detach_at_thread_end.hpp"
#include "base/uninterruptible.hpp"
#include "clock/waiter.hpp"

#include <boost/chrono/duration.hpp>
#include <boost/thread/thread.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace jtimer::detail {

namespace {

/// The name that tools such as `top -H` show.
void nameThisThread(const std::string& name) noexcept {
    std::array<char, 16> shown{};  // the last one stays 0
    name.copy(shown.data(), shown.size() - 1);
#if defined(__APPLE__)
    pthread_setname_np(shown.data());
#else
    pthread_setname_np(pthread_self(), shown.data());
#endif
}

/// A number for each OwnThread, from 1; and the calling thread's. Not its pthread_t, which the next
/// thread gets when this one has ended.
std::atomic<std::uint64_t> lastSerial{0};
thread_local std::uint64_t serialOfThisThread = 0;

}  // namespace

/// Shared by the owner and the thread. The mutex guards everything but the constant, and `pid`,
/// which start() writes before anybody else knows of the thread.
class OwnThread::State {
  public:
    const std::uint64_t serial = lastSerial.fetch_add(1, std::memory_order_relaxed) + 1;
    /// The process in which the thread runs.
    pid_t pid = 0;

    Mutex mutex;
    Condition changed;
    boost::thread thread;
    bool bodyEnded = false;
    /// Nobody will join the thread.
    bool letGo = false;
    /// Some thread is inside join(); the others wait until it has set the second.
    bool joining = false;
    bool joined = false;

    void run(const std::string& name, const std::function<void()>& body) {
        struct Leave {
            State& state;
            bool unwound = true;
            ~Leave() { state.leave(unwound); }
        } leave{*this};
        serialOfThisThread = serial;
        nameThisThread(name);
        // Nobody can interrupt this thread, and without interruption points a wait is cheaper.
        const boost::this_thread::disable_interruption uninterrupted;
        body();
        leave.unwound = false;
    }

    void doNotJoin() {
        Lock lock(mutex);
        if (!bodyEnded) {
            letGo = true;
            return;
        }
        // On the thread itself, the call comes from the destructor of a thread_local object.
        boost::thread ended = std::move(thread);
        lock.unlock();
        if (ended.joinable()) ended.detach();  // destroys the body, and so what is the user's
    }

    void join() {
        const Uninterruptible uninterruptible;
        Lock lock(mutex);
        if (std::exchange(joining, true)) {
            changed.wait(lock, [this] { return joined; });
            return;
        }
        changed.wait(lock, [this] { return bodyEnded; });
        boost::thread ended = std::move(thread);
        lock.unlock();
        if (ended.joinable()) ended.join();  // not if it was unwound or let go
        lock.lock();
        joined = true;
        changed.notify_all();
    }

  private:
    void leave(bool unwound) {
        const Lock lock(mutex);
        if (unwound) {
            detachAtThreadEnd(std::move(thread));
        } else if (letGo) {
            thread.detach();
        }
        bodyEnded = true;
        changed.notify_all();
    }
};

OwnThread::OwnThread() : state_(std::make_shared<State>()) {}

OwnThread::~OwnThread() = default;

void OwnThread::start(const std::string& name, std::function<void()> body) {
    const Lock lock(state_->mutex);
    try {
        state_->thread = boost::thread(
            [state = state_, name, body = std::move(body)] { state->run(name, body); });
    } catch (const boost::thread_resource_error& e) {
        throw std::system_error(e.code().value(), std::generic_category(),
                                "cannot start the thread of timer \"" + name + '"');
    }
    state_->pid = getpid();
}

bool OwnThread::isCurrent() const noexcept { return serialOfThisThread == state_->serial; }

bool OwnThread::isOfAnotherProcess() const noexcept {
    return state_->pid != 0 && state_->pid != getpid();
}

bool OwnThread::awaitEnd(std::chrono::milliseconds time) {
    const Uninterruptible uninterruptible;
    Lock lock(state_->mutex);
    return state_->changed.wait_for(lock, boost::chrono::milliseconds(time.count()),
                                    [this] { return state_->bodyEnded; });
}

void OwnThread::finish() {
    const std::shared_ptr<State> state = state_;
    if (isCurrent()) {
        state->doNotJoin();
    } else if (state->pid != 0) {
        state->join();
    }
}

void OwnThread::letGo() {
    const std::shared_ptr<State> state = state_;
    state->doNotJoin();
}

}  // namespace jtimer::detail
