// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <optional>

namespace jtimer::detail {

/// Local time minus UTC, in seconds, at `instant` (in seconds since 1970), as the C library knows
/// it, or rereadLocalTime(). Nothing if the system does not know, as after 2038 with a 32-bit
/// time_t.
std::optional<std::int64_t> localOffsetAt(std::int64_t instant);

/// \returns false if TZ is one that the C library would take for UTC without a word, such as a
///   misspelt name, or any name where there is no database of time zones
bool isLocalZoneKnown();

/// If TZ is not set and /etc/localtime is another file than at the last call, has the C library
/// read it again.
/// \returns how often that has been so. Any thread may call this.
std::uint64_t lookAtLocalTime();

/// Reads the file of local time again, whether or not it has changed: the one that TZ names, which
/// the C library reads only once, or /etc/localtime. Any thread may call this.
void rereadLocalTime();

}  // namespace jtimer::detail
