// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A cache that threads share and whose entries expire, as in Tokio's mini-redis. One mutex guards
// the map and the DelayQueue. The queue's waker takes it too, on the driver's thread. None of the
// calls below runs the waker, not even one that makes an entry expire at once. The clock is a
// ManualClock, so the minutes pass at once.

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio/delay_queue.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using namespace jtimer::tokio;

class Cache : public std::enable_shared_from_this<Cache> {
  public:
    explicit Cache(TimeDriver& driver) : expirations_(driver) {}

    void set(const std::string& name, std::string value, jtimer::TimeSpan timeToLive) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto old = entries_.find(name);
        if (old != entries_.end()) expirations_.remove(old->second.key);
        entries_[name] = {std::move(value), expirations_.insert(name, timeToLive)};
    }

    std::string get(const std::string& name) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(name);
        return found != entries_.end() ? found->second.value : "gone";
    }

    /// Drops what has expired. Call it once; the waker calls it again for the next entry.
    void purge() {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto again = [weak = weak_from_this()] {
            if (const auto cache = weak.lock()) cache->purge();
        };
        while (const auto expired = expirations_.pollExpired(again)) {
            std::cout << expired->value << " has expired\n";
            entries_.erase(expired->value);
        }
    }

  private:
    struct Entry {
        std::string value;
        DelayKey key;
    };

    mutable std::mutex mutex_;
    std::map<std::string, Entry> entries_;
    DelayQueue<std::string> expirations_;  // holds names
};

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    TimeDriverOptions options;
    options.clock = clock;
    TimeDriver driver(options);

    const auto cache = std::make_shared<Cache>(driver);
    cache->purge();
    cache->set("a", "alpha", 1min);
    cache->set("b", "beta", 1min);
    clock->advance(40s);
    cache->set("a", "alpha again", 1min);
    clock->advance(40s);
    std::cout << "a: " << cache->get("a") << ", b: " << cache->get("b") << '\n';
    cache->set("a", "too late", 0s);
    clock->waitUntilIdle();  // waits for the driver's thread
    std::cout << "a: " << cache->get("a") << '\n';
}
