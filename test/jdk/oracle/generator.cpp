// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "generator.hpp"

#include <random>
#include <utility>

namespace oracle {

namespace {

// How a random scenario keeps luck out:
//
// - It goes by rounds. In each, every timer is held in the run of a task h.. whose time is before
//   all others. The script does what it likes, and then lets the timers go, one after another: the
//   heap alone decides what their threads do.
// - The tasks a.. belong to timer t1, b.. to t2. While t1's tasks run, t2 is held, so that they may
//   do anything to it. While t2's tasks run, t1 sleeps: they must not make it run anything.
// - A sleeping thread may have dropped a cancelled task at its head, or not yet. So the head of a
//   sleeping timer is keep.., which nobody cancels: all that is due after `keep` is due later, and
//   all that is due before is due before -60000, when `join` looks.
// - Two times that depend on the present millisecond are minutes apart: they never tie by luck.

class Generator {
  public:
    Generator(unsigned seed, unsigned index)
        : random_(seed * 1'000'003U + index), scenario_{"random-" + std::to_string(seed) + "-" +
                                                            std::to_string(index),
                                                        {}} {}

    Scenario make() {
        timers_ = chance(30) ? 2 : 1;
        const int rounds = chance(75) ? 1 : chance(80) ? 2 : 3;
        tasksPerTimer_ = 1 + below(chance(50) ? 4 : 10);
        declareTasks(rounds);
        for (int t = 1; t <= timers_; ++t) construct(t);
        for (int round = 1; round <= rounds; ++round) playRound(round);
        return std::move(scenario_);
    }

  private:
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    void say(const std::string& line) { scenario_.lines.push_back(line); }

    std::string timer(int t) const { return "t" + std::to_string(t); }
    std::string holder(int t, int round) const {
        return "h" + std::to_string(t) + std::to_string(round);
    }
    std::string keep(int t) const { return "keep" + std::to_string(t); }
    std::string task(int t, int number) const {
        return (t == 1 ? "a" : "b") + std::to_string(number);
    }
    std::string anyTask(int t) { return task(t, 1 + below(tasksPerTimer_)); }
    int anyTimer() { return 1 + below(timers_); }

    void declareTasks(int rounds) {
        for (int t = 1; t <= timers_; ++t) {
            say("task " + keep(t));
            for (int round = 1; round <= rounds; ++round) {
                say("task " + holder(t, round));
                say("on " + holder(t, round) + " 1 hold");
            }
            for (int i = 1; i <= tasksPerTimer_; ++i) {
                say("task " + task(t, i) + (chance(2) ? " deaf" : ""));
            }
        }
        for (int t = 1; t <= timers_; ++t) {
            for (int i = 1; i <= tasksPerTimer_; ++i) {
                for (int steps = chance(40) ? 1 + below(3) : 0; steps > 0; --steps) step(t, i);
            }
        }
    }

    /// Something that a task of timer `t` does in a run.
    void step(int t, int number) {
        const std::string self = task(t, number);
        const std::string run = chance(15) ? "*" : std::to_string(1 + below(chance(70) ? 1 : 4));
        say("on " + self + ' ' + run + ' ' + (chance(4) ? thrown() : operation(t, self)));
    }

    std::string thrown() {
        static const char* const types[] = {"RuntimeException", "Exception", "Error",
                                            "OutOfMemoryError", "InterruptedException"};
        return std::string("throw ") + types[below(5)] + " \"on purpose\"";
    }

    /// \param from timers before this one sleep: they must be given nothing to run
    std::string operation(int from, const std::string& self) {
        const std::string thread = chance(8) ? "thread " : "";
        const int kind = below(100);
        if (kind < 40) {
            return thread + schedule(from + (from < timers_ && chance(40) ? 1 : 0));
        }
        const int other = anyTimer();
        const std::string victim = !self.empty() && chance(40) ? self : anyTask(other);
        if (kind < 66) return thread + "cancel " + victim;
        if (kind < 82) return thread + "purge " + timer(other);
        if (kind < 97) return thread + "scheduledExecutionTime " + victim;
        return thread + "cancel " + timer(other);
    }

