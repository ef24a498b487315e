// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/abilities.hpp"
#include "support/forking.hpp"
#include "support/manual_timer.hpp"
#include "support/system_threads.hpp"
#include "support/throws.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/manual_clock.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <cerrno>
#include <functional>
#include <memory>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace test {

/// The onThreadStart of each timer that has the option. A Room has
///   - Room(clock, onThreadStart), for a timer named "test", with these options
///   - start(), which starts its thread, or constructs the timer if that does; after an exception
///     it can be called again
///   - runsATask(), of a timer that was started: whether it runs a task, in a second
///   - kOptions, the type of its options, for a message
template <class Room>
class ThreadStart {
    using Clock = std::shared_ptr<jtimer::ManualClock>;

  public:
    static void check() {
        for (const auto& each : kCases) {
            BOOST_TEST_CONTEXT(each.name) {
                each.play(std::make_shared<jtimer::ManualClock>(kStart));
            }
        }
    }

  private:
    struct Case {
        const char* name;
        void (*play)(const Clock& clock);
    };

    /// What `function` does in the first call leaves the timer as before, so that the second start
    /// succeeds. \param check of the first call
    template <class Check>
    static void failsOnce(const Clock& clock, const std::function<void()>& function,
                          const Check& check) {
        const auto threads = numberOfThreads();
        const auto captured = std::make_shared<int>(0);
        {
            Room room(clock, [captured, function] {
                if ((*captured)++ == 0) function();
            });
            check(room);
            BOOST_TEST(*captured == 1);
            while (numberOfThreads() != threads) boost::this_thread::yield();
            clock->advance(1);  // does not wait for the thread that is not there
            room.start();
            BOOST_TEST(*captured == 2);
            BOOST_TEST(room.runsATask());
        }
        while (captured.use_count() != 1) boost::this_thread::yield();
    }

    static void runs(const Clock& clock) {
        std::string thread;
        int calls = 0;
        Room room(clock, [&] {
            thread = currentThreadName();
            ++calls;
        });
        BOOST_TEST(thread.empty());
        room.start();
        BOOST_TEST(thread == "test");
        BOOST_TEST(room.runsATask());
        BOOST_TEST(calls == 1);
    }

    static void throws(const Clock& clock) {
        failsOnce(
            clock, [] { throw std::runtime_error("no such priority"); },
            [](Room& room) { CHECK_THROWS(room.start(), std::runtime_error, "no such priority"); });
    }

    static void throwsWhatTheSystemThrows(const Clock& clock) {
        failsOnce(
            clock, [] { throw std::system_error(EPERM, std::generic_category(), "affinity"); },
            [](Room& room) { BOOST_CHECK_THROW(room.start(), std::system_error); });
        failsOnce(
            clock, [] { throw std::bad_alloc(); },
            [](Room& room) { BOOST_CHECK_THROW(room.start(), std::bad_alloc); });
    }

    static void endsTheThread(const Clock& clock) {
        if (!threadExitUnwinds()) return;
        failsOnce(
            clock, [] { pthread_exit(nullptr); },
            [](Room& room) {
                CHECK_THROWS(room.start(), jtimer::IllegalStateException,
                             std::string(Room::kOptions) + "::onThreadStart ended the thread.");
            });
    }

#if defined(CHILDREN_MAY_END_THEIR_THREAD)
    static void forks(const Clock& clock) {
        ForksOnce forking;
        Room room(clock, [&] { forking(); });
        room.start();
        BOOST_TEST(forking.childsExitCode() == 0);
        BOOST_TEST(room.runsATask());
    }
#endif

    static inline const std::vector<Case> kCases {
        {"it has run, on the timer's thread, when the start returns", runs},
            {"what it throws, the start throws", throws},
            {"so it does what else a start throws or returns", throwsWhatTheSystemThrows},
            {"if it ends the thread, the start throws", endsTheThread},
#if defined(CHILDREN_MAY_END_THEIR_THREAD)
            {"if it forks, the child ends", forks},
#endif
    };
};

}  // namespace test
