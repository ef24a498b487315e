// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/waiter.hpp"
#include "interleave/simulation/world.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

namespace simulation {

namespace {

unsigned long setting(const char* name, unsigned long otherwise) {
    const char* const value = std::getenv(name);
    return value == nullptr ? otherwise : std::stoul(value);
}

explore::Result play(void (*world)(), unsigned long from, unsigned long seeds) {
    constexpr unsigned kUnlimited = 1'000'000;
    explore::Bounds bounds;
    bounds.preemptions = bounds.staleReads = kUnlimited;
    bounds.most = 0;
    bounds.warmUps = 50;
    bounds.seed = from;
    bounds.random = seeds;
    // The library's warnings, of waits that seem long, are not looked at.
    std::streambuf* const shown = std::cerr.rdbuf(nullptr);
    const explore::Result result = explore::search(bounds, world);
    std::cerr.rdbuf(shown);
    std::cerr.clear();
    return result;
}

}  // namespace

/// As a WallClock's, of a user's class: it says nothing of the time, and waits for a span.
class SetClock::Waiter final : public jtimer::detail::Waiter {
  public:
    Waiter(const SetClock& clock, std::shared_ptr<jtimer::detail::Waiter> manual)
        : clock_(clock), manual_(std::move(manual)) {}
    void begin() override { manual_->begin(); }
    void waitUntil(jtimer::detail::Lock& lock, Nanos deadline, Nanos now) override {
        using jtimer::detail::kNever;
        clock_.noteWait();
        const Nanos present = clock_.manual_.nanos();
        manual_->waitUntil(lock, deadline == kNever ? kNever : present + (deadline - now), present);
        clock_.noteWait();
    }
    void announce() override { manual_->announce(); }
    void notify() override { manual_->notify(); }
    void end() override { manual_->end(); }

  private:
    const SetClock& clock_;
    const std::shared_ptr<jtimer::detail::Waiter> manual_;
};

std::shared_ptr<jtimer::detail::Waiter> SetClock::makeWaiter() const {
    auto manual = jtimer::detail::makeWaiter(manual_);
    if (!isSet_) return manual;
    return std::make_shared<Waiter>(*this, std::move(manual));
}

void together(std::vector<std::function<void()>> threads) {
    drawFaults();
    explore::together(threads);
}

void togetherWhileTimePasses(std::vector<std::function<void()>> threads, SetClock& clock,
                             jtimer::TimeSpan step) {
    // More steps than any wait of the threads takes: then they deadlock.
    constexpr unsigned kMostSteps = 100;
    Secret running;
    running.set(static_cast<std::int64_t>(threads.size()));
    for (auto& each : threads)
        each = [&running, body = std::move(each)] {
            body();
            running.add(-1);
        };
    threads.emplace_back([&] {
        for (unsigned i = 0; i < kMostSteps && running.get() != 0; ++i) {
            for (unsigned yields = any(4); yields != 0; --yields) explore::yield();
            attempt([&] { clock.advance(step); });
        }
    });
    together(std::move(threads));
}

void simulate(const char* room, void (*world)()) {
    const explore::Result result =
        play(world, setting("SIMULATE_FROM", 1), setting("SIMULATE_SEEDS", 300));
    BOOST_TEST_MESSAGE(room << ": " << result.executions << " seeds, hash " << result.hash);
    const char* const program = boost::unit_test::framework::master_test_suite().argv[0];
    BOOST_TEST(result.failure.empty(),
               result.events << result.failure << "\nAgain: SIMULATE_FROM=" << result.seed
                             << " SIMULATE_SEEDS=1 " << program << " --run_test=" << room);
}

void simulateTwice(void (*world)()) {
    constexpr unsigned long kSeeds = 5;
    std::vector<std::uint64_t> hashes;
    for (unsigned long seed = 1; seed <= kSeeds; ++seed)
        hashes.push_back(play(world, seed, 1).hash);
    for (unsigned long seed = kSeeds; seed != 0; --seed)
        BOOST_TEST(play(world, seed, 1).hash == hashes[seed - 1], "seed " << seed);
    BOOST_TEST(hashes[0] != hashes[1]);
}

}  // namespace simulation
