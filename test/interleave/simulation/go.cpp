// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/simulation/world.hpp"

#include <jtimer/go/event.hpp>
#include <jtimer/go/timers.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using explore::check;
using jtimer::Date;
using jtimer::go::Channel;
using jtimer::go::Timer;
using jtimer::go::Timers;
using jtimer::go::TimersOptions;
using simulation::any;
using simulation::attempt;
using simulation::kMillis;
using simulation::Nanos;
using simulation::nanosOf;
using simulation::oneIn;
using simulation::SetClock;
using simulation::timeOf;

constexpr int kStep = 10;  // milliseconds

/// A call in progress.
class Call {
  public:
    explicit Call(simulation::Secret& calls) : calls_(calls) { calls_.add(1); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { calls_.add(-1); }

  private:
    simulation::Secret& calls_;
};

/// Runtimes with timers that all threads stop and reset, and others of one thread.
class World {
  public:
    void play();

  private:
    class Function;
    struct Shared {
        Timer timer;
        simulation::Starts starts;
    };

    TimersOptions options();
    void playThread(std::shared_ptr<Timers> timers);
    void actInFunction();
    void reset(Shared& shared);
    void stop(Shared& shared, bool waits);
    void sleep(Timers& timers);
    void receive(Shared& shared);
    void useOwnFunction(Timers& timers);
    void useOwnTimer(Timers& timers);
    void useTicker(Timers& timers);
    void fork(Timers& timers);
    void drain();

    const std::shared_ptr<SetClock> clock_ = std::make_shared<SetClock>();
    simulation::Book book_;
    simulation::Secret live_;  ///< functions
    simulation::Secret lost_;
    simulation::Secret calls_;  ///< in progress, that start something
    bool hasExecutor_ = false;
    std::shared_ptr<Timers> timers_;
    std::weak_ptr<Timers> known_;
    std::array<Shared, 2> functions_;
    Shared channel_;
    jtimer::go::Event event_;
};

class World::Function {
  public:
    /// \param ran is told of its runs
    Function(World& world, std::function<void()> ran) : world_(&world), ran_(std::move(ran)) {
        world.live_.add(1);
    }
    Function(Function&& other) noexcept
        : world_(std::exchange(other.world_, nullptr)), ran_(std::move(other.ran_)) {}
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;
    ~Function() {
        if (world_ == nullptr) return;
        simulation::userCode("a destructor");
        world_->live_.add(-1);
        if (oneIn(6)) world_->actInFunction();
    }

    void operator()() {
        simulation::userRun("a function");
        ran_();
        if (world_->book_.has(world_->book_.isDraining)) return;
        if (oneIn(8)) {
            world_->book_.count(world_->book_.thrown);
            throw simulation::Oops();
        }
        if (oneIn(3)) world_->actInFunction();
    }

