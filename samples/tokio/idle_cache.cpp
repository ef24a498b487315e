// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A cache that forgets what nobody has asked for during a minute, as linkerd's idle cache does, and
// requests that wait for a lookup with a time-out. Each entry has a coroutine, which waits for a
// Sleep that each use resets. A request that gives up does not end its lookup, so the next request
// finds the answer. The coroutines of a driver run one at a time: there is no mutex.

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#if defined(__cpp_impl_coroutine)

using namespace std::chrono_literals;
using namespace jtimer::tokio;

struct CacheEntry {
    Sleep idle;
    Notify answered;
    std::optional<std::string> address;
};

/// Stands for a query to a name server, which takes a while.
Task lookUp(TimeDriver& driver, std::string name, std::shared_ptr<CacheEntry> entry) {
    co_await driver.sleep(name == "far" ? 150ms : 20ms);
    entry->address = "the address of " + name;
    entry->answered.notifyWaiters();
}

class IdleCache : public std::enable_shared_from_this<IdleCache> {
  public:
    IdleCache(TimeDriver& driver, jtimer::TimeSpan idle) : driver_(driver), idle_(idle) {}

    /// Returns an operation that waits for the address, and starts the lookup if need be.
    auto get(const std::string& name) {
        std::shared_ptr<CacheEntry> entry = entries_[name];
        if (entry != nullptr) {
            entry->idle.resetAfter(idle_);
        } else {
            entry.reset(new CacheEntry{driver_.sleep(idle_), Notify(driver_), {}});
            entries_[name] = entry;
            evictWhenIdle(weak_from_this(), name, entry);
            lookUp(driver_, name, entry);
        }
        return [entry, answered = entry->answered.notified()](const Waker& waker) mutable {
            if (!entry->address) answered.poll(waker);
            return entry->address;
        };
    }

  private:
    static Task evictWhenIdle(std::weak_ptr<IdleCache> weak, std::string name,
                              std::shared_ptr<CacheEntry> entry) {
        while (!entry->idle.isElapsed()) co_await entry->idle;
        std::cout << name << " is forgotten\n";
        if (const auto cache = weak.lock()) cache->entries_.erase(name);
    }

    TimeDriver& driver_;
    const jtimer::TimeSpan idle_;
    std::map<std::string, std::shared_ptr<CacheEntry>> entries_;
};

Task request(TimeDriver& driver, IdleCache& cache, std::string name) {
    std::string answer;
    try {
        answer = co_await timeout(driver, 100ms, cache.get(name));
    } catch (const Elapsed& e) {
        answer = e.what();
    }
    std::cout << (driver.now() - driver.start()) / 1ms << " ms: " << answer << '\n';
}

int main() {
    TimeDriverOptions options;
    options.clock = std::make_shared<jtimer::ManualClock>();
    options.polled = true;
    TimeDriver driver(options);
    const auto cache = std::make_shared<IdleCache>(driver, 1min);

    request(driver, *cache, "near");
    request(driver, *cache, "far");
    driver.advance(50s);  // instead of an event loop
    request(driver, *cache, "far");
    driver.advance(20s);
    request(driver, *cache, "near");
    driver.advance(2min);
}

#else

int main() {
    std::cout << "needs coroutines\n";
    return 77;
}

#endif