    std::string schedule(int t) {
        const std::string head = timer(t) + ' ' + (chance(2) ? "null" : anyTask(t)) + ' ';
        const int kind = below(100);
        if (kind < 55) return "schedule " + head + due();
        if (kind < 75) {
            // One draw a statement: compilers differ in which operand of a + comes first.
            const std::string period = rate();
            return "scheduleAtFixedRate " + head + date(recent()) + " period " + period;
        }
        if (kind < 82) return "schedule " + head + date(recent()) + " period " + uncertainPeriod();
        if (kind < 92) return later(head);
        return refused(head);
    }

    std::string date(int millis) { return "date " + std::to_string(millis); }
    int recent() {
        return -1'000'000 + (chance(60) ? below(4) : chance(50) ? 1000 * below(21) : 0);
    }
    std::string due() { return chance(4) ? "date @" + std::to_string(below(3)) : date(recent()); }
    /// With these, the run before `keep` is due before -60000.
    std::string rate() {
        static const char* const periods[] = {"300000", "400000", "700000"};
        return periods[below(3)];
    }
    std::string uncertainPeriod() { return std::to_string(10'000'000 + 60'000 * ++uncertain_); }

    std::string later(const std::string& head) {
        const std::string future = date(2'000'000 + below(4));
        if (chance(40)) return "schedule " + head + future;
        if (chance(40)) return "scheduleAtFixedRate " + head + future + " period " + rate();
        const std::string delay = "delay " + std::to_string(3'600'000 + 60'000 * ++uncertain_);
        if (chance(60)) return "schedule " + head + delay;
        return "scheduleAtFixedRate " + head + delay + " period 120000";
    }

    /// A bad argument, or several, of which the first that is checked decides.
    std::string refused(const std::string& head) {
        static const char* const delays[] = {"delay -1", "delay min", "delay max", "date @-1",
                                             "date @min"};
        static const char* const periods[] = {"0", "-1", "min"};
        const bool badTime = chance(70);
        const std::string when = badTime ? delays[below(5)] : date(recent());
        if (badTime && chance(40)) return "schedule " + head + when;
        const bool badPeriod = !badTime || chance(50);
        const std::string period = badPeriod ? periods[below(3)] : rate();
        return (chance(50) ? "schedule " : "scheduleAtFixedRate ") + head + when + " period " +
               period;
    }

    void construct(int t) {
        static const char* const ways[] = {"",
                                           " daemon",
                                           " user",
                                           " named \"backup\"",
                                           " named \"a name of more than 15 bytes\" daemon",
                                           " named \"\" user"};
        if (chance(3)) say("timer " + timer(t) + " named null");
        say("timer " + timer(t) + ways[below(6)]);
        say("schedule " + timer(t) + ' ' + keep(t) + " date 100000");
    }

    void playRound(int round) {
        for (int t = 1; t <= timers_; ++t) {
            say("schedule " + timer(t) + ' ' + holder(t, round) + " date -2000000");
            say("held " + holder(t, round));
        }
        for (int ops = 2 + below(chance(60) ? 8 : 24); ops > 0; --ops) {
            if (chance(1)) {
                say("run " + anyTask(anyTimer()));
            } else {
                say(operation(anyTimer(), ""));
            }
        }
        for (int t = 1; t <= timers_; ++t) {
            say("release " + holder(t, round));
            say("join " + timer(t));
        }
        for (int i = below(3); i > 0; --i) {
            say("scheduledExecutionTime " + anyTask(anyTimer()));
        }
    }

    std::mt19937 random_;
    Scenario scenario_;
    int timers_ = 1;
    int tasksPerTimer_ = 1;
    int uncertain_ = 0;
};

}  // namespace

Scenario randomScenario(unsigned seed, unsigned index) { return Generator(seed, index).make(); }

std::vector<Scenario> randomScenarios(unsigned seed, unsigned count) {
    std::vector<Scenario> scenarios;
    for (unsigned i = 0; i < count; ++i) scenarios.push_back(randomScenario(seed, i));
    return scenarios;
}

}  // namespace oracle
