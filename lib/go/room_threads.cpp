// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/room_threads.hpp"

#include "base/own_thread.hpp"
#include "go/runtime.hpp"

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace jtimer::go::detail {

class RoomThreads::Thread {
  public:
    Thread(RoomThreads& owner, std::shared_ptr<Clock> clock)
        : pool(&owner), monitor(std::make_shared<Monitor>(std::move(clock))) {}

    /// Gives an idle thread something to do; no run: its end.
    void give(Run next) {
        Lock lock = monitor->enter();
        given_ = std::move(next);
        isGiven_ = true;
        monitor->leaveAndWake(lock);
    }
    Run awaitGiven() {
        Lock lock = monitor->enter();
        while (!isGiven_) monitor->wait(lock);
        isGiven_ = false;
        return std::move(given_);
    }

    /// Compared only: it may be gone.
    const RoomThreads* const pool;
    const std::shared_ptr<Monitor> monitor;
    jtimer::detail::OwnThread ownThread;

    static thread_local Thread* current;

  private:
    Run given_;
    bool isGiven_ = false;
};

thread_local RoomThreads::Thread* RoomThreads::Thread::current = nullptr;

bool RoomThreads::isCurrent() const noexcept {
    return Thread::current != nullptr && Thread::current->pool == this;
}

std::shared_ptr<Monitor> RoomThreads::monitorOfThisThread(const Clock& clock) {
    const Thread* const thread = Thread::current;
    if (thread == nullptr || thread->monitor->clock().get() != &clock) return nullptr;
    return thread->monitor;
}

void RoomThreads::handOver(Run run, const std::shared_ptr<Runtime>& runtime) {
    Lock lock(mutex_);
    if (idle_.empty()) {
        lock.unlock();
        if (startThread(run, runtime)) return;
        lock.lock();
    }
    // Perhaps a thread has become idle meanwhile.
    if (!idle_.empty()) {
        Thread* const thread = idle_.back();
        idle_.pop_back();
        ++busy_;
        lock.unlock();
        thread->give(std::move(run));
    } else if (busy_ != 0) {
        waiting_.push_back(std::move(run));
    } else {
        lock.unlock();
        run();
    }
}

/// \returns false if the system gives none; then the run is still the caller's
bool RoomThreads::startThread(Run& run, const std::shared_ptr<Runtime>& runtime) {
    std::shared_ptr<Thread> thread;
    try {
        thread = std::make_shared<Thread>(*this, clock_);
        Lock lock(mutex_);
        threads_.push_back(thread);
        ++busy_;
    } catch (const std::exception&) {
        return false;
    }
    thread->give(std::move(run));
    try {
        thread->ownThread.start(runtime->name(), [this, thread, runtime] { work(*thread); });
        return true;
    } catch (const std::exception&) {
    }
    run = thread->awaitGiven();
    const Lock lock(mutex_);
    remove(lock, *thread);
    --busy_;
    return false;
}

/// The body of each thread. The last part also runs when pthread_exit unwinds it.
void RoomThreads::work(Thread& thread) {
    struct AtEnd {
        RoomThreads& pool;
        Thread& thread;
        bool unwound = true;
        ~AtEnd() {
            Thread::current = nullptr;
            pool.leave(thread, unwound);
            thread.monitor->end();
        }
    } atEnd{*this, thread};
    Thread::current = &thread;
    thread.monitor->begin();
    // Each run is destroyed before the thread is idle, and with it what the function has captured.
    for (bool first = true;; first = false) {
        const Run run = first ? thread.awaitGiven() : nextRun(thread);
        if (!run) break;
        run();
    }
    atEnd.unwound = false;
}

/// \returns none if the thread is to end
Run RoomThreads::nextRun(Thread& thread) {
    static const std::size_t kept = std::max(1U, boost::thread::hardware_concurrency());
    Lock lock(mutex_);
    if (!waiting_.empty()) {
        Run next = std::move(waiting_.front());
        waiting_.pop_front();
        return next;
    }
    --busy_;
    if (stopped_ || idle_.size() >= kept) return {};
    idle_.push_back(&thread);
    lock.unlock();
    return thread.awaitGiven();
}

/// A thread that is too many is let go, so that the list does not grow. It must not be joined
/// before ~Timers, least of all by the poller: the destructors of its thread_local objects, which
/// are the user's, come later, and may wait for a timer.
void RoomThreads::leave(Thread& thread, bool unwound) noexcept {
    const Lock lock(mutex_);
    if (unwound) --busy_;
    if (!stopped_ && remove(lock, thread)) thread.ownThread.letGo();
}

/// \returns false if finish() has taken the list over
bool RoomThreads::remove(const Lock&, const Thread& thread) noexcept {
    const auto found = std::find_if(threads_.begin(), threads_.end(),
                                    [&thread](const auto& one) { return one.get() == &thread; });
    if (found == threads_.end()) return false;
    threads_.erase(found);
    return true;
}

void RoomThreads::stop() {
    std::vector<Thread*> idle;
    {
        const Lock lock(mutex_);
        stopped_ = true;
        idle.swap(idle_);
    }
    for (Thread* const thread : idle) thread->give({});
}

void RoomThreads::finish(bool wait) {
    std::vector<std::shared_ptr<Thread>> threads;
    {
        const Lock lock(mutex_);
        threads.swap(threads_);
    }
    for (const auto& thread : threads) {
        if (wait) {
            thread->ownThread.finish();
        } else {
            thread->ownThread.letGo();
        }
    }
}

}  // namespace jtimer::go::detail
