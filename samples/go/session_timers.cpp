// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Sessions that end unless they are renewed, as Consul has them: a map of timers by session. A
// renewal resets the timer. A timer that fires removes its own entry. The end of the server stops
// all timers and waits for those that are firing, so the map may be destroyed.
#include <jtimer/go.hpp>
#include <jtimer/manual_clock.hpp>

#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

using namespace std::chrono_literals;

class SessionTimers {
  public:
    explicit SessionTimers(jtimer::go::Timers& timers) : timers_(timers) {}

    ~SessionTimers() {
        std::unique_lock lock(mutex_);
        auto timers = std::exchange(byId_, {});
        lock.unlock();  // invalidate() may be waiting for the mutex
        for (auto& [id, timer] : timers) timer.stopAndWait();
    }

    /// \returns false if there is such a session. To drop its timer's handle would not stop it
    bool create(const std::string& id) {
        const std::lock_guard lock(mutex_);
        if (byId_.count(id) != 0) return false;
        byId_[id] = timers_.afterFunc(kTtl, [this, id] { invalidate(id); });
        return true;
    }

    /// \returns false if the session has ended
    bool renew(const std::string& id) {
        const std::lock_guard lock(mutex_);
        const auto found = byId_.find(id);
        if (found == byId_.end()) return false;
        if (found->second.reset(kTtl)) return true;
        found->second.stop();  // it has fired, and invalidate() waits for the mutex
        return false;
    }

  private:
    static constexpr auto kTtl = 10s;

    void invalidate(const std::string& id) {
        const std::lock_guard lock(mutex_);
        if (byId_.erase(id) == 1) std::cout << id << " has expired\n";
    }

    jtimer::go::Timers& timers_;
    std::mutex mutex_;
    std::map<std::string, jtimer::go::Timer> byId_;
};

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::go::TimersOptions options;
    options.clock = clock;
    jtimer::go::Timers timers(options);
    SessionTimers sessions(timers);
    sessions.create("web-1");
    sessions.create("web-2");
    for (int second = 0; second < 12; ++second) {
        clock->advance(1s);
        sessions.renew("web-1");
    }
    std::cout << "web-1 is " << (sessions.renew("web-1") ? "alive\n" : "over\n");
    std::cout << "web-2 is " << (sessions.renew("web-2") ? "alive\n" : "over\n");
}
