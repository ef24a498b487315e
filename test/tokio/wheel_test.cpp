// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/wheel.hpp"

#include <initializer_list>

using jtimer::tokio::detail::Entry;
using jtimer::tokio::detail::Tick;
using jtimer::tokio::detail::Wheel;

namespace {

/// Entries that remember the tick they are due in, in a wheel that is checked at every step.
struct WheelFixture {
    struct Due : Entry {
        explicit Due(Tick tick) : due(tick) {}
        Tick due;
    };

    Wheel wheel;
    std::vector<std::unique_ptr<Due>> entries;

    ~WheelFixture() {
        while (wheel.takeAny() != nullptr) {
        }
    }

    Due& add(Tick tick) {
        entries.push_back(std::make_unique<Due>(tick));
        wheel.insert(*entries.back(), tick);
        wheel.check();
        return *entries.back();
    }
    void add(std::initializer_list<Tick> ticks) {
        for (const Tick tick : ticks) add(tick);
    }

    /// The due ticks of what comes out until `now`, in order.
    std::string turn(Tick now) {
        std::string fired;
        while (Entry* const entry = wheel.takeExpired(now)) {
            entry->leave(true);
            wheel.check();
            fired += (fired.empty() ? "" : " ") + std::to_string(static_cast<Due*>(entry)->due);
        }
        wheel.check();
        return fired;
    }

    /// Turns at each next expiration, until nothing is left: "e: fired, ..."
    std::string turns() {
        std::string text;
        while (const std::optional<Tick> next = wheel.nextExpiration()) {
            const std::string fired = turn(*next);
            text += (text.empty() ? "" : ", ") + std::to_string(*next) + ':' + fired;
        }
        return text;
    }
};

constexpr Tick kDay = 86'400'000;
constexpr Tick kTopSlot = Tick{1} << 30;
constexpr Tick kRevolution = Tick{1} << 36;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_wheel, WheelFixture)

