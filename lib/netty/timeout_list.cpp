// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/timeout_list.hpp"

#include <stdexcept>

namespace jtimer::netty::detail {

void TimeoutList::check() const {
    const TimeoutLinks* links = &ring_;
    do {
        if (links->next->previous != links)
            throw std::logic_error("TimeoutList: two neighbours do not know each other");
        links = links->next;
    } while (links != &ring_);
}

}  // namespace jtimer::netty::detail
