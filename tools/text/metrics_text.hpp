// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>
#include <string_view>

/// The value of a label in Prometheus' text format, in quotes.
std::string inLabel(std::string_view text);
