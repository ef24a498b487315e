// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"

#include <jtimer/detail/saturating.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace jtimer::detail {

/// A clock of the system, read by the processor's cycle counter.
///
/// An exact reading of a clock takes 23 ns, and more of its caller's time: the processor finishes
/// what it has begun before it reads its counter, and begins nothing meanwhile. The counter by
/// itself takes 10, and the coarse clock 3, which changes when the kernel ticks, every 1 to 10 ms,
/// or somebody sets the clock. As long as that shows what it showed just before an exact reading,
/// the time is that reading and the cycles since: a time of its own for every call. (Somebody who
/// sets the clock to the very nanosecond of the last tick goes unnoticed until the next one.)
/// Abseil's GetCurrentTimeNanos() does the same with an exact reading every second or so.
///
/// How long a cycle takes is measured beside the monotonic clock, which nobody can set, and counts
/// if two measurements in a row agree. Until then, and whenever something is odd, a reading is an
/// exact one. So is every reading if the kernel itself does not go by the counter.
///
/// A reading is never ahead of the clock, and behind it by some tens of nanoseconds: an exact one
/// counts from its end, a cycle counts as a little shorter than measured, and the processor may
/// read the counter a few instructions early. From one reading to a later one the time goes back
/// only if somebody sets the clock, or slows it down by hundreds of microseconds a second; or, by
/// some nanoseconds, if two threads read exactly at the same moment.
///
/// Any thread may read. The numbers are guarded by a version, as in a seqlock: they are stored with
/// release and loaded with acquire, so whoever loads one that is just being written finds another
/// version afterwards. Nobody waits: who finds somebody writing reads exactly. (So does a child
/// ever after, if it is forked while another thread writes.)
///
/// \tparam Source where the readings come from, by static functions:
///   `Nanos exact()`, `Nanos coarse()`: this clock's;
///   `Nanos steady()`: the monotonic clock's;
///   `std::uint64_t cycles()`: the counter's; `cyclesInOrder()`: not before all else is done;
///   `bool isTrusted()`: whether the counter has one rate, and is the same on each processor
template <class Source>
class CycleClock {
  public:
    using Cycles = std::uint64_t;

    Nanos now() noexcept {
        const Nanos coarse = Source::coarse();
        const std::uint32_t version = version_.load(std::memory_order_acquire);
        const bool isSameTick = coarse == anchorCoarse_.load(std::memory_order_acquire);
        const Nanos anchor = anchor_.load(std::memory_order_acquire);
        const Cycles rate = rate_.load(std::memory_order_acquire);
        // If the counter was read before the anchor was made, this is a very large number.
        const Cycles elapsed = Source::cycles() - anchorCycles_.load(std::memory_order_acquire);
        const bool isWhole =
            version % 2 == 0 && version == version_.load(std::memory_order_relaxed);
        if (__builtin_expect(isWhole && isSameTick && elapsed < kLongest, 1) != 0)
            return anchor + toNanos(elapsed, rate);
        return readExactly(coarse);
    }

  private:
    /// In cycles, of which a nanosecond has 1 to 5. No tick is longer than the first; the rate is
    /// first measured over the second, and then over twice the last span, up to the third.
    static constexpr Cycles kLongest = Cycles{1} << 27;
    static constexpr Cycles kFirstSpan = Cycles{1} << 22;
    static constexpr Cycles kLongestSpan = Cycles{1} << 30;

    /// A rate is in nanoseconds a cycle, times 2^32. So is the highest, which leaves room for the
    /// product with kLongest.
    static constexpr int kRateBits = 32;
    static constexpr Cycles kHighestRate = Cycles{1} << 34;
    /// By how many cycles a measured span may be wrong. A cycle counts for less than measured by
    /// that part of the span, and at least by this one: a quarter part in a million, 1 ns in 4 ms.
    static constexpr Cycles kSpanError = 16;
    static constexpr Cycles kLeastPart = Cycles{1} << 22;
    /// To which part two measurements agree: more than a clock is ever slewed by.
    static constexpr int kAgreementBits = 10;
    /// A time that has been shown stays, if it is ahead of the clock by less.
    static constexpr Nanos kMostAhead = 1000;

    static Nanos toNanos(Cycles cycles, Cycles rate) noexcept {
        return static_cast<Nanos>(cycles * rate >> kRateBits);
    }

