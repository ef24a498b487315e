// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// For plugin_test.sh: a plug-in with a static timer, on whose thread a task still runs while
// dlclose() destroys the static objects.

#include <jtimer/brpc.hpp>
#include <jtimer/go.hpp>
#include <jtimer/netty.hpp>
#include <jtimer/timer.hpp>
#include <jtimer/tokio.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::atomic<bool> hasBegun{false};
std::atomic<bool> isClosing{false};

/// Destroyed last, and so still there for a task.
jtimer::netty::HashedWheelTimer& otherWheel() {
    static jtimer::netty::HashedWheelTimer wheel;
    return wheel;
}

/// Makes the first objects of which this thread keeps the memory, within dlclose().
void run() {
    hasBegun = true;
    while (!isClosing) std::this_thread::yield();
    for (int i = 0; i < 3; ++i) static_cast<void>(jtimer::makeTask([] {}));
    for (int i = 0; i < 3; ++i) otherWheel().newTimeout([] {}, 1h)->cancel();
}

void startTimer(const std::string& room) {
    otherWheel().newTimeout([] {}, 1h);
    if (room == "jdk") {
        static jtimer::Timer timer(true);
        timer.schedule([] { run(); }, 0);
    } else if (room == "netty") {
        static jtimer::netty::HashedWheelTimer wheel;
        wheel.newTimeout([] {}, 1h);
        wheel.newTimeout([] { run(); }, 0);
    } else if (room == "brpc") {
        static jtimer::brpc::TimerThread thread;
        thread.start();
        thread.schedule([] { run(); }, jtimer::Date());
    } else if (room == "go") {
        static jtimer::go::Timers timers;
        timers.afterFunc(0, [] { run(); });
    } else {
        static jtimer::tokio::TimeDriver driver;
        static jtimer::tokio::Sleep sleep = driver.sleep(1);
        static_cast<void>(sleep.poll([] { run(); }));
    }
}

/// Destroyed first: the timers join their threads after that.
struct Closing {
    ~Closing() { isClosing = true; }
};

}  // namespace

extern "C" JTIMER_API void use(const char* room) {
    startTimer(room);
    static const Closing closing;
    while (!hasBegun) std::this_thread::yield();
}
