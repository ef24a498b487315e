// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/session.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace jtimer::cluster::detail {

using Clock = std::chrono::steady_clock;

Session::Session(const Options& options, const std::string& conninfo)
    : statements_(options.schema),
      schema_(options.schema), settings_{conninfo, options.preparedStatements,
                                         toMicros(options.operationTimeout), false},
      timeout_(settings_.timeout) {}

Deadline Session::deadlineAfter(Micros span) {
    return Clock::now() + std::chrono::microseconds(std::min(span, kLongestWait));
}

void Session::open(Deadline deadline) {
    try {
        connection_.emplace(settings_, deadline);
    } catch (const DatabaseException&) {
        if (!findsStandby(deadline)) throw;
        standby_ = true;
        throwReadOnly();
    }
}

void Session::connectBy(Deadline deadline) {
    if (connected()) return;
    open(deadline);
    try {
        checkSchema(deadline);
    } catch (...) {
        disconnect();
        throw;
    }
}

void Session::checkSchema(Deadline end) {
    const std::string subject = "Schema \"" + schema_ + "\" ";
    const Result result = [&] {
        try {
            return connection_->execute(statements_.checkSchema(), {}, end);
        } catch (const DatabaseException& e) {
            // An undefined table, or schema.
            if (e.sqlState() == "42P01" || e.sqlState() == "3F000")
                throw SchemaException(subject + "does not exist: call migrate()");
            // Not an OutcomeUnknownException: nothing that changes anything has been sent.
            throw DatabaseException(e.what(), e.sqlState());
        }
    }();
    if (result.rows() != 1) throw SchemaException(subject + "has no version");
    const std::int64_t version = result.number(0, 0);
    const std::int64_t serves = result.number(0, 1);
    const std::string has = subject + "has version " + std::to_string(version);
    const std::string mine = std::to_string(kSchemaVersion);
    if (version < kSchemaVersion) {
        throw SchemaException(has + ", this library needs " + mine + ": call migrate()");
    }
    if (serves > kSchemaVersion) {
        throw SchemaException(has + ", which needs a newer library than " + mine);
    }
    standby_ = result.boolean(0, 2);
    if (standby_) throwReadOnly();
    forTests_ = result.boolean(0, 3);
    crash_ = result.time(0, 4);
}

void Session::throwReadOnly() const {
    throw SchemaException("Schema \"" + schema_ + "\" is read-only");
}

/// libpq refuses a server that only reads, in words that differ from version to version.
bool Session::findsStandby(Deadline end) {
    Connection::Settings any = settings_;
    any.readOnly = true;
    try {
        return Connection(any, end).execute(statements_.isReadOnly(), {}, end).boolean(0, 0);
    } catch (const DatabaseException&) {
        return false;
    }
}

/// A serialisation failure or a deadlock.
bool Session::isConflict(const DatabaseException& e) {
    return e.sqlState() == "40001" || e.sqlState() == "40P01";
}

bool Session::pause(int& failures, Deadline end) {
    const auto span = std::chrono::milliseconds(20 << std::min(failures++, 5));
    if (Clock::now() + span >= end) return false;
    std::this_thread::sleep_for(span);
    return true;
}

/// Whether a call that has failed is to be repeated.
/// \throws DatabaseException or SchemaException if there is no time left for that
bool Session::mayRepeat(const DatabaseException& e, int& failures, Deadline end) {
    if (connected()) return isConflict(e);
    if (pause(failures, end)) return true;
    if (standby_) throwReadOnly();
    throw DatabaseException(e.what(), e.sqlState());
}

void Session::rollBack(Deadline end) noexcept {
    if (!connected()) return;
    try {
        connection_->command("rollback", "rollback", end);
    } catch (...) {
        disconnect();
    }
}

Result Session::once(const Statement& statement, const Params& params) {
    return once([&](Connection& connection, Deadline end) {
        return connection.execute(statement, params, end);
    });
}

Result Session::read(const Statement& statement, const Params& params) {
    return read([&](Connection& connection, Deadline end) {
        return connection.execute(statement, params, end);
    });
}

std::int64_t Session::write(const Statement& statement, const Params& params,
                            const std::optional<Key>& key) {
    const auto use = [&](Connection& connection, Deadline end) {
        return written(connection.execute(statement, params, end));
    };
    return write(use, key);
}

Session::Written Session::written(const Result& result) {
    return {result.number(0, 0), result.optionalNumber(0, 1)};
}

std::int64_t Session::write(const Write& use, const std::optional<Key>& key) {
    const Deadline end = deadline();
    for (int failures = 0;;) {
        try {
            if (const auto value = attempt(use, key, end)) return *value;
        } catch (const OutcomeUnknownException&) {
            throw;
        } catch (const DatabaseException& e) {
            if (!mayRepeat(e, failures, end)) throw;
        } catch (const SchemaException&) {
            if (!standby_ || !pause(failures, end)) throw;
        }
    }
}

/// \returns nothing if the transaction was not committed, and can be repeated
/// \throws OutcomeUnknownException if that cannot be told
std::optional<std::int64_t> Session::attempt(const Write& use, const std::optional<Key>& key,
                                             Deadline end) {
    Written written{};
    connectBy(end);
    try {
        connection_->command("begin", statements_.begin(timeout_), end);
        written = use(*connection_, end);
    } catch (const OutcomeUnknownException& e) {
        // There was no commit.
        throw DatabaseException(e.what(), e.sqlState());
    } catch (...) {
        rollBack(end);
        throw;
    }
    try {
        connection_->command("commit", "commit", end);
    } catch (const OutcomeUnknownException& e) {
        if (!written.transaction) return written.value;
        if (settle(*written.transaction, key, end, e.what()) == Outcome::NotCommitted) return {};
    }
    return written.value;
}

/// Asks until the deadline.
Session::Outcome Session::settle(std::int64_t transaction, const std::optional<Key>& key,
                                 Deadline end, const std::string& lost) {
    const Micros crash = crash_;
    std::string last = lost;
    for (int failures = 0;;) {
        try {
            connectBy(end);
            if (const auto outcome = findOutcome(transaction, crash, key, end)) return *outcome;
        } catch (const SchemaException& e) {
            last = e.what();  // a standby, which is about to be promoted
        } catch (const OutcomeUnknownException& e) {
            if (connected()) throw;
            last = e.what();
        } catch (const DatabaseException& e) {
            last = e.what();
        }
        if (!pause(failures, end))
            throw OutcomeUnknownException(
                "It is not known whether the transaction was committed: " + last);
    }
}

std::string Session::statusOf(std::int64_t transaction, Deadline end) {
    const std::string number = std::to_string(static_cast<std::uint64_t>(transaction));
    try {
        const Result result =
            connection_->execute(statements_.outcome(), Params().text(number), end);
        crash_ = result.time(0, 1);
        return result.text(0, 0);
    } catch (const DatabaseException& e) {
        if (e.sqlState() != "22023") throw;  // invalid parameter: the number is in the future
        return "unused";
    }
}

/// \returns nothing while the transaction is in progress
/// \throws OutcomeUnknownException if that will never be known
std::optional<Session::Outcome> Session::findOutcome(std::int64_t transaction, Micros crash,
                                                     const std::optional<Key>& key, Deadline end) {
    const std::string status = statusOf(transaction, end);
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
        if (connection_->execute(statements_.writtenBy(), params, end).boolean(0, 0)) {
            return Outcome::Committed;
        }
    }
    throw OutcomeUnknownException("The server crashed during the commit, and it is not known "
                                  "whether the transaction was committed");
}

}  // namespace jtimer::cluster::detail
