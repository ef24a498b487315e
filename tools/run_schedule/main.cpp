// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// run_schedule: a cron with times in milliseconds, for the shell commands of a schedule file; see
// options.cpp. It demonstrates a whole program on one timer: the timer's thread decides what is due
// and never waits for a command; planned times are exact Dates; each clock has its purpose; the
// shutdown is orderly; and the same program runs in virtual time.
//
//     Player      what is due when, on one Timer
//     Dispatcher  which of the runs that are due begin, wait, or are dropped
//     Runs        a thread for each command and each hook
//     Commands    runs a command, and accounts for it
//     Ledger      the account, for the table, --watch and --metrics
//     Report      tells what happens, in one of the forms of --output
//
// With --cluster, a ClusterPlayer takes the place of the first two.

#include "../http/http.hpp"
#include "../text/parsing.hpp"
#include "calendar/local_time.hpp"
#include "calendar/zone_file.hpp"
#include "check.hpp"
#include "cluster.hpp"
#include "convert.hpp"
#include "options.hpp"
#include "output.hpp"
#include "reaper.hpp"
#include "report.hpp"
#include "schedule_error.hpp"
#include "schedule_file.hpp"
#include "session.hpp"
#include "signals.hpp"

#include <jtimer/clock.hpp>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;
constexpr int kCommandsFailed = 3;

/// If we were started without descriptor 0, 1 or 2, a descriptor that we open must not get that
/// number: what we print would go there.
void fillStandardDescriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // Reading or writing it then fails, as on a closed descriptor.
        const int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", flags));
    }
}

int fail(const std::string& message, int status) {
    printError(message);
    return status;
}

/// \throws std::invalid_argument for a TZ that the C library would silently take for UTC
void checkLocalZone() {
    if (jtimer::detail::isLocalZoneKnown()) return;
    failExpecting("TZ=" + inQuotes(std::getenv("TZ")) + ": no such zone in " +
                      jtimer::detail::zoneFolder(),
                  "a name such as Europe/Berlin, and tzdata installed");
}

/// The schedule, before anything runs.
Schedule readFiles(const Options& options, char** argv) {
    checkLocalZone();
    jtimer::detail::lookAtLocalTime();
    if (!options.cluster.empty()) becomeClusterProgram(argv);  // which inherits the blocked signals
    std::optional<EndOnSignal> endOnSignal;
    if (options.dryRun || options.check || options.prune) {
        unblockSignals();
    } else {
        endOnSignal.emplace(options.reload);
    }
    return readSchedule(options.files, options.reading);
}

int print(const std::string& text) {
    unblockSignals();
    Output output(STDOUT_FILENO);
    output.write(text);
    return output.failing() ? kFailed : 0;
}

void tell(const std::set<std::string>& notices) {
    for (const std::string& notice : notices) say(notice);
}

/// Does what a person wants with the tasks of a cluster, and nothing else.
int administer(const Options& options, const std::vector<Entry>& entries) {
    unblockSignals();
    try {
        if (options.list) return print(listTasks(options));
        return print(options.prune ? prune(options, entries) : revive(options));
    } catch (const std::exception& e) {
        return fail(std::string("run_schedule: ") + e.what(), kFailed);
    }
}

/// How long it waits for an answer; a server of ours cuts off a client after as long.
constexpr std::chrono::seconds kProbe(5);

/// What HEALTHCHECK of a container needs.
int probe(const http::Address& address) {
    unblockSignals();
    try {
        const http::Response response = http::get(address, "/healthz", kProbe);
        const int status = print(response.body);
        return response.status == 200 ? status : kFailed;
    } catch (const std::runtime_error& e) {
        return fail(std::string("run_schedule: ") + e.what(), kFailed);
    }
}

}  // namespace

int main(int argc, char** argv) {
    blockSignals();
    fillStandardDescriptors();
    Options options;
    try {
        leaveOrphansToParent();
    } catch (const std::system_error& e) {
        return fail(std::string("run_schedule: ") + e.what(), kFailed);
    }
    try {
        options = parseOptions(argc, argv);
    } catch (const std::exception& e) {
        return fail(std::string("run_schedule: ") + e.what() + '\n' + kUsage +
                        "See `run_schedule --help`.",
                    kBadUsage);
    }
    if (!options.print.empty()) return print(options.print);
    if (options.probe) return probe(*options.probe);
    Schedule schedule;
    try {
        if (options.list || !options.revive.empty()) {
            becomeClusterProgram(argv);
            return administer(options, {});
        }
        schedule = readFiles(options, argv);
        if (options.prune) {
            checkForCluster(schedule.entries);
            return administer(options, schedule.entries);
        }
        if (options.check) {
            const std::string times = checkSchedule(schedule, options, jtimer::WallClock().now());
            tell(schedule.notices);
            return print(times);
        }
    } catch (const std::invalid_argument& e) {
        return fail(std::string("run_schedule: ") + e.what(), kBadUsage);
    } catch (const std::runtime_error& e) {
        return fail(e.what(), kBadUsage);
    }
    if (options.convert) {
        tell(schedule.notices);
        return print(convert(schedule));
    }
    // In the raw output, there is nothing but what commands print.
    const bool isRaw = options.output == OutputForm::Raw;
    Output output(isRaw ? STDERR_FILENO : STDOUT_FILENO, options.dryRun ? 65'536 : 0);
    const std::unique_ptr<Report> report = makeReport(options, output);
    for (const std::string& notice : schedule.notices) report->notice(Level::Warning, notice);
    Result result;
    try {
        result = options.dryRun ? playDry(std::move(schedule.entries), options, *report)
                                : play(std::move(schedule), options, *report);
    } catch (const ScheduleError& e) {
        return fail(e.what(), kBadUsage);
    } catch (const std::invalid_argument& e) {
        return fail(std::string("run_schedule: ") + e.what(), kBadUsage);
    } catch (const std::exception& e) {
        report->notice(Level::Error, e.what());
        return kFailed;
    }
    int status =
        (options.strict || options.stopOnFailure) && result.commandsFailed ? kCommandsFailed : 0;
    if (result.outputLost) status = kFailed;
    if (output.lostLines() > 0) {
        status = fail("run_schedule: lines of output lost: " + std::to_string(output.lostLines()),
                      kFailed);
    }
    // Threads that wait for the database still use what returning would destroy.
    if (result.threadsAreLeft) ::_exit(status);
    return status;
}
