// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "line_options.hpp"

#include "../text/parsing.hpp"
#include "../text/time_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

namespace {

constexpr int kMostRetries = 1000;

void setOverlap(std::string_view text, Entry& entry) {
    if (text == "wait") {
        entry.overlap = Overlap::Wait;
    } else if (text == "skip") {
        entry.overlap = Overlap::Skip;
    } else if (text == "kill") {
        entry.overlap = Overlap::Kill;
    } else {
        failExpecting(inQuotes(text) + " is not a rule for runs that overlap",
                      "wait, skip or kill");
    }
}

/// Reads `3` or `3/10s`.
void setRetry(std::string_view text, Entry& entry) {
    Retry retry;
    const std::size_t slash = text.find('/');
    const std::string_view times = text.substr(0, slash);
    const std::optional<int> count = parseCount(times, kMostRetries);
    if (!count) {
        failExpecting(inQuotes(times) + " is not a number of retries",
                      "1 to " + std::to_string(kMostRetries) + ", as in retry=3 or retry=3/10s");
    }
    retry.times = *count;
    if (slash != text.npos) retry.delay = parseDuration(text.substr(slash + 1));
    entry.retry = retry;
}

void setFolder(std::string_view text, Entry& entry) {
    std::error_code none;
    if (!std::filesystem::is_directory(text, none))
        failExpecting(inQuotes(text) + " is not a folder here", "one in which the command runs");
    entry.folder = text;
}

void setUser(std::string_view text, Entry& entry) { entry.user = User::toRunAs(std::string(text)); }

/// \returns a duration of at least 1ms
std::chrono::milliseconds parseSpan(std::string_view text) {
    const std::chrono::milliseconds span = parseDuration(text);
    if (span.count() == 0) failExpecting(inQuotes(text) + " is no time at all", "at least 1ms");
    return span;
}

void setTimeout(std::string_view text, Entry& entry) { entry.timeout = parseSpan(text); }

void setStartWithin(std::string_view text, Entry& entry) { entry.startWithin = parseSpan(text); }

void setJitter(std::string_view text, Entry& entry) { entry.jitter = parseDuration(text); }

struct LineOption {
    std::string_view name;
    std::string_view values;
    void (*set)(std::string_view text, Entry& entry);
};

constexpr std::array<LineOption, 7> kLineOptions{{
    {"overlap", "wait|skip|kill", setOverlap},
    {"retry", "TIMES[/DURATION]", setRetry},
    {"timeout", "DURATION", setTimeout},
    {"jitter", "DURATION", setJitter},
    {"start-within", "DURATION", setStartWithin},
    {"cwd", "DIR", setFolder},
    {"user", "NAME", setUser},
}};

/// \returns null if there is none of that name
const LineOption* find(std::string_view name) {
    const auto* const found =
        std::find_if(kLineOptions.begin(), kLineOptions.end(),
                     [name](const LineOption& each) { return each.name == name; });
    return found == kLineOptions.end() ? nullptr : found;
}

std::string allOptions() {
    std::string text;
    for (const LineOption& each : kLineOptions)
        text.append(each.name).append("=").append(each.values).append(", ");
    return text;
}

}  // namespace

bool isOption(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != word.npos && find(word.substr(0, equals)) != nullptr;
}

bool hasOption(const Entry& entry, const std::string& name) {
    return (' ' + entry.options).find(' ' + name + '=') != std::string::npos;
}

void takeOptions(Words& words, Entry& entry) {
    std::set<std::string_view> names;
    for (;;) {
        const std::string_view word = words.peek();
        const std::size_t equals = word.find('=');
        if (equals == word.npos) return;
        const LineOption* const option = find(word.substr(0, equals));
        if (option == nullptr)
            failExpecting(inQuotes(word) + " is not an option",
                          allOptions() + "or a name without =");
        if (!names.insert(option->name).second)
            failExpecting(inQuotes(option->name) + " occurs twice", "one");
        option->set(word.substr(equals + 1), entry);
        entry.options.append(entry.options.empty() ? "" : " ").append(word);
        words.take();
    }
}

void takeDefaults(const std::string& options, Entry& defaults) {
    Words words(options);
    takeOptions(words, defaults);
    if (!words.rest().empty())
        failExpecting(inQuotes(words.peek()) + " is not an option", "options such as retry=3/10s");
    defaults.options.clear();
}
