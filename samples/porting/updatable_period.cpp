// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A repeating task whose period can be updated, ported line by line from UpdatablePeriod.java: it
// polls less often while there is no answer. The reflection, and the class that hides it, become
// TimerTask::setPeriod. As in Java, the next run keeps its time, and the new period counts from
// then on: the first poll without an answer is followed by one more after the old period.

#include <jtimer/timer.hpp>

#include <cstdint>
#include <future>
#include <iostream>
#include <memory>
#include <string>

using jtimer::Timer;
using jtimer::TimerTask;

class Poll : public TimerTask {
    std::promise<void>& done;
    std::int64_t period = 20;
    std::int64_t last = 0;
    int polls = 0;

  public:
    explicit Poll(std::promise<void>& atEnd) : done(atEnd) {}

    void run() override {
        if (polls == 8) return;
        ++polls;
        const std::int64_t due = scheduledExecutionTime();
        const bool answers = polls == 1 || polls > 4;
        const std::string since =
            polls == 1 ? "at once" : std::to_string(due - last) + " ms after the last one";
        std::cout << "poll " << since << ": " << (answers ? "an answer" : "no answer") << '\n';
        last = due;
        period = answers ? 20 : 2 * period;
        setPeriod(period);
        if (polls == 8) done.set_value();
    }
};

int main() {
    std::promise<void> done;
    Timer timer("poll", true);
    timer.scheduleAtFixedRate(std::make_shared<Poll>(done), 0, 20);
    done.get_future().wait();
    timer.cancel();
}
