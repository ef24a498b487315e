// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What a Store writes at the ends of runs.

#include "cluster/plain_session.hpp"
#include "cluster/store_fixture.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

BOOST_FIXTURE_TEST_SUITE(store_ends, test::StoreFixture)

BOOST_AUTO_TEST_CASE(k25_a_fixed_rate_keeps_its_phase) {
    const Micros first = store.now() - 1;
    schedule("n", "i", Schedule::fixedRate(toDate(first), milliseconds(1500)));
    BOOST_TEST((end(claimOne(), End::Kind::Success) == EndStatus::Written));
    BOOST_TEST((find().scheduledExecutionTime == toDate(first + 1'500'000)));

    // A run that is moved does not move the others.
    store.reschedule("n", "i", toDate(first + 1'600'000));
    store.advance(2 * kSecond);
    const auto moved = claimOne();
    BOOST_TEST(moved->due == first + 1'600'000);
    BOOST_TEST((end(moved, End::Kind::Success) == EndStatus::Written));
    BOOST_TEST((find().scheduledExecutionTime == toDate(first + 3'000'000)));
}

BOOST_AUTO_TEST_CASE(k5_a_run_that_is_moved_into_the_past_repeats_no_period) {
    constexpr Micros kHour = 3'600 * kSecond;
    const Micros first = store.now() - 7 * kHour / 2;
    const auto dueIs = [&](int period) {
        return find().scheduledExecutionTime == toDate(first + period * kHour);
    };
    schedule("n", "i", Schedule::fixedRate(toDate(first), hours(1), jtimer::MissedRuns::Burst));
    for (int period = 0; period < 4; ++period) {
        BOOST_TEST(dueIs(period));
        BOOST_TEST((end(claimOne(), End::Kind::Success) == EndStatus::Written));
    }
    const Micros before = store.now();
    BOOST_TEST(store.reschedule("n", "i", jtimer::Date()));
    const auto moved = claimOne();
    BOOST_TEST(moved->due >= before);
    BOOST_TEST(moved->due <= moved->claimedAt);
    BOOST_TEST((end(moved, End::Kind::Success) == EndStatus::Written));
    BOOST_TEST(dueIs(4));

    store.advance(2 * kHour);
    End again;
    again.task = claimOne();
    again.again = jtimer::When(jtimer::Date());
    BOOST_TEST((write(again) == EndStatus::Written));
    BOOST_TEST(dueIs(4));
    BOOST_TEST((end(claimOne(), End::Kind::Success) == EndStatus::Written));
    BOOST_TEST(dueIs(5));
    // It is due, and may be due earlier, but not at the time of a period that has ended.
    BOOST_TEST(store.reschedule("n", "i", toDate(first)));
    BOOST_TEST(dueIs(5));
}

BOOST_AUTO_TEST_CASE(k25_a_fixed_delay_counts_from_the_end_of_a_run) {
    schedule("n", "i", Schedule::fixedDelay(0, hours(1)));
    const auto task = claimOne();
    store.advance(100 * kSecond);
    const Micros before = store.now();
    BOOST_TEST((end(task, End::Kind::Success) == EndStatus::Written));
    const Micros after = store.now();
    const Micros due = toMicros(jtimer::When(find().scheduledExecutionTime)) - 3'600 * kSecond;
    BOOST_TEST(due >= before);
    BOOST_TEST(due <= after);
}

BOOST_AUTO_TEST_CASE(k26_missed_runs_are_repeated_skipped_or_merged) {
    using jtimer::MissedRuns;
    const Micros first = store.now() - kSecond;
    // 101 s after the first, a period of 10 s: 10 have passed.
    const auto dueAfter = [&](MissedRuns missedRuns, std::uint64_t& missed) {
        schedule("n", "i", Schedule::fixedRate(toDate(first), seconds(10), missedRuns), {},
                 IfExists::Replace);
        const auto task = claimOne();
        BOOST_TEST(task->missedRuns == 0U);
        store.advance(100 * kSecond);
        BOOST_TEST((end(task, End::Kind::Success) == EndStatus::Written));
        const Micros due = toMicros(jtimer::When(find().scheduledExecutionTime));
        store.advance(10 * kSecond);
        missed = claimOne()->missedRuns;
        store.advance(-110 * kSecond);
        return (due - first) / kSecond;
    };
    std::uint64_t missed = 0;
    BOOST_TEST(dueAfter(MissedRuns::Burst, missed) == 10);
    BOOST_TEST(missed == 0U);
    BOOST_TEST(dueAfter(MissedRuns::Skip, missed) == 110);
    BOOST_TEST(missed == 10U);
    BOOST_TEST(dueAfter(MissedRuns::Once, missed) == 100);
    BOOST_TEST(missed == 9U);
}

BOOST_AUTO_TEST_CASE(k36_the_ends_of_many_runs_are_one_write) {
    for (int i = 0; i < 5; ++i) schedule("n", std::to_string(i), Schedule::once(0));
    std::vector<End> ends;
    for (const ClaimedTask& task : claim()) {
        End end;
        end.task = std::make_shared<const ClaimedTask>(task);
        ends.push_back(end);
    }
    BOOST_REQUIRE(ends.size() == 5U);
    store.cancel("n", ends[1].task->id);
    const std::vector<EndStatus> statuses = store.writeEnds(ends);
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        BOOST_TEST((statuses[i] == (i == 1 ? EndStatus::Fenced : EndStatus::Written)));
    }
    BOOST_TEST(store.list({}).empty());
}

