// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/gate.hpp"

#include <jtimer/timer.hpp>

#include <boost/thread/thread.hpp>

#include <functional>
#include <memory>
#include <utility>
#if defined(_WIN32)
#include "windows/system.hpp"
#endif

namespace test {

/// Calls `function` when the calling thread ends.
#if defined(_WIN32)
using windows::atThreadEnd;
#else
inline void atThreadEnd(std::function<void()> function) {
    struct Caller {
        std::function<void()> function;
        ~Caller() {
            if (function) function();
        }
    };
    static thread_local Caller caller;
    caller.function = std::move(function);
}
#endif

/// A gate that opens when the timer's thread ends: waiting for it proves that it does. Schedules a
/// task that is due now.
inline std::shared_ptr<Gate> threadEnd(jtimer::Timer& timer) {
    const auto ended = std::make_shared<Gate>();
    const auto watched = std::make_shared<Gate>();
    timer.schedule(
        [ended, watched] {
            atThreadEnd([ended] { ended->open(); });
            watched->open();
        },
        0);
    watched->wait();
    return ended;
}

/// Whether the timer takes no more tasks: it is cancelled, dead, or its destructor has begun.
inline bool isClosed(jtimer::Timer& timer) {
    try {
        timer.schedule(nullptr, 0);
    } catch (const jtimer::IllegalStateException&) {
        return true;
    } catch (const jtimer::NullPointerException&) {
        return false;
    }
    return false;
}

/// Waits until the timer takes no more tasks. A task calls it to run while the destructor of its
/// timer waits.
inline void awaitClosed(jtimer::Timer& timer) {
    while (!isClosed(timer)) boost::this_thread::yield();
}

}  // namespace test
