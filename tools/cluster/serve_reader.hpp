// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "page/pages.hpp"
#include "serve_answers.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cluster_tool {

/// The tasks that a filter selects: how many, up to page::kCountTo, and the first page::kFew.
struct Counted {
    std::uint64_t count = 0;
    std::vector<jtimer::cluster::TaskInfo> first;
};

/// What pages show of the database: parts of them, from shared answers. It only reads, and no
/// statement takes longer than 2 s. Any thread may call it.
class Reader {
  public:
    using Names = std::vector<jtimer::cluster::NameInfo>;
    using Nodes = std::vector<jtimer::cluster::NodeInfo>;
    using Pauses = std::vector<jtimer::cluster::Pause>;
    using Tasks = std::vector<jtimer::cluster::TaskInfo>;

    /// Connects when it is first asked.
    /// \param withPayloads whether tasks have the beginning of theirs
    Reader(jtimer::cluster::Options options, bool withPayloads);

    page::Part<jtimer::cluster::Backlog> backlog(Visit& visit);
    page::Part<Names> names(Visit& visit);
    page::Part<std::optional<jtimer::cluster::NameInfo>> name(Visit& visit,
                                                              const std::string& name);
    page::Part<Nodes> nodes(Visit& visit);
    page::Part<Pauses> pauses(Visit& visit);
    page::Part<Tasks> tasks(Visit& visit, const jtimer::cluster::Filter& filter);
    page::Part<std::optional<jtimer::cluster::TaskInfo>> task(Visit& visit, const std::string& name,
                                                              const std::string& id);
    page::Part<jtimer::cluster::PastRuns> history(Visit& visit,
                                                  const jtimer::cluster::HistoryFilter& filter);
    page::Part<Counted> counted(Visit& visit, const jtimer::cluster::Filter& filter);

    /// Of each name that has a running task, when the oldest of these began; of the first
    /// page::kCountTo of them.
    page::Part<std::map<std::string, jtimer::Date>> runningSince(Visit& visit);

    /// Something has been changed: what was read before is not shown any more.
    void forget() { answers_.forget(); }

    /// From now on, nothing is read.
    void close() { answers_.close(); }

  private:
    template <class Use>
    void forEach(jtimer::cluster::Filter filter, const Use& use);

    const bool withPayloads_;
    jtimer::cluster::Scheduler scheduler_;  // not started
    Answers answers_;
};

}  // namespace cluster_tool
