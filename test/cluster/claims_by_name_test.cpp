// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// How a node finds its tasks among those of names that it has not registered.

#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/schema.hpp"
#include "cluster/store.hpp"
#include "support/gate.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <functional>
#include <string>

using namespace jtimer::cluster;

namespace {

constexpr detail::Micros kSecond = 1'000'000;

struct Fixture : test::Schema {
    Fixture() : store(options), node(store.registerNode({"one", 30 * kSecond}).node) {}

    /// A task that has been due for so many seconds; with a negative number, will be.
    void add(const std::string& name, const std::string& id, int seconds) const {
        ask("insert into @.task (name, id, payload, kind, missed, origin, due, wake) select '" +
            name + "', '" + id + "', '', 'once', 'once', at, at, at from (select @.now() - " +
            std::to_string(seconds) + " * interval '1 s' as at) clock");
    }

    static std::string idsOf(const detail::Claim& claim) {
        std::string ids;
        for (const detail::ClaimedTask& task : claim.tasks) ids += task.id;
        return ids;
    }

    detail::Claim byName(int limit) { return store.claimByName(node, {"a", "b", "c"}, limit); }

    /// The claims that a node has sent, in their order: t by time, n by name.
    static std::string claims(const test::Recorder& recorder) {
        std::string claims;
        for (const test::Sent& each : recorder.sent()) {
            if (each.name == "claim") claims += 't';
            if (each.name == "claim_by_name") claims += 'n';
        }
        return claims;
    }

