// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Timers for an existing event loop: a polled driver, a timerfd that says when to turn it, and an
// eventfd by which other threads end the wait.

#include <jtimer/tokio/time_driver.hpp>

#include <iostream>

#if defined(__linux__)

#include <algorithm>
#include <functional>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

using namespace std::chrono_literals;
using namespace jtimer::tokio;

class Loop {
  public:
    Loop() {
        for (const int fd : {timer_, wake_}) {
            epoll_event event{EPOLLIN, {}};
            event.data.fd = fd;
            epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
        }
    }
    ~Loop() {
        for (const int fd : {timer_, wake_, epoll_}) close(fd);
    }
    void wake() { eventfd_write(wake_, 1); }

    void run(TimeDriver& driver) {
        while (driver.size() != 0) {
            arm(driver.nextWake(), driver.now());
            epoll_event event{};
            if (epoll_wait(epoll_, &event, 1, -1) == 1) {  // here a real loop serves its sockets
                eventfd_t count = 0;
                static_cast<void>(eventfd_read(event.data.fd, &count));  // 8 bytes, as of a timerfd
            }
            driver.turn();
        }
    }

  private:
    void arm(std::optional<jtimer::Date> next, jtimer::Date now) const {
        itimerspec in{};  // zero means never
        if (next) {
            const auto nanos =
                std::max<std::int64_t>(1, std::chrono::nanoseconds(*next - now).count());
            in.it_value = {static_cast<time_t>(nanos / 1'000'000'000),
                           static_cast<long>(nanos % 1'000'000'000)};
        }
        timerfd_settime(timer_, 0, &in, nullptr);
    }

    const int epoll_ = epoll_create1(0);
    const int timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    const int wake_ = eventfd(0, EFD_NONBLOCK);
};

int main() {
    Loop loop;
    TimeDriverOptions options;
    options.polled = true;
    options.unpark = [&loop] { loop.wake(); };
    TimeDriver driver(options);

    Sleep idle = driver.sleep(1min);  // for the first ping; after each one it is 30 ms
    idle.poll([] { std::cout << "idle: closed\n"; });

    Interval pings = driver.interval(10ms);
    int left = 3;
    std::function<void()> onPing = [&] {
        while (left > 0 && pings.pollTick(onPing)) {
            std::cout << "ping, " << --left << " to go\n";
            idle.resetAfter(30ms);
        }
    };
    onPing();
    loop.run(driver);
}

#else

int main() {
    std::cout << "needs Linux\n";
    return 77;
}

#endif
