// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/session.hpp"

#include "cluster/columns.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Session::Session(const Options& options, const std::string& conninfo)
    : schema_(options.schema), settings_{conninfo, options.preparedStatements,
                                         toMicros(options.operationTimeout), false},
      timeout_(settings_.timeout), deadline_(deadlineAfter(timeout_)) {}

Session::Session(const Options& options, pg_conn* borrowed) : Session(options, std::string()) {
    connection_.emplace(borrowed);
}

Deadline Session::deadlineAfter(Micros span) {
    return Clock::now() + std::chrono::microseconds(std::min(span, kLongestWait));
}

Connection& Session::connection() {
    if (!connected()) throw DatabaseException("There is no connection to the database");
    return *connection_;
}

void Session::open() {
    try {
        connection_.emplace(settings_, deadline_);
    } catch (const DatabaseException&) {
        if (!findsStandby()) throw;
        standby_ = true;
        throwReadOnly();
    }
}

void Session::connect() {
    once([] {});
}

void Session::connectByDeadline() {
    if (connected()) return;
    open();
    try {
        checkSchema();
    } catch (...) {
        disconnect();
        throw;
    }
}

void Session::checkSchema() {
    const std::string subject = "Schema \"" + schema_ + "\" ";
    const Result result = [&] {
        try {
            return uncommitted([&] { return execute(statements::checkSchema(), {}); });
        } catch (const DatabaseException& e) {
            // An undefined table, whether or not its schema is there.
            if (e.sqlState() == "42P01")
                throw SchemaException(subject + "does not exist: call migrate()");
            throw;
        }
    }();
    if (result.rows() != 1) throw SchemaException(subject + "has no version");
    const std::int64_t version = result.number(0, columns::schema::Version);
    const std::int64_t serves = result.number(0, columns::schema::Serves);
    const std::string has = subject + "has version " + std::to_string(version);
    const std::string mine = std::to_string(kSchemaVersion);
    if (version < kSchemaVersion) {
        throw SchemaException(has + ", this library needs " + mine + ": call migrate()");
    }
    if (serves > kSchemaVersion) {
        throw SchemaException(has + ", which needs a newer library than " + mine);
    }
    standby_ = result.boolean(0, columns::schema::ReadOnly);
    if (standby_) throwReadOnly();
    forTests_ = result.boolean(0, columns::schema::ForTests);
    crash_ = result.time(0, columns::schema::Started);
}

void Session::throwReadOnly() const {
    throw SchemaException("Schema \"" + schema_ + "\" is read-only");
}

/// libpq refuses a server that only reads, in words that differ from version to version.
bool Session::findsStandby() const {
    Connection::Settings any = settings_;
    any.readOnly = true;
    try {
        Connection connection(any, deadline_);
        return connection.execute(statements::isReadOnly(), {}, deadline_)
            .boolean(0, columns::kOnly);
    } catch (const DatabaseException&) {
        return false;
    }
}

/// A serialisation failure or a deadlock.
bool Session::isConflict(const DatabaseException& e) {
    return e.sqlState() == "40001" || e.sqlState() == "40P01";
}

bool Session::pause(int& failures) const {
    const auto span = std::chrono::milliseconds(20 << std::min(failures++, 5));
    if (Clock::now() + span >= deadline_) return false;
    std::this_thread::sleep_for(span);
    return true;
}

/// Waits, and says whether there is time left.
/// \throws SchemaException if there is none, and there was only a standby
bool Session::mayReconnect(int& failures) const {
    if (pause(failures)) return true;
    if (standby_) throwReadOnly();
    return false;
}

void Session::rollBack() noexcept {
    const bool begun = !std::exchange(begins_, false);
    if (!begun || !connected()) return;
    try {
        command("rollback", statements::kRollBack);
    } catch (...) {
        disconnect();
    }
}

Result Session::execute(const Statement& statement, const Params& params) {
    const Statement own{statement.name, inSchema(statement.sql, schema_)};
    if (std::exchange(begins_, false)) return executeFirst(own, params);
    return connection().execute(own, params, deadline_);
}

