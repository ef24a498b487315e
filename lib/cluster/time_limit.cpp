// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/time_limit.hpp"

#include "sync/assert.hpp"

#include <jtimer/detail/saturating.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

using jtimer::detail::kNever;
using jtimer::detail::saturatingAdd;

std::int64_t nanosOf(TimeSpan span) noexcept { return span.toChrono().count(); }

/// Seconds, with as many decimals as it takes.
std::string textOf(TimeSpan span) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t nanos = nanosOf(span);
    std::string decimals = std::to_string(kSecond + nanos % kSecond);  // with a leading 1
    decimals.erase(decimals.find_last_not_of('0') + 1);
    decimals[0] = '.';
    return std::to_string(nanos / kSecond) + (decimals.size() > 1 ? decimals : "") + " s";
}

}  // namespace

TimeLimit::TimeLimit(const TaskOptions& options, std::shared_ptr<const jtimer::Clock> clock)
    : timeout_(options.timeout), grace_(options.grace), clock_(std::move(clock)),
      begunAt_(clock_->nanos()),
      endsAt_(timeout_.has_value() ? saturatingAdd(begunAt_, nanosOf(*timeout_)) : kNever),
      abandonedAt_(saturatingAdd(endsAt_, nanosOf(grace_))) {}

std::optional<TimeSpan> TimeLimit::left() const noexcept {
    if (!timeout_.has_value()) return {};
    const std::int64_t elapsed = clock_->nanos() - begunAt_;
    return std::max(TimeSpan(0), *timeout_ - TimeSpan(std::chrono::nanoseconds(elapsed)));
}

std::optional<TimeSpan> TimeLimit::untilGraceOver() const noexcept {
    if (abandonedAt_ == kNever) return {};
    return TimeSpan(std::chrono::nanoseconds(abandonedAt_ - begunAt_));
}

std::string TimeLimit::message() const {
    return "It took longer than its time limit of " + timeText() + ".";
}

std::string TimeLimit::timeText() const {
    JTIMER_ASSERT(timeout_.has_value());
    return textOf(*timeout_);
}

std::string TimeLimit::graceText() const { return textOf(grace_); }

}  // namespace jtimer::cluster::detail
