// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>
#include <jtimer/zone.hpp>

#include <memory>
#include <string>

namespace jtimer {

/// The times that a cron expression names in a time zone. A value whose copies share its data; any
/// thread may use it. It is a Rule for Timer::scheduleBy:
///
/// \code
/// timer.scheduleBy(backUp, jtimer::Cron("30 2 * * mon-fri", jtimer::Zone("Europe/Berlin")));
/// \endcode
///
/// **The expression** has five fields: minute, hour, day of the month, month, day of the week. A
/// field is a list of `*`, values, and ranges `first-last`; a step `/n` may follow `*` or a range.
/// 0 and 7 are Sunday. Months and days of the week have English names of three letters in any case.
/// If neither day field begins with `*`, a day matches if either matches; else it must match both.
///
/// **When the clocks change.** If the minute or the hour field begins with `*`, the expression
/// *keeps its interval*: it is due at each instant whose local time matches. Any other one is
/// *fixed*: a local time that the clocks skip is due that much later, and one that they show twice
/// is due once, the second time. In Berlin, where 02:00 becomes 03:00 in spring and 03:00 becomes
/// 02:00 in autumn:
///
///     expression      is              in spring            in autumn
///     30 2 * * *      fixed           at 03:30             at the second 02:30
///     0 1-4 * * *     fixed           at 01, 03, 04:00     at 01, the second 02, 03, 04:00
///     0 * * * *       by interval     each hour            each hour, twice at 02:00
///     */15 2 * * *    by interval     no run               eight runs
class JTIMER_API Cron {
  public:
    /// \throws IllegalArgumentException if the expression is malformed, or never due, such as on
    ///   the 30th of February. The text quotes the expression, and says what was expected:
    ///   `Cron expression "60 * * * *": "60" is not a minute: expected 0 to 59`. Neither
    ///   `@daily`, `L`, `W` and `#` nor a sixth field, as for seconds, is accepted.
    explicit Cron(const std::string& expression, Zone zone = Zone::local());

    ///@{ A copy; also what a move makes, so that no Cron is ever empty.
    Cron(const Cron&) = default;
    Cron& operator=(const Cron&) = default;
    ///@}
    ~Cron() = default;

    /// \returns the first due time later than `after`; Date::max() if there is none, or the system
    ///   does not know the zone's offset there. Takes about a microsecond and no lock.
    [[nodiscard]] Date next(Date after) const;

    /// The same: a Cron is a Rule.
    Date operator()(Date after) const { return next(after); }

    /// \returns the expression as given
    [[nodiscard]] const std::string& expression() const noexcept;

    [[nodiscard]] const Zone& zone() const noexcept;  ///< \returns the zone

    /// \returns whether the minute or hour field begins with `*`: see above
    [[nodiscard]] bool keepsInterval() const noexcept;

  private:
    struct Data;

    std::shared_ptr<const Data> data_;
};

}  // namespace jtimer
