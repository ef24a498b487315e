// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "thread/monitor.hpp"
#include "thread/uncaught_exception.hpp"

#include <exception>

namespace jtimer::detail {

/// The body of a timer's thread, from its first wait to its last.
///
/// `end` stops the timer for good. It is called last, also when pthread_exit in user code unwinds
/// the thread. If `loop` throws, `end` is called before `report` too, so that the handler finds a
/// stopped timer. A second call must do nothing, or go on where an unwound one stopped.
template <class Loop, class End, class Report>
void runLoop(Monitor& monitor, const Loop& loop, const End& end, const Report& report) {
    struct AtEnd {
        Monitor& monitor;
        const End& end;
        ~AtEnd() {
            end();
            monitor.end();
        }
    };
    monitor.begin();
    const AtEnd atEnd{monitor, end};
    const std::exception_ptr uncaught = exceptionOf(loop);
    if (uncaught == nullptr) return;
    end();
    report(uncaught);
}

}  // namespace jtimer::detail
