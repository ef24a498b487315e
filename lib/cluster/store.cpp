// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/store.hpp"

#include "cluster/store_impl.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace jtimer::cluster::detail {

Store::Store(const Options& options, const std::string& conninfo)
    : impl_(std::make_unique<Impl>(options, conninfo)) {}

Store::~Store() = default;

void Store::connect() { impl_->session.connect(impl_->session.deadline()); }

bool Store::connected() const noexcept { return impl_->session.connected(); }

void Store::disconnect() noexcept { impl_->session.disconnect(); }

void Store::setTimeout(Micros timeout) noexcept { impl_->session.setTimeout(timeout); }

NodeNumber Store::registerNode(const std::string& name, Micros lease) {
    Session& session = impl_->session;
    return session.once([&](Connection& connection, Deadline end) {
        return connection
            .execute(session.statements().registerNode(), Params().text(name).number(lease), end)
            .number(0, 0);
    });
}

Renewal Store::renew(NodeNumber node, Micros lease) {
    Session& session = impl_->session;
    return session.once([&](Connection& connection, Deadline end) {
        const Result result = connection.execute(session.statements().renew(),
                                                 Params().number(node).number(lease), end);
        Renewal renewal;
        renewal.alive = result.boolean(0, 0);
        if (!result.isNull(0, 1)) renewal.nextLeaseEndIn = result.number(0, 1);
        return renewal;
    });
}

TakeOver Store::takeOver(NodeNumber node) {
    Session& session = impl_->session;
    const Statements& statements = session.statements();
    const auto freeTasks = [&](Connection& connection, Deadline end,
                               const std::vector<Params::OptionalNumber>& nodes, int crashes) {
        if (nodes.empty()) return std::uint64_t{0};
        const auto params = Params().numbers(nodes).number(crashes);
        return static_cast<std::uint64_t>(
            connection.execute(statements.freeTasks(), params, end).number(0, 0));
    };
    return session.inTransaction([&](Connection& connection, Deadline end) {
        TakeOver done;
        std::vector<Params::OptionalNumber> nodes;
        const Result expired =
            connection.execute(statements.deleteExpired(), Params().number(node), end);
        for (int i = 0; i < expired.rows(); ++i) {
            nodes.emplace_back(expired.number(i, 0));
            done.nodes.push_back(expired.text(i, 1));
        }
        // Another statement sees what these nodes claimed before their rows were deleted.
        done.tasks = freeTasks(connection, end, nodes, 1);

        const Result orphans = connection.execute(statements.findOrphans(), {}, end);
        std::vector<Params::OptionalNumber> owners;
        owners.reserve(static_cast<std::size_t>(orphans.rows()));
        for (int i = 0; i < orphans.rows(); ++i) owners.emplace_back(orphans.number(i, 0));
        done.orphans = freeTasks(connection, end, owners, 0);
        return done;
    });
}

void Store::deleteNode(NodeNumber node) {
    Session& session = impl_->session;
    const Statements& statements = session.statements();
    session.inTransaction([&](Connection& connection, Deadline end) {
        connection.execute(statements.deleteNode(), Params().number(node), end);
        return connection.execute(statements.freeTasks(), Params().numbers({node}).number(0), end)
            .number(0, 0);
    });
}

namespace {

ClaimedTask claimedTask(const Result& result, int row) {
    ClaimedTask task;
    task.claimedAt = result.time(row, 0);
    task.name = result.text(row, 3);
    task.id = result.text(row, 4);
    task.payload = result.text(row, 5);
    task.recurrence = {kindOf(result.text(row, 6)), result.number(row, 7),
                       missedRunsOf(result.text(row, 10)), result.text(row, 8),
                       result.text(row, 9)};
    task.due = result.time(row, 11);
    task.token = result.number(row, 13);
    task.attempt = static_cast<int>(result.number(row, 14));
    task.crashes = static_cast<int>(result.number(row, 15));
    task.missedRuns = static_cast<std::uint64_t>(result.number(row, 16));
    return task;
}

}  // namespace

