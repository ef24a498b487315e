// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/zone.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// Which instants a local time is. All are in seconds since 1970, a local time as if it were UTC.

namespace jtimer::detail {

/// What the library reads of a Zone.
struct ZoneAccess {
    /// Local time minus UTC, in seconds; nothing if the system does not know, as after 2038 with a
    /// 32-bit time_t.
    static std::optional<std::int64_t> offsetAt(const Zone& zone, std::int64_t instant);
};

/// The instants at which clocks show `local`, in their order: two where clocks are set back, none
/// where they skip it.
std::vector<std::int64_t> instantsOf(const Zone& zone, std::int64_t local);

/// The instant that `local` means. A time that the clocks skip means that much later; of a time
/// that they show twice, the second is meant.
std::optional<std::int64_t> instantOf(const Zone& zone, std::int64_t local);

}  // namespace jtimer::detail
