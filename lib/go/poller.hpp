// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/lateness_counter.hpp"
#include "go/shard.hpp"
#include "thread/loop_thread.hpp"

#include <jtimer/clock.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace jtimer::go::detail {

using jtimer::detail::LoopThread;

/// The heaps of a runtime; the array does not change.
using Shards = std::vector<std::unique_ptr<Shard>>;

/// The thread that fires the timers. It sleeps until the earliest time of all shards.
///
/// **Waking it.** A thread that starts the first timer of a shard writes the shard's head, and then
/// reads until when the poller sleeps. The poller writes that it is about to sleep, and then reads
/// all heads. Both are sequentially consistent, so at least one of them sees what the other has
/// written: either the poller does not sleep beyond the timer, or it is woken. Only a timer that is
/// the first of its shard needs this check; for any other, the thread that started the first one
/// has checked, or is about to.
class Poller final : public LoopThread {
  public:
    /// \throws std::system_error if the clock cannot make another Waiter
    Poller(Settings settings, Runtime& runtime, const Shards& shards);

    using LoopThread::start;

    /// Of the calling thread, if it is a poller; else null.
    static Runtime* runtimeOfThisThread() noexcept;

    Nanos now() const { return monitor_.now(); }

    /// To be called after a timer with this time has become the first of its shard.
    void signal(Nanos when) {
        if (when < sleepsUntil_.load(std::memory_order_seq_cst)) wakeFor(when);
    }
    std::uint64_t signals() const noexcept { return signals_.load(std::memory_order_relaxed); }

    /// By how much the clock is certainly past `when`, at least 0. A reading of the clock would
    /// cost more than a receive.
    Nanos latenessOf(Nanos when) const noexcept {
        const Nanos reached =
            std::max(lastReading_.load(std::memory_order_relaxed), monitor_.reached());
        return std::max(Nanos{0}, jtimer::detail::saturatingSubtract(reached, when));
    }
    /// Counts a timer that the poller fires. Called on its thread.
    void countFired(Nanos when) noexcept { lateness_.add(latenessOf(when)); }
    LatenessHistogram lateness() const noexcept { return lateness_.read(); }

    /// Makes the thread end, after what it is firing at the moment.
    void stop();
    /// Waits for the end of the thread, unless `wait` is false or the thread itself calls it.
    void finish(bool wait);

  private:
    void mainLoop() override;
    void end() override;
    /// The shard with the earliest head, and that of the next shard.
    struct Heads {
        Shard* first;
        Nanos earliest;
        Nanos next;
    };
    Heads look() const noexcept;
    Nanos sleep(Lock& lock, Nanos deadline);
    void wakeFor(Nanos when);

    Runtime& runtime_;
    const Shards& shards_;
    bool stopping_ = false;  // guarded by the monitor
    bool woken_ = false;     // guarded by the monitor: whether a timer has ended the sleep

    /// kAwake while the poller does not sleep: no timer is earlier. Written with the monitor held.
    static constexpr Nanos kAwake = jtimer::detail::kLongAgo;
    std::atomic<Nanos> sleepsUntil_{kAwake};
    std::atomic<std::uint64_t> signals_{0};
    /// What the clock showed when the poller last read it.
    std::atomic<Nanos> lastReading_{jtimer::detail::kLongAgo};
    jtimer::detail::LatenessCounter lateness_;
};

}  // namespace jtimer::go::detail
