// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "tokio/entry.hpp"

#include <jtimer/detail/saturating.hpp>

#include <algorithm>

namespace jtimer::tokio::detail {

using jtimer::detail::Nanos;

/// The ticks of one wheel: milliseconds since the construction of its owner. The owner of a wheel
/// must itself convert the deadlines for that wheel.
class Ticks {
  public:
    explicit Ticks(Nanos start) noexcept : start_(start) {}

    Nanos start() const noexcept { return start_; }

    /// The tick of a moment: rounded down; 0 before the start.
    Tick at(Nanos moment) const noexcept { return sinceStart(moment) / kNanosPerMilli; }

    /// The tick in which a deadline is due: rounded up.
    Tick dueBy(Nanos deadline) const noexcept {
        const Nanos span = sinceStart(deadline);
        return span / kNanosPerMilli + (span % kNanosPerMilli != 0 ? 1 : 0);
    }

    /// The time at which a tick begins. The tick of a saturated deadline begins at kNever: if the
    /// start is before 1970, start + kNever would be a time that comes.
    Nanos timeOf(Tick tick) const noexcept {
        const Nanos span = jtimer::detail::saturatingMultiply(tick, kNanosPerMilli);
        if (span == jtimer::detail::kNever) return jtimer::detail::kNever;
        return jtimer::detail::saturatingAdd(start_, span);
    }

  private:
    static constexpr Nanos kNanosPerMilli = jtimer::detail::kNanosPerMilli;

    Nanos sinceStart(Nanos time) const noexcept {
        return std::max(Nanos{0}, jtimer::detail::saturatingSubtract(time, start_));
    }

    const Nanos start_;
};

}  // namespace jtimer::tokio::detail
