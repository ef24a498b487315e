// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/hashed_wheel.hpp"

#include <stdexcept>
#include <string>

namespace jtimer::netty::detail {

void HashedWheel::check(Tick tick) const {
    if ((slots_.size() & mask_) != 0 || mask_ + 1 != slots_.size())
        throw std::logic_error("HashedWheel: the number of slots is not a power of two");
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        slots_[i].check();
        for (auto* timeout = slots_[i].front(); timeout != nullptr;
             timeout = slots_[i].next(*timeout)) {
            const auto fail = [&](const std::string& what) {
                throw std::logic_error("HashedWheel: in slot " + std::to_string(i) + " a timeout " +
                                       what);
            };
            if (Access::isExpired(*timeout)) fail("has expired");
            if (Access::isCancelled(*timeout)) continue;  // its word holds a link, not a tick
            const Tick due = Access::due(*timeout);
            if (i != (static_cast<std::size_t>(std::max(due, tick)) & mask_))
                fail("is due in tick " + std::to_string(due));
        }
    }
}

}  // namespace jtimer::netty::detail
