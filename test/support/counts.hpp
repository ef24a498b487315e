// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/stats.hpp>

#include <chrono>
#include <sstream>
#include <string>

namespace test {

/// What all timers count, in one line; of the lateness only the greatest, in microseconds.
inline std::string counts(const jtimer::CommonStats& stats) {
    const auto latest = std::chrono::duration_cast<std::chrono::microseconds>(stats.lateness.max());
    std::ostringstream out;
    out << "pending " << stats.pending << " executed " << stats.executed << " cancelled "
        << stats.cancelled << " failed " << stats.failed << " latest " << latest.count();
    if (stats.lateness.count() != stats.executed)
        out << ", but " << stats.lateness.count() << " are in the histogram";
    return out.str();
}

}  // namespace test
