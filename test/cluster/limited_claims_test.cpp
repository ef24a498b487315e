// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What claims of names with limits take.

#include "cluster/columns.hpp"
#include "cluster/connection.hpp"
#include "cluster/due_tasks.hpp"
#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/schema.hpp"
#include "cluster/session.hpp"
#include "cluster/statements.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/pause.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <optional>
#include <string>

using namespace jtimer::cluster;

namespace {

constexpr detail::Micros kSecond = 1'000'000;

/// A Store with two nodes.
struct Fixture : test::DueTasks {
    Fixture()
        : store(options), node(store.registerNode({"one", 30 * kSecond}).node),
          other(store.registerNode({"two", 30 * kSecond}).node) {}

    static std::string idsOf(const detail::Claim& claim) {
        std::string ids;
        for (const detail::ClaimedTask& task : claim.tasks) ids += task.name + task.id + ' ';
        return ids;
    }

    static std::string leftOf(detail::Claim claim) {
        std::sort(claim.left.begin(), claim.left.end());
        std::string left;
        for (const std::string& name : claim.left) left += name;
        return left;
    }

    /// Takes the lock of a name that a claim would take.
    static std::string lock(test::Session& session, const std::string& schema,
                            const std::string& name) {
        return session("select pg_try_advisory_xact_lock(hashtextextended($1, "
                       "hashtextextended($2, 0)))",
                       {name, schema});
    }

