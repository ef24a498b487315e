// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/choices.hpp"
#include "support/test.hpp"
#include "tokio/wheel_model.hpp"

using jtimer::tokio::detail::Entry;
using jtimer::tokio::detail::Tick;
using jtimer::tokio::detail::Wheel;

BOOST_AUTO_TEST_SUITE(tokio_wheel_model)

BOOST_AUTO_TEST_CASE(t9_t10_t12_the_wheel_agrees_with_a_multimap_after_every_random_step) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        test::Choices choices(seed);
        test::WheelModel model(choices, seed % 2 == 0);
        for (int i = 0; i < 500; ++i) model.step();
        model.drain();
        BOOST_TEST(model.fired() > 50U);
    }
}

BOOST_AUTO_TEST_CASE(t13_ten_years_with_a_million_random_entries_each_in_its_exact_tick) {
    constexpr Tick tenYears = Tick{10} * 365 * 86'400'000;
    constexpr std::size_t count = 1'000'000;
    struct Timed : Entry {
        Tick due = 0;
    };
    const auto wheel = std::make_unique<Wheel>();
    std::vector<Timed> entries(count);
    std::mt19937_64 random(1);
    for (Timed& entry : entries) {
        entry.due = static_cast<Tick>(random() % tenYears) + 1;
        wheel->insert(entry, entry.due);
    }
    std::size_t fired = 0;
    std::size_t wrong = 0;
    while (Entry* const entry = wheel->takeExpired(tenYears)) {
        ++fired;
        if (static_cast<Timed*>(entry)->due != wheel->elapsed()) ++wrong;
    }
    BOOST_TEST(fired == count);
    BOOST_TEST(wrong == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
