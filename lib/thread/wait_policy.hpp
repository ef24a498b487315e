// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"
#include "thread/wake_up_lead.hpp"

#include <jtimer/detail/saturating.hpp>

#include <optional>

namespace jtimer::detail {

/// Decides when a wait for a deadline should end, and how exactly. A value: it reads no clock and
/// knows no thread.
///
/// - A long wait, of 0.1 ms or more, ends ahead of its deadline by what wake-ups have taken of late
///   (WakeUpLead), with the least timer slack. The thread spins for what is left.
/// - A short wait keeps the kernel's usual slack, so that one wake-up serves deadlines that follow
///   each other within microseconds. After another short wait it lasts 50 us longer, as long as
///   that slack, if a second deadline falls into these: no deadline is missed by more than the
///   slack, and most of the CPU time of such waits is wake-ups.
/// - After two notifications within a millisecond, as from a producer whose every task is the new
///   first one, a wait *settles*: it lasts a millisecond at most, and the thread is woken only for
///   what is due before its end. Otherwise each notification costs both sides a wake-up. A wait
///   that passes without a notification ends the settling.
///
/// A timer slack that the user has chosen holds for every wait; then none ends early or late.
/// Clocks that tests control have plain waits only, see Waiter::wakesLate() and settlingTime().
class WaitPolicy {
  public:
    /// \param chosenSlack TimerOptions::timerSlack
    explicit WaitPolicy(std::optional<Nanos> chosenSlack = {}) noexcept
        : chosenSlack_(chosenSlack) {}

    /// One wait. As constructed, a wait without a limit.
    struct Plan {
        Nanos end = kNever;        ///< when the wait ends
        Nanos spinUntil = kNever;  ///< the thread spins from `end` to here; kNever: it does not
        Nanos awakeBy = kNever;    ///< what is due then or later needs no wake-up before
        bool settles = false;      ///< the wait is too short for a step of the clock to matter
        bool isShort = false;
        std::optional<Nanos> slack;  ///< the kernel's timer slack; nothing: the usual one

        bool spins() const noexcept { return spinUntil != kNever; }
    };

    /// \param now what the clock showed last, before `deadline`
    /// \param next the deadline of the wait after this one, as far as is known; kNever: unknown
    Plan plan(const Waiter& waiter, Nanos deadline, Nanos now, Nanos next) const noexcept;

    /// A wait without a limit is over.
    void waited() noexcept { afterShortWait_ = false; }
    /// The wait of this plan, which began at `now`, is over.
    /// \param notified whether a notification has ended it
    void waited(const Plan& plan, Nanos now, bool notified) noexcept {
        afterShortWait_ = plan.isShort && !notified;
        notifiedWaitStart_ = notified ? now : kLongAgo;
    }
    /// The thread was awake this long after the end of a wait that spins.
    void awakeAfter(Nanos late) noexcept { lead_.learn(late); }

  private:
    const std::optional<Nanos> chosenSlack_;
    WakeUpLead lead_;
    bool afterShortWait_ = false;         ///< the last wait was short, and was not notified
    Nanos notifiedWaitStart_ = kLongAgo;  ///< when the last wait began, if it was notified
};

}  // namespace jtimer::detail
