// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "options.hpp"

#include "time_text.hpp"

#include <jtimer/version.hpp>

#include <boost/program_options.hpp>

#include <sstream>
#include <stdexcept>

const char* const kUsage =
    "Usage: run_schedule [--for DURATION] [--grace DURATION] [--dry-run] [--stats] FILE\n";

namespace {

constexpr const char* kHelp = R"(
Each line of FILE, or of standard input if FILE is -, has a schedule, a name, and a command for
/bin/sh:

  after 500ms               hello      echo hello        # once, from the start
  at    2030-01-01T08:00:00 report     ./report.sh       # once, local time
  every 1s                  heartbeat  date +%s          # fixed delay
  rate  250ms               sample     cat /proc/loadavg # fixed rate
  every 2s after 10s        late       echo ten seconds in

A duration is a whole number followed by ms, s, m, h or d, at most 36500d. `at` also accepts
milliseconds (08:00:00.250) and a UTC offset (08:00:00+01:00, 08:00:00Z). Without an offset, a local
time that occurs twice because the clocks are set back means its first occurrence. A time in the
past runs at once. `every` and `rate` first run at the start, or `after` a duration. A name is any
word except after, at, every and rate. Empty lines and lines that begin with # are ignored.

Setting the computer's clock does not affect durations, and time spent suspended does not count.
`at` follows that clock; a change is noticed within a second.

Commands run one at a time, on the single thread of one timer: while a command runs, anything that
becomes due waits. A late `every` shifts its later runs; a late `rate` catches up on missed runs,
back to back. Commands read from /dev/null. Background processes that a command leaves behind are
not waited for: they keep running, and a `cat` process discards whatever they print from then on.

Each line that a command prints is shown with the local time, the UTC offset and the task's name. A
failed command is reported in the same way, and stops nothing.

SIGINT, SIGTERM, SIGHUP and the end of --for cancel everything still scheduled, and give a running
command the --grace time to finish. Then its process group (everything it has started and not moved
to another group) receives SIGTERM and, after the same time again, SIGKILL. A second SIGINT or
SIGTERM sends SIGKILL at once; a third ends run_schedule itself. Under nohup, SIGHUP is ignored. A
schedule without repeating tasks ends when everything has run.

A table is printed at the end. Lateness is the actual start minus the planned one; the planned start
of an `every` is its previous start plus the period. p50 is the median, rounded up to a power of two
of microseconds. In a dry run, commands take no time. --stats adds the timer's own statistics, as
returned by jtimer::Timer::stats(): they also count the task that starts the schedule and one that
checks the clock once a second while an `at` is pending.

A line that cannot be written, because the disk is full or nothing reads the pipe, is lost and
reported; commands continue, and the next line is tried again. A dry run ends there.

Exit status: 0 on success, even if commands failed; 1 if output was lost; 2 if FILE or an option is
wrong, in which case nothing has run.
)";

std::chrono::milliseconds durationOf(const char* option,
                                     const boost::program_options::variable_value& value) {
    try {
        return parseDuration(value.as<std::string>());
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(std::string("--") + option + ": " + e.what());
    }
}

}  // namespace

Options parseOptions(int argc, const char* const* argv) {
    namespace po = boost::program_options;
    po::options_description visible("Options");
    visible.add_options()("for", po::value<std::string>()->value_name("DURATION"),
                          "stop after this long")(
        "grace", po::value<std::string>()->value_name("DURATION"),
        "how long a running command may continue after that, before SIGTERM, and again before "
        "SIGKILL (5s)")(
        "dry-run",
        "simulate the schedule without waiting or running commands: for a day, for the time of "
        "--for, or to the last run if nothing repeats")("stats",
                                                        "also print the timer's statistics")(
        "help,h", "print this help")("version", "print the version");
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
    options.stats = values.count("stats") != 0;
    if (values.count("help") != 0) {
        std::ostringstream help;
        help << kUsage
             << "Runs shell commands at given times, like a cron with millisecond precision.\n\n"
             << visible << kHelp;
        options.print = help.str();
        return options;
    }
    if (values.count("version") != 0) {
        options.print = "run_schedule (jtimer) " JTIMER_VERSION "\n";
        return options;
    }
    if (values.count("for") != 0) options.runFor = durationOf("for", values["for"]);
    if (values.count("grace") != 0) options.grace = durationOf("grace", values["grace"]);
    if (values.count("file") == 0) throw std::invalid_argument("no FILE given");
    options.file = values["file"].as<std::string>();
    return options;
}
