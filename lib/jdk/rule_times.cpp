// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/rule_times.hpp"

#include "sync/assert.hpp"

#include <jtimer/exceptions.hpp>

#include <utility>

namespace jtimer::detail {

RuleTimes::RuleTimes(Rule rule, Nanos now, std::shared_ptr<const RuleTask> counted)
    : rule_(std::move(rule)), counted_(std::move(counted)), readAt_(now) {
    ask();
    ask();
}

void RuleTimes::ask() {
    if (std::exchange(isStale_, false)) {
        next_.reset();
        missed_ = 0;
        due_ = kNever;  // if the rule throws
        due_ = after(readAt_);
        return;
    }
    if (next_) {
        due_ = *next_;
        ++missed_;
    }
    next_ = kNever;  // if the rule throws: otherwise it would be asked again at once
    if (due_ != kNever) next_ = after(due_);
}

RuleTimes::Turn RuleTimes::takeTurn() noexcept {
    JTIMER_ASSERT(!isStale_ && next_);
    const Turn turn{due_, std::exchange(missed_, 0), *next_};
    due_ = turn.next;
    next_.reset();
    return turn;
}

Nanos RuleTimes::after(Nanos time) const {
    const Date date = toDate<Date>(time);
    const Date answer = rule_(date);
    if (answer <= date) throw IllegalStateException("A rule must give a later time.");
    return toNanos(answer);
}

}  // namespace jtimer::detail
