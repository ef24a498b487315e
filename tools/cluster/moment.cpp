// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "moment.hpp"

#include "../text/parsing.hpp"
#include "../text/time_text.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace cluster_tool {

namespace {

constexpr const char* kDigits = "0123456789";
constexpr std::size_t kPoint = 19;  // the length of 2030-01-01T08:00:00

bool hasOffset(const std::string& text) {
    return text.back() == 'Z' || text.find_first_of("+-", kPoint) != text.npos;
}

/// Removes the decimals of the seconds, of which parseDate() takes three.
std::chrono::nanoseconds takeDecimals(std::string& text) {
    if (text[kPoint] != '.') return {};
    const std::size_t end = text.find_first_not_of(kDigits, kPoint + 1);
    std::string digits = text.substr(kPoint + 1, end - kPoint - 1);
    if (digits.empty() || digits.size() > 9) return {};
    text.erase(kPoint, digits.size() + 1);
    digits.resize(9, '0');
    return std::chrono::nanoseconds(std::stoll(digits));
}

}  // namespace

jtimer::When parseWhen(const std::string& text) {
    // A duration has no T.
    if (text.find('T') == text.npos) {
        try {
            return parseDuration(text);
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument(e.what() +
                                        std::string(", or a time such as 2030-01-01T08:00:00Z"));
        }
    }
    std::string rest = text;
    if (text.size() <= kPoint || !hasOffset(text))
        failExpecting(inQuotes(text) + " has no UTC offset", "one, such as 2030-01-01T08:00:00Z");
    const std::chrono::nanoseconds decimals = takeDecimals(rest);
    return parseDate(rest) + decimals;
}

std::chrono::milliseconds parsePeriod(const std::string& text) {
    const std::chrono::milliseconds period = parseDuration(text);
    if (period.count() == 0) failExpecting(inQuotes(text) + " is no time", "one such as 10s");
    return period;
}

}  // namespace cluster_tool
