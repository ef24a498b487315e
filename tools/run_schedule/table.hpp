// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "ledger.hpp"

#include <chrono>
#include <string>
#include <vector>

/// `0.123 ms`.
std::string inMillis(std::chrono::nanoseconds time);

/// The records as a table for people.
/// \param node has a column, unless it is empty
std::string tableOf(const std::vector<Record>& records, const std::string& node = {});
