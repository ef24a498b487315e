// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A cache whose entries expire: each key lies in a map, with its place in a DelayQueue, which gives
// out what has not been used for a minute. Nobody waits: each call drops what has expired by then.
// The clock is a manual one here, so that the minutes pass at once.

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio/delay_queue.hpp>

#include <iostream>
#include <map>
#include <string>

using namespace std::chrono_literals;
using namespace jtimer::tokio;

class Cache {
  public:
    explicit Cache(TimeDriver& driver) : expirations_(driver) {}

    void put(const std::string& name, std::string value) {
        dropExpired();
        const auto old = entries_.find(name);
        if (old != entries_.end()) expirations_.remove(old->second.key);
        entries_[name] = {std::move(value), expirations_.insert(name, 1min)};
    }

    const std::string* get(const std::string& name) {
        dropExpired();
        const auto found = entries_.find(name);
        if (found == entries_.end()) return nullptr;
        expirations_.reset(found->second.key, 1min);
        return &found->second.value;
    }

  private:
    struct Entry {
        std::string value;
        DelayKey key;
    };

    void dropExpired() {
        while (const auto expired = expirations_.pollExpired()) {
            std::cout << expired->value << " has expired\n";
            entries_.erase(expired->value);
        }
    }

    std::map<std::string, Entry> entries_;
    DelayQueue<std::string> expirations_;  // of names
};

void show(Cache& cache, const std::string& name) {
    const std::string* const value = cache.get(name);
    std::cout << name << ": " << (value != nullptr ? *value : "gone") << '\n';
}

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    TimeDriverOptions options;
    options.clock = clock;
    options.polled = true;  // the cache never waits, so no thread is needed
    TimeDriver driver(options);

    Cache cache(driver);
    cache.put("a", "alpha");
    cache.put("b", "beta");
    clock->advance(40s);
    show(cache, "a");
    clock->advance(40s);
    show(cache, "b");
    show(cache, "a");
}
