// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "line_checks.hpp"

#include "../../text/parsing.hpp"
#include "../cluster.hpp"
#include "../schedule_error.hpp"
#include "zones.hpp"

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>

namespace {

/// In the task's name, NAME is followed by the rule, and names of tasks have at most 200 bytes.
constexpr std::size_t kLongestName = 150;

/// What a line must not be in a cluster, where it means something else on each machine or nothing.
/// \throws std::invalid_argument
void check(const Entry& entry) {
    const std::string name = inQuotes(entry.name);
    if (entry.jitter.count() != 0) failExpecting(name + " has a jitter", "none with --cluster");
    if (entry.isReboot) failExpecting(name + " runs at @reboot", "another time with --cluster");
    if (entry.name.size() > kLongestName)
        failExpecting(name + " is too long", "a name of at most 150 bytes with --cluster");
    if (entry.overlap == Overlap::Kill)
        failExpecting(name + " has overlap=kill", "wait or skip with --cluster");
    if (entry.calendar && entry.calendar->zone().name().empty()) {
        failExpecting(name + " has no time zone",
                      entry.kind == Entry::Kind::At
                          ? "one with --cluster, such as at 08:00 Europe/Berlin"
                          : "one with --cluster, such as daily 08:00 Europe/Berlin");
    }
    if (entry.kind == Entry::Kind::At && !entry.calendar && !entry.hasOffset) {
        failExpecting(name + " has no UTC offset",
                      "one with --cluster, such as at 2030-01-01T08:00:00+01:00");
    }
}

/// \throws ScheduleError that names all lines for which `check` throws
template <class Check>
void checkAll(const std::vector<Entry>& entries, const Check& check) {
    std::vector<std::string> errors;
    for (const Entry& entry : entries) {
        try {
            check(entry);
        } catch (const std::invalid_argument& e) {
            errors.push_back(entry.place + ": " + e.what());
        }
    }
    if (!errors.empty()) throw ScheduleError(joined(errors, "\n"));
}

}  // namespace

void checkForCluster(const std::vector<Entry>& entries) { checkAll(entries, check); }

void checkZones(const std::vector<Entry>& entries, const jtimer::cluster::Options& options) {
    std::set<std::string> zones;
    for (const Entry& entry : entries)
        if (entry.kind == Entry::Kind::Cron) zones.insert(entry.calendar->zone().name());
    const std::set<std::string> unknown = jtimer::cluster::detail::unknownZones(options, zones);
    checkAll(entries, [&](const Entry& entry) {
        if (entry.kind != Entry::Kind::Cron || unknown.count(entry.calendar->zone().name()) == 0)
            return;
        failExpecting("the server does not know the time zone " +
                          inQuotes(entry.calendar->zone().name()),
                      "a name in its view pg_timezone_names");
    });
}
