// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/item.hpp"

#include "go/cell.hpp"
#include "go/chan_cell.hpp"
#include "go/context_node.hpp"
#include "go/event_cell.hpp"
#include "go/wait.hpp"

namespace jtimer::go::detail {

void Item::free() noexcept {
    switch (kind_) {
    case Kind::Channel:
    case Kind::Function:
        return static_cast<Cell*>(this)->free();
    case Kind::Wait:
        delete static_cast<Wait*>(this);
        break;
    case Kind::Chan:
        return static_cast<ChanCell*>(this)->free();
    case Kind::Event:
        delete static_cast<EventCell*>(this);
        break;
    case Kind::Context:
        static_cast<ContextNode*>(this)->end();
    }
}

}  // namespace jtimer::go::detail
