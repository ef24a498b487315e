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
Each line of FILE, or of the standard input if FILE is -, says when, a name, and a command for
/bin/sh:

  after 500ms               hello      echo hello        # once, from the start
  at    2030-01-01T08:00:00 report     ./report.sh       # once, local time
  every 1s                  heartbeat  date +%s          # fixed delay
  rate  250ms               sample     cat /proc/loadavg # fixed rate
  every 2s after 10s        late       echo ten seconds in

Durations are whole numbers of ms, s, m, h or d, up to 36500d. `at` takes milliseconds, too
(08:00:00.250), and a UTC offset (08:00:00+01:00, 08:00:00Z); without one, of a local time that
occurs twice because the clocks are set back, the first is meant. A time in the past runs at once.
`every` and `rate` run first at the start, or `after` a duration. A name is a word other than after,
at, every and rate. Empty lines, and lines that begin with a #, mean nothing.

Setting the computer's clock does not touch durations; they stand still while the computer sleeps.
`at` goes by that clock, and notices within a second that it has been set.

Commands run one after another, on the one thread of one timer: while a command runs, what comes
due waits. A late `every` shifts its later runs; a late `rate` makes up for missed runs, back to
back. A command reads /dev/null. What it leaves in the background is not waited for: it goes on, and
a process `cat` discards what it prints from then on.

Each line that a command prints is shown with its local time, the UTC offset and the name of the
task; so is a failure, which stops nothing.

SIGINT, SIGTERM, SIGHUP and the end of --for discard what is still to come, and give a running
command the time of --grace to finish. Then its process group (what it has started and not moved to
another group) gets SIGTERM, and after the same time again, SIGKILL. A second SIGINT or SIGTERM
sends SIGKILL at once; a third one ends run_schedule itself. Under nohup, SIGHUP is ignored. A
schedule in which nothing repeats ends by itself when all has run.

At the end stands a table. Lateness is the actual start minus the planned one; an `every` is planned
for its previous start plus the period. p50 is the median, rounded up to a power of two of
microseconds. In a dry run, no command takes any time. With --stats the statistics of the timer
follow, as jtimer::Timer::stats() returns them: its tasks are those of FILE, the one that starts
them, and one that looks at the clock once a second while an `at` is to come.

A line that cannot be written, because the disk is full or nobody reads the pipe, is lost and
reported; commands go on, and the next line is tried again. A dry run ends there.

Exit status: 0, also when commands have failed; 2 if FILE or an option is wrong, and nothing has
run; 1 if output was lost.
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
                          "stop after this time")(
        "grace", po::value<std::string>()->value_name("DURATION"),
        "how long a command may still run then, before SIGTERM and again before SIGKILL (5s)")(
        "dry-run",
        "play the schedule in no time and run no command: a day, or to the end of --for, or to "
        "the last run if nothing repeats")("stats", "print the statistics of the timer, too")(
        "help,h", "print this")("version", "print the version");
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
             << "Runs shell commands at their times, as a cron with milliseconds does.\n\n"
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
    if (values.count("file") == 0) throw std::invalid_argument("no FILE is given: expected one");
    options.file = values["file"].as<std::string>();
    return options;
}
