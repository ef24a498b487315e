// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/dates.hpp"

#include <jtimer/time.hpp>
#include <jtimer/zone.hpp>

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// A line of test/calendar/cron_cases.txt.
struct CronCase {
    std::string line;
    std::string expression;
    std::string zone;
    jtimer::Date after;
    jtimer::Date due;  ///< the first time later than `after`
};

/// Those whose zones this system has.
inline std::vector<CronCase> cronCases() {
    std::ifstream file("test/calendar/cron_cases.txt");
    std::vector<CronCase> cases;
    std::string line;
    while (std::getline(file, line)) {
        if (line.empty() || line.front() == '#') continue;
        std::vector<std::string> columns{""};
        for (const char c : line) {
            if (c == ';') {
                columns.emplace_back();
            } else if (c != ' ' || !columns.back().empty()) {
                columns.back() += c;
            }
        }
        if (columns.size() != 4) throw std::runtime_error("not a case: " + line);
        if (!jtimer::Zone::isKnown(columns[1])) continue;
        cases.push_back({line, columns[0], columns[1], utc(columns[2]), utc(columns[3])});
    }
    if (cases.empty()) throw std::runtime_error("no cases in test/calendar/cron_cases.txt");
    return cases;
}

}  // namespace test
