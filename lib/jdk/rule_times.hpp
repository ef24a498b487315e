// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>
#include <jtimer/rule.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace jtimer::detail {

/// One reference for each task by a rule that can still run, so that a timer's thread knows whether
/// there is any.
struct RuleTask {};

/// The times of a task of Timer::scheduleBy, which needs more of a TaskLink than other tasks do.
///
/// Shared by the link and the thread that is asking the rule: cancel() may delete the link
/// meanwhile, as no lock is held while a rule is asked. All of it is used by the caller until the
/// task is queued, and from then on only by the timer's thread.
class RuleTimes {
  public:
    /// Asks for the first two times.
    /// \throws what the rule throws; IllegalStateException if it does not give a later time
    RuleTimes(Rule rule, Nanos now, std::shared_ptr<const RuleTask> counted);

    /// The time of the next run; kNever: none.
    Nanos due() const noexcept { return due_; }

    /// Whether ask() must be called before the next run begins.
    /// \param merges whether only the last of the times that have come is to run
    bool mustBeAsked(Nanos now, bool merges) const noexcept {
        return isStale_ || (due_ <= now && (!next_ || (merges && *next_ <= now)));
    }

    /// Asks the rule for the time after the known ones, of which only the last stays: those before
    /// it have been missed. To be called with no lock held.
    /// \throws as the constructor; then there is no time after the last known one
    void ask();

    /// A run that is due, how many were missed before it, and the time of the run after it.
    struct Turn {
        Nanos due;
        std::uint64_t missed;
        Nanos next;
    };
    /// Goes on to the next run. The rule must have been asked.
    Turn takeTurn() noexcept;

    /// What the clock showed when the times were last computed.
    Nanos readAt() const noexcept { return readAt_; }
    void setReadAt(Nanos now) noexcept { readAt_ = now; }

    /// Lets ask() compute all times anew, after what readAt() is by then.
    void setStale() noexcept { isStale_ = true; }

  private:
    Nanos after(Nanos time) const;

    const Rule rule_;
    const std::shared_ptr<const RuleTask> counted_;
    Nanos readAt_;
    Nanos due_ = kNever;
    std::optional<Nanos> next_;  ///< after due_; nothing: not asked yet
    std::uint64_t missed_ = 0;   ///< how many times were due between the last run and due_
    bool isStale_ = true;
};

}  // namespace jtimer::detail
