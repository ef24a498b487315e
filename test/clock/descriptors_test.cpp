// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for POSIX: file descriptors.
//
// A timer on a BoottimeClock needs a file descriptor: without it, and when the program closes it.
#if defined(__linux__)

#include "support/child_process.hpp"
#include "support/counter.hpp"

#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/go/timers.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>
#include <jtimer/timer.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
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

/// The descriptor that was made last, and how often one has been looked at.
std::atomic<int> lastTimerfd{-1};
std::atomic<int> looks{0};

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
    return lastTimerfd = orNone(SYS_timerfd_create, clock, flags);
}
extern "C" int timerfd_gettime(int fd, itimerspec* now) noexcept {
    ++looks;
    return static_cast<int>(syscall(SYS_timerfd_gettime, fd, now));
}

BOOST_AUTO_TEST_CASE(a_timer_on_a_boottime_clock_without_descriptors_is_refused_and_leaves_none) {
    const auto clock = std::make_shared<jtimer::BoottimeClock>();
    for (const Start& start : kStarts) {
        BOOST_TEST_CONTEXT(start.name) {
            BOOST_TEST(errorOf(start, clock) == 0);  // opens what the process keeps
            const auto before = openDescriptors();
            const auto references = clock.use_count();
            {
                const DescriptorsLeft none(0);
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
BOOST_AUTO_TEST_CASE(without_descriptors_for_function_threads_the_poller_runs_functions) {
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

namespace {

using namespace std::chrono_literals;

/// A timer on a BoottimeClock that outlives its descriptor.
struct WithoutDescriptor {
    jtimer::Timer timer{"t", true, std::make_shared<jtimer::BoottimeClock>()};
    const int fd = lastTimerfd;
    test::Counter ran;

    /// Runs so many tasks, one after another.
    void run(int times) {
        const int before = ran.get();
        for (int i = 1; i <= times; ++i) {
            timer.schedule([this] { ran.up(); }, 1);
            if (!ran.reaches(before + i)) test::print("did not run ");
        }
        test::print(std::to_string(times));
    }
};

const std::string kReport =
    "BoottimeClock: the program has closed the timerfd of a timer's thread. The timer goes on, but "
    "up to a second late after the computer was suspended.\n";

}  // namespace

CHILD_PROCESS(closed_while_idle) {
    WithoutDescriptor without;
    without.run(1);
    close(without.fd);
    without.run(3);
}

CHILD_PROCESS(closed_while_waiting) {
    WithoutDescriptor without;
    without.timer.schedule([] {}, 1h);
    without.run(1);  // and the thread now waits for the other task
    close(without.fd);
    looks = 0;
    without.run(3);
    test::print(looks < 1000 ? " without a loop" : " in a loop");
}

/// Whose number an eventfd or another timerfd has got.
CHILD_PROCESS(closed_and_reused) {
    for (const bool isTimerfd : {false, true}) {
        int stranger = -1;
        {
            WithoutDescriptor without;
            without.timer.schedule([] {}, 1h);
            without.run(1);
            close(without.fd);
            stranger =
                isTimerfd ? timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK) : eventfd(7, EFD_NONBLOCK);
            if (stranger != without.fd) test::print(" another number");
            without.run(3);
        }
        if (isTimerfd) {
            itimerspec now{};
            const bool isSet = timerfd_gettime(stranger, &now) != 0 || now.it_value.tv_sec != 0 ||
                               now.it_value.tv_nsec != 0 || now.it_interval.tv_sec != 0;
            test::print(isSet ? " set" : " untouched");
        } else {
            std::uint64_t count = 0;
            const bool isAsBefore = read(stranger, &count, sizeof count) == 8 && count == 7;
            test::print(isAsBefore ? " untouched " : " written to ");
        }
    }
}

/// Whose number another timerfd gets while the thread waits, which nothing notifies then.
CHILD_PROCESS(reused_before_the_deadline) {
    WithoutDescriptor without;
    without.timer.schedule([&without] { without.ran.up(); }, 200ms);
    usleep(50'000);  // and the thread waits, or else the test proves less
    close(without.fd);
    const int stranger = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK);
    if (stranger != without.fd) test::print("another number ");
    test::print(without.ran.reaches(1) ? "ran" : "did not run");
}

BOOST_AUTO_TEST_CASE(a_timer_whose_descriptor_is_closed_while_it_is_idle_goes_on_and_ends) {
    const auto result = test::runChild("closed_while_idle");
    BOOST_TEST(result.out == "13");
    BOOST_TEST(result.err == kReport);
    BOOST_TEST(result.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(a_timer_whose_descriptor_is_closed_while_it_waits_goes_on_and_ends) {
    const auto result = test::runChild("closed_while_waiting");
    BOOST_TEST(result.out == "13 without a loop");
    BOOST_TEST(result.err == kReport);
    BOOST_TEST(result.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(a_file_that_gets_the_number_of_a_closed_descriptor_is_left_alone) {
    const auto result = test::runChild("closed_and_reused");
    BOOST_TEST(result.out == "13 untouched 13 untouched");
    BOOST_TEST(result.err == kReport);  // once in a process
    BOOST_TEST(result.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(a_wait_ends_at_its_deadline_though_another_file_has_got_the_number) {
    const auto result = test::runChild("reused_before_the_deadline");
    BOOST_TEST(result.out == "ran");
    BOOST_TEST(result.exitCode == 0);
}

#else

#include "support/abilities.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(a_boottime_clock_needs_a_descriptor_only_on_linux) {
    test::skipCase("a BoottimeClock");
}

#endif
