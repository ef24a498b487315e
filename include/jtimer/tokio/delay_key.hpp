// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>

namespace jtimer::tokio {

/// Names an entry of a DelayQueue. No two entries of a queue ever have the same key.
struct DelayKey {
    std::uint64_t id = 0;  ///< 0: no entry

    /// Whether both name the same entry.
    friend bool operator==(DelayKey a, DelayKey b) noexcept { return a.id == b.id; }
    /// Whether they name different entries.
    friend bool operator!=(DelayKey a, DelayKey b) noexcept { return a.id != b.id; }
};

}  // namespace jtimer::tokio
