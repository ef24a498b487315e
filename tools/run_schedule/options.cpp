// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "options.hpp"

#include "parsing.hpp"
#include "time_text.hpp"

#include <jtimer/version.hpp>

#include <boost/program_options.hpp>

#include <array>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace po = boost::program_options;

const char* const kUsage = "Usage: run_schedule [OPTION...] FILE\n";

namespace {

constexpr int kMostJobs = 1000;

constexpr const char* kHelp = R"(
Each line of FILE, or of standard input if FILE is -, has a time, a name, and a command for /bin/sh:

  after 500ms               hello      echo hello        # once, from the start
  every 1s                  heartbeat  date +%s          # fixed delay
  rate  250ms               sample     cat /proc/loadavg # fixed rate
  every 2s after 10s        late       echo ten seconds in
  at    2030-01-01T08:00:00 happy      echo new year     # once, local time
  at    08:00               alarm      ./wake-up.sh      # once, when it is next 08:00
  daily 08:00 Europe/Berlin report     ./report.sh
  cron "*/5 8-18 * * mon-fri" Europe/Berlin  poll  ./poll.sh

A duration is a whole number followed by ms, s, m, h or d, at most 36500d. The fields of `cron` are
minute, hour, day of month, month and day of week, with *, lists, ranges, steps and English names;
if both days are restricted, either matches. Time zones are those of /usr/share/zoneinfo, such as
UTC or Europe/Berlin; without one, times are local. `at` with a date also accepts milliseconds
(08:00:00.250) and a UTC offset (08:00:00+01:00, 08:00:00Z), but no zone. If the time is
already past when run_schedule starts, the task is skipped.

If the clocks skip the local time of a task, it runs later by the length of the gap: 02:30 at 03:30.
If they show it twice, it runs the second time (cronie takes the first). But a `cron` line whose
minute or hour field begins with * keeps its interval: it runs both times, and not at times that are
skipped.

Options of a line stand before its name, such as: every 1m overlap=skip retry=3/10s poll ./poll.sh
  overlap=wait|skip|kill  a run that is due while the previous one of that name is in progress
                          waits for it (the default), is dropped, or ends it first
  retry=TIMES[/DURATION]  runs a failed command again, up to TIMES times. The delay (default 1s)
                          doubles after each failure, up to 1h. A first delay of more than 1h
                          is not doubled

A name is a word of UTF-8 that occurs once in the file, without = and other than after, at, every,
rate, daily, cron and the names of time zones. Empty lines and lines that begin with # are ignored.

Commands of different names run at once, up to --jobs; those that have been due longest begin first.
A late `every` shifts its later runs; a late `rate` catches up on missed runs, back to back; `daily`
and `cron` make up for missed runs by a single one. Commands read from /dev/null. Background
processes that a command leaves behind are not waited for: they keep running, and a `cat` process
discards whatever they print from then on.

Setting the computer's clock does not affect durations, and time spent suspended does not count.
`at`, `daily` and `cron` follow that clock; a change is noticed within a second. If the clock is set
back by up to 3 hours, no time comes again, except for `cron` lines that keep their interval: after
a minute or more, they go on from the new time. If it is set back by more, so do all lines. A single
run makes up for all times that were missed because the clock was set forward or the computer was
suspended. If TZ is not set and /etc/localtime changes, lines without a zone follow the new local
time, and what has passed there does not run.

Each line that a command prints is shown with the local time, the UTC offset and the task's name. A
failed command is reported in the same way, and stops nothing.

SIGINT, SIGTERM, SIGQUIT, SIGHUP and the end of --for cancel everything still scheduled, and give
running commands the --grace time to finish. Then their process groups (everything they have
started and not moved to another group) receive SIGTERM and, after the same time again, SIGKILL. A
second SIGINT, SIGTERM or SIGQUIT sends SIGKILL at once; a third ends run_schedule itself. Under
nohup, SIGHUP is ignored. A schedule without repeating tasks ends when everything has run.

SIGUSR2 reads FILE again, and with --reload, so does SIGHUP. Tasks whose lines are the same
continue, others begin as at the start, and running commands are left to finish. All time zones are
read again. If the file has an error, nothing changes.

A table is printed at the end. Lateness is the actual start minus the planned one; the planned start
of an `every` is its previous start plus the period. p50 is the median, rounded up to a power of two
of microseconds. In a dry run, commands take no time. --stats adds the timer's own statistics, as
returned by jtimer::Timer::stats(): they also count the tasks that start the schedule, end and retry
commands, and check the clock once a second while a time of that clock is pending.

With --cluster, any number of copies of run_schedule, on any machines, play one schedule: each line
runs once per period in the whole cluster, and goes on when a copy or its machine dies. The tasks
are kept in the schema `run_schedule`, which the first copy creates if its role may. Another
schedule on the same database needs other names. A line that repeats is known by its name, and its
time becomes that of the copy that starts last. A line that runs once is known by its name and time,
and runs only once, however often the schedule is started. All lines are checked before anything is
written or run: `daily`, `cron` and `at HH:MM` need a time zone, `at` with a date needs a UTC
offset, overlap=kill is refused. Missed runs of a `rate` are made up for by a single one. When a copy has not
reached the database for 30 seconds, another one takes over, and running commands receive SIGTERM.
If three copies die in one run of a repeating line, the next one follows at its time. A line that
runs once is dead then, and when it has failed: --revive NAME runs it again. The end takes at most
twice the --grace time and a second, even if the database does not answer.

A line that cannot be written, because the disk is full or nothing reads the pipe, is lost and
reported; commands continue, and the next line is tried again. A dry run ends there.

Exit status: 0 on success, even if commands failed; 1 if output was lost, or if run_schedule itself
failed, for example because it cannot reach the database; 2 if FILE, an option or TZ is wrong, in
which case nothing has run; 3 with --strict if a command failed, with all its retries, or a line is
dead in the cluster.
)";

