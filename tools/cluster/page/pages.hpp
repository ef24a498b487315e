// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/name_info.hpp>
#include <jtimer/cluster/node_info.hpp>
#include <jtimer/cluster/pause.hpp>
#include <jtimer/cluster/stats.hpp>
#include <jtimer/cluster/task_info.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// The pages of `jtimer-cluster serve`: functions from what was read of the database to HTML.
///
/// Paths and their parameters. All paths have one segment and all links are relative, so a proxy
/// may put the pages into any folder. Parameters that are empty are as if they were not there.
///
///     GET /            Overview
///     GET /tasks       TasksPage       a selection, and after-name and after-id, or order=due
///     GET /names       NamesPage       after
///     GET /nodes       NodesPage       after (a number)
///     GET /history     HistoryPage     name, id, outcome, before (a fencing token)
///     GET /task        TaskPage        name, id
///     GET /name        NamePage        name
///     GET /confirm     Confirmation    do (an Action), and a target or a selection
///     GET /style.css   styleSheet()
///     GET /icon.svg    icon()
///
///     a selection      name, prefix (of the id), state, node, due-before (as parseWhen() reads it)
///     a target         scope (task, name, node, everything), name (of the handler or the node), id
///
/// States, outcomes and scopes are the words of ../words.hpp. Each page but the last two has
/// `refresh` (seconds: 5, 10, 30 or 60), and those to which locationAfter() leads have the
/// parameters of a Done: did, result, count, on, on-name, on-id.
///
/// Actions, with fields in the body (application/x-www-form-urlencoded). All have `token`.
///
///     POST /run          name, id
///     POST /reschedule   name, id, when (as parseWhen() reads it)
///     POST /pause        a target, note
///     POST /resume       a target, missed (run or skip)
///     POST /cancel       scope=task, name, id; or a selection
///     POST /revive       a selection
///
/// All but those of scope=task other than cancel also have `confirmed`, the count that the
/// Confirmation has shown; one without it is answered by 303 to /confirm with its fields. What has
/// become of an action is shown where locationAfter() leads, by 303.

namespace page {

using jtimer::Date;

/// Up to which number names, and the tasks of a Confirmation, are counted.
inline constexpr std::uint64_t kCountTo = 10'000;

/// Rows of a page; a page of lists has up to so many. It knows by one more that there is a next.
inline constexpr std::size_t kRows = 100;

/// Tasks of each state in an overview or on the page of a name, and in a Confirmation.
inline constexpr std::size_t kFew = 10;

/// Runs that charts are drawn from: those of the overview, of a name, and of the page of history.
inline constexpr std::size_t kChartedRuns = 1000;

/// Seconds after which pages can be had anew.
inline constexpr int kRefreshes[] = {5, 10, 30, 60};

/// A part of a page: what was read, or why it was not.
template <class T>
struct Part {
    Part(T theValue) : value(std::move(theValue)) {}  // NOLINT: a value is a part
    static Part missing(std::string why) { return Part(Missing(), std::move(why)); }

    std::optional<T> value;
    std::string why;  ///< a sentence, such as "This took longer than 2 s."

