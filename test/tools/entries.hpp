// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "run_schedule/schedule_file.hpp"

#include <boost/test/unit_test.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace test {

/// The entries of the text of a schedule.
inline std::vector<Entry> entriesOf(const std::string& schedule) {
    std::istringstream file(schedule);
    Schedule parsed = parseSchedule(file, "f");
    BOOST_REQUIRE(parsed.errors.empty());
    return parsed.entries;
}

}  // namespace test
