// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What callers ask of a Store, and the clock of dues.

#include "cluster/store.hpp"

#include "cluster/store_impl.hpp"

#include <jtimer/exceptions.hpp>

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
    return static_cast<std::size_t>(
        impl_->session.write([&](Connection& connection,
                                 Deadline end) { return impl_->schedule(connection, tasks, end); },
                             Session::Key(tasks[0].name, tasks[0].id)));
}

std::size_t Store::scheduleIn(pg_conn* transaction, const std::vector<NewTask>& tasks) {
    Connection connection(transaction);
    if (!connection.isInTransactionBlock()) {
        throw IllegalStateException("The connection is not in a transaction block");
    }
    return static_cast<std::size_t>(
        impl_->schedule(connection, tasks, impl_->session.deadline()).value);
}

bool Store::cancel(const std::string& name, const std::string& id) {
    const Statement statement = impl_->session.statements().cancel();
    const auto cancel = [&](Connection& connection, Deadline end) {
        return Session::written(connection.execute(statement, Params().text(name).text(id), end));
    };
    return impl_->session.write(cancel, {}) != 0;
}

bool Store::reschedule(const std::string& name, const std::string& id, When when) {
    const Micros micros = toMicros(when);
    Params params;
    params.text(name).text(id);
    params.time(when.isDate() ? std::optional<Micros>(micros) : std::nullopt);
    params.number(when.isDate() ? std::nullopt : Params::OptionalNumber(micros));
    const Statement statement = impl_->session.statements().reschedule();
    const auto reschedule = [&](Connection& connection, Deadline end) {
        return Session::written(connection.execute(statement, params, end));
    };
    return impl_->session.write(reschedule, Session::Key(name, id)) != 0;
}

std::optional<TaskInfo> Store::find(const std::string& name, const std::string& id) {
    const Statement statement = impl_->session.statements().find();
    const Result result = impl_->session.read([&](Connection& connection, Deadline end) {
        return connection.execute(statement, Params().text(name).text(id), end);
    });
    if (result.rows() == 0) return {};
    return taskInfo(result, 0);
}

std::vector<TaskInfo> Store::list(const Filter& filter) {
    const Statement statement = impl_->session.statements().list(filter);
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    Params params;
    params.text(filter.name).text(filter.after.first).text(filter.after.second);
    params.number(static_cast<std::int64_t>(std::min(filter.limit, kMost)));
    const Result result = impl_->session.read([&](Connection& connection, Deadline end) {
        return connection.execute(statement, params, end);
    });
    std::vector<TaskInfo> tasks;
    tasks.reserve(static_cast<std::size_t>(result.rows()));
    for (int i = 0; i < result.rows(); ++i) tasks.push_back(taskInfo(result, i));
    return tasks;
}

Backlog Store::backlog() {
    const Statement statement = impl_->session.statements().backlog();
    const Result result = impl_->session.read([&](Connection& connection, Deadline end) {
        return connection.execute(statement, {}, end);
    });
    const auto count = [&](int column) {
        return static_cast<std::uint64_t>(result.number(0, column));
    };
    Backlog backlog;
    backlog.due = count(0);
    backlog.scheduled = count(1);
    backlog.running = count(2);
    backlog.dead = count(3);
    backlog.nodes = count(4);
    backlog.oldestDue = std::chrono::microseconds(result.number(0, 5));
    return backlog;
}

bool Store::forTests() {
    Session& session = impl_->session;
    return session.read([&](Connection&, Deadline) { return session.forTests(); });
}

Micros Store::now() {
    Session& session = impl_->session;
    return session.read([&](Connection& connection, Deadline end) {
        return connection.execute(session.statements().now(), {}, end).time(0, 0);
    });
}

void Store::advance(Micros span) {
    Session& session = impl_->session;
    session.write(
        [&](Connection& connection, Deadline end) {
            return Session::written(
                connection.execute(session.statements().advance(), Params().number(span), end));
        },
        {});
}

}  // namespace jtimer::cluster::detail
