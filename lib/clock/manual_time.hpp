// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>
#include <jtimer/manual_clock.hpp>

namespace jtimer::detail {

/// What a ManualClock shows: for reports that it stands still. kNever for any other clock.
inline Nanos manualTime(const Clock& clock) noexcept {
    const auto* const manual = dynamic_cast<const ManualClock*>(&clock);
    return manual == nullptr ? kNever : manual->nanos();
}

}  // namespace jtimer::detail
