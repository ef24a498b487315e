// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"
#include "cluster/notification.hpp"
#include "cluster/params.hpp"
#include "cluster/result.hpp"
#include "cluster/statement.hpp"

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

struct pg_conn;

namespace jtimer::cluster::detail {

using Deadline = std::chrono::steady_clock::time_point;

/// Of a connection string, and their values.
using Keywords = std::vector<std::pair<const char*, std::string>>;

/// A connection to the server, by libpq without blocking: no call takes longer than its deadline,
/// except to resolve a host name. Not thread-safe.
///
/// If a connection breaks or does not answer in time, it is closed. The call throws a
/// DatabaseException if nothing had been sent, otherwise an OutcomeUnknownException. What the
/// server refuses is a DatabaseException with its code, and the connection goes on. All functions
/// but isOpen() and close() are for an open one.
class Connection {
  public:
    struct Settings {
        std::string conninfo;
        bool prepared = true;
        Micros timeout = 0;     ///< after which the system gives up a silent server
        bool readOnly = false;  ///< whether a standby will do
    };

    Connection(const Settings& settings, Deadline deadline);

    /// The caller's, which is neither closed nor changed. Nothing is prepared on it.
    explicit Connection(pg_conn* borrowed);

    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    Result execute(const Statement& statement, const Params& params, Deadline deadline);

    struct Call {
        Statement statement;
        Params params;
    };

    /// Whether libpq can send several statements at once: since version 14.
    static const bool kPipelines;

    /// All of these in one round trip, if kPipelines. When the server refuses one, it leaves out
    /// those behind it.
    /// \returns the result of the last
    Result execute(const std::vector<Call>& calls, Deadline deadline);

    /// Statements without parameters and results, separated by semicolons.
    void command(const char* name, const std::string& sql, Deadline deadline);

    bool isOpen() const noexcept { return connection_ != nullptr; }
    bool isInTransactionBlock() const noexcept;
    void close() noexcept;

    /// Waits for a notification, for `wakeFd` to become readable, or for the deadline.
    /// \returns what the notifications that have arrived ask for; they are dropped
    Notification waitForNotification(Deadline deadline, int wakeFd);

  private:
    explicit Connection(bool prepares) noexcept : prepares_(prepares) {}
    void start(const Keywords& keywords, Deadline deadline);

    struct Answer {
        Result result;
        std::string error, sqlState;  ///< empty unless the server has refused

        Result get();  ///< \throws DatabaseException if the server has refused
    };

    bool isPrepared(const Statement& statement) const noexcept;
    void prepare(const Statement& statement, const Params& params, Deadline deadline);
    int send(const Statement& statement, const Params& params);
    template <class Send>
    Result exchange(const char* name, Deadline deadline, const Send& send);
    void flush(Deadline deadline);
    Answer receive(Deadline deadline);
    [[noreturn]] void fail(const std::string& message, bool outcomeUnknown);
    std::string message() const;
    int socket() const noexcept;

    pg_conn* connection_ = nullptr;
    bool borrowed_ = false;
    bool wasNonblocking_ = false;  ///< of a borrowed one
    bool prepares_ = false;
    std::set<std::string> prepared_;
};

}  // namespace jtimer::cluster::detail
