// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/connection.hpp"
#include "cluster/statements.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/cluster/options.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

/// A connection to a schema that is made anew when it has broken, and the three ways to use it: try
/// once, try until the timeout, and a transaction whose outcome is found out. Not thread-safe.
class Session {
  public:
    Session(const Options& options, const std::string& conninfo);

    /// Connects, and does not ask for the schema. Tries once.
    void open(Deadline deadline);

    /// Connects unless there is a connection, and checks the schema. Tries once.
    void connect() { connectBy(deadline()); }
    bool connected() const noexcept { return connection_ && connection_->isOpen(); }
    void disconnect() noexcept { connection_.reset(); }
    Connection& connection() noexcept { return *connection_; }

    const Statements& statements() const noexcept { return statements_; }
    const std::string& schema() const noexcept { return schema_; }
    bool forTests() const noexcept { return forTests_; }

    /// From now on, each use takes at most this time instead of Options::operationTimeout.
    void setTimeout(Micros timeout) noexcept { timeout_ = timeout; }
    Deadline deadline() const { return deadlineAfter(timeout_); }
    static Deadline deadlineAfter(Micros span);

    [[noreturn]] void throwReadOnly() const;

    /// After a failure to connect or a broken connection: a while, longer each time.
    /// \returns false, at once, if the time would be up
    static bool pause(int& failures, Deadline end);

    /// The three ways, for a single statement. For write(), see written().
    Result once(const Statement& statement, const Params& params);
    Result read(const Statement& statement, const Params& params);
    using Key = std::pair<std::string, std::string>;
    std::int64_t write(const Statement& statement, const Params& params,
                       const std::optional<Key>& key);

    /// `use(connection, deadline)`, repeated at once after a deadlock and the like.
    template <class Use>
    auto once(const Use& use) {
        const Deadline end = deadline();
        while (true) {
            connectBy(end);
            try {
                return use(*connection_, end);
            } catch (const DatabaseException& e) {
                if (!isConflict(e) || !connected()) throw;
            }
        }
    }

    /// For what changes nothing: also repeated, until the timeout, when the connection breaks.
    template <class Use>
    auto read(const Use& use) {
        const Deadline end = deadline();
        for (int failures = 0;;) {
            try {
                connectBy(end);
                return use(*connection_, end);
            } catch (const DatabaseException& e) {
                if (!mayRepeat(e, failures, end)) throw;
            } catch (const SchemaException&) {
                if (!standby_ || !pause(failures, end)) throw;
            }
        }
    }

    /// A transaction that nobody waits for the outcome of: tried once.
    template <class Use>
    auto inTransaction(const Use& use) {
        return once([&](Connection& connection, Deadline end) {
            connection.command("begin", statements_.begin(timeout_), end);
            try {
                auto value = use(connection, end);
                connection.command("commit", "commit", end);
                return value;
            } catch (...) {
                rollBack(end);
                throw;
            }
        });
    }

    /// What a transaction came to, and its number, unless it has written nothing.
    struct Written {
        std::int64_t value;
        std::optional<std::int64_t> transaction;
    };
    using Write = std::function<Written(Connection&, Deadline)>;

    /// A transaction that takes effect once, or not at all, whatever breaks. It is repeated until
    /// the timeout unless it has been committed.
    /// \param key of a row that it writes, to be recognised by after a crash of the server
    std::int64_t write(const Write& use, const std::optional<Key>& key);

    /// What pg_xact_status says: "committed", "aborted" or "in progress"; of a number that a crash
    /// has taken back "unused", and nothing of a transaction of long ago.
    std::string statusOf(std::int64_t transaction, Deadline end);

    /// The result of a statement whose last column is the number of the transaction.
    static Written written(const Result& result);

  private:
    enum class Outcome { Committed, NotCommitted };

    void connectBy(Deadline deadline);
    void checkSchema(Deadline end);
    bool findsStandby(Deadline end);
    std::optional<std::int64_t> attempt(const Write& use, const std::optional<Key>& key,
                                        Deadline end);
    Outcome settle(std::int64_t transaction, const std::optional<Key>& key, Deadline end,
                   const std::string& lost);
    std::optional<Outcome> findOutcome(std::int64_t transaction, Micros crash,
                                       const std::optional<Key>& key, Deadline end);
    void rollBack(Deadline end) noexcept;
    static bool isConflict(const DatabaseException& e);
    bool mayRepeat(const DatabaseException& e, int& failures, Deadline end);

    const Statements statements_;
    const std::string schema_;
    Connection::Settings settings_;
    Micros timeout_;
    std::optional<Connection> connection_;
    bool forTests_ = false;
    bool standby_ = false;  ///< that is all that there was; it may be promoted soon
    Micros crash_ = 0;  ///< when the server last recovered from a crash, or its statistics began
};

}  // namespace jtimer::cluster::detail
