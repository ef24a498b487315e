// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/netty/timeout.hpp>

#include "netty/origin.hpp"

#include <utility>

namespace jtimer::netty {

using detail::TimeoutAccess;

Timeout::Timeout(detail::TimeoutKey, std::shared_ptr<TimerTask> task) noexcept
    : task_(std::move(task)) {}

Timeout::~Timeout() {
    if (origin_ != nullptr) origin_->timeoutIsGone();
}

HashedWheelTimer* Timeout::timer() const noexcept { return origin_->timer(); }

bool Timeout::isExpired() const noexcept { return TimeoutAccess::isExpired(*this); }

bool Timeout::isCancelled() const noexcept { return TimeoutAccess::isCancelled(*this); }

bool Timeout::cancel() {
    if (!TimeoutAccess::cancel(*this)) return false;
    origin_->push(*this);
    return true;
}

}  // namespace jtimer::netty
