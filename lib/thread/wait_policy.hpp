// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"
#include "thread/wake_up_lead.hpp"

#include <jtimer/detail/saturating.hpp>

#include <optional>

namespace jtimer::detail {

/// Decides when a wait for a deadline should end, and how exactly. A plain value type: it uses no
/// clock and no thread.
///
/// - A long wait, of 0.1 ms or more, ends before its deadline by the time that recent wake-ups have
///   taken (WakeUpLead), with the least timer slack. The thread spins for the rest.
/// - A short wait keeps the kernel's usual slack, so that one wake-up serves deadlines that follow
///   each other within microseconds. After another short wait it lasts 50 us longer, which is that
///   slack, if a second deadline falls into these 50 us: no deadline is missed by more than the
///   slack, and wake-ups take most of the CPU time of such waits.
/// - After two notifications within a millisecond, as from a producer whose every task is due
///   before all others, a wait *settles*: it lasts a millisecond at most, and the thread is woken
///   only for what is due before its end. Otherwise each notification costs both sides a wake-up. A
///   wait without a notification ends the settling.
///
/// A timer slack that the user has chosen applies to every wait; then none ends early or late.
/// Clocks that tests control have only plain waits: see Waiter::wakesLate() and settlingTime().
class WaitPolicy {
  public:
    /// \param chosenSlack TimerOptions::timerSlack
    explicit WaitPolicy(std::optional<Nanos> chosenSlack = {}) noexcept
        : chosenSlack_(chosenSlack) {}

    /// One wait; by default one without a limit.
    struct Plan {
        Nanos end = kNever;        ///< when the wait ends
        Nanos spinUntil = kNever;  ///< the thread spins from `end` to this time; kNever: no spin
        Nanos awakeBy = kNever;    ///< what is due at this time or later needs no wake-up
        bool settles = false;      ///< the wait is too short for a step of the clock to matter
        bool isShort = false;
        std::optional<Nanos> slack;  ///< the kernel's timer slack; nothing: the usual slack

        bool spins() const noexcept { return spinUntil != kNever; }
    };

    /// \param now what the clock showed last, before `deadline`
    /// \param next the deadline of the wait after this one, as far as known; kNever: unknown
    Plan plan(const Waiter& waiter, Nanos deadline, Nanos now, Nanos next) const noexcept;

    /// To be called when a wait without a limit is over.
    void waited() noexcept { afterShortWait_ = false; }
    /// To be called when the wait of this plan, which began at `now`, is over.
    /// \param notified whether a notification has ended it
    void waited(const Plan& plan, Nanos now, bool notified) noexcept {
        afterShortWait_ = plan.isShort && !notified;
        notifiedWaitStart_ = notified ? now : kLongAgo;
    }
    /// To be called when the thread was awake this long after the end of a wait that spins.
    void awakeAfter(Nanos late) noexcept { lead_.learn(late); }

  private:
    const std::optional<Nanos> chosenSlack_;
    WakeUpLead lead_;
    bool afterShortWait_ = false;         ///< the last wait was short, and was not notified
    Nanos notifiedWaitStart_ = kLongAgo;  ///< when the last wait began, if it was notified
};

}  // namespace jtimer::detail
