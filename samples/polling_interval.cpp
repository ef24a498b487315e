// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A task that changes its own period: it polls a server every second, less and less often while
// that does not answer, and every second again when it does. A new period counts from the next run
// on, whose time stands already. The clock is manual, so the minutes take no time; a real program
// leaves it out.

#include <jtimer/timer.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <utility>

using namespace std::chrono_literals;

namespace {

class Poll : public jtimer::TimerTask {
  public:
    explicit Poll(std::shared_ptr<jtimer::Clock> clock) : clock_(std::move(clock)) {}

    void run() override {
        const auto second = clock_->now().time_since_epoch() / 1s;
        const bool answers = second < 2 || second > 20;
        period_ = answers ? 1s : std::min<std::chrono::seconds>(2 * period_, 8s);
        std::cout << second << " s: " << (answers ? "an answer" : "no answer") << '\n';
        setPeriod(period_);
    }

  private:
    const std::shared_ptr<jtimer::Clock> clock_;
    std::chrono::seconds period_ = 1s;
};

}  // namespace

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>(jtimer::Date{});
    jtimer::Timer timer("poll", true, clock);
    timer.schedule(std::make_shared<Poll>(clock), 0, 1000);
    clock->advance(36s);
}
