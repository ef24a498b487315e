// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/any_timer.hpp"

#include <jtimer/tokio/time_driver.hpp>

#include <map>

namespace {

class Tokio final : public fuzz::AnyTimer {
  public:
    Tokio() : driver_(options()) {}

  private:
    static constexpr Nanos kTick = 1'000'000;

    jtimer::tokio::TimeDriverOptions options() const {
        jtimer::tokio::TimeDriverOptions options;
        options.clock = clock_;
        options.uncaughtExceptionHandler = fuzz::onException;
        return options;
    }

    /// Later than now: what is due already has no waker to call.
    void add(int task, Nanos span) override {
        sleeps_.insert_or_assign(task, driver_.sleepUntil(date(now() + std::max(span, kLeast))));
        poll(task);
    }
    bool cancel(int task) override {
        const auto found = sleeps_.find(task);
        if (found == sleeps_.end()) return false;
        const bool pending = !found->second.isElapsed();
        sleeps_.erase(found);
        return pending;
    }
    bool move(int task, Nanos span) override {
        const auto found = sleeps_.find(task);
        if (found == sleeps_.end()) {
            add(task, span);
            return false;
        }
        const bool pending = !found->second.isElapsed();
        found->second.reset(date(now() + span));
        poll(task);
        return pending;
    }
    void poll(int task) {
        MODEL_REQUIRE(!sleeps_.at(task).poll([this, task] { began(task); }));
    }
    /// The first tick that is not earlier.
    Nanos dueIn(Nanos span) const override {
        const Nanos elapsed = now() - start_ + std::max(span, kLeast);
        return start_ + (elapsed + kTick - 1) / kTick * kTick;
    }
    jtimer::CommonStats stats() const override {
        driver_.check();
        return driver_.stats();
    }

    const Nanos start_ = now();
    std::map<int, jtimer::tokio::Sleep> sleeps_;
    jtimer::tokio::TimeDriver driver_;
};

const fuzz::Target target("tokio", fuzz::playTimer<Tokio>);

}  // namespace
