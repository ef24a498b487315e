// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
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

void together(std::vector<std::function<void()>> threads) {
    drawFaults();
    explore::together(threads);
}

void togetherWhileTimePasses(std::vector<std::function<void()>> threads, jtimer::ManualClock& clock,
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
