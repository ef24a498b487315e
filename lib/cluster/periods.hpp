// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>

namespace jtimer::cluster::detail {

/// SQL: how many periods lie between the first due of a fixed rate and a time, rounded by `round`,
/// which is floor or ceil.
inline std::string periods(const char* round, const char* time) {
    return std::string("pg_catalog.") + round + "((extract(epoch from " + time +
           " - origin) * 1000000)::bigint::numeric / period)";
}

/// SQL: the number of the period after that of a time. Before the first one, it is the first.
inline std::string periodAfter(const char* time) {
    return "greatest(0, " + periods("floor", time) + " + 1)";
}

}  // namespace jtimer::cluster::detail