    detail::Store store;
    detail::NodeNumber node, other;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(limited_claims, Fixture)

BOOST_AUTO_TEST_CASE(o30_a_claim_takes_of_each_name_as_many_as_it_has_room) {
    add("a", 4, 100);
    add("b", 4, 200);
    add("c", 1, 50);
    add("others", 9, 900);
    const auto claim = [&](int limit) {
        return store.claimLimited(node, {{"a", 2}, {"b", 1}, {"c", 2}}, limit);
    };
    // Those that have been due longest, as far as there is room.
    const detail::Claim two = claim(2);
    BOOST_TEST(idsOf(two) == "b1 a1 ");
    BOOST_TEST(leftOf(two) == "abc");
    const detail::Claim all = claim(10);
    BOOST_TEST(idsOf(all) == "b2 a2 a3 c1 ");
    BOOST_TEST(leftOf(all) == "ab");
    const detail::Claim rest = claim(10);
    BOOST_TEST(idsOf(rest) == "b3 a4 ");
    BOOST_TEST(leftOf(rest) == "b");
    BOOST_TEST(!rest.leftOut);
    BOOST_TEST(!rest.more);
    BOOST_TEST(!rest.othersFirst);
}

BOOST_AUTO_TEST_CASE(o30_a_claim_within_limits_tells_the_next_wake_of_all_its_names) {
    add("a", 1, -100);
    add("b", 1, -50);
    const detail::Claim claim = store.claimLimited(node, {{"a", 1}, {"b", 1}}, 1);
    BOOST_TEST((claim.nextWakeIn.value() > 45 * kSecond && *claim.nextWakeIn <= 51 * kSecond));
    BOOST_TEST(leftOf(claim).empty());
    BOOST_TEST(!store.claimLimited(node, {{"a", 1}, {"b", 1}}, 1, kSecond).nextWakeIn.has_value());
    BOOST_TEST(store.claimInCluster(node, {{"a", 1, 1}}, 1).nextWakeIn.has_value());
}

BOOST_AUTO_TEST_CASE(o30_a_claim_within_limits_passes_by_what_others_have_locked) {
    add("a", 30);
    test::Session holds;
    holds("begin");
    holds("select 1 from \"" + options.schema + "\".task where id::int <= 25 for update");
    BOOST_TEST(idsOf(store.claimLimited(node, {{"a", 2}}, 10)) == "a26 a27 ");
    BOOST_TEST(idsOf(store.claimInCluster(node, {{"a", 2, 4}}, 10)) == "a28 a29 ");
    const detail::Claim full = store.claimInCluster(node, {{"a", 2, 4}}, 10);
    BOOST_TEST(idsOf(full).empty());
    BOOST_TEST(leftOf(full) == "a");
    holds("rollback");
}

BOOST_AUTO_TEST_CASE(o30_in_a_cluster_the_runs_of_all_nodes_count_until_they_have_ended) {
    add("a", 9);
    add("b", 9);
    const auto claim = [&](detail::NodeNumber number, int most) {
        return store.claimInCluster(number, {{"a", 10, most}}, 10);
    };
    BOOST_TEST(idsOf(claim(node, 2)) == "a1 a2 ");
    BOOST_TEST(idsOf(claim(other, 2)).empty());
    BOOST_TEST(leftOf(claim(other, 2)) == "a");
    BOOST_TEST(idsOf(claim(other, 3)) == "a3 ");  // each by its own limit
    BOOST_TEST(idsOf(claim(node, 2)).empty());
    // Also of a node that does not limit the name.
    BOOST_TEST(store.claim(other, {"a"}, 3).tasks.size() == 3U);
    BOOST_TEST(idsOf(claim(node, 6)).empty());
    BOOST_TEST(idsOf(claim(node, 8)) == "a7 a8 ");
    ask("delete from @.task where name = 'a' and id::int < 4");
    ask("update @.task set owner = null, wake = 'infinity' where id = '4' and name = 'a'");
    BOOST_TEST(idsOf(claim(node, 5)) == "a9 ");
    BOOST_TEST(running("b") == "0");
}

// A renewal would make the lease last again, and then there were too many.
BOOST_AUTO_TEST_CASE(o30_a_run_whose_lease_has_expired_counts_until_it_is_taken_over) {
    add("a", 3);
    const auto claim = [&] { return idsOf(store.claimInCluster(node, {{"a", 10, 1}}, 10)); };
    BOOST_TEST(idsOf(store.claimInCluster(other, {{"a", 10, 1}}, 10)) == "a1 ");
    ask("update @.node set lease_until = now() - interval '1 s' where name = 'two'");
    BOOST_TEST(claim().empty());
    BOOST_TEST(store.takeOver(node).tasks == 1U);
    BOOST_TEST(claim() == "a1 ");
    BOOST_TEST(claim().empty());
}

BOOST_AUTO_TEST_CASE(o31_a_name_that_another_node_is_claiming_is_left_out) {
    add("a", 2);
    add("b", 2);
    test::Session claims;
    claims("begin");
    BOOST_TEST(lock(claims, options.schema, "a") == "t");
    const detail::Claim others = store.claimInCluster(node, {{"a", 5, 5}, {"b", 5, 5}}, 10);
    BOOST_TEST(idsOf(others) == "b1 b2 ");
    BOOST_TEST(others.leftOut);
    BOOST_TEST(leftOf(others) == "a");
    claims("rollback");
    const detail::Claim own = store.claimInCluster(node, {{"a", 5, 5}, {"b", 5, 5}}, 10);
    BOOST_TEST(idsOf(own) == "a1 a2 ");
    BOOST_TEST(!own.leftOut);
    // Without due tasks, nothing is locked.
    claims("begin");
    BOOST_TEST(lock(claims, options.schema, "a") == "t");
    BOOST_TEST(!store.claimInCluster(node, {{"a", 5, 5}}, 10).leftOut);
    claims("rollback");
}

BOOST_AUTO_TEST_CASE(o31_the_same_name_in_another_schema_has_another_lock) {
    const test::Schema another;
    add("a", 1);
    test::Session claims;
    claims("begin");
    BOOST_TEST(lock(claims, another.options.schema, "a") == "t");
    BOOST_TEST(lock(claims, options.schema, "A") == "t");
    BOOST_TEST(idsOf(store.claimInCluster(node, {{"a", 1, 1}}, 1)) == "a1 ");
    claims("rollback");
}

// Two names with one key are, to the server, the same name twice.
BOOST_AUTO_TEST_CASE(o31_names_whose_keys_are_the_same_only_wait_for_each_other) {
    add("a", 1);
    detail::Connection one({options.conninfo, true, kSecond, false},
                           detail::Session::deadlineAfter(60 * kSecond));
    const auto send = [&](const std::string& sql) {
        one.command("command", sql, detail::Session::deadlineAfter(60 * kSecond));
    };
    const auto locked = [](detail::Connection& connection, const std::string& schema) {
        const detail::Statement statement = detail::statements::lockNames();
        const detail::Result result =
            connection.execute({nullptr, detail::inSchema(statement.sql, schema)},
                               detail::Params().text(schema).texts({"a", "a"}),
                               detail::Session::deadlineAfter(60 * kSecond));
        std::string all;
        for (int row = 0; row < result.rows(); ++row)
            all += result.boolean(row, detail::columns::lock::Locked) ? 't' : 'f';
        return all;
    };
    detail::Connection two({options.conninfo, true, kSecond, false},
                           detail::Session::deadlineAfter(60 * kSecond));
    send("begin");
    BOOST_TEST(locked(one, options.schema) == "tt");
    BOOST_TEST(locked(two, options.schema) == "ff");
    send("commit");
    BOOST_TEST(locked(two, options.schema) == "tt");
}

BOOST_AUTO_TEST_CASE(o16_a_claim_within_limits_that_does_not_know_of_a_pause_takes_nothing) {
    add("a", 1);
    BOOST_TEST(store.pause(Target::name("b"), "me", ""));
    BOOST_TEST(store.claimLimited({node, 0}, {{"a", 1}}, 1).nodeGone);
    BOOST_TEST(store.claimInCluster({node, 0}, {{"a", 1, 1}}, 1).nodeGone);
    BOOST_TEST(running("a") == "0");
    BOOST_TEST(idsOf(store.claimInCluster({node, 1}, {{"a", 1, 1}}, 1)) == "a1 ");
    ask("update @.task set owner = null");
    BOOST_TEST(idsOf(store.claimLimited({node, 1}, {{"a", 1}}, 1)) == "a1 ");
}

BOOST_AUTO_TEST_CASE(k34_a_claim_within_limits_that_finds_nothing_writes_nothing) {
    const auto next = [&] { return ask("select pg_snapshot_xmax(pg_current_snapshot())"); };
    store.claimInCluster(node, {{"a", 1, 1}}, 1);  // the connection is made
    const std::string before = next();
    store.claimInCluster(node, {{"a", 1, 1}}, 1);
    store.claimLimited(node, {{"a", 1}}, 1);
    BOOST_TEST(next() == before);
}

// The claims of the one are not committed when the other one counts.
BOOST_AUTO_TEST_CASE(o31_until_a_claim_is_committed_no_other_node_claims_tasks_of_its_names) {
    add("a", 4);
    add("b", 4);
    test::Recorder recorder;
    detail::Store first(options);
    detail::Store second(options);
    const detail::NodeNumber one = first.registerNode({"one", 30 * kSecond}).node;
    const detail::NodeNumber two = second.registerNode({"two", 30 * kSecond}).node;
    std::optional<detail::Claim> elsewhere;
    recorder.onAnswer("claim_in_cluster", [&] {
        if (elsewhere.has_value()) return;
        elsewhere.emplace();  // its own claim is answered, too
        *elsewhere = second.claimInCluster(two, {{"a", 9, 2}, {"b", 9, 3}}, 10);
    });
    BOOST_TEST(first.claimInCluster(one, {{"a", 9, 2}}, 10).tasks.size() == 2U);
    BOOST_REQUIRE(elsewhere.has_value());
    BOOST_TEST(elsewhere->leftOut);
    BOOST_TEST(elsewhere->tasks.size() == 3U);
    BOOST_TEST(running("a") == "2");
    BOOST_TEST(running("b") == "3");
}

BOOST_AUTO_TEST_SUITE_END()
