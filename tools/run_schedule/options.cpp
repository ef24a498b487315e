// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "options.hpp"

#include "../http/http.hpp"
#include "jitter.hpp"
#include "line_options.hpp"
#include "parsing.hpp"
#include "time_text.hpp"
#include "utf8.hpp"

#include <jtimer/version.hpp>

#include <boost/program_options.hpp>

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace po = boost::program_options;

const char* const kUsage = "Usage: run_schedule [OPTION...] FILE...\n";

namespace {

constexpr int kMostJobs = 1000;

constexpr const char* kHelp = R"(
Each line of FILE, or of standard input if FILE is -, has a time, a name, and a command for /bin/sh:

  after 500ms                      hello   echo hello
  every 1m after 10s               load    uptime
  rate 250ms overlap=skip          sample  cat /proc/loadavg
  at 2030-01-01T08:00:00           happy   echo new year
  cron "*/5 8-18 * * mon-fri" retry=3/10s  poll  ./poll.sh

The manual page run_schedule(1) describes them.
)";

void addOptions(po::options_description& visible) {
    const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
    const auto add = [&visible](auto... option) { visible.add_options()(option...); };
    add("crontab", "FILE is a crontab, as cron plays it");
    add("system", "FILE is a crontab with a column of users, such as /etc/crontab");
    add("convert", "print the crontab as a schedule file, and end");
    add("defaults", text("OPTIONS"), "options of all lines that do not have them themselves");
    add("for", text("DURATION"), "stop after this long");
    add("grace", text("DURATION"),
        "how long running commands may continue after that, before SIGTERM, and again before "
        "SIGKILL (4s)");
    add("jobs", text("N"), "run at most N commands at once (10)");
    add("catch-up", "run each `at` that is past at the start, instead of skipping it");
    add("strict", "exit with status 3 if a command failed");
    add("stop-on-failure", "end after the first run that has failed, with exit status 3");
    add("on-failure", text("COMMAND"), "run COMMAND after a run has failed with all its retries");
    add("state", text("FILE"), "keep in FILE when lines began, and make up for what was missed");
    add("reload", "read FILE again on SIGHUP, as on SIGUSR2, instead of ending");
    add("reload-every", text("DURATION"),
        "look so often whether a FILE has changed, and then read all again");
    add("watch", "show a live table instead of lines, on a terminal");
    add("trace", text("FILE"), "write what runs when as Chrome trace events");
    add("metrics", text("FILE"), "write metrics for Prometheus, each second, by replacing FILE");
    add("listen", text("HOST:PORT"),
        "serve GET /metrics for Prometheus, and /healthz; port 0: print the one that is chosen");
    add("probe", text("HOST:PORT"),
        "without FILE: ask a copy that listens there for its health, print it, and end");
    add("cluster", text("CONNINFO"),
        "share the schedule with all copies on this PostgreSQL database, such as host=db: each "
        "run takes place in one of them");
    add("node", text("NAME"), "this copy's name in the cluster (HOST:PID)");
    add("connect-within", text("DURATION"),
        "how long to try at the start if the database cannot be reached (30s)");
    add("schema", text("NAME"),
        "the schema of the tasks in that database (run_schedule): others are other schedules");
    add("list", "with --cluster, and without FILE: print the tasks that are there, and end");
    add("revive", text("NAME"),
        "with --cluster, and without FILE: make a line that is dead run again, and end");
    add("prune", "with --cluster: delete the tasks that no FILE has and that do not run, and end");
    add("dry-run", "simulate the schedule without waiting or running commands: for a day, for the "
                   "time of --for, or to the last run if nothing repeats");
    add("check", "check everything as a start does, print when each task is due next, and end");
    add("output", text("FORM"),
        "prefixed: show what commands print with time and name (the default); raw: hand them the "
        "output itself; json: print an object of JSON for each line, event and notice");
    add("verbose", "tell also when commands begin and succeed, and which time zone is local");
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

/// A duration that is not 0.
std::chrono::milliseconds periodOf(const char* option, const po::variable_value& value) {
    const std::chrono::milliseconds period = durationOf(option, value);
    if (period.count() == 0)
        failExpecting(std::string("--") + option + ": " + inQuotes(value.as<std::string>()) +
                          " would be all the time",
                      "a duration such as 10s");
    return period;
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

std::string schemaOf(const std::string& name) {
    constexpr std::size_t kLongestSchema = 48;
    if (name.empty() || name.size() > kLongestSchema || !isPrintable(name))
        failExpecting("--schema: " + inQuotes(name) + " cannot be a schema",
                      "1 to 48 bytes of UTF-8");
    return name;
}

http::Address addressOf(const char* option, const po::variable_value& value) {
    const std::string prefix = std::string("--") + option + ": ";
    if (!http::isBuiltIn())
        failExpecting(prefix + "this program was built without HTTP", "one of `make HTTP=yes`");
    try {
        return http::parseAddress(value.as<std::string>());
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(prefix + e.what());
    }
}

/// What jtimer::cluster calls a node without a name.
std::string defaultNode() { return hostName() + ':' + std::to_string(::getpid()); }

OutputForm formOf(const std::string& text) {
    if (text == "prefixed") return OutputForm::Prefixed;
    if (text == "raw") return OutputForm::Raw;
    if (text == "json") return OutputForm::Json;
    failExpecting("--output: " + inQuotes(text) + " is not a form of output",
                  "prefixed, raw or json");
}

/// Refuses options that make no sense together.
void checkTogether(const Options& options) {
    const auto refuse = [](bool wrong, const char* one, const char* other) {
        if (wrong) throw std::invalid_argument(std::string(one) + " cannot be used with " + other);
    };
    refuse(options.watch && options.dryRun, "--watch", "--dry-run");
    refuse(options.watch && options.output == OutputForm::Raw, "--watch", "--output=raw");
    refuse(options.watch && options.output == OutputForm::Json, "--watch", "--output=json");
    refuse(options.metrics != "" && options.dryRun, "--metrics", "--dry-run");
    refuse(options.listen && options.dryRun, "--listen", "--dry-run");
    refuse(options.probe && !options.files.empty(), "--probe", "FILE");
    refuse(options.reload && options.dryRun, "--reload", "--dry-run");
    refuse(options.reload && options.readInput(), "--reload", "standard input");
    refuse(options.reloadEvery && options.dryRun, "--reload-every", "--dry-run");
    refuse(options.reloadEvery && options.readInput(), "--reload-every", "standard input");
    refuse(options.cluster != "" && options.dryRun, "--cluster", "--dry-run");
    refuse(options.state != "" && options.cluster != "", "--state", "--cluster");
    refuse(options.state != "" && options.dryRun, "--state", "--dry-run");
    refuse(options.state != "" && options.readInput(), "--state", "standard input");
    refuse(options.list && !options.files.empty(), "--list", "FILE");
    refuse(options.list && options.revive != "", "--list", "--revive");
    refuse(options.prune && options.check, "--prune", "--check");
    refuse(options.prune && options.convert, "--prune", "--convert");
    refuse(options.revive != "" && !options.files.empty(), "--revive", "FILE");
    refuse(options.convert && options.hasDefaults, "--convert", "--defaults");
    refuse(options.convert && options.files.size() > 1, "--convert", "more than one FILE");
    if (options.convert && options.reading.format == Format::Schedule)
        throw std::invalid_argument("--convert cannot be used without --crontab or --system");
}

void needCluster(const po::variables_map& values) {
    if (values.count("cluster") != 0) return;
    for (const char* option : {"node", "connect-within", "schema", "list", "revive", "prune"}) {
        if (values.count(option) != 0)
            throw std::invalid_argument(std::string("--") + option +
                                        " cannot be used without --cluster");
    }
}

/// What the lines of the files are, and what they do not say.
void readFormat(const po::variables_map& values, Options& options) {
    const bool isCrontab = values.count("crontab") != 0, isSystem = values.count("system") != 0;
    if (isCrontab && isSystem)
        throw std::invalid_argument("--crontab cannot be used with --system");
    Reading& reading = options.reading;
    if (isCrontab) reading.format = Format::Crontab;
    if (isSystem) reading.format = Format::System;
    if (isCrontab || isSystem) reading.defaults.overlap = Overlap::Skip;
    reading.namesMustLast = !options.cluster.empty() || !options.state.empty();
    options.hasDefaults = values.count("defaults") != 0;
    if (!options.hasDefaults) return;
    try {
        takeDefaults(values["defaults"].as<std::string>(), reading.defaults);
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(std::string("--defaults: ") + e.what());
    }
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
    if (has("reload-every")) options.reloadEvery = periodOf("reload-every", values["reload-every"]);
    options.watch = has("watch");
    if (has("trace")) options.trace = textOf("trace", values["trace"], "a file");
    if (has("metrics")) options.metrics = textOf("metrics", values["metrics"], "a file");
    if (has("listen")) options.listen = addressOf("listen", values["listen"]);
    if (has("probe")) options.probe = addressOf("probe", values["probe"]);
    if (has("cluster")) {
        options.cluster = textOf("cluster", values["cluster"], "how to reach a database");
        options.node = defaultNode();
    }
    if (has("node")) options.node = textOf("node", values["node"], "a name");
    if (has("connect-within"))
        options.connectWithin = durationOf("connect-within", values["connect-within"]);
    if (has("schema")) options.schema = schemaOf(values["schema"].as<std::string>());
    options.list = has("list");
    options.prune = has("prune");
    if (has("revive")) options.revive = textOf("revive", values["revive"], "the name of a line");
    options.dryRun = has("dry-run");
    if (has("on-failure"))
        options.onFailure = textOf("on-failure", values["on-failure"], "a command");
    if (has("state")) options.state = textOf("state", values["state"], "a file");
    options.stopOnFailure = has("stop-on-failure");
    if (has("file")) options.files = values["file"].as<std::vector<std::string>>();
    options.convert = has("convert");
    options.check = has("check");
    if (has("output")) options.output = formOf(values["output"].as<std::string>());
    options.verbose = has("verbose");
    readFormat(values, options);
    needCluster(values);
    checkTogether(options);
    if (!has("file") && options.revive.empty() && !options.list && !options.probe)
        throw std::invalid_argument("no FILE given");
    return options;
}

}  // namespace

Options parseOptions(int argc, const char* const* argv) {
    po::options_description visible("Options");
    addOptions(visible);
    po::options_description all;
    all.add(visible).add_options()("file", po::value<std::vector<std::string>>());
    po::positional_options_description positional;
    positional.add("file", -1);

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