  private:
    World* world_;
    std::function<void()> ran_;
};

TimersOptions World::options() {
    TimersOptions drawn;
    drawn.clock = clock_;
    drawn.name = "x";
    drawn.shards = 1 + any(2);
    hasExecutor_ = oneIn(2);
    if (hasExecutor_) drawn.executor = [](const std::function<void()>& run) { run(); };
    drawn.uncaughtExceptionHandler = [this](const std::string&, const std::exception_ptr&) {
        simulation::userCode("a handler");
        book_.count(book_.reported);
    };
    return drawn;
}

void World::reset(Shared& shared) {
    const Call call(calls_);
    const SetClock::Held held(*clock_);
    const int delay = static_cast<int>(any(4)) * kStep;
    const Nanos due = clock_->nanos() + delay * kMillis;
    shared.starts.begin(*clock_, due);
    bool ended = false;
    if (!attempt([&] { ended = shared.timer.reset(delay); })) return shared.starts.refuse(due);
    if (ended) shared.starts.end();
}

void World::stop(Shared& shared, bool waits) {
    // A stop that waits ends what is started meanwhile, too, and says true once.
    if (waits) book_.set(book_.mayDiscard);
    bool ended = false;
    attempt([&] { ended = waits ? shared.timer.stopAndWait() : shared.timer.stop(); });
    if (ended) shared.starts.end();
}

void World::sleep(Timers& timers) {
    const Call call(calls_);
    attempt([&] { timers.sleep(kStep); });
}

void World::receive(Shared& shared) {
    const Call call(calls_);
    attempt([&] {
        const Channel channel = shared.timer.C();
        const auto value = oneIn(2) ? channel.tryReceive() : channel.receiveFor(2 * kStep);
        if (value) shared.starts.fire(nanosOf(*value));
        if (value) check(clock_->latest() >= nanosOf(*value), "received early");
    });
}

void World::useOwnFunction(Timers& timers) {
    simulation::Account account;
    const int delay = static_cast<int>(any(4)) * kStep;
    attempt([&] {
        Timer timer;
        std::optional<SetClock::Held> held(*clock_);
        {
            const Call call(calls_);
            account.offer(*clock_, clock_->nanos() + delay * kMillis);
            timer = timers.afterFunc(delay, Function(*this, [&] {
                                         account.beginRun(book_, *clock_, false);
                                         account.endRun();
                                     }));
        }
        // A call of another thread may have said that it wakes the poller, and not done so yet. The
        // last free thread runs no function beside others before it has started one more.
        const bool isPunctual =
            calls_.get() == 0 && (hasExecutor_ || !simulation::mayFailToStart());
        account.accept(isPunctual ? timeOf(*clock_) + delay * kMillis : simulation::kNever);
        held.reset();
        for (unsigned i = any(3); i != 0; --i) explore::yield();
        if (timer.stopAndWait()) account.cancel();
        account.checkOver();
        account.settle(false);
        if (account.isLost()) lost_.add(1);
    });
}

void World::useOwnTimer(Timers& timers) {
    const Call call(calls_);
    attempt([&] {
        Timer timer = timers.newTimer(kStep);
        if (oneIn(2)) clock_->advance(kStep);
        Nanos due = 0;
        {
            const SetClock::Held held(*clock_);
            due = clock_->nanos() + 2 * kStep * kMillis;
            timer.reset(2 * kStep);
        }
        const auto selected = jtimer::go::select({event_, timer.C()});
        if (selected.index == 0) return;
        const Nanos value = nanosOf(selected.value);
        check(value >= due && value <= clock_->latest(), "a value of the start before");
        if (oneIn(2)) event_.set();
    });
}

void World::useTicker(Timers& timers) {
    const Call call(calls_);
    attempt([&] {
        std::optional<SetClock::Held> held(*clock_);
        const Nanos start = clock_->nanos();
        jtimer::go::Ticker ticker = timers.newTicker(kStep);
        held.reset();
        const Nanos first = nanosOf(ticker.C().receive());
        check(first >= start + kStep * kMillis && first <= clock_->latest(), "not at its period");
        const Nanos second = nanosOf(ticker.C().receive());
        check(second > first && (second - first) % (kStep * kMillis) == 0, "out of phase");
        ticker.stop();
        check(!ticker.C().tryReceive(), "a tick after the stop");
    });
}

void World::actInFunction() {
    if (book_.has(book_.isDraining)) return;
    Shared& shared = functions_[any(2)];
    const auto timers = known_.lock();
    switch (any(8)) {
    case 0:
        book_.set(book_.isUnpunctual);
        return void(attempt([&] { clock_->advance(kStep); }));
    case 1:
        return stop(shared, false);
    case 2:
        if (timers == nullptr) return;
        if (oneIn(2)) return fork(*timers);
        book_.set(book_.isUnpunctual);
        return sleep(*timers);
    case 3:
        return receive(channel_);
    default:
        return reset(shared);
    }
}

void World::playThread(std::shared_ptr<Timers> timers) {
    for (unsigned i = 1 + any(4); i != 0; --i) {
        Shared& shared = functions_[any(2)];
        switch (any(16)) {
        case 0:
            sleep(*timers);
            break;
        case 1:
            useOwnTimer(*timers);
            break;
        case 2:
            useTicker(*timers);
            break;
        case 3:
        case 4:
            useOwnFunction(*timers);
            break;
        case 5:
            stop(shared, oneIn(3));
            break;
        case 6:
            stop(shared, false);
            break;
        case 7:
            stop(channel_, false);
            break;
        case 8:
            reset(channel_);
            break;
        case 9:
        case 10:
            receive(channel_);
            break;
        case 11:
            static_cast<void>(timers->stats());
            break;
        case 12:
            fork(*timers);
            break;
        default:
            reset(shared);
        }
    }
}

void World::fork(Timers& timers) {
    simulation::fork(book_, [&] {
        for (Shared* each : {&functions_[0], &functions_[1], &channel_}) {
            check(!(oneIn(2) ? each->timer.stop() : each->timer.stopAndWait()), "stopped");
            check(!attempt([&] { each->timer.reset(0); }), "started");
        }
        check(!channel_.timer.C().tryReceive(), "received");
        check(!attempt([&] { timers.sleep(kStep); }), "slept");
        timers.~Timers();
        for (Shared* each : {&functions_[0], &functions_[1], &channel_}) each->timer = Timer();
        simulation::useOwn([](const auto& clock, auto&& run) {
            TimersOptions options;
            options.clock = clock;
            options.executor = [](const std::function<void()>& function) { function(); };
            Timers own(options);
            const Timer timer = own.afterFunc(kStep, run);
            check(own.afterFunc(kStep, run).stop(), "not stopped");
            clock->advance(kStep);
            check(own.newTimer(0).C().tryReceive().has_value(), "not received");
        });
    });
}

void World::drain() {
    simulation::endFaults();
    book_.set(book_.isDraining);
    clock_->advanceToEnd(20 * kStep);
    attempt([&] {
        if (const auto value = channel_.timer.C().tryReceive())
            channel_.starts.fire(nanosOf(*value));
    });
    const bool isOurs = timers_ != nullptr;
    if (isOurs) timers_->check();
    timers_.reset();
    explore::joinAll();
    auto lost = static_cast<unsigned>(lost_.get());
    for (Shared* each : {&functions_[0], &functions_[1], &channel_}) {
        lost += each->starts.open();
        each->timer = Timer();
    }
    check(live_.get() == 0, "a function is left over");
    // Without memory to hand it to the executor, a run is lost, which is reported.
    const unsigned refused = book_.reported - book_.thrown;
    const bool isKnown = isOurs && !book_.has(book_.mayDiscard);
    check(isKnown ? lost == refused : lost >= refused, "lost: a start has neither fired nor ended");
}

void World::play() {
    simulation::drawPace();
    timers_ = std::make_shared<Timers>(options());
    known_ = timers_;
    for (Shared& each : functions_) {
        each.starts.begin(*clock_, kStep * kMillis);
        each.timer = timers_->afterFunc(
            kStep, Function(*this, [this, &each] { each.starts.fireNow(*clock_); }));
    }
    channel_.starts.begin(*clock_, kStep * kMillis);
    channel_.timer = timers_->newTimer(kStep);
    auto threads = simulation::drawThreads(
        timers_, [this](std::shared_ptr<Timers> timers) { playThread(std::move(timers)); });
    if (oneIn(3)) timers_.reset();
    simulation::togetherWhileTimePasses(std::move(threads), *clock_, kStep);
    drain();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(go)

BOOST_AUTO_TEST_CASE(each_start_of_a_timer_is_accounted_for_whatever_its_threads_do) {
    simulation::simulate("go", [] { World().play(); });
}

BOOST_AUTO_TEST_CASE(a_seed_makes_the_same_steps_again) {
    simulation::simulateTwice([] { World().play(); });
}

BOOST_AUTO_TEST_SUITE_END()
