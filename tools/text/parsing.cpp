// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "parsing.hpp"

#include "utf8.hpp"

#include <charconv>
#include <stdexcept>
#include <system_error>

std::optional<int> parseCount(std::string_view text, int most) {
    int count = 0;
    const char* const end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || parsed != end || count < 1 || count > most) return std::nullopt;
    return count;
}

std::string inQuotes(std::string_view text) { return '"' + inPrintable(text) + '"'; }

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
    std::string result;
    for (const std::string& text : texts)
        result.append(&text == &texts.front() ? "" : separator).append(text);
    return result;
}

void failExpecting(const std::string& wrong, const std::string& expected) {
    throw std::invalid_argument(wrong + ": expected " + expected);
}
