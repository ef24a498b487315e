// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "option_values.hpp"

#include "../text/parsing.hpp"

#include <charconv>
#include <limits>
#include <system_error>

namespace cluster_tool {

std::size_t limitOf(const std::string& text) {
    if (const auto limit = parseCount(text, std::numeric_limits<int>::max()))
        return static_cast<std::size_t>(*limit);
    failExpecting(inQuotes(text) + " is not a number of tasks", "1 or more");
}

std::int64_t numberOf(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number > 0) return number;
    failExpecting(inQuotes(text) + " is not such a number", "1 or more");
}

int versionOf(const std::string& text) {
    if (text == "0") return 0;
    if (const auto version = parseCount(text, std::numeric_limits<int>::max())) return *version;
    failExpecting(inQuotes(text) + " is not a version of the schema", "a number from 0");
}

std::string notEmpty(const std::string& text) {
    if (text.empty()) failExpecting("it is empty", "a text");
    return text;
}

}  // namespace cluster_tool
