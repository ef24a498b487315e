// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "times.hpp"

#include "../../text/time_text.hpp"

#include <algorithm>
#include <cstddef>

namespace page {

namespace {

constexpr std::size_t kDay = 10, kSeconds = 19, kMillis = 23;  // of 2030-01-01T08:00:00.250000Z

const char* const kNone = "<span class=none>\u2013</span>";

std::string distance(jtimer::Date date, jtimer::Date now) {
    date = std::max(date, jtimer::Date());  // before 1970, the difference could overflow
    return date <= now ? inWords(now - date) + " ago" : "in " + inWords(date - now);
}

/// `text`, which is of `date`.
std::string timeElement(jtimer::Date date, const std::string& text) {
    return "<time datetime=" + inUtcMicros(date).substr(0, kSeconds) + "Z>" + text + "</time>";
}

}  // namespace

std::string relative(jtimer::Date date, jtimer::Date now) {
    return date == jtimer::Date::max() ? kNone : timeElement(date, distance(date, now));
}

std::string exact(jtimer::Date date, jtimer::Date now) {
    if (date == jtimer::Date::max()) return kNone;
    const std::string utc = inUtcMicros(date);
    return "<time datetime=" + utc + '>' + utc.substr(0, kDay) + ' ' +
           utc.substr(kDay + 1, kMillis - kDay - 1) + " UTC</time> (" + distance(date, now) + ')';
}

std::string dayAndTime(jtimer::Date date) {
    const std::string utc = inUtcMicros(date);
    return "<time>" + utc.substr(0, kDay) + ' ' + utc.substr(kDay + 1, kSeconds - kDay - 1) +
           "Z</time>";
}

std::string timeOfDay(jtimer::Date date) {
    return timeElement(date, inUtcMicros(date).substr(kDay + 1, kSeconds - kDay - 1) + " UTC");
}

}  // namespace page
