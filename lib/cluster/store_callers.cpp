// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What callers ask of a Store, and the clock of dues.

#include "cluster/store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace jtimer::cluster::detail {

namespace {

TaskInfo taskInfo(const Result& result, int row) {
    TaskInfo info;
    info.name = result.text(row, 0);
    info.id = result.text(row, 1);
    info.state = static_cast<State>(result.number(row, 2));
    info.scheduledExecutionTime = toDate(result.time(row, 3));
    info.nextAttempt = toDate(result.time(row, 4));
    info.attempt = static_cast<int>(result.number(row, 5));
    info.crashes = static_cast<int>(result.number(row, 6));
    info.fencingToken = result.number(row, 7);
    info.runningOn = result.text(row, 8);
    info.lastError = result.text(row, 9);
    info.payload = result.text(row, 10);
    return info;
}

}  // namespace

std::size_t Store::schedule(const std::vector<NewTask>& tasks) {
    if (tasks.empty()) return 0;
    const auto use = [&](Connection& connection, Deadline end) {
        return schedule(connection, tasks, end);
    };
    return static_cast<std::size_t>(write(use, Key(tasks[0].name, tasks[0].id)));
}

bool Store::cancel(const std::string& name, const std::string& id) {
    return write(statements().cancel(), Params().text(name).text(id), {}) != 0;
}

bool Store::reschedule(const std::string& name, const std::string& id, When when) {
    const Micros micros = toMicros(when);
    Params params;
    params.text(name).text(id);
    params.time(when.isDate() ? std::optional<Micros>(micros) : std::nullopt);
    params.number(when.isDate() ? std::nullopt : Params::OptionalNumber(micros));
    return write(statements().reschedule(), params, Key(name, id)) != 0;
}

std::optional<TaskInfo> Store::find(const std::string& name, const std::string& id) {
    const Result result = read(statements().find(), Params().text(name).text(id));
    if (result.rows() == 0) return {};
    return taskInfo(result, 0);
}

std::vector<TaskInfo> Store::list(const Filter& filter) {
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    Params params;
    params.text(filter.name).text(filter.after.first).text(filter.after.second);
    params.number(static_cast<std::int64_t>(std::min(filter.limit, kMost)));
    const Result result = read(statements().list(filter), params);
    std::vector<TaskInfo> tasks;
    tasks.reserve(static_cast<std::size_t>(result.rows()));
    for (int i = 0; i < result.rows(); ++i) tasks.push_back(taskInfo(result, i));
    return tasks;
}

Backlog Store::backlog() {
    const Result result = read(statements().backlog(), {});
    const auto count = [&](int column) {
        return static_cast<std::uint64_t>(result.number(0, column));
    };
    return {count(0), count(1), count(2),
            count(3), count(4), std::chrono::microseconds(result.number(0, 5))};
}

bool Store::forTests() {
    return read([this](Connection&, Deadline) { return Session::forTests(); });
}

Micros Store::now() { return read(statements().now(), {}).time(0, 0); }

void Store::advance(Micros span) { write(statements().advance(), Params().number(span), {}); }

}  // namespace jtimer::cluster::detail