  private:
    struct Missing {};
    Part(Missing, std::string theWhy) : why(std::move(theWhy)) {}
};

enum class Action { Run, Pause, Resume, Cancel, Revive, Reschedule };

/// Which word of a path or of `do` and `did` it is: `run`, and so on.
const char* nameOf(Action action);
std::optional<Action> actionOf(const std::string& name);

/// What has become of an action.
enum class Result {
    Changed,  ///< it is done
    Already,  ///< of a pause: it is paused already; of a resume: it is not paused
    Absent,   ///< there is no such task, or none is selected
    Running,  ///< the task is running, so nothing has changed; or it was deleted, and its run goes
              ///< on
};

const char* nameOf(Result result);
std::optional<Result> resultOf(const std::string& name);

/// What one action is for.
struct Subject {
    /// None: the tasks that `filter` selects.
    std::optional<jtimer::cluster::Scope> scope;
    std::string name;  ///< of the task, of its handler, or of the node; else empty
    std::string id;    ///< of the task; else empty
    jtimer::cluster::Filter filter;
};

struct Done {
    Action action = Action::Run;
    Result result = Result::Changed;
    Subject subject;          ///< `filter` is that of the page, and does not come from on-name
    std::uint64_t count = 0;  ///< of a selection: how many tasks have changed
};

/// What all pages have.
struct Context {
    std::string cluster;    ///< the schema and its database, for people, without a password
    bool actions = false;   ///< --allow-actions; else there is no form
    std::string token;      ///< of the forms
    bool payloads = false;  ///< --show-payloads: up to 4 KiB
    /// Of the request, as the client wrote it, without the `?`. The query leads on to the same
    /// page, so it has no parameter of a Done and no `refresh`.
    std::string path = "/", query;
    std::optional<int> refresh;  ///< in seconds; also send refreshField()
    std::optional<Done> done;
    Date now;   ///< of this host
    Date read;  ///< when the figures were read; earlier than `now` if the database is away
    std::optional<Date> awaySince;  ///< the database
};

struct Overview {
    Part<jtimer::cluster::Backlog> backlog;
    Part<std::vector<jtimer::cluster::NameInfo>> names;  ///< all; the page shows kRows
    Part<std::vector<jtimer::cluster::NodeInfo>> nodes;  ///< all
    Part<std::vector<jtimer::cluster::Pause>> pauses;
    Part<std::vector<jtimer::cluster::TaskInfo>> dead;     ///< kFew and one more, by key
    Part<std::vector<jtimer::cluster::TaskInfo>> running;  ///< kFew and one more, by key
    Part<std::vector<jtimer::cluster::TaskInfo>> next;     ///< kFew, scheduled ones by Order::Due
    Part<jtimer::cluster::PastRuns> history;               ///< up to kChartedRuns
};

struct TasksPage {
    jtimer::cluster::Filter filter;                      ///< with `after` and `order`
    Part<std::vector<jtimer::cluster::TaskInfo>> tasks;  ///< kRows and one more, if there are more
};

struct NamesPage {
    std::string after;
    /// All, of which the page shows kRows.
    Part<std::vector<jtimer::cluster::NameInfo>> names;
    Part<std::vector<jtimer::cluster::NodeInfo>> nodes;
    Part<std::vector<jtimer::cluster::Pause>> pauses;
};

struct NodesPage {
    std::int64_t after = 0;
    /// All, of which the page shows kRows.
    Part<std::vector<jtimer::cluster::NodeInfo>> nodes;
    /// Those of nodes are shown also if none with that name is there.
    Part<std::vector<jtimer::cluster::Pause>> pauses;
};

struct HistoryPage {
    jtimer::cluster::HistoryFilter filter;    ///< with `before`
    Part<jtimer::cluster::PastRuns> history;  ///< up to kRows, `complete` if no more follow
    /// With the same filter, up to kChartedRuns; only where there is no `before`.
    std::optional<Part<jtimer::cluster::PastRuns>> charted;
};

/// A task that there is. For one that is not, message() with 404.
struct TaskPage {
    jtimer::cluster::TaskInfo task;  ///< with its payload, as Scheduler::find() returns it
    Part<std::optional<jtimer::cluster::NameInfo>> name;
    Part<std::vector<jtimer::cluster::NodeInfo>> nodes;
    Part<std::vector<jtimer::cluster::Pause>> pauses;
    Part<jtimer::cluster::PastRuns> history;  ///< of the task, up to kRows
};

/// A name of which there is a task, or that is registered or paused, or none of these.
struct NamePage {
    std::string name;
    Part<std::optional<jtimer::cluster::NameInfo>> info;
    Part<std::vector<jtimer::cluster::NodeInfo>> nodes;
    Part<std::vector<jtimer::cluster::Pause>> pauses;
    Part<std::vector<jtimer::cluster::TaskInfo>> dead;     ///< kFew and one more, by key
    Part<std::vector<jtimer::cluster::TaskInfo>> running;  ///< kFew and one more, by key
    Part<std::vector<jtimer::cluster::TaskInfo>> next;     ///< kFew, scheduled ones by key
    Part<jtimer::cluster::PastRuns> history;               ///< of the name, up to kChartedRuns
};

/// What is shown before a change.
struct Confirmation {
    Action action = Action::Cancel;  ///< Pause, Resume, Cancel or Revive
    Subject subject;
    /// The tasks that it is for, by the filter or the scope, up to kCountTo. Of a node: those that
    /// run on it.
    std::uint64_t count = 0;
    std::vector<jtimer::cluster::TaskInfo> first;  ///< up to kFew of them
};

/// Why there is no other page.
struct Message {
    unsigned status = 404;
    std::string text;  ///< sentences that say more than the status; may be empty
};

std::string overview(const Overview& values, const Context& context);
std::string tasks(const TasksPage& values, const Context& context);
std::string names(const NamesPage& values, const Context& context);
std::string nodes(const NodesPage& values, const Context& context);
std::string history(const HistoryPage& values, const Context& context);
std::string task(const TaskPage& values, const Context& context);
std::string name(const NamePage& values, const Context& context);
std::string confirmation(const Confirmation& values, const Context& context);
std::string message(const Message& values, const Context& context);

/// Of type text/css.
std::string styleSheet();

/// Of type image/svg+xml.
std::string icon();

/// The value of the field `Refresh` of a page with Context::refresh. (The element of HTML for it
/// would be a finding of each test for accessibility.)
std::string refreshField(const Context& context);

/// Where the page is that says what was done: a reference relative to the path of any action.
std::string locationAfter(const Done& done);

/// Where the page is that asks whether an action is to be done, likewise.
std::string confirmationOf(Action action, const Subject& subject);

}  // namespace page
