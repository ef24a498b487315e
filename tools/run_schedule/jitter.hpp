// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <string>

/// By how much the times of a line are moved on a host: less than `most`, and always the same, so
/// that intervals stay exact, and restarts and dry runs agree.
std::chrono::milliseconds jitterOf(const std::string& host, const std::string& line,
                                   std::chrono::milliseconds most);
