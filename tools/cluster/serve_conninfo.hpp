// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <string>

namespace cluster_tool {

/// The same database, whose server ends each statement after that time, unless `conninfo` has
/// `options` of its own.
/// \param conninfo as libpq takes it: keywords and values, or a URI
/// \param environment the value of PGOPTIONS, which stays in force; may be null
std::string withTimeLimit(const std::string& conninfo, const char* environment,
                          std::chrono::milliseconds limit);

}  // namespace cluster_tool
