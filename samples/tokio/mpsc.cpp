// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Tokio's mpsc::unbounded_channel on a Notify: several threads send, and one receives, here with a
// time-out for each value. A permit that notifyOne() stores is not lost if nobody waits yet.

#include <jtimer/tokio.hpp>

#include <deque>
#include <functional>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

using namespace std::chrono_literals;
using namespace jtimer::tokio;

template <class T>
class Mpsc {
  public:
    explicit Mpsc(TimeDriver& driver) : arrived_(driver), waits_(arrived_.notified()) {}

    void send(T value) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            values_.push_back(std::move(value));
        }
        arrived_.notifyOne();
    }

    /// Receives: an operation for blockOn(), timeout(), select() and until().
    std::optional<T> operator()(const Waker& waker) {
        for (;;) {
            if (std::optional<T> value = tryReceive()) return value;
            if (!waits_.poll(waker)) return std::nullopt;
            waits_ = arrived_.notified();  // a value has arrived, but may be taken already
        }
    }
    void dropWaker() noexcept { waits_.dropWaker(); }

  private:
    std::optional<T> tryReceive() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (values_.empty()) return std::nullopt;
        std::optional<T> value(std::move(values_.front()));
        values_.pop_front();
        return value;
    }

    std::mutex mutex_;
    std::deque<T> values_;
    const Notify arrived_;
    Notified waits_;  // used by the receiver only
};

int main() {
    TimeDriver driver;
    Mpsc<int> channel(driver);
    std::thread first([&] { channel.send(1); });
    std::thread second([&] { channel.send(2); });
    int sum = 0;
    for (int i = 0; i < 2; ++i) sum += blockOn(driver, std::ref(channel));
    std::cout << "received " << sum << '\n';
    first.join();
    second.join();
    try {
        timeout(driver, 20ms, std::ref(channel)).get();
    } catch (const Elapsed&) {
        std::cout << "nothing more\n";
    }
}
