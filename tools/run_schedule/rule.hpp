// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"

#include <string>

/// When a line runs, in canonical form: `every 60s` is `every 1m`, `daily 02:00` is
/// `cron "0 2 * * *"`, a date is in UTC, and blanks do not count. A schedule file can have it in
/// the place of what was written.
///
/// Two lines with the same name and rule are one line: what else differs changes its next run.
std::string ruleOf(const Entry& entry);
