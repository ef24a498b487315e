// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../http/address.hpp"

#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/task_info.hpp>
#include <jtimer/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cluster_tool {

enum class Command {
    List,
    Show,
    Names,
    Nodes,
    Backlog,
    Pauses,
    History,
    KeepHistory,
    Run,
    Pause,
    Resume,
    Cancel,
    Revive,
    Reschedule,
    Prune,
    Migrate,
    Schema,
    Serve
};

/// Of serve.
struct ServeOptions {
    http::Address listen{"127.0.0.1", 8980};
    bool allowsActions = false;
    std::vector<std::string> hosts;  ///< other names of the server, perhaps with their port
    std::string auth, secret;        ///< files; empty: none
    bool showsPayloads = false;
};

/// The command line.
struct Options {
    Command command = Command::List;
    std::string conninfo;  ///< as libpq takes it; empty: from its own environment variables
    std::string schema = "jtimer";
    bool json = false;    ///< print objects of JSON, one a line
    bool yes = false;     ///< do not ask
    bool dryRun = false;  ///< only show what would be done

    /// Of list, cancel, revive and prune; `limit` is that of list, and `runningOn` is also the node
    /// that is paused or resumed.
    jtimer::cluster::Filter filter;
    std::string name;  ///< of a task, or of the tasks; else empty
    std::string id;    ///< of the task; empty: the filter says which tasks

    bool everything = false;                         ///< pause or resume it
    std::string note;                                ///< of a pause
    bool skipMissed = false;                         ///< of resume: drop what came due meanwhile
    bool payload = false;                            ///< show it
    jtimer::When when = 0;                           ///< of reschedule
    bool wait = false;                               ///< until the run has ended
    std::optional<std::chrono::milliseconds> limit;  ///< of that; nothing: there is none
    std::string keep;  ///< of prune: the file of the ids to keep; empty: --unregistered
    int from = 0;      ///< of schema: the version that there is

    jtimer::cluster::HistoryFilter past;  ///< of history
    jtimer::cluster::History kept{};      ///< of keep-history
    std::chrono::milliseconds age = std::chrono::hours(24 * 7);
    std::uint64_t rows = 1'000'000;

    ServeOptions serve;

    std::string print;  ///< if not empty, print this and do nothing else
};

extern const char* const kUsage;

/// \param arguments without the name of the program
/// \param conninfo the environment's, if there is no --conninfo; may be null
/// \param now from when a duration counts
/// \throws boost::program_options::error, std::invalid_argument
Options parseOptions(const std::vector<std::string>& arguments, const char* conninfo,
                     jtimer::Date now);

}  // namespace cluster_tool