BOOST_AUTO_TEST_CASE(k36_an_end_whose_row_is_locked_is_left_and_the_others_are_written) {
    for (const char* const id : {"1", "2", "3"}) schedule("n", id, Schedule::once(0));
    std::vector<End> ends;
    for (const ClaimedTask& task : claim()) {
        End end;
        end.task = std::make_shared<const ClaimedTask>(task);
        ends.push_back(end);
    }
    BOOST_REQUIRE(ends.size() == 3U);
    auto fenced = std::make_shared<ClaimedTask>(*ends[2].task);
    fenced->token -= 3;
    ends[2].task = fenced;
    test::Session other;
    other("begin");
    other("select 1 from \"" + options.schema + "\".task where id = $1 for update",
          {ends[0].task->id});
    const auto statuses = [&] { return store.writeEnds(ends); };
    BOOST_TEST((statuses() ==
                std::vector<EndStatus>{EndStatus::Locked, EndStatus::Written, EndStatus::Fenced}));
    ends[0].wasLocked = true;
    BOOST_TEST((statuses() ==
                std::vector<EndStatus>{EndStatus::Locked, EndStatus::Fenced, EndStatus::Fenced}));
    other("commit");
    BOOST_TEST((statuses() ==
                std::vector<EndStatus>{EndStatus::Written, EndStatus::Fenced, EndStatus::Fenced}));
    BOOST_TEST(ask("select count(*) from @.task") == "1");
}

// The statement that only deletes leaves it, and the other one writes it.
BOOST_AUTO_TEST_CASE(k17_a_one_shot_that_repeats_since_its_run_began_goes_on) {
    schedule("n", "i", Schedule::once(0));
    End end;
    end.task = claimOne();
    const jtimer::Date later = toDate(store.now() + 500 * kSecond);
    BOOST_TEST(schedule("n", "i", Schedule::fixedRate(later, seconds(7))) == 1U);
    BOOST_TEST((write(end) == EndStatus::Locked));
    BOOST_TEST((find().state == State::Running));
    end.wasLocked = true;
    BOOST_TEST((write(end) == EndStatus::Written));
    BOOST_TEST((find().state == State::Scheduled));
    BOOST_TEST((find().scheduledExecutionTime == later));
}

BOOST_AUTO_TEST_CASE(k42_again_and_a_new_payload_are_stored_with_the_end) {
    schedule("n", "i", Schedule::once(0), "a");
    End end;
    end.task = claimOne();
    end.again = jtimer::When(toDate(store.now() + 50 * kSecond));
    end.payload = std::string("\0b", 2);
    BOOST_TEST((write(end) == EndStatus::Written));
    BOOST_TEST((find().scheduledExecutionTime == toDate(toMicros(*end.again))));
    BOOST_TEST(find().payload == std::string("\0b", 2));
    BOOST_TEST(find().attempt == 0);
}

BOOST_AUTO_TEST_CASE(k43_an_end_without_a_row_changes_nothing) {
    schedule("n", "i", Schedule::once(0));
    const auto task = claimOne();
    auto other = std::make_shared<ClaimedTask>(*task);
    other->token -= 1;
    BOOST_TEST((end(other, End::Kind::Success) == EndStatus::Fenced));
    BOOST_TEST(!store.outcomeOf(1, *task).has_value());
    BOOST_TEST(store.outcomeOf(1, *other).has_value());
    BOOST_TEST((end(task, End::Kind::Success) == EndStatus::Written));
    BOOST_TEST(store.outcomeOf(1, *task).has_value());
}

BOOST_AUTO_TEST_CASE(k47_a_failure_is_due_again_after_its_pause) {
    schedule("n", "i", Schedule::once(0));
    const auto task = claimOne();
    BOOST_TEST((end(task, End::Kind::Retry, 5 * kSecond) == EndStatus::Written));
    BOOST_TEST((find().state == State::Retrying));
    BOOST_TEST(find().lastError == "broken");
    BOOST_TEST((find().scheduledExecutionTime == toDate(task->due)));
    BOOST_TEST(claim().empty());
    store.advance(5 * kSecond);
    const auto again = claimOne();
    BOOST_TEST(again->due == task->due);
    BOOST_TEST(again->attempt == 2);
}

BOOST_AUTO_TEST_CASE(k50_a_repeating_task_that_is_given_up_keeps_the_error_and_goes_on) {
    const Micros first = store.now() - 1;
    schedule("n", "i", Schedule::fixedRate(toDate(first), seconds(60)));
    BOOST_TEST((end(claimOne(), End::Kind::GiveUp) == EndStatus::Written));
    BOOST_TEST((find().state == State::Scheduled));
    BOOST_TEST(find().lastError == "broken");
    BOOST_TEST((find().scheduledExecutionTime == toDate(first + 60 * kSecond)));
    store.advance(60 * kSecond);
    const auto task = claimOne();
    BOOST_TEST(task->attempt == 1);
    BOOST_TEST((end(task, End::Kind::Dead) == EndStatus::Written));
    BOOST_TEST((find().state == State::Dead));
}

BOOST_AUTO_TEST_SUITE_END()
