// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "zones.hpp"

#include "cluster/session.hpp"
#include "cluster/statements.hpp"

namespace jtimer::cluster::detail {

std::set<std::string> unknownZones(const Options& options, const std::set<std::string>& names) {
    std::string lines;
    for (const std::string& name : names) lines += (lines.empty() ? "" : "\n") + name;
    Session session(options, options.conninfo);
    session.open();
    const Result result = session.execute(statements::unknownZones(), Params().text(lines));
    std::set<std::string> unknown;
    for (int row = 0; row < result.rows(); ++row) unknown.insert(result.text(row, 0));
    return unknown;
}

}  // namespace jtimer::cluster::detail