Claim Store::claim(NodeNumber node, const std::vector<std::string>& names, int limit,
                   std::optional<Micros> cursor) {
    Session& session = impl_->session;
    const auto params = Params().number(node).texts(names).number(limit).time(
        cursor.value_or(std::numeric_limits<Micros>::min()));
    const Result result = session.once([&](Connection& connection, Deadline end) {
        return connection.execute(session.statements().claim(), params, end);
    });
    Claim claim;
    claim.nodeGone = result.boolean(0, 1);
    if (!result.isNull(0, 2)) claim.nextWakeIn = result.number(0, 2);
    std::vector<std::pair<Micros, int>> order;
    for (int i = 0; i < result.rows(); ++i) {
        if (!result.isNull(i, 3)) order.emplace_back(result.time(i, 12), i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [wake, row] : order) {
        claim.tasks.push_back(claimedTask(result, row));
        claim.lastWake = wake;
    }
    return claim;
}

std::uint64_t Store::release(NodeNumber node, const std::vector<Token>& running) {
    Session& session = impl_->session;
    const std::vector<Params::OptionalNumber> tokens(running.begin(), running.end());
    return session.once([&](Connection& connection, Deadline end) {
        const auto params = Params().number(node).numbers(tokens);
        return static_cast<std::uint64_t>(
            connection.execute(session.statements().release(), params, end).number(0, 0));
    });
}

std::vector<EndStatus> Store::writeEnds(NodeNumber node, const std::vector<End>& ends,
                                        bool repeated) {
    Session& session = impl_->session;
    std::vector<EndStatus> statuses = session.once([&](Connection& connection, Deadline end) {
        return impl_->writeEnds(connection, session.statements().writeEnds(true), node, ends, end);
    });
    for (EndStatus& status : statuses) {
        if (repeated && status == EndStatus::Fenced) status = EndStatus::Written;
    }
    return statuses;
}

namespace {

void requireTransaction(const Connection& connection) {
    if (!connection.isInTransactionBlock()) {
        throw IllegalStateException("The connection is not in a transaction block");
    }
}

}  // namespace

std::optional<TransactionNumber> Store::writeEndIn(pg_conn* transaction, NodeNumber node,
                                                   const End& end) {
    Session& session = impl_->session;
    Connection connection(transaction);
    requireTransaction(connection);
    const Deadline deadline = session.deadline();
    while (true) {
        TransactionNumber number = 0;
        const EndStatus status = impl_->writeEnds(connection, session.statements().writeEnds(false),
                                                  node, {end}, deadline, &number)[0];
        if (status == EndStatus::Written) return number;
        if (status == EndStatus::Fenced) return {};
        // The row has changed since the statement began: another one finds it.
        if (std::chrono::steady_clock::now() >= deadline) {
            throw DatabaseException("The task is locked");
        }
    }
}

std::optional<EndStatus> Store::outcomeOf(TransactionNumber transaction, NodeNumber node,
                                          const ClaimedTask& task) {
    Session& session = impl_->session;
    return session.read([&](Connection& connection, Deadline end) -> std::optional<EndStatus> {
        const auto params = Params().text(task.name).text(task.id).number(node).number(task.token);
        if (connection.execute(session.statements().owns(), params, end).boolean(0, 0)) return {};
        // After a crash of the server, this may be said of another transaction. Nothing but the
        // counts depends on it.
        const bool committed = session.statusOf(transaction, end) == "committed";
        return committed ? EndStatus::Written : EndStatus::Fenced;
    });
}

void Store::notify() {
    Session& session = impl_->session;
    session.once([&](Connection& connection, Deadline end) {
        return connection.execute(session.statements().notify(),
                                  Params().text(channelOf(session.schema())), end);
    });
}

void Store::listen() {
    Session& session = impl_->session;
    session.once([&](Connection& connection, Deadline end) {
        connection.command("listen", session.statements().listen(session.schema()), end);
        return true;
    });
}

Store::Event Store::wait(Micros timeout, int wakeFd) {
    Session& session = impl_->session;
    if (!connected()) throw DatabaseException("There is no connection to the database");
    switch (session.connection().wait(Session::deadlineAfter(timeout), wakeFd)) {
    case Connection::Event::Notified:
        return Event::Notified;
    case Connection::Event::Woken:
        return Event::Woken;
    case Connection::Event::TimedOut:
        break;
    }
    return Event::TimedOut;
}

}  // namespace jtimer::cluster::detail