    detail::Store store;
    detail::NodeNumber node;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(claims_by_name, Fixture)

BOOST_AUTO_TEST_CASE(o40_takes_the_first_of_all_names_in_the_order_of_their_wakes) {
    for (int i = 0; i < 20; ++i) add("others", "x" + std::to_string(i), 100);
    add("a", "3", 7);
    add("a", "1", 9);
    add("b", "4", 6);
    add("b", "2", 8);
    add("a", "5", 5);
    add("c", "6", 4);
    add("c", "7", -3600);
    BOOST_TEST(idsOf(byName(4)) == "1234");
    const detail::Claim rest = byName(4);
    BOOST_TEST(idsOf(rest) == "56");
    BOOST_TEST((rest.nextWakeIn.value() > 3590 * kSecond && *rest.nextWakeIn <= 3600 * kSecond));
    BOOST_TEST(!rest.more);
    BOOST_TEST(idsOf(byName(4)).empty());
    BOOST_TEST(ask("select count(*) from @.task where name = 'others' and owner is null") == "20");
    BOOST_TEST(ask("select count(*) from @.task where owner is not null and attempt = 1 and "
                   "token > 0 and started is not null") == "6");
}

BOOST_AUTO_TEST_CASE(o40_the_next_wake_is_of_these_names_and_no_farther_than_is_of_use) {
    add("others", "i", -1);
    BOOST_TEST(!byName(1).nextWakeIn.has_value());
    add("b", "i", -100);
    BOOST_TEST(!store.claimByName(node, {"a", "b"}, 1, 10 * kSecond).nextWakeIn.has_value());
    BOOST_TEST(store.claimByName(node, {"a", "b"}, 1, 200 * kSecond).nextWakeIn.has_value());
    BOOST_TEST(!store.claimByName(node, {"a"}, 1).nextWakeIn.has_value());
    add("a", "i", 0);
    // A full claim is followed by another one at once.
    BOOST_TEST(!byName(1).nextWakeIn.has_value());
}

BOOST_AUTO_TEST_CASE(o40_claims_no_dead_task_no_claimed_one_and_none_twice) {
    add("a", "1", 3);
    add("a", "2", 2);
    add("a", "3", 1);
    ask("update @.task set wake = 'infinity' where id = '2'");
    BOOST_TEST(idsOf(byName(1)) == "1");
    BOOST_TEST(idsOf(byName(10)) == "3");
    BOOST_TEST(idsOf(byName(10)).empty());
}

BOOST_AUTO_TEST_CASE(o40_a_node_without_a_row_gets_nothing) {
    add("a", "1", 1);
    const detail::Claim claim = store.claimByName(node + 1000, {"a"}, 1);
    BOOST_TEST(claim.nodeGone);
    BOOST_TEST(claim.tasks.empty());
    BOOST_TEST(ask("select count(*) from @.task where owner is null") == "1");
}

BOOST_AUTO_TEST_CASE(o40_passes_by_what_others_have_locked_and_says_if_there_may_be_more) {
    for (int i = 0; i < 9; ++i) add("a", std::to_string(i), 100 - i);
    add("b", "b", 1);
    test::Session other;
    other("begin");
    const auto lock = [&](const std::string& ids) {
        other("select 1 from \"" + options.schema + "\".task where id in (" + ids + ") for update");
    };
    lock("'0', '2', '3'");
    const detail::Claim some = byName(2);
    BOOST_TEST(idsOf(some) == "14");
    BOOST_TEST(!some.more);  // it has its limit
    lock("'5', '6', '7'");
    // 0, 2, 3 and 5 to 8 are left of a, and eight would be at hand.
    const detail::Claim last = byName(2);
    BOOST_TEST(idsOf(last) == "8b");
    lock("'0'");
    add("a", "9", 50);
    add("a", "x", 49);
    const detail::Claim none = store.claimByName(node, {"a"}, 1);
    BOOST_TEST(idsOf(none).empty());
    BOOST_TEST(none.more);
    const detail::Claim enough = store.claimByName(node, {"a"}, 3);
    BOOST_TEST(idsOf(enough) == "9x");
    BOOST_TEST(!enough.more);
    other("rollback");
}

BOOST_AUTO_TEST_CASE(o39_a_look_tells_whether_the_oldest_due_task_is_another_names) {
    const auto byTime = [&] { return store.claim(node, {"a"}, 1); };
    BOOST_TEST(!byTime().othersFirst);
    add("others", "later", -10);
    BOOST_TEST(!byTime().othersFirst);
    add("others", "i", 10);
    BOOST_TEST(byTime().othersFirst);
    BOOST_TEST(byName(1).othersFirst == true);
    add("a", "older", 20);
    BOOST_TEST(!byTime().othersFirst);
    BOOST_TEST(byTime().othersFirst);
    ask("update @.task set wake = 'infinity' where id = 'i'");
    BOOST_TEST(!byTime().othersFirst);
    BOOST_TEST(!byName(1).othersFirst);
    ask("update @.task set wake = now() where id = 'i'");
    // A continuation does not ask.
    BOOST_TEST(!store.claim(node, {"a"}, 1, detail::Micros{0}).othersFirst);
}

BOOST_AUTO_TEST_CASE(o39_a_node_looks_by_name_while_others_come_first_and_goes_on_by_time) {
    add("others", "i", 1000);
    for (int i = 0; i < 5; ++i) add("a", std::to_string(i), 100 - i);
    options.concurrency = 2;
    options.pollInterval = 3'600'000;
    options.executor = [](const std::function<void()>& run) { run(); };
    test::Recorder recorder;
    test::Gate lookedByName;
    recorder.onAnswer("claim_by_name", [&] { lookedByName.open(); });
    std::string ran;
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("a", [&](Run& run) {
        ran += run.id();
        runs.add();
    });
    scheduler.start();
    // A full look, a full continuation, another one, and a look that finds nothing.
    lookedByName.wait();
    BOOST_TEST(claims(recorder) == "tttn");
    ask("delete from @.task where id = 'i'");
    // By name once more, which says that nothing comes first.
    while (recorder.count("claim") == 3) {
        scheduler.wakeUp();
        boost::this_thread::sleep_for(boost::chrono::milliseconds(1));
    }
    scheduler.stop();
    BOOST_TEST(claims(recorder).substr(0, 6) == "tttnnt");
    BOOST_TEST(ran == "01234");
    BOOST_TEST(runs.get() == 5);
}

BOOST_AUTO_TEST_CASE(o40_what_others_hold_for_long_starves_no_task_behind_it) {
    add("others", "i", 1000);
    for (int i = 0; i < 4; ++i) add("a", "held" + std::to_string(i), 100);
    test::Session other;
    other("begin");
    other("select 1 from \"" + options.schema + "\".task where name = 'a' for update");
    options.concurrency = 1;
    options.pollInterval = 3'600'000;
    const test::Recorder recorder;
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("a", [&](Run& run) {
        if (run.id() == "free") runs.add();
    });
    scheduler.start();
    scheduler.schedule("a", "free", 0);
    runs.await(1);
    other("rollback");
    scheduler.stop();
    // It does not look again and again either.
    BOOST_TEST(claims(recorder).size() < 20U, claims(recorder));
}

BOOST_AUTO_TEST_SUITE_END()
