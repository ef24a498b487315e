// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/runtime.hpp"

#include "go/channel_cell.hpp"
#include "go/function_cell.hpp"
#include "go/wait.hpp"
#include "sync/assert.hpp"
#include "thread/thread_number.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace jtimer::go::detail {

namespace {

/// A time-out has come. A value that was due by then takes precedence.
void timeOut(Wait& wait) {
    for (const TimerCase& c : wait) c.cell->catchUp();
    if (wait.claim(Wait::Outcome::TimedOut)) wait.wake();
}

void fire(Shard::Popped popped) {
    Scheduled& item = *popped.item;
    if (item.kind() == Scheduled::Kind::Wait) return timeOut(static_cast<Wait&>(item));
    if (item.kind() == Scheduled::Kind::Channel)
        return static_cast<ChannelCell&>(item).fire(popped.start);
    static_cast<FunctionCell*>(popped.item.detach())->fire(popped.start);
}

}  // namespace

/// Fires in the order of time over all shards. A timer that is started meanwhile is not due before
/// `now`: if the clock has been set back, `now` follows it. So the first shard can fire what is not
/// later than the head of the next one without another look at all heads. After a sleep it fires
/// only what the sleep was for: meanwhile, another shard may have got a head before that next one.
///
/// Also ends in a child that user code on this thread has forked: an inline executor, or a clock.
void Runtime::mainLoop() {
    const OnItsThread here(*this);
    const Clock* const settable = monitor_.settableClock();
    for (Nanos now = jtimer::detail::kLongAgo;;) {
        if (settable != nullptr) now = std::min(now, settable->nanos());
        if (isForkedChild()) return;
        Lock lock = monitor_.enter();
        if (stopping_) return;
        sleepsUntil_.store(kNever, std::memory_order_seq_cst);
        const Heads heads = look();
        Nanos limit = heads.next;
        if (heads.earliest > now) {
            now = sleep(lock, heads.earliest);
            if (isForkedChild()) return;
            limit = heads.earliest;
        }
        sleepsUntil_.store(kAwake, std::memory_order_relaxed);
        lock.unlock();
        for (;;) {
            Shard::Popped popped = heads.first->pop(std::min(limit, now), settable);
            if (isForkedChild()) return;
            if (popped.item == nullptr) break;
            fire(std::move(popped));
            if (isForkedChild()) return;
        }
    }
}

/// A shard that no thread has had yet is empty.
Runtime::Heads Runtime::look() const noexcept {
    Heads heads{shards_.front().get(), kNever, kNever};
    const std::size_t threads = jtimer::detail::numberedThreads<Runtime>();
    const std::size_t used = std::clamp(threads, std::size_t{1}, shards_.size());
    for (std::size_t i = 0; i < used; ++i) {
        const Nanos head = shards_[i]->head();
        heads.next = std::min(heads.next, std::max(head, heads.earliest));
        if (head >= heads.earliest) continue;
        heads.earliest = head;
        heads.first = shards_[i].get();
    }
    return heads;
}

/// Until the deadline, or until it is woken. \returns the present time
Nanos Runtime::sleep(Lock& lock, Nanos deadline) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    woken_ = false;
    sleepsUntil_.store(deadline, std::memory_order_relaxed);
    Nanos present = now();
    if (present < deadline && !isForkedChild()) {
        if (deadline == kNever) {
            monitor_.wait(lock);
        } else {
            monitor_.waitUntil(lock, deadline, present);
        }
        present = now();
    }
    lastReading_.store(present, std::memory_order_relaxed);
    return present;
}

/// Does not say here that the poller is awake: a caller who sees that does not come here, and must
/// find that a ManualClock has been told of the wake-up, which leaveAndWake() does.
void Runtime::wakeFor(Nanos when) {
    Lock lock = monitor_.enter();
    if (when >= sleepsUntil_.load(std::memory_order_relaxed)) return;
    if (!std::exchange(woken_, true)) signals_.fetch_add(1, std::memory_order_relaxed);
    monitor_.leaveAndWake(lock);
}

}  // namespace jtimer::go::detail
