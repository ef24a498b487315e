// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

#include "cluster/name_limits.hpp"

#include "cluster/open_names.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace {

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;

Registry registry() {
    Registry registry;
    for (const char* const name : {"a", "b", "c", "d", "u"})
        registry.emplace(name, Registered{[](Run&) {}, {}});
    registry.at("a").options.concurrency = 2;
    registry.at("b").options.concurrency = 1;
    registry.at("c").options.clusterConcurrency = 7;
    registry.at("d").options.clusterConcurrency = 8;
    registry.at("d").options.concurrency = 3;
    return registry;
}

std::string roomOf(NameLimits& limits, const std::vector<std::string>& names, int limit) {
    std::string text;
    for (const LimitedName& each : limits.roomOf(names, limit))
        text += each.name + std::to_string(each.room) + '/' + std::to_string(each.most) + ' ';
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(o30_a_name_is_claimed_with_those_that_are_limited_alike) {
    const Registry names = registry();
    const auto limited = [&](const char* name) { return limitedBy(names.at(name).options); };
    BOOST_TEST((limited("u") == Limited::Not));
    BOOST_TEST((limited("a") == Limited::InNode));
    BOOST_TEST((limited("c") == Limited::InCluster));
    BOOST_TEST((limited("d") == Limited::InCluster));
}

BOOST_AUTO_TEST_CASE(o30_there_is_room_for_as_many_as_the_limit_less_the_slots_of_the_name) {
    NameLimits limits(registry());
    BOOST_TEST(roomOf(limits, {"a", "b", "c", "d"}, 10) == "a2/0 b1/0 c10/7 d3/8 ");
    BOOST_TEST(roomOf(limits, {"a", "b", "c", "d"}, 1) == "a1/0 b1/0 c1/7 d1/8 ");
    for (const char* const name : {"a", "b", "c", "d", "u"}) limits.occupies(name);
    BOOST_TEST(roomOf(limits, {"a", "b", "c", "d"}, 10) == "a1/0 c10/7 d2/8 ");
    for (const char* const name : {"a", "b", "c", "d", "u"}) limits.freed(name);
    BOOST_TEST(roomOf(limits, {"d", "b"}, 10) == "d3/8 b1/0 ");
}

BOOST_AUTO_TEST_CASE(o31_an_end_lets_tasks_begin_of_a_name_that_has_some_left) {
    NameLimits limits(registry());
    for (const char* const name : {"a", "b", "c", "d", "u"}) {
        limits.occupies(name);
        limits.occupies(name);
    }
    // Nothing has been looked for yet.
    BOOST_TEST(!limits.freed("a"));
    BOOST_TEST(!limits.endWritten("c"));
    const std::vector<LimitedName> a = limits.roomOf({"a", "b"}, 10);
    const std::vector<LimitedName> c = limits.roomOf({"c", "d"}, 10);
    BOOST_TEST(a.size() == 1U);
    // While the server answers.
    limits.occupies("a");
    BOOST_TEST(limits.freed("a"));
    BOOST_TEST(limits.endWritten("c"));
    limits.looked(a, {});
    limits.looked(c, {"d"});
    BOOST_TEST(!limits.freed("a"));
    BOOST_TEST(limits.freed("b"));  // it was not asked for
    BOOST_TEST(!limits.endWritten("c"));
    BOOST_TEST(limits.endWritten("d"));
    // In the cluster a run counts until its end is written, in a node until its slot is free.
    BOOST_TEST(!limits.freed("d"));
    BOOST_TEST(!limits.endWritten("b"));
    BOOST_TEST(!limits.freed("u"));
    BOOST_TEST(!limits.endWritten("u"));
}

BOOST_AUTO_TEST_CASE(o30_what_is_wanted_is_looked_for_in_turn) {
    Turns turns(registry());
    const auto take = [&] { return static_cast<int>(turns.take()); };
    BOOST_TEST(take() == 0);
    turns.want(Limited::Not);
    BOOST_TEST(take() == 1);
    BOOST_TEST(take() == 2);
    BOOST_TEST(turns.anyWanted());
    BOOST_TEST(take() == 0);
    BOOST_TEST(!turns.anyWanted());
    turns.want(Limited::Not);
    BOOST_TEST(take() == 0);
    turns.wantAll();
    turns.wantAll();
    BOOST_TEST(take() == 1);
    BOOST_TEST(take() == 2);
    BOOST_TEST(take() == 0);
    BOOST_TEST(!turns.anyWanted());
}

BOOST_AUTO_TEST_CASE(o31_only_names_that_there_are_have_a_turn) {
    Registry one;
    one.emplace("c", Registered{[](Run&) {}, {}});
    one.at("c").options.clusterConcurrency = 1;
    Turns turns(one);
    BOOST_TEST((turns.take() == Limited::InCluster));
    BOOST_TEST(!turns.anyWanted());
    // A node that registers nothing still frees what it has claimed without its knowledge.
    Turns none{Registry()};
    BOOST_TEST((none.take() == Limited::Not));
    BOOST_TEST(!none.anyWanted());
    none.wantAll();
    BOOST_TEST((none.take() == Limited::Not));
}

BOOST_AUTO_TEST_CASE(o30_names_that_are_not_paused_are_kept_by_how_they_are_limited) {
    OpenNames names(0);
    for (const auto& [name, registered] : registry())
        names.add(name, limitedBy(registered.options));
    BOOST_TEST(!names.areKnown(1, 0));
    BOOST_TEST(names.read(1, {5, false, {}}, 0));
    BOOST_TEST(names.areKnown(1, 1'000'000'000));
    BOOST_TEST(names.get(Limited::Not) == std::vector<std::string>({"u"}));
    BOOST_TEST(names.get(Limited::InNode) == std::vector<std::string>({"a", "b"}));
    BOOST_TEST(names.get(Limited::InCluster) == std::vector<std::string>({"c", "d"}));
    BOOST_TEST(!names.read(1, {6, false, {"other"}}, 0));
    BOOST_TEST(names.areKnown(1, 1'000'000'000));
    BOOST_TEST(names.read(1, {7, false, {"a", "c"}}, 0));
    BOOST_TEST(!names.areKnown(1, 1'000'000'000));
    BOOST_TEST(names.get(Limited::InNode) == std::vector<std::string>({"b"}));
    BOOST_TEST(names.get(Limited::InCluster) == std::vector<std::string>({"d"}));
    BOOST_TEST(names.read(1, {8, true, {}}, 0));
    BOOST_TEST(names.get(Limited::Not).empty());
    BOOST_TEST(!names.areKnown(1, 1'000'000'000));
}
