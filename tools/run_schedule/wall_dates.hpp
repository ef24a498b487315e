// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"
#include "ledger.hpp"

#include <jtimer/time.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

/// What is due by the wall clock. That clock can be set, and local time can become another one:
/// then the dates of the calendar are computed anew, or do not come twice. It has no thread and no
/// clock: time is an argument.
class WallDates {
  public:
    explicit WallDates(Ledger& ledger) : ledger_(ledger) {}

    /// What the clocks show at a moment.
    struct Now {
        jtimer::Date wall, steady;
        std::uint64_t localTime;  ///< how often local time has become another one
    };

    /// To be called before the other functions.
    void begin(const Now& now);

    /// Sees how the wall clock has been set since the last look.
    void look(const Now& now);

    void add(const std::shared_ptr<const Entry>& entry, jtimer::Date when);

    /// The entry of that name is this one now, if it is due.
    void update(const std::shared_ptr<const Entry>& entry);

    void remove(const std::string& name);

    /// Computes all dates of the calendar anew, of what has been updated.
    void computeAnew(jtimer::Date now);

    struct Run {
        std::shared_ptr<const Entry> entry;
        jtimer::Date date;
    };

    /// Takes the first run that is due, one for all that an entry has missed. An entry that repeats
    /// is due again later.
    std::optional<Run> take(jtimer::Date now);

    /// When the first one is due, or nothing.
    std::optional<jtimer::Date> next() const;

  private:
    template <class Which>
    void computeAnewIf(jtimer::Date now, Which which);
    jtimer::Date nextOf(const Entry& entry, jtimer::Date now) const;

    Ledger& ledger_;
    /// What is due at the same time stays in order.
    std::multimap<jtimer::Date, std::shared_ptr<const Entry>> dates_;
    std::chrono::nanoseconds wallAhead_{0};  ///< of the steady clock, at the last look
    /// The latest times that the wall clock has shown, until it was set back so far that the times
    /// of the calendar come again: those of wildcards, and the others.
    jtimer::Date reachedByWildcards_{}, reached_{};
    std::uint64_t localTime_ = 0;  ///< at the last look
};
