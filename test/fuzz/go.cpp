// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/any_timer.hpp"
#include "support/manual_timers.hpp"

#include <map>

namespace {

class Go final : public fuzz::AnyTimer {
  public:
    Go() : timers_(options()) {}

  private:
    jtimer::go::TimersOptions options() const {
        auto options = test::goInline(clock_);
        options.uncaughtExceptionHandler = fuzz::onException;
        return options;
    }

    void add(int task, Nanos span) override {
        handles_[task] =
            timers_.afterFunc(std::chrono::nanoseconds(span), [this, task] { began(task); });
    }
    bool cancel(int task) override { return handles_.at(task).stop(); }
    bool move(int task, Nanos span) override {
        return handles_.at(task).reset(std::chrono::nanoseconds(span));
    }
    jtimer::CommonStats stats() const override {
        timers_.check();
        return timers_.stats();
    }

    std::map<int, jtimer::go::Timer> handles_;
    jtimer::go::Timers timers_;
};

const fuzz::Target target("go", fuzz::playTimer<Go>);

}  // namespace
