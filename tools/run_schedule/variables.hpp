// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"

#include <jtimer/zone.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

/// The variables of a file: lines `NAME=VALUE`, each of which holds for the lines below it. They
/// are in the environment of the commands, and some of them mean something to cron, too:
///
///     SHELL         runs the commands, instead of /bin/sh
///     CRON_TZ       the time zone of the lines that have none
///     RANDOM_DELAY  of N minutes: the option jitter=Nm
///
/// Blanks around `=` and one pair of quotes around either side are removed. Nothing is expanded.
class Variables {
  public:
    /// \returns whether the line, without blanks at its beginning, is one; otherwise it does nothing
    /// \throws std::invalid_argument that says what is wrong, and what was expected
    bool read(std::string_view line);

    /// Gives an entry what it does not have from its line yet: its environment, shell and jitter.
    void giveTo(Entry& entry) const;

    /// Of CRON_TZ; local time without it.
    const jtimer::Zone& zone() const { return zone_; }

    /// What people should know who expect that these variables do what they do in cron.
    std::set<std::string> notices() const;

  private:
    std::map<std::string, std::string> values_;
    jtimer::Zone zone_ = jtimer::Zone::local();
    std::optional<std::chrono::milliseconds> jitter_;
    std::set<std::string> unused_;  ///< the names of those that have no effect here
};