    Nanos readExactly(Nanos coarse) noexcept;
    bool wasQuick(Cycles duration) noexcept;
    Nanos orShown(Nanos time, Cycles cycles) const noexcept;
    void anchorAt(Nanos time, Nanos coarse, Cycles cycles) noexcept;
    void measureRate() noexcept;
    void noteRate(Cycles rate, Cycles span) noexcept;

    std::atomic<std::uint32_t> version_{0};      ///< odd: somebody is writing
    std::atomic<Nanos> anchorCoarse_{kLongAgo};  ///< kLongAgo: there is no anchor
    std::atomic<Nanos> anchor_{0};
    std::atomic<Cycles> anchorCycles_{0};
    std::atomic<Cycles> rate_{0};  ///< 0: unknown

    // Touched by whoever has made the version odd.

    Cycles quick_ = kLongest;  ///< how long an exact reading takes if nothing holds it up
    Cycles measuredRate_ = 0;
    Cycles span_ = kFirstSpan;  ///< of the next measurement
    bool isMeasuring_ = false;
    Cycles measuringSince_ = 0;
    Nanos measuringSinceTime_ = 0;
};

template <class Source>
[[gnu::noinline]] Nanos CycleClock<Source>::readExactly(Nanos coarse) noexcept {
    if (!Source::isTrusted()) return Source::exact();
    const Cycles begin = Source::cycles();
    Nanos time = Source::exact();
    const Cycles end = Source::cyclesInOrder();
    std::uint32_t version = version_.load(std::memory_order_relaxed);
    if (version % 2 != 0 ||
        !version_.compare_exchange_strong(version, version + 1, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
        return time;
    }
    if (wasQuick(end - begin)) {
        if (rate_ != 0) {
            time = orShown(time, end);
            anchorAt(time, coarse, end);
        }
        if (!isMeasuring_ || end - measuringSince_ >= span_) measureRate();
    }
    version_.store(version + 2, std::memory_order_release);
    return time;
}

/// Whether a reading that took this long can be told to the nanosecond: the thread was not
/// interrupted between the counter and the clock. What that takes is learnt from the quickest.
template <class Source>
bool CycleClock<Source>::wasQuick(Cycles duration) noexcept {
    const bool quick = duration <= quick_;
    quick_ = quick ? std::min(quick_, duration + duration / 4) : quick_ + quick_ / 8 + 1;
    return quick;
}

/// The time, or what the clock has shown at these cycles if that is a little later.
template <class Source>
Nanos CycleClock<Source>::orShown(Nanos time, Cycles cycles) const noexcept {
    const Cycles elapsed = cycles - anchorCycles_;
    if (anchorCoarse_ == kLongAgo || elapsed >= kLongest) return time;
    const Nanos shown = anchor_ + toNanos(elapsed, rate_);
    return shown > time && shown - time < kMostAhead ? shown : time;
}

template <class Source>
void CycleClock<Source>::anchorAt(Nanos time, Nanos coarse, Cycles cycles) noexcept {
    anchorCoarse_.store(coarse, std::memory_order_release);
    anchor_.store(time, std::memory_order_release);
    anchorCycles_.store(cycles, std::memory_order_release);
}

template <class Source>
void CycleClock<Source>::measureRate() noexcept {
    const Cycles begin = Source::cycles();
    const Nanos time = Source::steady();
    const Cycles end = Source::cyclesInOrder();
    if (!wasQuick(end - begin)) return;
    if (isMeasuring_) {
        constexpr auto one = static_cast<double>(Cycles{1} << kRateBits);
        const auto nanos = static_cast<double>(time - measuringSinceTime_);
        const Cycles span = end - measuringSince_;
        noteRate(static_cast<Cycles>(nanos / static_cast<double>(span) * one), span);
    }
    isMeasuring_ = true;
    measuringSince_ = end;
    measuringSinceTime_ = time;
}

/// \param span over how many cycles it was measured
template <class Source>
void CycleClock<Source>::noteRate(Cycles rate, Cycles span) noexcept {
    const Cycles difference = rate > measuredRate_ ? rate - measuredRate_ : measuredRate_ - rate;
    measuredRate_ = rate;
    if (rate < kHighestRate && difference <= rate >> kAgreementBits) {
        const Cycles part = std::min(span / kSpanError, kLeastPart);
        rate_.store(rate - rate / part, std::memory_order_release);
        span_ = std::min(2 * span_, kLongestSpan);
    } else {
        rate_.store(0, std::memory_order_release);
        anchorCoarse_.store(kLongAgo, std::memory_order_release);
        span_ = kFirstSpan;
    }
}

}  // namespace jtimer::detail
