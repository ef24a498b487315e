// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "options.hpp"

#include "../http/http.hpp"
#include "../text/host_name.hpp"
#include "../text/parsing.hpp"
#include "../text/time_text.hpp"
#include "../text/utf8.hpp"
#include "line_options.hpp"

#include <jtimer/version.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
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

int jobsOf(const std::string& text) {
    const std::optional<int> jobs = parseCount(text, kMostJobs);
    if (!jobs)
        failExpecting(inQuotes(text) + " is not a number of commands",
                      "1 to " + std::to_string(kMostJobs));
    return *jobs;
}

/// A duration that is not 0.
std::chrono::milliseconds periodOf(const std::string& text) {
    const std::chrono::milliseconds period = parseDuration(text);
    if (period.count() == 0)
        failExpecting(inQuotes(text) + " would be all the time", "a duration such as 10s");
    return period;
}

std::string given(const std::string& text, const char* expected) {
    if (text.empty()) failExpecting("the name is empty", expected);
    return text;
}

std::string schemaOf(const std::string& name) {
    constexpr std::size_t kLongestSchema = 48;
    if (name.empty() || name.size() > kLongestSchema || !isPrintable(name))
        failExpecting(inQuotes(name) + " cannot be a schema", "1 to 48 bytes of UTF-8");
    return name;
}

http::Address addressOf(const std::string& text) {
    if (!http::isBuiltIn())
        failExpecting("this program was built without HTTP", "one of `make HTTP=yes`");
    return http::parseAddress(text);
}

OutputForm formOf(const std::string& text) {
    if (text == "prefixed") return OutputForm::Prefixed;
    if (text == "raw") return OutputForm::Raw;
    if (text == "json") return OutputForm::Json;
    failExpecting(inQuotes(text) + " is not a form of output", "prefixed, raw or json");
}

void setCrontab(Options& options, Format format) {
    options.reading.format = format;
    options.reading.defaults.overlap = Overlap::Skip;
}

using Argument = const std::string&;

template <bool Options::*Flag>
void turnOn(Options& options, Argument) {
    options.*Flag = true;
}

struct Option {
    const char* name;
    const char* argument;  ///< null: it has none
    const char* help;
    /// \throws std::invalid_argument for an argument that is wrong
    void (*set)(Options& options, Argument argument);
};

/// In the order of the help, and in which they are set.
constexpr Option kOptions[] = {
    {"crontab", nullptr, "FILE is a crontab, as cron plays it",
     [](Options& o, Argument) { setCrontab(o, Format::Crontab); }},
    {"system", nullptr, "FILE is a crontab with a column of users, such as /etc/crontab",
     [](Options& o, Argument) { setCrontab(o, Format::System); }},
    {"convert", nullptr, "print the crontab as a schedule file, and end",
     turnOn<&Options::convert>},
    {"defaults", "OPTIONS", "options for all lines that do not set them themselves",
     [](Options& o, Argument text) { takeDefaults(text, o.reading.defaults); }},
    {"for", "DURATION", "stop after this long",
     [](Options& o, Argument text) { o.runFor = parseDuration(text); }},
    {"grace", "DURATION",
     "how long running commands may continue after that, before SIGTERM, and again before "
     "SIGKILL (4s)",
     [](Options& o, Argument text) { o.grace = parseDuration(text); }},
    {"jobs", "N", "run at most N commands at once (10)",
     [](Options& o, Argument text) { o.jobs = jobsOf(text); }},
    {"catch-up", nullptr, "run each `at` that is past at the start, instead of skipping it",
     turnOn<&Options::catchUp>},
    {"strict", nullptr, "exit with status 3 if a command failed", turnOn<&Options::strict>},
    {"stop-on-failure", nullptr, "end after the first run that has failed, with exit status 3",
     turnOn<&Options::stopOnFailure>},
    {"on-failure", "COMMAND", "run COMMAND after a run has failed with all its retries",
     [](Options& o, Argument text) { o.onFailure = given(text, "a command"); }},
    {"state", "FILE", "keep in FILE when lines began, and at a start make up for missed runs",
     [](Options& o, Argument text) { o.state = given(text, "a file"); }},
    {"reload", nullptr, "read FILE again on SIGHUP, as on SIGUSR2, instead of ending",
     turnOn<&Options::reload>},
    {"reload-every", "DURATION",
     "look this often whether a FILE has changed; if so, read all of them again",
     [](Options& o, Argument text) { o.reloadEvery = periodOf(text); }},
    {"watch", nullptr, "show a live table instead of lines, on a terminal",
     turnOn<&Options::watch>},
    {"trace", "FILE", "write what runs when as Chrome trace events",
     [](Options& o, Argument text) { o.trace = given(text, "a file"); }},
    {"metrics", "FILE", "replace FILE each second by metrics for Prometheus",
     [](Options& o, Argument text) { o.metrics = given(text, "a file"); }},
    {"listen", "HOST:PORT",
     "serve GET /metrics for Prometheus, and /healthz, and with --cluster pages of the cluster; "
     "port 0: choose a free port and print it",
     [](Options& o, Argument text) { o.listen = addressOf(text); }},
    {"probe", "HOST:PORT",
     "without FILE: ask a copy that listens there for its health, print it, and end",
     [](Options& o, Argument text) { o.probe = addressOf(text); }},
    {"cluster", "CONNINFO",
     "share the schedule with all copies on this PostgreSQL database, such as host=db: each "
     "run takes place in one of them",
     [](Options& o, Argument text) { o.cluster = given(text, "how to reach a database"); }},
    {"node", "NAME", "this copy's name in the cluster (HOST:PID)",
     [](Options& o, Argument text) { o.node = given(text, "a name"); }},
    {"connect-within", "DURATION",
     "how long to try at the start if the database cannot be reached (30s)",
     [](Options& o, Argument text) { o.connectWithin = parseDuration(text); }},
    {"schema", "NAME",
     "the schema of the tasks in that database (run_schedule); each is a schedule of its own",
     [](Options& o, Argument text) { o.schema = schemaOf(text); }},
    {"list", nullptr, "with --cluster, and without FILE: print all tasks, and end",
     turnOn<&Options::list>},
    {"revive", "NAME", "with --cluster, and without FILE: run a dead line again, and end",
     [](Options& o, Argument text) { o.revive = given(text, "the name of a line"); }},
    {"prune", nullptr,
     "with --cluster: delete the tasks that are in no FILE and not running, and end",
     turnOn<&Options::prune>},
    {"dry-run", nullptr,
     "simulate the schedule without waiting or running commands: for a day, for the time of "
     "--for, or to the last run if nothing repeats",
     turnOn<&Options::dryRun>},
    {"check", nullptr, "check what a start checks, print when each task is due next, and end",
     turnOn<&Options::check>},
    {"output", "FORM",
     "prefixed: show what commands print with time and name (the default); raw: let them "
     "write to the output themselves; json: print a JSON object for each line, event and notice",
     [](Options& o, Argument text) { o.output = formOf(text); }},
    {"verbose", nullptr, "also tell when commands begin and succeed, and which time zone is local",
     turnOn<&Options::verbose>},
};

