// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct pg_conn;
struct pg_result;

namespace jtimer::cluster::detail {

using Deadline = std::chrono::steady_clock::time_point;

/// What a notification asks for; more than one, for the most of them.
enum class Notification { None, Tasks, Renewal };

/// Of a notification that asks for a renewal. Older libraries look for tasks.
inline constexpr const char* kRenewalPayload = "renew";

/// SQL with a name, under which it is prepared once per connection. Without a name it is sent with
/// each call.
struct Statement {
    const char* name;
    std::string sql;
};

/// Of a connection string, and their values.
using Keywords = std::vector<std::pair<const char*, std::string>>;

/// A parameter that may be null.
template <class Value>
std::optional<Value> valueIf(bool given, const Value& value) {
    return given ? std::optional<Value>(value) : std::nullopt;
}

/// Object ids of a built-in type and of its arrays.
struct Type {
    unsigned self, array;
};

using OptionalText = std::optional<std::string_view>;
using OptionalNumber = std::optional<std::int64_t>;

/// Parameters that are arrays, filled row by row. All rows have the same types.
class Rows {
  public:
    void begin();  ///< the next row
    Rows& bytes(OptionalText value);
    Rows& number(OptionalNumber value);
    Rows& time(std::optional<Micros> value);
    bool empty() const noexcept { return count_ == 0; }

  private:
    friend class Params;
    struct Column {
        Type type;
        std::string elements;
    };
    Rows& add(Type type, OptionalText encoded);

    std::vector<Column> columns_;
    std::size_t column_ = 0;  ///< where the next value belongs
    std::size_t count_ = 0;
};

/// The parameters of a statement, in PostgreSQL's binary formats: nothing is quoted or rounded.
class Params {
  public:
    Params& text(OptionalText value);
    Params& number(OptionalNumber value);       ///< bigint
    Params& time(std::optional<Micros> value);  ///< timestamptz
    Params& texts(const std::vector<std::string>& values);
    Params& numbers(const std::vector<std::int64_t>& values);
    Params& localTimes(const std::vector<Micros>& values);  ///< timestamp without time zone

    Params& arrays(const Rows& rows);  ///< one for each column

  private:
    friend class Connection;
    Params& add(unsigned type, std::optional<std::string> encoded);

    std::vector<unsigned> types_;
    std::vector<std::optional<std::string>> values_;
};

/// The rows that a statement returned.
class Result {
  public:
    explicit Result(pg_result* result) : result_(result) {}

    int rows() const noexcept;
    bool isNull(int row, int column) const noexcept;
    std::string text(int row, int column) const;  ///< or bytes; empty if null
    std::int64_t number(int row,
                        int column) const;  ///< of smallint, integer, bigint, xid8; 0 if null
    std::optional<std::int64_t> optionalNumber(int row, int column) const;
    bool boolean(int row, int column) const;
    Micros time(int row, int column) const;  ///< of timestamptz or timestamp

  private:
    struct Clear {
        void operator()(pg_result* result) const noexcept;
    };
    std::unique_ptr<pg_result, Clear> result_;
};

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
    void prepare(const Statement& statement, const Params& params, Deadline deadline);
    template <class Send>
    Result exchange(const char* name, Deadline deadline, const Send& send);
    void flush(Deadline deadline);
    Result receive(Deadline deadline);
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
