// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/any_timer.hpp"
#include "support/manual_wheel.hpp"

#include <map>

namespace {

class Netty final : public fuzz::AnyTimer {
  public:
    Netty() : timer_(options()) { timer_.start(); }

  private:
    static constexpr Nanos kTick = 1'000'000'000;

    jtimer::netty::HashedWheelTimerOptions options() const {
        auto options = test::wheelOn(clock_, 8, std::chrono::nanoseconds(kTick));
        options.uncaughtExceptionHandler = fuzz::onException;
        return options;
    }

    void add(int task, Nanos span) override {
        timeouts_[task] =
            timer_.newTimeout([this, task] { began(task); }, std::chrono::nanoseconds(span));
    }
    bool cancel(int task) override { return timeouts_.at(task)->cancel(); }
    bool move(int, Nanos) override { return false; }
    bool moves() const override { return false; }
    /// The end of the tick that covers it.
    Nanos dueIn(Nanos span) const override {
        const Nanos elapsed = now() - start_ + span;
        return start_ + (elapsed / kTick + 1) * kTick;
    }
    jtimer::CommonStats stats() const override { return timer_.stats(); }
    /// The worker does, with the next tick.
    bool countsCancelledAtOnce() const override { return false; }

    const Nanos start_ = now();
    std::map<int, test::Handle> timeouts_;
    jtimer::netty::HashedWheelTimer timer_;
};

const fuzz::Target target("netty", fuzz::playTimer<Netty>);

}  // namespace
