// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/any_timer.hpp"

#include <jtimer/brpc/timer_thread.hpp>

#include <map>

namespace {

using jtimer::brpc::TaskId;

class Brpc final : public fuzz::AnyTimer {
  public:
    Brpc() {
        jtimer::brpc::TimerThreadOptions options;
        options.clock = clock_;
        options.sweepMinSize = 8;
        options.uncaughtExceptionHandler = fuzz::onException;
        MODEL_REQUIRE(timer_.start(options) == 0);
    }

  private:
    void add(int task, Nanos span) override {
        ids_[task] = timer_.schedule([this, task] { began(task); }, date(now() + span));
        MODEL_REQUIRE(ids_[task] != jtimer::brpc::kInvalidTaskId);
    }
    bool cancel(int task) override {
        return timer_.unschedule(ids_.at(task)) == jtimer::brpc::kRemoved;
    }
    bool move(int, Nanos) override { return false; }
    bool moves() const override { return false; }
    jtimer::CommonStats stats() const override { return timer_.stats(); }

    std::map<int, TaskId> ids_;
    jtimer::brpc::TimerThread timer_;
};

const fuzz::Target target("brpc", fuzz::playTimer<Brpc>);

}  // namespace
