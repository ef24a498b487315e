// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/gate.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <functional>

namespace test {

/// Gives other threads time to get on, or to show that they wait.
inline void yieldForAWhile() {
    for (int i = 0; i < 100; ++i) boost::this_thread::yield();
}

/// Calls `function` on another thread, and some time after that `end`, with that thread. Returns
/// when `function` has returned.
template <class Function, class End>
void during(const Function& function, const End& end) {
    Gate calls;
    boost::thread caller([&] {
        calls.open();
        function();
    });
    calls.wait();
    yieldForAWhile();
    end(caller);
    caller.join();
}

/// A run that lasts until `released` is opened, and then for a while, for calls that wait for it.
struct LongRun {
    Gate running, released;
    std::atomic<bool> over{false};

    std::function<void()> longRun() {
        return [this] {
            running.open();
            released.wait();
            yieldForAWhile();
            over = true;
        };
    }

    /// Calls `function` on another thread, and releases the run some time after that.
    template <class Function>
    void duringRun(const Function& function) {
        during(function, [this](boost::thread&) {
            BOOST_TEST(!over.load());
            released.open();
        });
    }

    /// Expects that an interruption does not end the call, which waits for the run.
    template <class Function>
    void interruptDuringRun(const Function& wait) {
        const auto call = [&] {
            wait();
            BOOST_TEST(over.load());
            BOOST_CHECK_THROW(boost::this_thread::interruption_point(), boost::thread_interrupted);
        };
        during(call, [this](boost::thread& caller) {
            caller.interrupt();
            yieldForAWhile();
            released.open();
        });
    }
};

}  // namespace test
