// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace simulation {

using Nanos = std::int64_t;

/// A manual clock that in some executions is set forward or back, as a wall clock may be: a wait on
/// it has the length that it had when it began. What it has shown is known without a step.
class SetClock final : public jtimer::Clock {
  public:
    SetClock();

    std::int64_t nanos() const override;

    /// Moves the time on. In some executions the clock may be set before, until endFaults().
    void advance(jtimer::TimeSpan step);
    /// Moves the time on by as much as the clock has been set back, and by `span`.
    void advanceToEnd(jtimer::TimeSpan span);

    /// A moment, between two settings of the clock.
    using Moment = std::size_t;
    Moment present() const;
    Moment lastWait() const;  ///< when a thread began to wait last
    /// The latest and the earliest time that it has shown at the settings since, and shows.
    Nanos latest(Moment since = 0) const;
    Nanos earliest(Moment since) const;
    Nanos setForward() const;  ///< by how much, in all
    Nanos setBack() const;     ///< the same

    /// While one exists, the clock is not set: what is due after a span is due at a known time.
    class Held {
      public:
        explicit Held(SetClock& clock) : clock_(clock) { clock_.hold(1); }
        ~Held() { clock_.hold(-1); }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;

      private:
        SetClock& clock_;
    };

  private:
    class Waiter;

    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override;
    void hold(int change);
    void noteWait() const;
    void set(Nanos step);

    jtimer::ManualClock manual_{jtimer::Date{}};
    const bool isSet_;
    unsigned settingsLeft_ = 3;
    int held_ = 0;
    Nanos offset_ = 0, setForward_ = 0, setBack_ = 0;
    std::vector<Nanos> shown_;  ///< before and after each setting
    mutable Moment lastWait_ = 0;
};

}  // namespace simulation
