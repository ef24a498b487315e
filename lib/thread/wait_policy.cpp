// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/wait_policy.hpp"

#include <algorithm>

namespace jtimer::detail {

namespace {

/// The least length of a long wait, whose wake-up need not serve other deadlines too.
constexpr Nanos kLong = 100'000;

/// By how much a short wait is extended to serve the next deadline: Linux's usual timer slack.
constexpr Nanos kGathering = 50'000;

}  // namespace

WaitPolicy::Plan WaitPolicy::plan(const Waiter& waiter, Nanos deadline, Nanos now,
                                  Nanos next) const noexcept {
    Plan plan;
    const Nanos settled = saturatingAdd(now, waiter.settlingTime());
    plan.settles = notifiedWaitStart_ <= now &&
                   saturatingAdd(notifiedWaitStart_, waiter.settlingTime()) > now &&
                   settled < deadline;
    if (plan.settles) deadline = settled;

    const bool isLong = deadline != kNever && saturatingSubtract(deadline, now) >= kLong;
    plan.isShort = deadline != kNever && !isLong;
    plan.end = deadline;
    if (waiter.wakesLate() && !chosenSlack_ && !plan.settles) {
        if (isLong) {
            plan.end -= lead_.value();
            plan.spinUntil = deadline;
        } else if (afterShortWait_ && next < kNever - kGathering &&
                   saturatingSubtract(next, deadline) <= kGathering) {
            plan.end += kGathering;
        }
    }
    plan.awakeBy = std::max(deadline, plan.end);
    if (chosenSlack_ && deadline != kNever) {
        plan.slack = chosenSlack_;
    } else if (isLong) {
        plan.slack = 1;
    }
    return plan;
}

}  // namespace jtimer::detail
