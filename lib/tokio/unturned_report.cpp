// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "tokio/unturned_report.hpp"

#include "clock/manual_time.hpp"

#include <optional>

namespace jtimer::tokio::detail {

using jtimer::detail::manualTime;

void UnturnedReport::begin(const Lock& lock) noexcept {
    turns_ = driver_.turns(lock);
    manualTime_ = manualTime(*driver_.clock());
}

/// As long as nothing is due, no turn is needed: but the time of a ManualClock does not come by
/// itself.
std::string UnturnedReport::text() {
    {
        const Lock lock = driver_.enter();
        if (driver_.isTurning(lock) || driver_.turns(lock) != turns_) return {};
    }
    const Nanos manual = manualTime(*driver_.clock());
    const std::optional<Nanos> next = driver_.nextWake();
    const bool standsStill = manual != kNever && manual == manualTime_;
    if (!standsStill && (!next || *next > driver_.now())) return {};
    return sentence(&driver_.title(), call_,
                    ", and no thread has turned this polled driver. Call turn() or advance() on "
                    "another thread.");
}

}  // namespace jtimer::tokio::detail
