// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/timeout_list.hpp"

#include <stdexcept>
#include <string>

namespace jtimer::netty::detail {

void TimeoutList::check() const {
    const auto require = [](bool condition, const char* rule) {
        if (!condition) throw std::logic_error(std::string("TimeoutList: ") + rule);
    };
    const Owner* owner = &first_;
    while (owner->use_count() != 0) {
        require(Access::ownedBy(**owner) == owner, "a timeout does not know what owns it");
        owner = &Access::next(**owner);
    }
    require(owner == end_, "the end is not where the list says");
    const bool marked = reinterpret_cast<const TimeoutList*>(owner->get()) == this;
    require(marked || (owner == &first_ && owner->get() == nullptr),
            "the end does not point to the list");
}

}  // namespace jtimer::netty::detail