po::options_description visibleOptions() {
    po::options_description visible("Options");
    for (const Option& each : kOptions) {
        if (each.argument == nullptr) {
            visible.add_options()(each.name, each.help);
        } else {
            visible.add_options()(each.name, po::value<std::string>()->value_name(each.argument),
                                  each.help);
        }
    }
    visible.add_options()("help,h", "print this help")("version", "print the version");
    return visible;
}

constexpr const char* kOfCluster[] = {"node", "connect-within", "schema",
                                      "list", "revive",         "prune"};

struct Pair {
    const char* one;
    const char* other;
};

constexpr Pair kExclusive[] = {
    {"crontab", "system"},   {"watch", "dry-run"},  {"metrics", "dry-run"},
    {"listen", "dry-run"},   {"reload", "dry-run"}, {"reload-every", "dry-run"},
    {"cluster", "dry-run"},  {"state", "dry-run"},  {"state", "cluster"},
    {"list", "revive"},      {"prune", "check"},    {"prune", "convert"},
    {"convert", "defaults"},
};

/// Options that take no FILE, and options whose FILE cannot be standard input.
constexpr const char* kWithoutFile[] = {"list", "revive", "probe"};
constexpr const char* kWithoutInput[] = {"reload", "reload-every", "state"};

/// Refuses options that make no sense together.
void checkTogether(const po::variables_map& values, const Options& options) {
    const auto has = [&values](const char* name) { return values.count(name) != 0; };
    const auto refuse = [](const char* option, const std::string& where) {
        throw std::invalid_argument(std::string("--") + option + " cannot be used " + where);
    };
    for (const char* option : kOfCluster)
        if (has(option) && !has("cluster")) refuse(option, "without --cluster");
    for (const Pair& each : kExclusive)
        if (has(each.one) && has(each.other)) refuse(each.one, std::string("with --") + each.other);
    for (const char* option : kWithoutFile)
        if (has(option) && has("file")) refuse(option, "with FILE");
    for (const char* option : kWithoutInput)
        if (has(option) && options.readInput()) refuse(option, "with standard input");
    if (options.watch && options.output == OutputForm::Raw) refuse("watch", "with --output=raw");
    if (options.watch && options.output == OutputForm::Json) refuse("watch", "with --output=json");
    if (options.convert && options.files.size() > 1) refuse("convert", "with more than one FILE");
    if (options.convert && options.reading.format == Format::Schedule)
        refuse("convert", "without --crontab or --system");
    if (!has("file") && std::none_of(std::begin(kWithoutFile), std::end(kWithoutFile), has))
        throw std::invalid_argument("no FILE given");
}

/// What jtimer::cluster calls a node without a name.
std::string defaultNode() { return hostName() + ':' + std::to_string(::getpid()); }

Options optionsOf(const po::variables_map& values) {
    Options options;
    for (const Option& each : kOptions) {
        const po::variable_value& value = values[each.name];
        if (value.empty()) continue;
        try {
            each.set(options, each.argument == nullptr ? std::string() : value.as<std::string>());
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument(std::string("--") + each.name + ": " + e.what());
        }
    }
    if (values.count("file") != 0) options.files = values["file"].as<std::vector<std::string>>();
    if (!options.cluster.empty() && options.node.empty()) options.node = defaultNode();
    options.reading.namesMustLast = !options.cluster.empty() || !options.state.empty();
    checkTogether(values, options);
    return options;
}

}  // namespace

Options parseOptions(int argc, const char* const* argv) {
    const po::options_description visible = visibleOptions();
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
