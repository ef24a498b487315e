// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/lock.hpp"

#if defined(_WIN32)

#include "sync/assert.hpp"

#include <algorithm>
#include <windows.h>

namespace jtimer::detail {

/// \param span nanoseconds::max(): no limit. The system counts milliseconds, 49 days at most
void Condition::wait_for(Lock& lock, std::chrono::nanoseconds span) {
    JTIMER_ASSERT(lock.owns_lock());
    constexpr auto longest = std::chrono::milliseconds(INFINITE - 1);
    DWORD length = INFINITE;
    if (span != span.max()) {
        const auto inMillis = std::chrono::duration_cast<std::chrono::milliseconds>(span) +
                              std::chrono::milliseconds(1);
        length = static_cast<DWORD>(std::clamp(inMillis, longest.zero(), longest).count());
    }
    std::uint32_t before = notifications_.load();
    lock.unlock();
    WaitOnAddress(&notifications_, &before, sizeof before, length);
    lock.lock();
}

/// The system looks for those that wait at the address, where the object may no longer be.
void Condition::notify_one() noexcept {
    ++notifications_;
    WakeByAddressSingle(&notifications_);
}

void Condition::notify_all() noexcept {
    ++notifications_;
    WakeByAddressAll(&notifications_);
}

}  // namespace jtimer::detail

#endif
