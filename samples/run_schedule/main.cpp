// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// run_schedule: a small cron with times in milliseconds. One Timer runs shell commands by a
// schedule file; see kHelp below. What it shows of the library: a whole program on one timer,
// planned times as exact Dates, the orderly shutdown (signal, Timer::cancel, ~Timer), and the same
// program in virtual time.

#include "command.hpp"
#include "player.hpp"
#include "report.hpp"
#include "schedule_file.hpp"
#include "signals.hpp"

#include <boost/program_options.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace {

using std::chrono::milliseconds;

constexpr int kBadUsage = 2;

constexpr const char* kUsage = "Usage: run_schedule [--for DURATION] [--dry-run] FILE\n";

constexpr const char* kHelp = R"(
Each line of FILE says when, a name, and a command for /bin/sh:

  after 500ms               hello      echo hello        # once, from the start
  at    2030-01-01T08:00:00 report     ./report.sh       # once, local time
  every 1s                  heartbeat  date +%s          # fixed delay
  rate  250ms               sample     cat /proc/loadavg # fixed rate
  every 2s after 10s        late       echo ten seconds in

Durations are whole numbers of ms, s, m, h or d, up to 36500d. `at` takes milliseconds, too
(08:00:00.250); a time in the past runs at once. `every` and `rate` run first at the start, or
`after` a duration. Empty lines, and lines that begin with a #, mean nothing.

Commands run one after another, on the one thread of one timer: while a command runs, what comes
due waits. A late `every` shifts its later runs; a late `rate` makes up for missed runs, back to
back. A command reads /dev/null. What it leaves in the background is not waited for, and from then
on its output is lost.

Each line that a command prints is shown with its local time and the name of the task; so is a
failure, which stops nothing. SIGINT, SIGTERM and the end of --for discard what is still to come,
and let a running command finish; the next SIGINT or SIGTERM does not wait for it. A schedule in
which nothing repeats ends by itself when all has run.

At the end stands a table. Lateness is the actual start minus the planned one; an `every` is planned
for its previous start plus the period. In a dry run, no command takes any time.

Exit status: 0, also when commands have failed; 2 if FILE or an option is wrong, and nothing has
run; 1 if the output cannot be written.
)";

struct Options {
    std::string file;
    std::optional<milliseconds> runFor;
    bool dryRun = false;
    std::string help;  ///< not empty: print this, and no more
};

milliseconds parseFor(const std::string& text) {
    try {
        return parseDuration(text);
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(std::string("--for: ") + e.what());
    }
}

/// \throws boost::program_options::error, std::invalid_argument
Options parseOptions(int argc, const char* const* argv) {
    namespace po = boost::program_options;
    po::options_description visible("Options");
    visible.add_options()("for", po::value<std::string>()->value_name("DURATION"),
                          "stop after this time")(
        "dry-run",
        "play the schedule in no time and run no command: a day, or to the end of --for, or to "
        "the last run if nothing repeats")("help", "print this");
    po::options_description all;
    all.add(visible).add_options()("file", po::value<std::string>());
    po::positional_options_description positional;
    positional.add("file", 1);

    po::variables_map values;
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(
        po::command_line_parser(argc, argv).options(all).positional(positional).style(style).run(),
        values);

    Options options;
    options.dryRun = values.count("dry-run") != 0;
    if (values.count("help") != 0) {
        std::ostringstream help;
        help << kUsage
             << "Runs shell commands at their times, as a cron with milliseconds does.\n\n"
             << visible << kHelp;
        options.help = help.str();
        return options;
    }
    if (values.count("for") != 0) options.runFor = parseFor(values["for"].as<std::string>());
    if (values.count("file") == 0) throw std::invalid_argument("no FILE is given: expected one");
    options.file = values["file"].as<std::string>();
    return options;
}

/// \throws std::runtime_error if the file cannot be read or has a bad line
std::vector<Entry> readSchedule(const std::string& fileName) {
    errno = 0;
    std::ifstream file(fileName);
    Schedule schedule;
    if (file) schedule = parseSchedule(file, fileName);
    if (!file.eof()) {
        throw std::runtime_error(fileName + ": cannot be read: " + std::strerror(errno));
    }
    std::string errors;
    for (const std::string& error : schedule.errors) errors += (errors.empty() ? "" : "\n") + error;
    if (!errors.empty()) throw std::runtime_error(errors);
    return schedule.entries;
}

Printer makePrinter(const std::vector<Entry>& entries, Printer::Flush flush) {
    std::vector<std::string> names;
    for (const Entry& entry : entries) names.push_back(entry.name);
    return {std::cout, names, flush};
}

bool runEntry(const Entry& entry, const jtimer::Clock& clock, Printer& printer) {
    const auto print = [&](std::string_view text) { printer.line(clock.now(), entry.name, text); };
    std::string failure;
    try {
        failure = runCommand(entry.command, print);
    } catch (const std::system_error& e) {
        failure = e.what();
    }
    if (!failure.empty()) print("[failed: " + failure + ']');
    return failure.empty();
}

void play(const std::vector<Entry>& entries, std::optional<milliseconds> runFor) {
    std::signal(SIGCHLD, SIG_DFL);  // were it ignored, no exit status would reach us
    Signals signals;                // before the timer: its thread inherits what is blocked
    Printer printer = makePrinter(entries, Printer::Flush::EachLine);
    const auto clock = std::make_shared<jtimer::WallClock>();
    Player player(entries, clock,
                  [&](const Entry& entry) { return runEntry(entry, *clock, printer); });

    std::optional<std::chrono::steady_clock::time_point> deadline;
    if (runFor) deadline = std::chrono::steady_clock::now() + *runFor;
    player.start([&signals] { signals.wakeMain(); });
    const Signals::Reason reason = signals.wait(deadline);

    player.cancel();
    Signals::restore();
    const Entry* running = player.running();
    if (reason == Signals::Reason::Signal && running != nullptr) {
        std::cerr << "run_schedule: waiting for " + running->name + " to finish\n" << std::flush;
    }
    player.finish();
    printer.table(player.rows());
}

void playDry(const std::vector<Entry>& entries, std::optional<milliseconds> runFor) {
    Printer printer = makePrinter(entries, Printer::Flush::Never);
    const auto clock = std::make_shared<jtimer::ManualClock>(jtimer::WallClock().now());
    Player player(entries, clock, [&](const Entry& entry) {
        printer.line(clock->now(), entry.name, entry.command);
        return true;
    });
    player.start();
    if (runFor) {
        clock->advance(*runFor);
    } else if (player.repeats()) {
        clock->advance(std::chrono::hours(24));
    } else {
        while (clock->advanceToNext()) {
        }
    }
    player.finish();
    printer.table(player.rows());
}

int fail(const std::string& message, int status) {
    std::cerr << message + '\n' << std::flush;
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    try {
        options = parseOptions(argc, argv);
    } catch (const std::exception& e) {
        return fail(std::string("run_schedule: ") + e.what() + '\n' + kUsage +
                        "`run_schedule --help` tells more.",
                    kBadUsage);
    }
    if (!options.help.empty()) {
        std::cout << options.help << std::flush;
        return 0;
    }
    std::vector<Entry> entries;
    try {
        entries = readSchedule(options.file);
    } catch (const std::runtime_error& e) {
        return fail(e.what(), kBadUsage);
    }
    try {
        options.dryRun ? playDry(entries, options.runFor) : play(entries, options.runFor);
    } catch (const std::exception& e) {
        return fail(std::string("run_schedule: ") + e.what(), 1);
    }
    if (!std::cout) return fail("run_schedule: the output cannot be written", 1);
    return 0;
}
