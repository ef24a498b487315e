// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "options.hpp"

#include "../text/parsing.hpp"
#include "../text/utf8.hpp"
#include "moment.hpp"
#include "option_values.hpp"
#include "serve_access.hpp"
#include "words.hpp"

#include <jtimer/version.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace po = boost::program_options;

namespace cluster_tool {

const char* const kUsage = "Usage: jtimer-cluster [OPTION...] COMMAND [ARGUMENT...]\n";

namespace {

/// What the command line of a command looks like.
struct Form {
    Command command;
    std::string_view name, arguments;
    std::size_t least, most;   ///< arguments
    std::string_view options;  ///< besides those of all commands; separated by blanks
    std::string_view what;
};

constexpr std::array kForms{
    Form{Command::List, "list", "[NAME [ID]]", 0, 2, "state id-prefix node due-before limit json",
         "the tasks, by name and id"},
    Form{Command::Show, "show", "NAME ID", 2, 2, "payload json", "all that there is of a task"},
    Form{Command::Names, "names", "", 0, 0, "json",
         "how many tasks each name has, and who runs them"},
    Form{Command::Nodes, "nodes", "", 0, 0, "json", "the processes that run tasks"},
    Form{Command::Backlog, "backlog", "", 0, 0, "json", "how many tasks wait, and for how long"},
    Form{Command::Pauses, "pauses", "", 0, 0, "json", "the pauses of names, nodes and everything"},
    Form{Command::History, "history", "[NAME [ID]]", 0, 2, "outcome before limit json",
         "runs that have ended and were kept, the last one first"},
    Form{Command::KeepHistory, "keep-history", "off|failures|all", 1, 1, "age rows",
         "which runs are kept when they have ended"},
    Form{Command::Run, "run", "NAME ID", 2, 2, "wait json", "make a task due now"},
    Form{Command::Pause, "pause", "[NAME [ID]]", 0, 2, "node everything note yes dry-run json",
         "start no runs of a task, a name, a node or everything"},
    Form{Command::Resume, "resume", "[NAME [ID]]", 0, 2,
         "node everything skip-missed yes dry-run json", "end that pause"},
    Form{Command::Cancel, "cancel", "[NAME [ID]]", 0, 2,
         "state id-prefix node due-before yes dry-run json", "delete a task, or those selected"},
    Form{Command::Revive, "revive", "[NAME [ID]]", 0, 2, "id-prefix yes dry-run json",
         "make a dead task due now, or all those selected"},
    Form{Command::Reschedule, "reschedule", "NAME ID TIME", 3, 3, "json",
         "make a task due at another time"},
    Form{Command::Prune, "prune", "[NAME]", 0, 1, "keep unregistered older yes dry-run json",
         "delete the tasks that are not in a file, or that nobody runs"},
    Form{Command::Migrate, "migrate", "", 0, 0, "", "create the schema, or bring it up to date"},
    Form{Command::Schema, "schema", "", 0, 0, "from", "print the statements of migrate"},
    Form{Command::Serve, "serve", "", 0, 0, "listen allow-actions host auth secret show-payloads",
         "show pages of it to browsers"},
};

constexpr const char* kHelp = R"(
TIME is a duration such as 90s, 10m, 2h or 1d, from now, or a time such as 2030-01-01T08:00:00Z.

The manual page jtimer-cluster(1) describes them.
)";

std::string commands() {
    std::string text = "Commands:\n";
    for (const Form& form : kForms) {
        std::string line = "  " + std::string(form.name);
        if (!form.arguments.empty()) line.append(" ").append(form.arguments);
        line.append(std::max<std::size_t>(27, line.size() + 1) - line.size(), ' ');
        text.append(line).append(form.what).append("\n");
    }
    return text + '\n';
}

void addOptions(po::options_description& visible) {
    const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
    const auto add = [&visible](auto... option) { visible.add_options()(option...); };
    add("conninfo", text("CONNINFO"),
        "the database, such as host=db or postgresql://db/app ($JTIMER_CLUSTER, else as psql)");
    add("schema", text("NAME"), "the schema of the tasks in that database (jtimer)");
    add("json", "print objects of JSON, one a line");
    add("state", text("STATE"),
        "only tasks in this state: scheduled, retrying, running, dead or paused");
    add("id-prefix", text("TEXT"), "only tasks whose id begins with it");
    add("node", text("NAME"),
        "only tasks that run on the nodes of this name; pause and resume: those nodes");
    add("due-before", text("TIME"), "only tasks that wait, and may begin before");
    add("limit", text("N"), "list at most N tasks or runs (100)");
    add("outcome", text("OUTCOME"),
        "history: only succeeded, retrying, gave-up, dead, abandoned or lost");
    add("before", text("TOKEN"), "history: only runs before the one with this fencing token");
    add("age", text("DURATION"), "keep-history: for how long (7d)");
    add("rows", text("N"), "keep-history: at most so many (1000000)");
    add("payload", "show the payload, too");
    add("wait", text("[=DURATION]"), "wait until the run has ended; status 5 if it has failed");
    add("everything", "pause or resume: all tasks of the schema");
    add("note", text("TEXT"), "pause: why, for other people to read");
    add("skip-missed", "resume: drop the runs of repeating tasks that came due meanwhile");
    add("keep", text("FILE"), "prune: the ids of the tasks to keep, one a line; -: standard input");
    add("unregistered", "prune: tasks of names that no node registers");
    add("older", text("AGE"), "prune: which have been due for this long");
    add("from", text("VERSION"), "schema: the version of the schema that there is (0: none)");
    add("listen", text("HOST:PORT"), "serve: where (127.0.0.1:8980); port 0: any");
    add("allow-actions", "serve: people may also change things");
    add("host", po::value<std::vector<std::string>>()->value_name("NAME"),
        "serve: what else browsers call this server; may be given several times");
    add("auth", text("FILE"), "serve: the file of USER:PASSWORD, which browsers must tell");
    add("secret", text("FILE"),
        "serve: the file of the forms' secret, where several servers have one name");
    add("show-payloads", "serve: show the beginning of payloads");
    add("yes", "do not ask");
    add("dry-run", "only show what would be done");
    add("help,h", "print this help");
    add("version", "print the version");
}

/// Not quoted if it may be a connection string, which may hold a password.
const Form& formOf(const std::string& name) {
    for (const Form& form : kForms) {
        if (form.name == name) return form;
    }
    const bool isWord = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == name.npos;
    std::vector<std::string> names;
    names.reserve(kForms.size());
    for (const Form& form : kForms) names.emplace_back(form.name);
    failExpecting((isWord ? inQuotes(name) : "the first argument") + " is not a command",
                  joined(names, ", "));
}

bool allows(const Form& form, std::string_view option) {
    for (std::string_view rest = form.options; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        if (word == option) return true;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
}

void checkOptions(const Form& form, const po::variables_map& values) {
    for (const auto& [name, value] : values) {
        if (name == "conninfo" || name == "schema" || name == "argument") continue;
        if (!allows(form, name))
            throw std::invalid_argument("--" + name + " cannot be used with " +
                                        std::string(form.name));
    }
}

void checkArguments(const Form& form, std::size_t count) {
    if (count >= form.least && count <= form.most) return;
    std::string expected = form.arguments.empty() ? "no argument" : std::string(form.arguments);
    failExpecting(std::string(form.name) + " has " + std::to_string(count) +
                      (count == 1 ? " argument" : " arguments"),
                  expected);
}

/// What `parse` makes of the value of an option.
template <class Parse>
auto valueOf(const po::variables_map& values, const char* option, Parse parse) {
    try {
        return parse(values[option].as<std::string>());
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(std::string("--") + option + ": " + e.what());
    }
}

void readSelection(const po::variables_map& values, jtimer::Date now, Options& options) {
    jtimer::cluster::Filter& filter = options.filter;
    if (!options.name.empty()) filter.name = options.name;
    if (values.count("state") != 0) filter.state = valueOf(values, "state", stateOf);
    if (values.count("id-prefix") != 0) filter.idPrefix = valueOf(values, "id-prefix", notEmpty);
    if (values.count("node") != 0) filter.runningOn = valueOf(values, "node", notEmpty);
    if (values.count("due-before") != 0)
        filter.dueBefore = valueOf(values, "due-before", parseWhen).at(now);
    if (values.count("limit") != 0) filter.limit = valueOf(values, "limit", limitOf);
    if (options.id.empty()) return;
    for (const char* option : {"state", "id-prefix", "node", "due-before", "limit"}) {
        if (values.count(option) != 0)
            throw std::invalid_argument(std::string("--") + option + " cannot be used with an ID");
    }
}

void readHistory(const po::variables_map& values, Options& options) {
    jtimer::cluster::HistoryFilter& filter = options.past;
    if (!options.name.empty()) filter.name = options.name;
    if (!options.id.empty()) filter.id = options.id;
    if (values.count("outcome") != 0) filter.outcome = valueOf(values, "outcome", outcomeOf);
    if (values.count("before") != 0) filter.before = valueOf(values, "before", numberOf);
    if (values.count("limit") != 0) filter.limit = valueOf(values, "limit", limitOf);
}

void checkCancel(const Options& options) {
    const jtimer::cluster::Filter& filter = options.filter;
    if (filter.name || filter.state || !filter.idPrefix.empty() || !filter.runningOn.empty() ||
        filter.dueBefore)
        return;
    failExpecting("cancel would delete all tasks", "a NAME, or an option that selects some");
}

void readPause(const po::variables_map& values, Options& options) {
    options.everything = values.count("everything") != 0;
    options.skipMissed = values.count("skip-missed") != 0;
    if (values.count("note") != 0) options.note = valueOf(values, "note", noteOf);
    const int targets = (options.name.empty() ? 0 : 1) +
                        (options.filter.runningOn.empty() ? 0 : 1) + (options.everything ? 1 : 0);
    if (targets != 1)
        failExpecting("it is not clear what to pause or resume",
                      "NAME, NAME ID, --node NAME or --everything");
    if (options.everything) return;
    for (const char* option : {"yes", "dry-run"}) {
        if (values.count(option) != 0)
            throw std::invalid_argument(std::string("--") + option +
                                        " cannot be used without --everything");
    }
}

void readPrune(const po::variables_map& values, jtimer::Date now, Options& options) {
    const bool isUnregistered = values.count("unregistered") != 0;
    if (values.count("keep") != 0) options.keep = valueOf(values, "keep", notEmpty);
    const bool byFile = !options.keep.empty() && !options.name.empty() && !isUnregistered &&
                        values.count("older") == 0;
    const bool byAge = isUnregistered && values.count("older") != 0 && options.keep.empty() &&
                       options.name.empty();
    if (!byFile && !byAge)
        failExpecting("prune does not know what to delete",
                      "NAME --keep FILE, or --unregistered --older AGE");
    if (byAge) options.filter.dueBefore = now - valueOf(values, "older", parsePeriod);
}

void readServe(const po::variables_map& values, Options& options) {
    ServeOptions& serve = options.serve;
    if (values.count("listen") != 0) serve.listen = valueOf(values, "listen", http::parseAddress);
    if (values.count("host") != 0) serve.hosts = values["host"].as<std::vector<std::string>>();
    if (values.count("auth") != 0) serve.auth = valueOf(values, "auth", notEmpty);
    if (values.count("secret") != 0) serve.secret = valueOf(values, "secret", notEmpty);
    serve.allowsActions = values.count("allow-actions") != 0;
    serve.showsPayloads = values.count("show-payloads") != 0;
    checkServe(serve);
}

/// The value of a --wait that has none. As an implicit value, it would take the next argument.
constexpr const char* kForever = "forever";

void readOptions(const Form& form, const po::variables_map& values, jtimer::Date now,
                 Options& options) {
    const auto has = [&values](const char* name) { return values.count(name) != 0; };
    options.command = form.command;
    options.json = has("json");
    options.yes = has("yes");
    options.dryRun = has("dry-run");
    options.payload = has("payload");
    if (form.command == Command::History)
        readHistory(values, options);
    else
        readSelection(values, now, options);
    if (has("age")) options.age = valueOf(values, "age", parsePeriod);
    if (has("rows")) options.rows = static_cast<std::uint64_t>(valueOf(values, "rows", numberOf));
    if (form.command == Command::Cancel) checkCancel(options);
    if (form.command == Command::Pause || form.command == Command::Resume)
        readPause(values, options);
    if (form.command == Command::Prune) readPrune(values, now, options);
    options.wait = has("wait");
    if (options.wait && values["wait"].as<std::string>() != kForever)
        options.limit = valueOf(values, "wait", parsePeriod);
    if (form.command == Command::Serve) readServe(values, options);
    if (has("from")) options.from = valueOf(values, "from", versionOf);
    if (has("schema")) options.schema = valueOf(values, "schema", schemaOf);
}

void store(std::vector<std::string> arguments, const po::options_description& all,
           po::variables_map& values) {
    po::positional_options_description positional;
    positional.add("argument", -1);
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    std::replace(arguments.begin(), std::find(arguments.begin(), arguments.end(), "--"),
                 std::string("--wait"), std::string("--wait=") + kForever);
    try {
        po::store(po::command_line_parser(arguments)
                      .options(all)
                      .positional(positional)
                      .style(style)
                      .run(),
                  values);
    } catch (const po::unknown_option& e) {
        // Without what may be a connection string, with a password.
        const std::string name = e.get_option_name();
        throw std::invalid_argument(inQuotes(name.substr(0, name.find('='))) + " is not an option");
    }
}

std::string help(const po::options_description& visible) {
    std::ostringstream text;
    text << kUsage << "Shows and operates the tasks of a jtimer::cluster.\n\n"
         << commands() << visible << kHelp;
    return text.str();
}

}  // namespace

Options parseOptions(const std::vector<std::string>& arguments, const char* conninfo,
                     jtimer::Date now) {
    po::options_description visible("Options");
    addOptions(visible);
    po::options_description all;
    all.add(visible).add_options()("argument", po::value<std::vector<std::string>>());

    po::variables_map values;
    store(arguments, all, values);
    Options options;
    if (values.count("help") != 0) options.print = help(visible);
    if (values.count("version") != 0)
        options.print = "jtimer-cluster (jtimer) " JTIMER_VERSION "\n";
    if (!options.print.empty()) return options;

    if (values.count("argument") == 0) throw std::invalid_argument("no COMMAND given");
    const auto& words = values["argument"].as<std::vector<std::string>>();
    const Form& form = formOf(words.front());
    checkArguments(form, words.size() - 1);
    checkOptions(form, values);
    if (values.count("conninfo") != 0) {
        options.conninfo = values["conninfo"].as<std::string>();
    } else if (conninfo != nullptr) {
        options.conninfo = conninfo;
    }
    if (form.command == Command::KeepHistory)
        options.kept = historyOf(words[1]);
    else if (words.size() > 1)
        options.name = keyOf("NAME", words[1]);
    if (words.size() > 2) options.id = keyOf("ID", words[2]);
    if (words.size() > 3) options.when = parseWhen(words[3]);
    readOptions(form, values, now, options);
    return options;
}

}  // namespace cluster_tool
