// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/slot_pool.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using jtimer::brpc::TaskId;
using jtimer::brpc::detail::FunctionMaker;
using jtimer::brpc::detail::Phase;
using jtimer::brpc::detail::Slot;
using jtimer::brpc::detail::SlotPool;
using jtimer::detail::functionType;

using Removal = Slot::Removal;

namespace {

constexpr TaskId idOf(std::uint32_t version, std::uint32_t number) {
    return TaskId{version} << 32 | number;
}

void nothing(void*) {}

TaskId publish(Slot& slot) {
    slot.fill({nothing, nullptr});
    return slot.publish();
}

/// Publishes a callable of its own type.
template <class F>
TaskId publish(Slot& slot, F callable) {
    const auto make = [&](void* storage) { ::new (storage) F(callable); };
    BOOST_REQUIRE(slot.fill(FunctionMaker(functionType<F>, make)));
    return slot.publish();
}

bool run(Slot& slot) {
    if (!slot.take(Phase::Running)) return false;
    slot.run();
    slot.destroyCallable();
    return slot.free();
}

bool remove(Slot& slot, TaskId id) { return slot.beginRemoval(id) == Removal::Done && slot.free(); }

}  // namespace

BOOST_AUTO_TEST_CASE(b8_an_id_is_an_even_version_of_at_least_2_above_the_number_of_a_slot) {
    SlotPool pool;
    Slot* const first = pool.takeBatch();
    BOOST_TEST(publish(*first) == idOf(2, 0));
    BOOST_TEST(publish(pool.at(first->next)) == idOf(2, 1));
    BOOST_TEST(publish(*pool.takeBatch()) == idOf(2, 64));
}

BOOST_AUTO_TEST_CASE(b9_each_use_of_a_slot_takes_the_next_even_version) {
    SlotPool pool;
    Slot& slot = *pool.takeBatch();
    BOOST_TEST(publish(slot) == idOf(2, 0));
    BOOST_TEST(run(slot));
    BOOST_TEST(publish(slot) == idOf(4, 0));
    BOOST_TEST(remove(slot, idOf(4, 0)));
    BOOST_TEST(publish(slot) == idOf(6, 0));
    for (const TaskId old : {idOf(2, 0), idOf(4, 0)})
        BOOST_TEST((slot.beginRemoval(old) == Removal::None));
    BOOST_TEST((slot.phase() == Phase::Scheduled));
}

BOOST_AUTO_TEST_CASE(b10_a_slot_whose_version_would_wrap_is_used_no_more) {
    SlotPool pool(SlotPool::Limits{64, 0xFFFFFFFC});
    Slot& slot = *pool.takeBatch();
    BOOST_TEST(publish(slot) == idOf(0xFFFFFFFC, 0));
    BOOST_TEST(run(slot));
    BOOST_TEST(publish(slot) == idOf(0xFFFFFFFE, 0));
    BOOST_TEST(!remove(slot, idOf(0xFFFFFFFE, 0)));
    BOOST_TEST((slot.phase() == Phase::Free));
    for (const TaskId id : {idOf(0, 0), idOf(2, 0), idOf(0xFFFFFFFE, 0)})
        BOOST_TEST((slot.beginRemoval(id) == Removal::None));
}

BOOST_AUTO_TEST_CASE(b11_a_slot_stays_where_it_is_and_is_found_by_its_number) {
    SlotPool pool;
    std::vector<Slot*> slots;
    while (slots.size() < 10'000) {
        Slot* slot = pool.takeBatch();
        BOOST_REQUIRE(slot != nullptr);
        for (;;) {
            slots.push_back(slot);
            if (slot->next == Slot::kNone) break;
            slot = &pool.at(slot->next);
        }
    }
    BOOST_TEST(pool.made() == slots.size());
    for (std::uint32_t number = 0; number < slots.size(); ++number) {
        BOOST_REQUIRE_EQUAL(slots[number]->number(), number);
        BOOST_REQUIRE_EQUAL(pool.find(idOf(2, number)), slots[number]);
        BOOST_REQUIRE_EQUAL(reinterpret_cast<std::uintptr_t>(slots[number]) % 64, 0U);
    }
}

BOOST_AUTO_TEST_CASE(b12_numbers_that_were_not_given_out_are_nobody) {
    SlotPool pool;
    BOOST_TEST(pool.find(idOf(2, 0)) == nullptr);
    Slot& slot = *pool.takeBatch();
    BOOST_TEST(pool.find(idOf(2, 63)) != nullptr);
    for (const TaskId id : {idOf(2, 64), idOf(2, 0xFFFFFFFF), ~TaskId{0}})
        BOOST_TEST(pool.find(id) == nullptr);

    BOOST_TEST((slot.beginRemoval(idOf(2, 0)) == Removal::None));  // not used yet
    publish(slot);
    for (const std::uint32_t version : {0U, 1U, 3U, 4U, 0xFFFFFFFFU})
        BOOST_TEST((slot.beginRemoval(idOf(version, 0)) == Removal::None));
    BOOST_TEST((slot.phase() == Phase::Scheduled));

    BOOST_REQUIRE(slot.take(Phase::Running));
    for (const std::uint32_t version : {0U, 1U, 3U, 4U})
        BOOST_TEST((slot.beginRemoval(idOf(version, 0)) == Removal::None));
    BOOST_TEST((slot.beginRemoval(idOf(2, 0)) == Removal::Running));
}

