// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/connection.hpp"
#include "cluster/statements.hpp"
#include "sync/assert.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/cluster/options.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

/// A connection to a schema that is made anew when it has broken, and the three ways to use it: try
/// once, try until the timeout, and a transaction whose outcome is found out. Each use sets a
/// deadline for all that it waits for. Not thread-safe.
class Session {
  public:
    Session(const Options& options, const std::string& conninfo);

    /// On the caller's connection, in its transaction: only for execute(), until
    /// Options::operationTimeout has passed from now.
    Session(const Options& options, pg_conn* borrowed);

    /// Connects, and does not ask for the schema. Tries once.
    void open();

    /// Connects unless there is a connection, and checks the schema. Tries once.
    void connect();
    bool connected() const noexcept { return connection_ && connection_->isOpen(); }
    void disconnect() noexcept { connection_.reset(); }
    Connection& connection();  ///< \throws DatabaseException if there is none

    const std::string& schema() const noexcept { return schema_; }
    bool forTests() const noexcept { return forTests_; }

    /// From now on, each use takes at most this time instead of Options::operationTimeout.
    void setTimeout(Micros timeout) noexcept { timeout_ = timeout; }
    Deadline deadline() const noexcept { return deadline_; }  ///< of the present use
    static Deadline deadlineAfter(Micros span);

    /// After a failure to connect or a broken connection: a while, longer each time.
    /// \returns false, at once, if the time would be up
    bool pause(int& failures) const;

    /// On the present connection, as part of the present use.
    Result execute(const Statement& statement, const Params& params);
    void command(const char* name, const std::string& sql);

    /// The three ways, for a single statement. For write(), see changeOf().
    Result once(const Statement& statement, const Params& params);
    Result read(const Statement& statement, const Params& params);
    using Key = std::pair<std::string, std::string>;
    std::int64_t write(const Statement& statement, const Params& params,
                       const std::optional<Key>& key);

    /// `use()`, repeated at once after a deadlock and the like.
    template <class Use>
    auto once(const Use& use) {
        return repeat(use, false);
    }

    /// For what changes nothing: also repeated, until the timeout, when the connection breaks.
    template <class Use>
    auto read(const Use& use) {
        return repeat([&] { return uncommitted(use); }, true);
    }

    /// A transaction, which `use()` is part of. It begins with the first call of execute(), of
    /// which there is one: in the same round trip, see Connection::kPipelines. If `use()` throws,
    /// it is rolled back.
    template <class Use>
    auto begin(const Use& use) {
        begins_ = true;
        try {
            return use();
        } catch (...) {
            rollBack();
            throw;
        }
    }

    void commit() {
        JTIMER_ASSERT(!begins_);
        command("commit", statements::kCommit);
    }

    /// A transaction that nobody waits for the outcome of: tried once.
    template <class Use>
    auto inTransaction(const Use& use) {
        return once([&] {
            auto value = begin(use);
            commit();
            return value;
        });
    }

    /// What a transaction came to, and its number, unless it has written nothing.
    struct Change {
        std::int64_t value;
        std::optional<std::int64_t> transaction;
    };
    using Write = std::function<Change()>;

    /// A transaction that takes effect once, or not at all, whatever breaks. It is repeated until
    /// the timeout unless it has been committed.
    /// \param key of a row that it writes, to be recognised by after a crash of the server
    std::int64_t write(const Write& use, const std::optional<Key>& key);

    /// What pg_xact_status says: "committed", "aborted" or "in progress"; of a number that a crash
    /// has taken back "unused", and nothing of a transaction of long ago.
    std::string statusOf(std::int64_t transaction);

    /// The result of a statement whose last column is the number of the transaction.
    static Change changeOf(const Result& result);

  private:
    enum class Outcome { Committed, NotCommitted };

    /// \param reconnects whether to go on, until the timeout, without a connection or a primary
    template <class Use>
    auto repeat(const Use& use, bool reconnects) {
        deadline_ = deadlineAfter(timeout_);
        for (int failures = 0;;) {
            try {
                connectByDeadline();
                return use();
            } catch (const OutcomeUnknownException&) {
                throw;
            } catch (const DatabaseException& e) {
                const bool again =
                    connected() ? isConflict(e) : reconnects && mayReconnect(failures);
                if (!again) throw;
            } catch (const SchemaException&) {
                if (!reconnects || !standby_ || !pause(failures)) throw;
            }
        }
    }

    /// Of what is not committed, the outcome is known even if the connection breaks.
    template <class Use>
    static auto uncommitted(const Use& use) {
        try {
            return use();
        } catch (const OutcomeUnknownException& e) {
            throw DatabaseException(e.what(), e.sqlState());
        }
    }

    Result executeFirst(const Statement& statement, const Params& params);
    void connectByDeadline();
    void checkSchema();
    bool findsStandby() const;
    [[noreturn]] void throwReadOnly() const;
    Outcome settle(std::int64_t transaction, const std::optional<Key>& key,
                   const std::string& lost);
    std::optional<Outcome> findOutcome(std::int64_t transaction, Micros crash,
                                       const std::optional<Key>& key);
    void rollBack() noexcept;
    static bool isConflict(const DatabaseException& e);
    bool mayReconnect(int& failures) const;

    const std::string schema_;
    Connection::Settings settings_;
    Micros timeout_;
    Deadline deadline_;
    std::optional<Connection> connection_;
    bool begins_ = false;  ///< what is executed next begins a transaction
    bool forTests_ = false;
    bool standby_ = false;  ///< that is all that there was; it may be promoted soon
    Micros crash_ = 0;  ///< when the server last recovered from a crash, or its statistics began
};

}  // namespace jtimer::cluster::detail
