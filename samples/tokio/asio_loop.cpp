// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A polled driver in Boost.Asio: one steady_timer stands for all deadlines of the driver. A
// deadline from another thread unparks the loop.

#include <jtimer/tokio/time_driver.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <iostream>
#include <optional>
#include <thread>

using namespace std::chrono_literals;
using namespace jtimer::tokio;

class AsioTimers {
  public:
    explicit AsioTimers(boost::asio::io_context& io) : io_(io), timer_(io), driver_(options()) {}

    TimeDriver& driver() { return driver_; }

  private:
    TimeDriverOptions options() {
        TimeDriverOptions options;
        options.polled = true;
        options.unpark = [this] { boost::asio::post(io_, [this] { arm(); }); };
        return options;
    }
    void arm() {
        const auto next = driver_.nextWake();
        if (!next) return;
        timer_.expires_after(*next - driver_.now());  // ends an earlier wait
        timer_.async_wait([this](const boost::system::error_code& cancelled) {
            if (cancelled) return;
            driver_.turn();
            arm();
        });
    }

    boost::asio::io_context& io_;
    boost::asio::steady_timer timer_;
    TimeDriver driver_;
};

int main() {
    boost::asio::io_context io;
    auto work = std::make_optional(boost::asio::make_work_guard(io));
    AsioTimers timers(io);

    auto later = timers.driver().sleep(20ms);
    later.poll([&] {
        std::cout << "after 20 ms\n";
        work.reset();
    });
    auto sooner = timers.driver().sleep(5ms);
    std::thread other([&] {
        const Waker say = [] { std::cout << "after 5 ms\n"; };
        if (sooner.poll(say)) say();  // true: it was due already, and no waker is kept
    });
    other.join();
    io.run();
}