BOOST_AUTO_TEST_CASE(t5_each_level_is_64_slots_of_the_width_of_the_level_below) {
    const Tick widths[] = {1, 64, 4096, 262'144, 16'777'216, kTopSlot};
    for (int level = 0; level < Wheel::kLevels; ++level) {
        const Tick width = widths[level];
        add({width * (level == 0 ? 1 : 2)});
        BOOST_TEST(*wheel.nextExpiration() == width * (level == 0 ? 1 : 2));
        BOOST_TEST(Wheel::levelOf(0, width) == level);
        BOOST_TEST(Wheel::levelOf(0, width * 64 - 1) == level);
        while (wheel.takeAny() != nullptr) {
        }
    }
    BOOST_TEST(Wheel::kSlots * kTopSlot == kRevolution);
}

BOOST_AUTO_TEST_CASE(t6_the_level_of_a_tick_seen_from_0) {
    const auto level = [](Tick tick) { return Wheel::levelOf(0, tick); };
    BOOST_TEST(level(1) == 0);
    BOOST_TEST(level(63) == 0);
    BOOST_TEST(level(64) == 1);
    BOOST_TEST(level(4095) == 1);
    BOOST_TEST(level(4096) == 2);
    BOOST_TEST(level(262'143) == 2);
    BOOST_TEST(level(262'144) == 3);
    BOOST_TEST(level(16'777'215) == 3);
    BOOST_TEST(level(16'777'216) == 4);
    BOOST_TEST(level(kTopSlot - 1) == 4);
    BOOST_TEST(level(kTopSlot) == 5);
    BOOST_TEST(level(Tick{1} << 40) == 5);
}

BOOST_AUTO_TEST_CASE(t6_every_slot_of_every_level_is_the_digit_of_the_tick) {
    Tick width = 1;
    for (int level = 0; level < Wheel::kLevels; ++level, width *= 64) {
        for (int slot = level == 0 ? 0 : 1; slot < 64; ++slot) {
            const Tick tick = slot * width;
            BOOST_TEST(Wheel::levelOf(0, tick) == level);
            BOOST_TEST(Wheel::slotOf(level, tick) == slot);
            if (level == 0) continue;
            BOOST_TEST(Wheel::levelOf(0, tick + 1) == level);
            BOOST_TEST(Wheel::slotOf(level, tick + width - 1) == slot);
        }
    }
}

BOOST_AUTO_TEST_CASE(t6_the_level_goes_by_the_digits_and_not_by_the_distance) {
    BOOST_TEST(Wheel::levelOf(60, 70) == 1);
    BOOST_TEST(Wheel::levelOf(63, 64) == 1);
    BOOST_TEST(Wheel::levelOf(64, 70) == 0);
    BOOST_TEST(Wheel::levelOf(4095, 4096) == 2);
    BOOST_TEST(Wheel::levelOf(kTopSlot - 1, kTopSlot) == 5);
}

BOOST_AUTO_TEST_CASE(t7_an_emptied_slot_is_no_longer_seen) {
    Due& near = add(10);
    Due& twin = add(10);
    add(20);
    wheel.remove(near);
    wheel.check();  // compares each bit with its slot
    BOOST_TEST(*wheel.nextExpiration() == 10);
    wheel.remove(twin);
    wheel.check();
    BOOST_TEST(*wheel.nextExpiration() == 20);
}

BOOST_AUTO_TEST_CASE(t8_what_is_inserted_in_an_elapsed_tick_is_due_at_once) {
    BOOST_TEST(turn(100) == "");
    add({100, 99, 0, 101});
    BOOST_TEST(*wheel.nextExpiration() == 100);
    BOOST_TEST(turn(100) == "100 99 0");
    BOOST_TEST(turn(101) == "101");
}

BOOST_AUTO_TEST_CASE(t9_an_entry_is_removed_from_every_level_and_from_the_pending_list) {
    for (const Tick tick : {Tick{5}, Tick{64}, Tick{5000}, Tick{300'000}, Tick{20'000'000},
                            kTopSlot + 5, kRevolution + 5}) {
        Due& entry = add(tick);
        BOOST_TEST(wheel.size() == 1U);
        wheel.remove(entry);
        wheel.check();
        BOOST_TEST(wheel.isEmpty());
        BOOST_TEST(!wheel.nextExpiration().has_value());
    }
    Due& due = add(0);
    wheel.remove(due);
    wheel.check();
    BOOST_TEST(wheel.isEmpty());
}

BOOST_AUTO_TEST_CASE(t9_an_entry_is_removed_when_dealt_but_not_yet_taken) {
    Due& first = add(64);
    Due& second = add(64);
    Due& third = add(65);
    BOOST_TEST(wheel.takeExpired(64) == &first);  // the others: one pending, one in slot 1
    wheel.check();
    BOOST_TEST(wheel.elapsed() == 64);
    wheel.remove(second);
    wheel.check();
    wheel.remove(third);
    wheel.check();
    BOOST_TEST(wheel.isEmpty());
}

BOOST_AUTO_TEST_CASE(t9_an_entry_is_removed_from_slot_0_of_a_level) {
    BOOST_TEST(turn(63) == "");
    Due& level1 = add(64 * 64);  // slot 1 of level 2
    turn(64 * 64 - 1);
    Due& same = add(64 * 64);  // the same slot, seen from just before it
    BOOST_TEST(*wheel.nextExpiration() == 64 * 64);
    wheel.remove(level1);
    wheel.check();
    wheel.remove(same);
    wheel.check();
    Due& ring = add(kRevolution);  // slot 0 of the top level: the current one
    BOOST_TEST(*wheel.nextExpiration() == kRevolution);
    wheel.remove(ring);
    wheel.check();
    BOOST_TEST(wheel.isEmpty());
}

BOOST_AUTO_TEST_CASE(t9_an_entry_is_removed_after_an_extension_that_the_wheel_has_not_seen) {
    Due& entry = add(100);
    BOOST_TEST(entry.extend(1'000'000));
    wheel.check();
    BOOST_TEST(*wheel.nextExpiration() == 64);
    wheel.remove(entry);
    wheel.check();
    BOOST_TEST(wheel.isEmpty());
}

BOOST_AUTO_TEST_CASE(t10_the_next_expiration_is_the_start_of_the_next_slot) {
    BOOST_TEST(!wheel.nextExpiration().has_value());
    add(1'000'000);  // level 3, slot 3
    BOOST_TEST(*wheel.nextExpiration() == 786'432);
    add(5000);  // level 2, slot 1
    BOOST_TEST(*wheel.nextExpiration() == 4096);
    add(130);  // level 1, slot 2
    BOOST_TEST(*wheel.nextExpiration() == 128);
    add(63);
    BOOST_TEST(*wheel.nextExpiration() == 63);
    add(0);
    BOOST_TEST(*wheel.nextExpiration() == 0);
}

BOOST_AUTO_TEST_CASE(t11_what_lies_in_the_current_top_slot_is_due_a_revolution_on) {
    const Tick now = 5 * kTopSlot + 7;
    turn(now);
    add(now + kRevolution);  // slot 5 of the top level, the current one
    BOOST_TEST(*wheel.nextExpiration() == kRevolution + 5 * kTopSlot);
    add(now + kTopSlot);
    BOOST_TEST(*wheel.nextExpiration() == 6 * kTopSlot);
    add(now + kRevolution - kTopSlot);  // slot 4, the last before the current one comes round
    BOOST_TEST(turns() == std::to_string(6 * kTopSlot) + ":, " + std::to_string(now + kTopSlot) +
                              ':' + std::to_string(now + kTopSlot) + ", " +
                              std::to_string(kRevolution + 4 * kTopSlot) + ":, " +
                              std::to_string(now + kRevolution - kTopSlot) + ':' +
                              std::to_string(now + kRevolution - kTopSlot) + ", " +
                              std::to_string(kRevolution + 5 * kTopSlot) + ":, " +
                              std::to_string(now + kRevolution) + ':' +
                              std::to_string(now + kRevolution));
}

BOOST_AUTO_TEST_CASE(d1_a_far_entry_hides_no_other_at_any_boundary_of_the_top_level) {
    add(30 * 365 * kDay);
    for (Tick boundary = kTopSlot; boundary <= 2 * kRevolution; boundary += kTopSlot) {
        BOOST_TEST(turn(boundary - 5000) == "");
        const Tick due = boundary + 5000;
        add(due);
        BOOST_TEST(turn(due - 1) == "");
        BOOST_TEST(turn(due) == std::to_string(due));
    }
    BOOST_TEST(wheel.size() == 1U);
    BOOST_TEST(turn(30 * 365 * kDay) == std::to_string(30 * 365 * kDay));
}

BOOST_AUTO_TEST_CASE(t12_a_slot_is_dealt_by_the_true_ticks) {
    Due& late = add(70);
    Due& later = add(71);
    add(72);
    BOOST_TEST(late.extend(100));
    BOOST_TEST(later.extend(10'000));
    BOOST_TEST(turn(99) == "72");
    BOOST_TEST(wheel.elapsed() == 99);
    BOOST_TEST(*wheel.nextExpiration() == 100);
    BOOST_TEST(wheel.takeExpired(100) == &late);
    BOOST_TEST(wheel.takeExpired(9'999) == nullptr);
    BOOST_TEST(wheel.takeExpired(10'000) == &later);
}

BOOST_AUTO_TEST_CASE(t13_ascending_ticks_in_one_jump) {
    add({5000, 3, 64, 4096, 63, 1'000'000, 65, 3, 4097});
    BOOST_TEST(turn(2'000'000) == "3 3 63 64 65 4096 4097 5000 1000000");
    BOOST_TEST(wheel.elapsed() == 2'000'000);
}

BOOST_AUTO_TEST_CASE(t14_six_ticks_take_nine_turns) {
    add({2, 10, 60, 234, 1000, 299'008});
    BOOST_TEST(turns() == "2:2, 10:10, 60:60, 192:, 234:234, 960:, 1000:1000, 262144:, "
                          "299008:299008");
}

BOOST_AUTO_TEST_CASE(t15_a_clock_that_goes_back_changes_nothing) {
    add({5, 10});
    BOOST_TEST(turn(5) == "5");
    BOOST_TEST(turn(3) == "");
    BOOST_TEST(wheel.elapsed() == 5);
    BOOST_TEST(turn(10) == "10");
}

BOOST_AUTO_TEST_CASE(t17_an_extension_to_an_equal_or_later_tick_leaves_the_wheel_alone) {
    Due& entry = add(100);
    BOOST_TEST(entry.extend(100));
    BOOST_TEST(entry.extend(5000));
    BOOST_TEST(!entry.extend(4999));
    BOOST_TEST(*wheel.nextExpiration() == 64);
    BOOST_TEST(turn(4999) == "");
    BOOST_TEST(wheel.takeExpired(5000) == &entry);
    BOOST_TEST(!entry.extend(6000));  // pending
    entry.leave(true);
    BOOST_TEST(!entry.extend(6000));  // fired
    BOOST_TEST(entry.hasFired());
}

BOOST_AUTO_TEST_CASE(d4_any_distance_is_a_place_in_the_ring) {
    constexpr Tick last = (Tick{1} << 44) - 1;
    add({kRevolution - 1, kRevolution, kRevolution + 1, 17 * kRevolution, last});
    const std::string all = turn(last);
    BOOST_TEST(all == std::to_string(kRevolution - 1) + ' ' + std::to_string(kRevolution) + ' ' +
                          std::to_string(kRevolution + 1) + ' ' + std::to_string(17 * kRevolution) +
                          ' ' + std::to_string(last));
}

BOOST_AUTO_TEST_CASE(t12_a_slot_can_be_dealt_in_steps_with_the_same_results) {
    std::string whole;
    for (const std::size_t atOnce : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
        const Tick start = wheel.elapsed();
        for (Tick i = 0; i < 50; ++i) add(start + 5000 + i * 37 % 900 - i % 2 * 900);
        std::string fired;
        for (;;) {
            std::size_t most = atOnce;
            wheel.advance(start + 8192, most);
            wheel.check();
            if (most == 0) continue;
            Entry* const entry = wheel.takePending();
            wheel.check();
            if (entry == nullptr) break;
            entry->leave(true);
            fired += std::to_string(static_cast<Due*>(entry)->due - start) + ' ';
        }
        BOOST_TEST(wheel.elapsed() == start + 8192);
        BOOST_TEST(wheel.isEmpty());
        if (whole.empty()) whole = fired;
        BOOST_TEST(fired == whole);
    }
}

BOOST_AUTO_TEST_CASE(t9_everything_works_while_a_slot_is_half_dealt) {
    for (const Tick start : {Tick{4096}, kTopSlot, 3 * kRevolution}) {
        WheelFixture other;
        Due& extended = other.add(start + 1);
        Due& removed = other.add(start + 2);
        Due& moved = other.add(start + 3);
        other.add({start, start + 70, start, start + 4});
        std::size_t most = 0;
        while (other.wheel.elapsed() < start) {  // opens the slot, and deals nothing of it
            most = 0;
            other.wheel.advance(start, most);
            most = other.wheel.elapsed() < start ? 100 : 0;
            other.wheel.advance(start, most);
        }
        other.wheel.check();
        BOOST_TEST(other.wheel.size() == 7U);
        BOOST_TEST(*other.wheel.nextExpiration() == start);
        BOOST_TEST(extended.extend(start + 100));
        other.wheel.remove(removed);
        removed.leave(false);
        other.wheel.check();
        other.wheel.remove(moved);
        other.wheel.insert(moved, start + 90);
        moved.due = start + 90;
        extended.due = start + 100;
        other.wheel.check();
        other.add({start, start + 80});
        const auto from = [&](Tick tick) { return std::to_string(start + tick); };
        BOOST_TEST(other.turn(start + 200) == from(0) + ' ' + from(0) + ' ' + from(0) + ' ' +
                                                  from(4) + ' ' + from(70) + ' ' + from(80) + ' ' +
                                                  from(90) + ' ' + from(100));
    }
}

BOOST_AUTO_TEST_CASE(the_rest_of_a_slot_that_is_half_dealt_is_taken) {
    add({4096, 4097, 5000, 70});
    std::size_t most = 2;
    wheel.advance(4096, most);
    BOOST_TEST(most == 0U);
    wheel.check();
    std::size_t taken = 0;
    while (wheel.takeAny() != nullptr) {
        wheel.check();
        ++taken;
    }
    BOOST_TEST(taken == 4U);
}

BOOST_AUTO_TEST_CASE(a9_what_is_inserted_as_fired_is_taken_after_the_next_beginning_of_a_turn) {
    Due first(5), second(6), third(7);
    wheel.insertFired(first);
    wheel.check();
    BOOST_TEST(wheel.hasPending());
    BOOST_TEST(*wheel.nextExpiration() == 0);
    BOOST_TEST(wheel.takePending() == nullptr);
    wheel.beginTurn();
    wheel.insertFired(second);
    wheel.insertFired(third);
    add(3);
    wheel.check();
    BOOST_TEST(wheel.takePending() == &first);
    BOOST_TEST(turn(10) == "3");
    BOOST_TEST(wheel.size() == 2U);
    BOOST_TEST(*wheel.nextExpiration() == 10);
    wheel.remove(second);
    wheel.check();
    BOOST_TEST(wheel.takeAny() == &third);
    wheel.check();
    BOOST_TEST(wheel.isEmpty());
    BOOST_TEST(!wheel.hasPending());
}

BOOST_AUTO_TEST_CASE(first_names_what_takeExpired_returns_next) {
    BOOST_TEST(wheel.first() == nullptr);
    add(3 * kRevolution + 3 * kTopSlot);
    Due& sooner = add(5 * kTopSlot);
    BOOST_TEST(wheel.first() == &sooner);
    add(70);
    Due& soonest = add(66);
    BOOST_TEST(wheel.first() == &soonest);
    Due& due = add(0);
    BOOST_TEST(wheel.first() == &due);
}

BOOST_AUTO_TEST_SUITE_END()
