// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <cstdint>

namespace jtimer::go::detail {

/// When a source, a timer's channel or an event, was last chosen by a contested select: one that
/// found several sources ready, not all of them timers. Such a select chooses the source that was
/// chosen longest ago, so no source waits for more than one turn of each other one.
///
/// A number in each source, and not lots: so what a program receives depends only on what it did
/// with these sources. The numbers may wrap around, as only those of one call are compared.
class LastTurn {
  public:
    static constexpr std::int64_t kNever = INT64_MIN;

    /// The number of the last contested select, of all threads. A test may change it.
    static inline std::atomic<std::uint32_t> last{0};

    /// A number for comparisons: the source with the least number was chosen longest ago.
    /// \param now `last`
    std::int64_t since(std::uint32_t now) const noexcept {
        const std::uint32_t number = number_.load(std::memory_order_relaxed);
        return number == 0 ? kNever : static_cast<std::int32_t>(number - now);
    }

    /// Called by the contested select that chooses the source. Relaxed, because a number orders
    /// nothing else.
    void take() noexcept {
        std::uint32_t number = last.fetch_add(1, std::memory_order_relaxed) + 1;
        if (number == 0) number = last.fetch_add(1, std::memory_order_relaxed) + 1;
        number_.store(number, std::memory_order_relaxed);
    }

  private:
    std::atomic<std::uint32_t> number_{0};  ///< 0: never chosen
};

}  // namespace jtimer::go::detail
