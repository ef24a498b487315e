// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "user.hpp"

#include <jtimer/cron.hpp>
#include <jtimer/time.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>

/// What happens to a run that is due while the previous one of the same name is in progress.
enum class Overlap {
    Wait,  ///< it begins when the previous one has ended
    Skip,  ///< it is dropped
    Kill,  ///< the previous one is ended first
};

/// How often a command that has failed is run again. The delay doubles each time, to at most an
/// hour or, if that is more, the first delay.
struct Retry {
    int times = 0;
    std::chrono::milliseconds delay{1000};
};

/// One line of a schedule file: a time, options, a name, and a command.
struct Entry {
    enum class Kind { After, At, Every, Rate, Cron };

    Kind kind = Kind::After;
    std::chrono::milliseconds after{0};   ///< from the start to the first run; not for At and Cron
    jtimer::Date at{};                    ///< the time of the run; At without `calendar` only
    std::chrono::milliseconds period{0};  ///< Every (fixed delay) and Rate (fixed rate) only
    /// Each time it matches, for Cron; the next time, for At.
    std::optional<jtimer::Cron> calendar;
    Overlap overlap = Overlap::Wait;
    Retry retry;
    std::optional<std::chrono::milliseconds> timeout;      ///< of a command
    std::optional<std::chrono::milliseconds> startWithin;  ///< a run later than this is dropped
    std::chrono::milliseconds jitter{0};  ///< its times are moved by less than that
    std::chrono::milliseconds shift{0};   ///< and so much they are
    std::string name;
    std::string command;                           ///< for the shell, as written in the file
    std::optional<std::string> input;              ///< of the command; nothing: it is empty
    std::map<std::string, std::string> variables;  ///< of the command's environment
    std::string shell = "/bin/sh";
    std::string folder;        ///< in which the command runs; empty: ours
    std::optional<User> user;  ///< as whom it runs; nothing: as we do
    std::string options;       ///< as written in the file, separated by blanks
    std::string place;         ///< FILE:LINE
    bool hasOffset = false;    ///< `at` says the UTC offset of its time, or Z
    bool isReboot = false;     ///< it runs at each start, and not when the file is read again

    bool repeats() const { return kind != Kind::After && kind != Kind::At; }

    /// Whether the times of its runs are those of the wall clock.
    bool followsWallClock() const { return kind == Kind::At || kind == Kind::Cron; }

    /// From the start to the first run; not for At and Cron.
    std::chrono::milliseconds firstDelay() const { return after + shift; }

    /// When it is first due by the wall clock, which shows `now`; At and Cron only.
    jtimer::Date firstDate(jtimer::Date now) const { return calendar ? nextDate(now) : at + shift; }

    /// When it is due next, later than `date`; only with a calendar.
    jtimer::Date nextDate(jtimer::Date date) const {
        const jtimer::Date next = calendar->next(date - shift);
        return next > jtimer::Date::max() - shift ? next : next + shift;
    }
};
