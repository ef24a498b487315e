// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/schema.hpp"

#include <string>

namespace test {

/// A schema with one-shots that are due.
struct DueTasks : Schema {
    /// Tasks that have been due for so many seconds, the first of them the longest.
    void add(const std::string& name, int count, int seconds = 1000) const {
        ask("insert into @.task (name, id, payload, kind, missed, origin, due, wake) select '" +
            name + "', i::text, '', 'once', 'once', at, at, at from (select i, @.now() + (i - " +
            std::to_string(seconds) + ") * interval '1 s' as at from generate_series(1, " +
            std::to_string(count) + ") i) times");
    }

    std::string running(const std::string& name) const {
        return ask("select count(*) from @.task where owner is not null and name = '" + name + "'");
    }
};

}  // namespace test