void addOptions(po::options_description& visible) {
    const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
    const auto add = [&visible](auto... option) { visible.add_options()(option...); };
    add("for", text("DURATION"), "stop after this long");
    add("grace", text("DURATION"),
        "how long running commands may continue after that, before SIGTERM, and again before "
        "SIGKILL (4s)");
    add("jobs", text("N"), "run at most N commands at once (10)");
    add("catch-up", "run each `at` that is past at the start, instead of skipping it");
    add("strict", "exit with status 3 if a command failed");
    add("reload", "read FILE again on SIGHUP, as on SIGUSR2, instead of ending");
    add("watch", "show a live table instead of lines, on a terminal");
    add("trace", text("FILE"), "write what runs when as Chrome trace events");
    add("metrics", text("FILE"), "write metrics for Prometheus, each second, by replacing FILE");
    add("cluster", text("CONNINFO"),
        "share the schedule with all copies on this PostgreSQL database, such as host=db: each "
        "run takes place in one of them");
    add("node", text("NAME"), "this copy's name in the cluster (HOST:PID)");
    add("connect-within", text("DURATION"),
        "how long to try at the start if the database cannot be reached (30s)");
    add("revive", text("NAME"),
        "with --cluster, and without FILE: make a line that is dead run again, and end");
    add("dry-run", "simulate the schedule without waiting or running commands: for a day, for the "
                   "time of --for, or to the last run if nothing repeats");
    add("stats", "also print the timer's statistics");
    add("help,h", "print this help");
    add("version", "print the version");
}

std::chrono::milliseconds durationOf(const char* option, const po::variable_value& value) {
    try {
        return parseDuration(value.as<std::string>());
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(std::string("--") + option + ": " + e.what());
    }
}

int jobsOf(const std::string& text) {
    const std::optional<int> jobs = parseCount(text, kMostJobs);
    if (!jobs) {
        failExpecting("--jobs: " + inQuotes(text) + " is not a number of commands",
                      "1 to " + std::to_string(kMostJobs));
    }
    return *jobs;
}

std::string textOf(const char* option, const po::variable_value& value, const char* expected) {
    const auto& text = value.as<std::string>();
    if (text.empty()) failExpecting(std::string("--") + option + ": the name is empty", expected);
    return text;
}

/// What jtimer::cluster calls a node without a name.
std::string defaultNode() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {'?'};
    return std::string(host.data()) + ':' + std::to_string(::getpid());
}

/// Refuses options that make no sense together.
void checkTogether(const Options& options) {
    const auto refuse = [](bool wrong, const char* one, const char* other) {
        if (wrong) throw std::invalid_argument(std::string(one) + " cannot be used with " + other);
    };
    refuse(options.watch && options.dryRun, "--watch", "--dry-run");
    refuse(options.metrics != "" && options.dryRun, "--metrics", "--dry-run");
    refuse(options.reload && options.dryRun, "--reload", "--dry-run");
    refuse(options.reload && options.file == "-", "--reload", "standard input");
    refuse(options.cluster != "" && options.dryRun, "--cluster", "--dry-run");
    refuse(options.cluster != "" && options.reload, "--cluster", "--reload");
    refuse(options.cluster != "" && options.stats, "--cluster", "--stats");
    refuse(options.revive != "" && options.file != "", "--revive", "FILE");
    if (options.revive != "" && options.cluster.empty())
        throw std::invalid_argument("--revive cannot be used without --cluster");
    if (options.node != "" && options.cluster.empty())
        throw std::invalid_argument("--node cannot be used without --cluster");
}

Options optionsOf(const po::variables_map& values) {
    const auto has = [&values](const char* name) { return values.count(name) != 0; };
    Options options;
    if (has("for")) options.runFor = durationOf("for", values["for"]);
    if (has("grace")) options.grace = durationOf("grace", values["grace"]);
    if (has("jobs")) options.jobs = jobsOf(values["jobs"].as<std::string>());
    options.catchUp = has("catch-up");
    options.strict = has("strict");
    options.reload = has("reload");
    options.watch = has("watch");
    if (has("trace")) options.trace = textOf("trace", values["trace"], "a file");
    if (has("metrics")) options.metrics = textOf("metrics", values["metrics"], "a file");
    if (has("cluster")) {
        options.cluster = textOf("cluster", values["cluster"], "how to reach a database");
        options.node = defaultNode();
    }
    if (has("node")) options.node = textOf("node", values["node"], "a name");
    if (has("connect-within"))
        options.connectWithin = durationOf("connect-within", values["connect-within"]);
    if (has("revive")) options.revive = textOf("revive", values["revive"], "the name of a line");
    options.dryRun = has("dry-run");
    options.stats = has("stats");
    if (has("file")) options.file = values["file"].as<std::string>();
    if (has("connect-within") && options.cluster.empty())
        throw std::invalid_argument("--connect-within cannot be used without --cluster");
    checkTogether(options);
    if (!has("file") && options.revive.empty()) throw std::invalid_argument("no FILE given");
    return options;
}

}  // namespace

Options parseOptions(int argc, const char* const* argv) {
    po::options_description visible("Options");
    addOptions(visible);
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
    return optionsOf(values);
}