BOOST_AUTO_TEST_CASE(batches_that_were_given_back_are_taken_before_new_ones_are_made) {
    SlotPool pool;
    Slot* const first = pool.takeBatch();
    Slot* const second = pool.takeBatch();
    pool.giveBatch(*first);
    pool.giveBatch(*second);
    const std::set<Slot*> again{pool.takeBatch(), pool.takeBatch()};
    BOOST_TEST((again == std::set<Slot*>{first, second}));
    BOOST_TEST(pool.made() == 128U);
}

BOOST_AUTO_TEST_CASE(a_pool_makes_no_slot_beyond_its_limit) {
    SlotPool pool(SlotPool::Limits{200, Slot::kFirstVersion});
    for (int i = 0; i < 3; ++i) BOOST_TEST(pool.takeBatch() != nullptr);
    BOOST_TEST(pool.takeBatch() == nullptr);
    BOOST_TEST(pool.made() == 192U);
}

BOOST_AUTO_TEST_CASE(threads_that_take_and_give_batches_never_share_one) {
    SlotPool pool;
    std::array<Slot*, 4> held{};
    const auto takeAndGive = [&](std::size_t i) {
        return [&pool, &held, i](int round) {
            if (held[i] != nullptr && round % 3 != 0) pool.giveBatch(*held[i]);
            held[i] = pool.takeBatch();
        };
    };
    test::race(500, {takeAndGive(0), takeAndGive(1), takeAndGive(2), takeAndGive(3)}, [&](int) {
        BOOST_REQUIRE_EQUAL((std::set<Slot*>(held.begin(), held.end()).size()), held.size());
    });
}

BOOST_AUTO_TEST_CASE(a_callable_of_up_to_32_bytes_lives_in_the_slot_and_a_larger_one_elsewhere) {
    struct Small {
        std::uintptr_t* at;
        std::array<char, Slot::kCallableSize - sizeof(at)> rest;
        void operator()() const { *at = reinterpret_cast<std::uintptr_t>(this); }
    };
    struct Large : Small {
        char more;
    };
    SlotPool pool;
    Slot& slot = *pool.takeBatch();
    const auto begin = reinterpret_cast<std::uintptr_t>(&slot);
    std::uintptr_t at = 0;
    publish(slot, Small{&at, {}});
    run(slot);
    BOOST_TEST((at > begin && at < begin + sizeof(Slot)));
    publish(slot, Large{{&at, {}}, 'x'});
    run(slot);
    BOOST_TEST(!(at > begin && at < begin + sizeof(Slot)));
}

BOOST_AUTO_TEST_CASE(b25_a_callable_with_a_destructor_is_removed_in_two_steps) {
    SlotPool pool;
    Slot& slot = *pool.takeBatch();
    const auto owned = std::make_shared<int>(0);
    const TaskId id = publish(slot, [owned] {});
    BOOST_TEST((slot.phase() == Phase::ScheduledCallable));
    BOOST_TEST((slot.beginRemoval(id) == Removal::Begun));
    BOOST_TEST((slot.beginRemoval(id) == Removal::None));
    BOOST_TEST(!slot.take(Phase::Running));
    BOOST_TEST((slot.phase() == Phase::Removing));
    slot.destroyCallable();
    slot.endRemoval();
    BOOST_TEST(owned.use_count() == 1);
    BOOST_TEST((slot.phase() == Phase::Removed));
    BOOST_TEST((slot.beginRemoval(id) == Removal::None));
}

BOOST_AUTO_TEST_CASE(b21_of_a_run_and_removals_that_race_exactly_one_gets_the_task) {
    SlotPool pool;
    Slot& slot = *pool.takeBatch();
    TaskId id = publish(slot);
    std::atomic<int> removed{0};
    std::atomic<int> run{0};
    const auto remove = [&](int) { removed += slot.beginRemoval(id) == Removal::Done; };
    int rounds = 0;
    test::race(1000, {remove, remove, [&](int) { run += slot.take(Phase::Running); }}, [&](int) {
        BOOST_REQUIRE_EQUAL(removed + run, ++rounds);
        slot.free();
        id = publish(slot);
    });
    BOOST_TEST(rounds == 1000);
}

BOOST_AUTO_TEST_CASE(d8_no_id_is_0_and_none_comes_twice_in_all_the_uses_of_a_slot) {
    // From both ends of the range: the 2^31 uses in between differ by their version alone.
    for (const std::uint32_t firstVersion : {2U, 0x7FFFFFF0U, 0xFFFFFFF0U}) {
        SlotPool pool(SlotPool::Limits{64, firstVersion});
        Slot& slot = *pool.takeBatch();
        std::set<TaskId> ids;
        bool usable = true;
        for (int use = 0; use < 32 && usable; ++use) {
            const TaskId id = publish(slot);
            BOOST_TEST(id != 0U);
            BOOST_TEST(ids.insert(id).second);
            BOOST_TEST((slot.beginRemoval(0) == Removal::None));
            usable = use % 2 == 0 ? run(slot) : remove(slot, id);
            BOOST_TEST((slot.beginRemoval(0) == Removal::None));
        }
        BOOST_TEST(usable == (firstVersion != 0xFFFFFFF0U));
        BOOST_TEST(ids.size() == (firstVersion == 0xFFFFFFF0U ? 8U : 32U));
    }
}
