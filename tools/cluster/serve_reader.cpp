// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve_reader.hpp"

#include "../http/form.hpp"
#include "serve_conninfo.hpp"
#include "words.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

namespace cluster_tool {

namespace {

using jtimer::cluster::Filter;
using jtimer::cluster::HistoryFilter;
using jtimer::cluster::NameInfo;
using jtimer::cluster::TaskInfo;

/// What the server has for a statement, and what an answer may take with all else.
constexpr std::chrono::milliseconds kLimit(2000), kPatience(2250);

constexpr const char* kTooLong = "This took longer than 2 s.";

/// How much of a payload is shown.
constexpr std::size_t kPayload = 4096;

/// How many tasks a query asks for, when all are counted.
constexpr std::size_t kBatch = 1000;

/// \returns whether the server has not answered, or has ended the connection or refused it
bool isAway(const std::string& sqlState) {
    if (sqlState.empty()) return true;
    for (const char* const group : {"08", "28", "3D", "53", "57P"}) {
        if (sqlState.rfind(group, 0) == 0) return true;
    }
    return false;
}

/// Of the exception that is being handled.
Failure failureOf() {
    try {
        throw;
    } catch (const jtimer::cluster::DatabaseException& e) {
        if (e.sqlState() == "57014") return {false, kTooLong};
        return {isAway(e.sqlState()), e.what()};
    } catch (const jtimer::cluster::SchemaException& e) {
        return {true, e.what()};
    } catch (const std::exception& e) {
        return {false, e.what()};
    }
}

jtimer::cluster::Options readingOptions(jtimer::cluster::Options options) {
    options.conninfo = withTimeLimit(options.conninfo, std::getenv("PGOPTIONS"), kLimit);
    options.operationTimeout = kPatience;
    return options;
}

void addTo(std::string& question, const char* field, const std::string& value) {
    if (value.empty()) return;
    question.append("&").append(field).append("=").append(http::percentEncoded(value));
}

std::string dateOrNothing(const std::optional<jtimer::Date>& date) {
    return date ? std::to_string(date->time_since_epoch().count()) : "";
}

std::string questionOf(const char* kind, const Filter& filter) {
    std::string question = std::string(kind) + '?' + std::to_string(filter.limit);
    addTo(question, "name", filter.name.value_or(""));
    addTo(question, "prefix", filter.idPrefix);
    addTo(question, "state", filter.state ? nameOf(*filter.state) : "");
    addTo(question, "node", filter.runningOn);
    addTo(question, "due-before", dateOrNothing(filter.dueBefore));
    addTo(question, "after-name", filter.after.first);
    addTo(question, "after-id", filter.after.second);
    if (filter.order == jtimer::cluster::Order::Due) question += "&order=due";
    return question;
}

std::string questionOf(const HistoryFilter& filter) {
    std::string question = "history?" + std::to_string(filter.limit);
    addTo(question, "name", filter.name.value_or(""));
    addTo(question, "id", filter.id.value_or(""));
    addTo(question, "outcome", filter.outcome ? nameOf(*filter.outcome) : "");
    addTo(question, "before", filter.before == 0 ? "" : std::to_string(filter.before));
    return question;
}

}  // namespace

Reader::Reader(jtimer::cluster::Options options, bool withPayloads)
    : withPayloads_(withPayloads), scheduler_(readingOptions(std::move(options))),
      answers_(failureOf) {}

page::Part<jtimer::cluster::Backlog> Reader::backlog(Visit& visit) {
    return answers_.part(visit, "backlog", [this] { return scheduler_.backlog(); });
}

page::Part<Reader::Names> Reader::names(Visit& visit) {
    return answers_.part(visit, "names", [this] { return scheduler_.names(page::kCountTo); });
}

page::Part<std::optional<NameInfo>> Reader::name(Visit& visit, const std::string& name) {
    page::Part<Names> all = names(visit);
    if (!all.value) return page::Part<std::optional<NameInfo>>::missing(all.why);
    for (NameInfo& each : *all.value) {
        if (each.name == name) return std::optional(std::move(each));
    }
    return std::optional<NameInfo>();
}

page::Part<Reader::Nodes> Reader::nodes(Visit& visit) {
    return answers_.part(visit, "nodes", [this] { return scheduler_.nodes(); });
}

page::Part<Reader::Pauses> Reader::pauses(Visit& visit) {
    return answers_.part(visit, "pauses", [this] { return scheduler_.pauses(); });
}

page::Part<Reader::Tasks> Reader::tasks(Visit& visit, const Filter& filter) {
    return answers_.part(visit, questionOf("tasks", filter),
                         [&] { return scheduler_.list(filter); });
}

page::Part<std::optional<TaskInfo>> Reader::task(Visit& visit, const std::string& name,
                                                 const std::string& id) {
    std::string question = "task?";
    addTo(question, "name", name);
    addTo(question, "id", id);
    return answers_.part(visit, question, [&] {
        std::optional<TaskInfo> task = scheduler_.find(name, id);
        if (!task) return task;
        task->payload.resize(withPayloads_ ? std::min(task->payload.size(), kPayload) : 0);
        task->payload.shrink_to_fit();
        return task;
    });
}

page::Part<jtimer::cluster::PastRuns> Reader::history(Visit& visit, const HistoryFilter& filter) {
    return answers_.part(visit, questionOf(filter), [&] { return scheduler_.history(filter); });
}

/// Calls `use` with each task that the filter selects, up to page::kCountTo.
/// \throws std::runtime_error if all the statements take longer than one may
template <class Use>
void Reader::forEach(Filter filter, const Use& use) {
    filter.limit = kBatch;
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t count = 0; count < page::kCountTo; count += kBatch) {
        if (std::chrono::steady_clock::now() - begin > kLimit) throw std::runtime_error(kTooLong);
        Tasks tasks = scheduler_.list(filter);
        for (TaskInfo& task : tasks) use(task);
        if (tasks.size() < kBatch) return;
        filter.after = {tasks.back().name, tasks.back().id};
    }
}

page::Part<Counted> Reader::counted(Visit& visit, const Filter& filter) {
    return answers_.part(visit, questionOf("counted", filter), [&] {
        Counted counted;
        forEach(filter, [&](TaskInfo& task) {
            ++counted.count;
            if (counted.first.size() < page::kFew) counted.first.push_back(task);
        });
        return counted;
    });
}

page::Part<std::map<std::string, jtimer::Date>> Reader::runningSince(Visit& visit) {
    return answers_.part(visit, "running since", [&] {
        Filter filter;
        filter.state = jtimer::cluster::State::Running;
        std::map<std::string, jtimer::Date> since;
        forEach(filter, [&](const TaskInfo& task) {
            if (!task.runningSince) return;
            const auto [each, isNew] = since.emplace(task.name, *task.runningSince);
            if (!isNew) each->second = std::min(each->second, *task.runningSince);
        });
        return since;
    });
}

}  // namespace cluster_tool
