// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "go/shard.hpp"
#include "thread/monitor.hpp"

#include <jtimer/clock.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace jtimer::go::detail {

class ChannelCell;
class Wait;
using jtimer::detail::Monitor;

/// One channel that a call waits for: an element of the list of the timer's waiters. The timer's
/// lock guards the link; the rest does not change after set-up.
class TimerCase : public jtimer::detail::ListHook {
  public:
    Wait* wait = nullptr;
    Ref<ChannelCell> cell;
    std::size_t index = 0;  ///< of the channel in the call's list
};

/// A channel in the list of a call, and the lock of its cell while the call holds it.
struct Candidate {
    ChannelCell* cell;
    std::size_t index;
    Lock lock{};
};

/// When a call stops waiting. Times of different clocks cannot be compared, and so a value that is
/// due on another clock comes before the time-out if it comes while the call still waits.
struct TimeOut {
    Nanos time;
    const Clock& clock;

    /// Whether it comes before `when` of this clock.
    bool isBefore(Nanos when, const Clock& of) const noexcept {
        return time < when && &clock == &of;
    }
};

/// A blocked call: of sleep, receive, receiveFor or select. Shared by the waiting thread and the
/// threads that may end the wait.
///
/// **Claimed once.** It is in the lists of all its timers and events, in a heap if it has a
/// time-out, and in the list of each runtime's end, which is an event. Several threads may try to
/// end it at the same time; the one whose claim succeeds decides the outcome, and wakes the waiting
/// thread. The others then treat the call as removed, though it leaves the lists only when its
/// thread runs.
class Wait final : public Scheduled {
  public:
    enum class Outcome { Pending, Received, TimedOut, Hopeless };

    /// \param candidates each with a different cell
    /// \param timeOut empty: no time-out. Its clock must outlive the wait
    /// \param monitor the calling thread's
    Wait(const std::vector<Candidate>& candidates, std::optional<TimeOut> timeOut,
         std::shared_ptr<Monitor> monitor);
    ~Wait();

    /// Whether it has not been claimed. Relaxed, because nothing of a claim is read after this.
    bool isPending() const noexcept {
        return outcome_.load(std::memory_order_relaxed) == Outcome::Pending;
    }
    /// Whether its time-out comes before `time` of this clock.
    bool endsBefore(Nanos time, const Clock& clock) const noexcept {
        return timeOut_ && timeOut_->isBefore(time, clock);
    }
    bool hasTimeOut() const noexcept { return timeOut_.has_value(); }
    /// Whether no value can ever come, before other threads can end the wait by loseHope().
    bool isHopeless() const noexcept { return !timeOut_ && hopeful_ == 0 && isPending(); }

    TimerCase* begin() const noexcept { return cases_.get(); }
    TimerCase* end() const noexcept { return cases_.get() + size_; }
    std::size_t size() const noexcept { return size_; }

    /// Each of these \returns whether it has decided the outcome; then the caller must call wake().
    bool claimReceived(std::size_t index, Nanos value) noexcept;
    bool claim(Outcome outcome) noexcept;

    /// Called once for each channel from which no value can come any more, unless there is a
    /// time-out. Claims the wait if that was the last channel.
    bool loseHope() noexcept {
        return hopeful_.fetch_sub(1, std::memory_order_acq_rel) == 1 && claim(Outcome::Hopeless);
    }
    /// Called for each channel that may have a value one day, before other threads know of
    /// the call.
    void hope() noexcept { hopeful_.fetch_add(1, std::memory_order_relaxed); }

    void wake();

    /// Called by the waiting thread: waits until the outcome is decided, and returns it. Then
    /// index() and value() return what was received.
    Outcome await();
    std::size_t index() const noexcept { return index_; }
    Nanos value() const noexcept { return value_; }

  private:
    friend class WakeList;

    std::atomic<Outcome> outcome_{Outcome::Pending};
    /// Written by the thread that has claimed the wait, before wake(), and read by the waiting
    /// thread after that.
    std::size_t index_ = 0;
    Nanos value_ = 0;

    const std::optional<TimeOut> timeOut_;
    const std::unique_ptr<TimerCase[]> cases_;
    const std::size_t size_;
    std::atomic<std::size_t> hopeful_{0};

    const std::shared_ptr<Monitor> monitor_;
    bool woken_ = false;  // guarded by the monitor
    Ref<Wait> next_;
};

/// Claimed waits, to be woken when no lock is held, at the latest by the destructor.
class WakeList {
  public:
    WakeList() = default;
    WakeList(const WakeList&) = delete;
    WakeList& operator=(const WakeList&) = delete;
    ~WakeList() { wakeAll(); }

    void add(Wait& claimed) noexcept;
    void wakeAll() noexcept;

  private:
    Ref<Wait> first_;
};

}  // namespace jtimer::go::detail
