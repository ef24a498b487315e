// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/instances.hpp"

#include "thread/uncaught_exception.hpp"

#include <atomic>

namespace jtimer::netty::detail {

namespace {

std::atomic<int> instances{0};
std::atomic<bool> reported{false};

}  // namespace

void instanceMade() {
    constexpr int manyInstances = 64;
    if (instances.fetch_add(1, std::memory_order_relaxed) + 1 <= manyInstances) return;
    if (reported.exchange(true, std::memory_order_relaxed)) return;
    jtimer::detail::printLine(
        {"You are creating too many HashedWheelTimer instances. HashedWheelTimer is a shared "
         "resource that must be reused across the process, so that only a few instances are "
         "created."});
}

void instanceEnded() noexcept { instances.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace jtimer::netty::detail