/// The commit is not sent along, as the number of the transaction is not known before the answer.
Result Session::executeFirst(const Statement& statement, const Params& params) {
    if (Connection::kPipelines)
        return connection().execute({{statements::begin(), {}},
                                     {statements::limitTransaction(),
                                      Params().text(statements::transactionLimit(timeout_))},
                                     {statement, params}},
                                    deadline_);
    command("begin", statements::beginLimited(timeout_));
    return connection().execute(statement, params, deadline_);
}

void Session::command(const char* name, const std::string& sql) {
    JTIMER_ASSERT(!begins_);
    connection().command(name, sql, deadline_);
}

Result Session::once(const Statement& statement, const Params& params) {
    return once([&] { return execute(statement, params); });
}

Result Session::read(const Statement& statement, const Params& params) {
    return read([&] { return execute(statement, params); });
}

std::int64_t Session::write(const Statement& statement, const Params& params,
                            const std::optional<Key>& key) {
    return write([&] { return changeOf(execute(statement, params)); }, key);
}

Session::Change Session::changeOf(const Result& result) {
    return {result.number(0, columns::change::Count),
            result.optionalNumber(0, columns::change::Transaction)};
}

std::int64_t Session::write(const Write& use, const std::optional<Key>& key) {
    const auto attempt = [&] {
        while (true) {
            const Change change = uncommitted([&] { return begin(use); });
            try {
                commit();
                return change.value;
            } catch (const OutcomeUnknownException& e) {
                if (!change.transaction ||
                    settle(*change.transaction, key, e.what()) == Outcome::Committed)
                    return change.value;
            }
        }
    };
    return repeat(attempt, true);
}

/// Asks until the deadline.
/// \throws OutcomeUnknownException if it cannot be told
Session::Outcome Session::settle(std::int64_t transaction, const std::optional<Key>& key,
                                 const std::string& lost) {
    const Micros crash = crash_;
    std::string last = lost;
    for (int failures = 0;;) {
        try {
            connectByDeadline();
            if (const auto outcome = findOutcome(transaction, crash, key)) return *outcome;
        } catch (const OutcomeUnknownException& e) {
            if (connected()) throw;
            last = e.what();
        } catch (const std::runtime_error& e) {
            last = e.what();  // also of a standby, which is about to be promoted
        }
        if (!pause(failures))
            throw OutcomeUnknownException(
                "It is not known whether the transaction was committed: " + last);
    }
}

std::string Session::statusOf(std::int64_t transaction) {
    const std::string number = std::to_string(static_cast<std::uint64_t>(transaction));
    try {
        const Result result = execute(statements::outcome(), Params().text(number));
        crash_ = result.time(0, columns::outcome::Started);
        return result.text(0, columns::outcome::Status);
    } catch (const DatabaseException& e) {
        if (e.sqlState() != "22023") throw;  // invalid parameter: the number is in the future
        return "unused";
    }
}

/// \returns nothing while the transaction is in progress
/// \throws OutcomeUnknownException if that will never be known
std::optional<Session::Outcome> Session::findOutcome(std::int64_t transaction, Micros crash,
                                                     const std::optional<Key>& key) {
    const std::string status = statusOf(transaction);
    if (status == "unused") return Outcome::NotCommitted;
    if (crash_ == crash) {
        if (status == "committed") return Outcome::Committed;
        if (status == "aborted") return Outcome::NotCommitted;
        return {};
    }
    // After a crash, a number whose transaction left no trace is given out again: "committed" may
    // be said of another transaction. Whatever else is said, ours was not committed.
    if (status != "committed" && !status.empty()) return Outcome::NotCommitted;
    if (key) {
        const auto params = Params().number(transaction).text(key->first).text(key->second);
        if (execute(statements::writtenBy(), params).boolean(0, columns::kOnly))
            return Outcome::Committed;
    }
    throw OutcomeUnknownException("The server crashed during the commit, and it is not known "
                                  "whether the transaction was committed");
}

}  // namespace jtimer::cluster::detail
