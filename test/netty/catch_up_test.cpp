// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A late worker skips the ticks in which nothing happens. What it does is compared with a model
// that walks through all of them, and counts rounds, as Netty does.
#include "support/manual_wheel.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"

#include <deque>
#include <list>

using namespace std::chrono_literals;
using test::Handle;
using test::ManualWheel;

namespace {

constexpr std::int64_t kTick = 100;  // milliseconds, as of ManualWheel

/// What the run of a timeout does. Timeouts count from 0, in the order of their newTimeout calls.
struct Action {
    std::int64_t stall = 0;
    std::vector<std::int64_t> adds;  // delays, in milliseconds
    std::vector<std::size_t> cancels;
};

struct Script {
    std::vector<std::int64_t> first;  // the delays of what is there at the start
    std::vector<Action> actions;      // of the nth timeout; of those beyond, nothing
};

struct Event {
    std::size_t timeout;
    bool isRun;  // or a call of cancelled()
    std::int64_t at;
    bool operator==(const Event& other) const {
        return timeout == other.timeout && isRun == other.isRun && at == other.at;
    }
};
using Events = std::vector<Event>;

std::ostream& operator<<(std::ostream& out, const Event& event) {
    return out << (event.isRun ? "" : "-") << event.timeout << '@' << event.at;
}

Script randomScript(unsigned seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    // Most of it is near, some is far: so that there are ticks to run in and ticks to skip.
    const auto delay = [&] {
        switch (below(6)) {
        case 0:
            return below(200'000) - 2000;
        case 1:
            return -below(2000);
        case 2:
            return kTick * below(20);
        default:
            return below(5000);
        }
    };
    Script script;
    for (auto i = 5 + below(20); i > 0; --i) script.first.push_back(delay());
    script.actions.resize(60);
    for (Action& action : script.actions) {
        if (below(3) == 0) action.stall = below(3) == 0 ? below(150'000) : below(1500);
        for (auto i = below(3); i > 0; --i) action.adds.push_back(delay());
        for (auto i = below(3); i > 0; --i)
            action.cancels.push_back(static_cast<std::size_t>(below(80)));
    }
    return script;
}

/// The algorithm of the original: every tick, and in each timeout the rounds that are left.
class Model {
  public:
    Model(const Script& script, std::size_t slots) : script_(script), slots_(slots) {}

    Events run() {
        for (const std::int64_t delay : script_.first) add(delay);
        for (; pending_ > 0; ++tick_) {
            now_ = std::max(now_, (tick_ + 1) * kTick);
            transfer();
            expire();
            processCancellations();
        }
        return events_;
    }

  private:
    enum class State { Init, Expired, Cancelled };
    struct Timeout {
        std::int64_t deadline;
        std::int64_t rounds = 0;
        State state = State::Init;
        std::list<std::size_t>* slot = nullptr;
    };

    void add(std::int64_t delay) {
        inbox_.push_back(timeouts_.size());
        timeouts_.push_back({now_ + delay});
        ++pending_;
    }

    void cancel(std::size_t number) {
        if (number >= timeouts_.size() || timeouts_[number].state != State::Init) return;
        timeouts_[number].state = State::Cancelled;
        cancelled_.push_back(number);
    }

    void transfer() {
        const auto slots = static_cast<std::int64_t>(slots_.size());
        for (const std::size_t number : std::exchange(inbox_, {})) {
            Timeout& timeout = timeouts_[number];
            if (timeout.state != State::Init) continue;
            const std::int64_t due = timeout.deadline / kTick;
            timeout.rounds = (due - tick_) / slots;
            timeout.slot = &slots_[static_cast<std::size_t>(std::max(due, tick_) % slots)];
            timeout.slot->push_back(number);
        }
    }

    void expire() {
        auto& slot = slots_[static_cast<std::size_t>(tick_) % slots_.size()];
        for (auto it = slot.begin(); it != slot.end();) {
            const std::size_t number = *it;
            Timeout& timeout = timeouts_[number];
            if (timeout.rounds > 0 || timeout.state != State::Init) {
                --timeout.rounds;
                ++it;
                continue;
            }
            timeout.state = State::Expired;
            it = slot.erase(it);
            --pending_;
            perform(number);
        }
    }

    void perform(std::size_t number) {
        if (number < script_.actions.size()) {
            const Action& action = script_.actions[number];
            now_ += action.stall;
            for (const std::int64_t delay : action.adds) add(delay);
            for (const std::size_t other : action.cancels) cancel(other);
        }
        events_.push_back({number, true, now_});
    }

    void processCancellations() {
        for (const std::size_t number : std::exchange(cancelled_, {})) {
            Timeout& timeout = timeouts_[number];
            if (timeout.slot != nullptr) timeout.slot->remove(number);
            inbox_.erase(std::remove(inbox_.begin(), inbox_.end(), number), inbox_.end());
            --pending_;
            events_.push_back({number, false, now_});
        }
    }

    const Script& script_;
    std::vector<std::list<std::size_t>> slots_;
    std::deque<Timeout> timeouts_;
    std::vector<std::size_t> inbox_, cancelled_;
    std::int64_t now_ = 0;
    std::int64_t tick_ = 0;
    int pending_ = 0;
    Events events_;
};

/// The same with the timer.
class Real {
  public:
    Real(const Script& script, int slots) : script_(script), wheel_(slots) {}

    Events run() {
        for (const std::int64_t delay : script_.first) add(delay);
        while (wheel_.timer.pendingTimeouts() != 0) wheel_.clock->advance(1h);
        return events_;
    }

  private:
    void add(std::int64_t delay) {
        const std::size_t number = handles_.size();
        const auto task =
            std::make_shared<test::WheelTask>([this, number](const Handle&) { perform(number); },
                                              [this, number](const Handle&) {
                                                  events_.push_back({number, false, wheel_.now()});
                                              });
        handles_.push_back(wheel_.timer.newTimeout(task, delay));
    }

    void perform(std::size_t number) {
        if (number < script_.actions.size()) {
            const Action& action = script_.actions[number];
            if (action.stall > 0) wheel_.clock->advance(action.stall);
            for (const std::int64_t delay : action.adds) add(delay);
            for (const std::size_t other : action.cancels) {
                if (other < handles_.size()) handles_[other]->cancel();
            }
        }
        events_.push_back({number, true, wheel_.now()});
    }

    const Script& script_;
    std::vector<Handle> handles_;
    Events events_;
    ManualWheel wheel_;  // destroyed first: its thread uses the rest
};

}  // namespace

BOOST_AUTO_TEST_CASE(n35_n69_a_late_worker_does_what_one_does_that_walks_through_every_tick) {
    std::size_t runs = 0;
    std::int64_t longest = 0;
    for (const int slots : {1, 2, 8, 64}) {
        for (unsigned seed = 1; seed <= 50; ++seed) {
            const Script script = randomScript(seed);
            const Events expected = Model(script, static_cast<std::size_t>(slots)).run();
            const Events found = Real(script, slots).run();
            BOOST_TEST_CONTEXT("slots " << slots << ", seed " << seed) {
                BOOST_TEST(found == expected, boost::test_tools::per_element());
            }
            runs += expected.size();
            longest = std::max(longest, expected.back().at);
        }
    }
    BOOST_TEST(runs > 5000U);
    BOOST_TEST(longest > 200'000);
}

BOOST_AUTO_TEST_CASE(n35_a_clock_that_jumps_by_200_years_of_ticks_keeps_nobody_busy) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    test::Log log(clock);
    jtimer::netty::HashedWheelTimer timer(test::wheelOn(clock, 8, 1));
    constexpr auto year = 24h * 365;
    timer.newTimeout([&] { clock->advance(200 * year); }, 0);
    for (const int after : {150, 3, 50, 300})
        timer.newTimeout([&log, after] { log.write(std::to_string(after)); }, after * year);
    clock->advance(1);
    const std::int64_t millis = std::chrono::milliseconds(200 * year).count() + 1;
    const std::string at = '@' + std::to_string(millis);
    BOOST_TEST(log.take() == "3" + at + " 50" + at + " 150" + at);
    BOOST_TEST(timer.pendingTimeouts() == 1);
    // The next tick is on time.
    timer.newTimeout([&log] { log.write("next"); }, 0);
    clock->advance(1);
    BOOST_TEST(log.take() == "next@" + std::to_string(millis + 1));
}

BOOST_AUTO_TEST_CASE(n35_a_clock_may_jump_by_more_than_64_bits_of_nanoseconds) {
    constexpr auto year = 24h * 365;
    const auto clock = std::make_shared<jtimer::ManualClock>(jtimer::Date() - 200 * year);
    std::string log;
    jtimer::netty::HashedWheelTimer timer(test::wheelOn(clock, 8, 1));
    timer.newTimeout([&] { clock->advance(400 * year); }, 0);
    for (const int after : {250, 3})
        timer.newTimeout([&log, after] { log += std::to_string(after) + ' '; }, after * year);
    clock->advance(1);
    BOOST_TEST(log == "3 250 ");
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

// Clocks that are set.

namespace {

/// A wheel of ticks of 100 ms on a clock that the test sets, by milliseconds from the start.
struct SetWheel {
    const std::shared_ptr<test::ScriptedClock> clock = std::make_shared<test::ScriptedClock>();
    const std::int64_t start = clock->time;
    std::vector<std::string> log;  // the worker's while it does not wait
    jtimer::netty::HashedWheelTimer timer{test::wheelOn(clock)};
    std::size_t waits = 0;

    SetWheel() {
        timer.start();
        BOOST_TEST(clock->awaitWait(++waits) == jtimer::detail::kNever);
    }
    void set(std::int64_t millis) { clock->time = start + millis * 1'000'000; }
    std::int64_t millis() const { return (clock->time - start) / 1'000'000; }

    Handle add(const std::string& name, std::int64_t delay) {
        const auto write = [this](std::string text) {
            log.push_back(std::move(text) + '@' + std::to_string(millis()));
        };
        return timer.newTimeout(
            std::make_shared<test::WheelTask>([=](const Handle&) { write(name); },
                                              [=](const Handle&) { write('-' + name); }),
            delay);
    }
    /// Returns when the worker waits. \returns until when
    std::int64_t nextWait() {
        const auto until = clock->awaitWait(++waits);
        return until == jtimer::detail::kNever ? -1 : (until - start) / 1'000'000;
    }
    /// Ends the worker's wait at that time. \returns until when it waits then; -1: for ever
    std::int64_t wakeAt(std::int64_t millis) {
        clock->endWaitAt(start + millis * 1'000'000);
        return nextWait();
    }
    std::string took() {
        std::string all;
        for (const std::string& each : std::exchange(log, {}))
            all += (all.empty() ? "" : " ") + each;
        return all;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(n32_n35_what_was_cancelled_before_a_jump_is_completed_in_the_first_tick,
                        SetWheel) {
    const Handle far = add("far", 3'600'000);
    add("near", 3000);
    BOOST_TEST(nextWait() == 100);
    BOOST_TEST(wakeAt(100) == 200);
    BOOST_TEST(far->cancel());
    BOOST_TEST(wakeAt(600'000) == -1);
    BOOST_TEST(took() == "-far@600000 near@600000");
}

BOOST_FIXTURE_TEST_CASE(an_idle_timer_whose_clock_was_set_back_runs_new_timeouts_in_time,
                        SetWheel) {
    add("a", 10);
    BOOST_TEST(nextWait() == 100);
    BOOST_TEST(wakeAt(100) == -1);
    set(7'200'000);
    add("b", 10);
    BOOST_TEST(nextWait() == 7'200'100);
    BOOST_TEST(wakeAt(7'200'100) == -1);
    set(3'600'030);
    add("c", 10);
    BOOST_TEST(nextWait() == 3'600'100);
    BOOST_TEST(wakeAt(3'600'100) == -1);
    BOOST_TEST(took() == "a@100 b@7200100 c@3600100");
}

BOOST_FIXTURE_TEST_CASE(what_was_pending_runs_when_the_clock_shows_its_time_again, SetWheel) {
    set(3'600'000);
    const Handle cancelled = add("cancelled", 1000);
    add("before", 250);
    BOOST_TEST(nextWait() == 3'600'100);
    set(50);  // during the wait, which ends after its time
    add("after", 60);
    BOOST_TEST(wakeAt(150) == 200);
    BOOST_TEST(cancelled->cancel());
    BOOST_TEST(wakeAt(200) == 300);
    BOOST_TEST(took() == "after@200 -cancelled@200");
    BOOST_TEST(wakeAt(3'600'210) == 3'600'300);  // set forward again
    BOOST_TEST(took() == "");
    BOOST_TEST(wakeAt(3'600'300) == -1);
    BOOST_TEST(took() == "before@3600300");
}

BOOST_FIXTURE_TEST_CASE(a_clock_may_be_set_back_to_before_the_start_of_the_timer, SetWheel) {
    set(-3'600'000);
    add("a", 10);
    add("b", 250);
    BOOST_TEST(nextWait() == -3'599'900);
    BOOST_TEST(wakeAt(-3'599'900) == -3'599'800);
    BOOST_TEST(wakeAt(-3'599'800) == -3'599'700);
    BOOST_TEST(took() == "a@-3599900");
    BOOST_TEST(wakeAt(-3'599'700) == -1);
    BOOST_TEST(took() == "b@-3599700");
}

BOOST_FIXTURE_TEST_CASE(nothing_is_early_if_the_clock_is_set_back_while_the_worker_catches_up,
                        SetWheel) {
    timer.newTimeout(
        [this] {
            set(150);
            add("c", 20);  // due at 170, which the worker has seen pass
        },
        0);
    add("b", 250);
    BOOST_TEST(nextWait() == 100);
    BOOST_TEST(wakeAt(3'600'000) == 200);
    BOOST_TEST(took() == "");
    BOOST_TEST(wakeAt(200) == 300);
    BOOST_TEST(took() == "c@200");
    BOOST_TEST(wakeAt(300) == -1);
    BOOST_TEST(took() == "b@300");
}
