// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/schema.hpp"
#include "cluster/store.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace test {

/// A schema for tests, a Store, and a node.
struct StoreFixture : Schema {
    using ClaimedTask = jtimer::cluster::detail::ClaimedTask;
    using End = jtimer::cluster::detail::End;
    using EndStatus = jtimer::cluster::detail::EndStatus;
    using IfExists = jtimer::cluster::IfExists;
    using Micros = jtimer::cluster::detail::Micros;

    static constexpr Micros kSecond = 1'000'000;
    static constexpr Micros kLease = 30 * kSecond;

    StoreFixture() : store(options) { node = store.registerNode({"one", kLease}).node; }

    std::size_t schedule(const std::string& name, const std::string& id,
                         const jtimer::cluster::Schedule& when, const std::string& payload = {},
                         IfExists ifExists = IfExists::Update) {
        return store.schedule({{name, id, when, payload, ifExists}});
    }

    std::vector<ClaimedTask> claim(int limit = 10) { return store.claim(node, {"n"}, limit).tasks; }

    std::shared_ptr<const ClaimedTask> claimOne() {
        const std::vector<ClaimedTask> tasks = claim(1);
        BOOST_REQUIRE(tasks.size() == 1);
        return std::make_shared<const ClaimedTask>(tasks[0]);
    }

    EndStatus end(const std::shared_ptr<const ClaimedTask>& task, End::Kind kind,
                  Micros delay = 0) {
        End end;
        end.task = task;
        end.kind = kind;
        end.delay = delay;
        if (kind != End::Kind::Success) end.error = "broken";
        return write(end);
    }

    EndStatus write(const End& end) {
        std::vector<End> ends{end};
        return store.writeEnds(ends)[0];
    }

    jtimer::cluster::TaskInfo find(const std::string& id = "i") {
        const auto found = store.find("n", id);
        BOOST_REQUIRE(found.has_value());
        return *found;
    }

    jtimer::cluster::detail::Store store;
    jtimer::cluster::detail::NodeNumber node;
};

}  // namespace test
