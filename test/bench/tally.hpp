// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>

namespace bench {

/// What a thread has done so far. Counted during the timed calls themselves, for that is one
/// addition to a variable of the thread, beside an allocation or a reading of the clock, which take
/// 20 times as long.
struct Tally {
    std::int64_t allocations;  ///< by operator new
    std::int64_t readings;     ///< of a JumpingClock

    friend Tally operator-(const Tally& a, const Tally& b) {
        return {a.allocations - b.allocations, a.readings - b.readings};
    }
    friend Tally operator+(const Tally& a, const Tally& b) {
        return {a.allocations + b.allocations, a.readings + b.readings};
    }
};

/// This thread's tally. Defined here, so that everybody sees that it needs no construction.
inline thread_local Tally tally{0, 0};

}  // namespace bench
