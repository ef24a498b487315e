// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"

#include <jtimer/zone.hpp>

#include <string_view>

/// Reads the lines of a crontab that say when a command runs: five fields or a word such as @daily,
/// and a command, as crontab(5) describes them.
class Crontab {
  public:
    /// \param hasUsers the command follows the name of a user, as in /etc/crontab
    explicit Crontab(bool hasUsers) : hasUsers_(hasUsers) {}

    /// \param line without blanks at its beginning
    /// \param above the line above it, which may give it options and a name:
    ///   `# run_schedule: {OPTION} NAME`. Otherwise its name stays empty.
    /// \param zone of the line
    /// \param defaults has what the lines do not say
    /// \throws std::invalid_argument that says what is wrong, and what was expected
    Entry parse(std::string_view line, std::string_view above, const jtimer::Zone& zone,
                Entry defaults) const;

  private:
    const bool hasUsers_;
};

/// Does nothing unless the line is one of a crontab, which people may take a schedule file for.
/// \param line without blanks at its beginning
/// \throws std::invalid_argument that says what to write instead
void refuseCrontab(std::string_view line);
