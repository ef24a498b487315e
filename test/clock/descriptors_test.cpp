// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A timer on a BoottimeClock needs two file descriptors: without them.
#if defined(__linux__)

#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/go/timers.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>
#include <jtimer/timer.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

std::ptrdiff_t openDescriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
}

/// How many more of its descriptors a clock gets; negative: all. Not by RLIMIT_NOFILE: sanitizers
/// need some too.
std::atomic<int> descriptorsLeft{-1};

/// While this lives, clocks get `count` more.
class DescriptorsLeft {
  public:
    explicit DescriptorsLeft(int count) { descriptorsLeft = count; }
    DescriptorsLeft(const DescriptorsLeft&) = delete;
    DescriptorsLeft& operator=(const DescriptorsLeft&) = delete;
    ~DescriptorsLeft() { descriptorsLeft = -1; }
};

int orNone(long number, long first, long second) {
    if (descriptorsLeft == 0) {
        errno = EMFILE;
        return -1;
    }
    if (descriptorsLeft > 0) --descriptorsLeft;
    return static_cast<int>(syscall(number, first, second));
}

struct Start {
    const char* name;
    /// Starts a timer on the clock, and destroys it. \returns the error, as brpc's start() does
    std::function<int(const std::shared_ptr<jtimer::Clock>&)> start;
};

const std::vector<Start> kStarts{
    {"jdk",
     [](const auto& clock) {
         jtimer::TimerOptions options;
         options.clock = clock;
         const jtimer::Timer timer(std::move(options));
         return 0;
     }},
    {"netty",
     [](const auto& clock) {
         jtimer::netty::HashedWheelTimerOptions options;
         options.clock = clock;
         jtimer::netty::HashedWheelTimer timer(std::move(options));
         timer.newTimeout([] {}, 0);
         return 0;
     }},
    {"brpc",
     [](const auto& clock) {
         jtimer::brpc::TimerThreadOptions options;
         options.clock = clock;
         jtimer::brpc::TimerThread timer;
         return timer.start(options);
     }},
    {"go",
     [](const auto& clock) {
         jtimer::go::TimersOptions options;
         options.clock = clock;
         jtimer::go::Timers timers(std::move(options));
         return 0;
     }},
    {"tokio",
     [](const auto& clock) {
         jtimer::tokio::TimeDriverOptions options;
         options.clock = clock;
         const jtimer::tokio::TimeDriver driver(std::move(options));
         return 0;
     }},
};

int errorOf(const Start& start, const std::shared_ptr<jtimer::Clock>& clock) {
    try {
        return start.start(clock);
    } catch (const std::system_error& e) {
        BOOST_TEST(std::string(e.what()).find("BoottimeClock") != std::string::npos);
        return e.code().value();
    }
}

}  // namespace

// In place of the C library's.
extern "C" int timerfd_create(int clock, int flags) noexcept {
    return orNone(SYS_timerfd_create, clock, flags);
}
extern "C" int eventfd(unsigned count, int flags) noexcept {
    return orNone(SYS_eventfd2, count, flags);
}

BOOST_AUTO_TEST_CASE(a_timer_on_a_boottime_clock_without_descriptors_is_refused_and_leaves_none) {
    const auto clock = std::make_shared<jtimer::BoottimeClock>();
    for (const Start& start : kStarts) {
        BOOST_TEST_CONTEXT(start.name) {
            BOOST_TEST(errorOf(start, clock) == 0);  // opens what the process keeps
            const auto before = openDescriptors();
            const auto references = clock.use_count();
            for (const int left : {0, 1}) {  // for the timerfd, the eventfd
                const DescriptorsLeft few(left);
                BOOST_TEST(errorOf(start, clock) == EMFILE);
            }
            BOOST_TEST(openDescriptors() == before);
            BOOST_TEST(clock.use_count() == references);
            BOOST_TEST(errorOf(start, clock) == 0);
            BOOST_TEST(openDescriptors() == before);
        }
    }
}

/// Only the threads of functions need further descriptors: without them the poller runs these.
BOOST_AUTO_TEST_CASE(without_descriptors_for_room_threads_the_poller_runs_functions) {
    jtimer::go::TimersOptions options;
    options.clock = std::make_shared<jtimer::BoottimeClock>();
    jtimer::go::Timers timers(std::move(options));
    const auto channel = timers.after(0);
    const DescriptorsLeft none(0);
    std::atomic<bool> ran{false};
    const auto timer = timers.afterFunc(0, [&ran] { ran = true; });
    while (!ran) usleep(100);
    BOOST_TEST(channel.tryReceive().has_value());
}

#endif
