// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/connection.hpp"

#include "cluster/failpoint.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace jtimer::cluster::detail {

namespace {

using Clock = std::chrono::steady_clock;

/// Until `deadline`, in the unit of poll(), rounded up.
int pollTimeout(Deadline deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, 3'600'000));
}

/// Waits until a socket can be read or written, or `wakeFd` read.
/// \returns false at the deadline
bool pollUntil(int socket, short events, Deadline deadline, int wakeFd = -1,
               bool* woken = nullptr) {
    while (true) {
        // A negative descriptor is ignored.
        pollfd fds[] = {{socket, events, 0}, {wakeFd, POLLIN, 0}};
        const int timeout = pollTimeout(deadline);
        const int ready = ::poll(fds, 2, timeout);
        if (woken != nullptr) *woken = ready > 0 && fds[1].revents != 0;
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR && errno != EAGAIN) return true;  // libpq finds out
        if (ready == 0 && Clock::now() >= deadline) return false;
    }
}

/// libpq's message in one line.
std::string trimmed(std::string message) {
    while (!message.empty() && message.back() == '\n') message.pop_back();
    std::replace(message.begin(), message.end(), '\n', ' ');
    message.erase(std::remove(message.begin(), message.end(), '\t'), message.end());
    return message;
}

/// What the server said, without details, which may quote a row and so a payload.
std::string messageOf(const PGresult* result) {
    const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (primary == nullptr) return trimmed(PQresultErrorMessage(result));
    const char* severity = PQresultErrorField(result, PG_DIAG_SEVERITY);
    return std::string(severity == nullptr ? "ERROR" : severity) + ": " + trimmed(primary);
}

/// Class 57P: the server ends the connection.
bool endsConnection(const std::string& sqlState) { return sqlState.compare(0, 3, "57P") == 0; }

bool isSuccess(ExecStatusType status) {
#ifdef LIBPQ_HAS_PIPELINING
    if (status == PGRES_PIPELINE_SYNC) return true;
#endif
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

struct FreeOptions {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

/// What a connection string, or else the environment, sets a keyword to; or null.
const char* valueOf(const PQconninfoOption* options, const std::string& keyword) {
    while (options->keyword != nullptr && options->keyword != keyword) ++options;
    if (options->val != nullptr || options->envvar == nullptr) return options->val;
    return std::getenv(options->envvar);
}

/// What is the same for all hosts.
Keywords keywordsOf(const Connection::Settings& settings, const PQconninfoOption* given) {
    const std::string seconds = std::to_string(std::max<Micros>(settings.timeout / 1'000'000, 1));
    const std::string millis = std::to_string(std::max<Micros>(settings.timeout / 1'000, 1));
    Keywords keywords;
    for (const auto& [keyword, value] :
         Keywords{{"fallback_application_name", "jtimer"},
                  {"target_session_attrs", settings.readOnly ? "any" : "read-write"},
                  {"keepalives_idle", seconds},
                  {"keepalives_interval", "2"},
                  {"keepalives_count", "3"},
                  {"tcp_user_timeout", millis}}) {
        if (valueOf(given, keyword) == nullptr) keywords.emplace_back(keyword, value);
    }
    keywords.emplace_back("dbname", settings.conninfo);
    keywords.emplace_back("client_encoding", "UTF8");
    return keywords;
}

/// For each host of a list, what to set to connect to it alone. Of a single one, nothing. libpq
/// refuses lists of different lengths, but a single port is that of all hosts.
std::vector<Keywords> hostsOf(const PQconninfoOption* options) {
    std::vector<Keywords> hosts(1);
    for (const char* const keyword : {"host", "hostaddr", "port"}) {
        const char* const value = valueOf(options, keyword);
        std::vector<std::string> elements;
        if (value != nullptr) boost::split(elements, value, [](char c) { return c == ','; });
        if (elements.size() < 2) continue;
        if (hosts.size() > 1 && hosts.size() != elements.size()) return {Keywords()};
        hosts.resize(elements.size());
        for (std::size_t i = 0; i < elements.size(); ++i)
            hosts[i].emplace_back(keyword, elements[i]);
    }
    return hosts;
}

/// What is left for one of several hosts, of which the last ones may have to be tried.
Deadline shareOf(Deadline deadline, std::size_t hosts, const char* connectTimeout) {
    constexpr int kDefault = 10;
    const Deadline now = Clock::now();
    const Deadline share = now + (deadline - now) / static_cast<Deadline::rep>(hosts);
    const int seconds = connectTimeout == nullptr ? kDefault : std::atoi(connectTimeout);
    return seconds <= 0 ? share : std::min<Deadline>(share, now + std::chrono::seconds(seconds));
}

}  // namespace

Connection::Connection(pg_conn* borrowed)
    : connection_(borrowed), borrowed_(true), wasNonblocking_(PQisnonblocking(borrowed) != 0) {
    if (!wasNonblocking_) PQsetnonblocking(borrowed, 1);
}

Connection::~Connection() { close(); }

void Connection::close() noexcept {
    if (connection_ != nullptr && !borrowed_) PQfinish(connection_);
    if (connection_ != nullptr && borrowed_ && !wasNonblocking_) PQsetnonblocking(connection_, 0);
    connection_ = nullptr;
    prepared_.clear();
}

// Once the other constructor has returned, an exception here calls the destructor.
Connection::Connection(const Settings& settings, Deadline deadline)
    : Connection(settings.prepared) {
    // Not libpq's message, which quotes the string and so perhaps a password.
    const std::unique_ptr<PQconninfoOption, FreeOptions> given(
        PQconninfoParse(settings.conninfo.c_str(), nullptr));
    if (given == nullptr) throw DatabaseException("The connection string is malformed");

    const Keywords common = keywordsOf(settings, given.get());
    const std::vector<Keywords> hosts = hostsOf(given.get());
    const char* const connectTimeout = valueOf(given.get(), "connect_timeout");
    std::string refusals;
    // Not left to PQconnectPoll(), which would wait for the first host for ever.
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        Keywords keywords = common;
        keywords.insert(keywords.end(), hosts[i].begin(), hosts[i].end());
        try {
            start(keywords, shareOf(deadline, hosts.size() - i, connectTimeout));
            return;
        } catch (const DatabaseException& exception) {
            close();
            refusals += (i == 0 ? "" : "; ") + std::string(exception.what());
        }
    }
    throw DatabaseException(refusals);
}

void Connection::start(const Keywords& keywords, Deadline deadline) {
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (const auto& [name, value] : keywords) {
        names.push_back(name);
        values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);

    failpoint("connect", true, -1);
    connection_ = PQconnectStartParams(names.data(), values.data(), 1);
    if (connection_ == nullptr) throw std::bad_alloc();
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;
    while (status != PGRES_POLLING_OK) {
        if (status == PGRES_POLLING_FAILED || PQstatus(connection_) == CONNECTION_BAD) {
            throw DatabaseException(message());
        }
        const short events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!pollUntil(socket(), events, deadline)) {
            throw DatabaseException("The database did not accept the connection in time");
        }
        status = PQconnectPoll(connection_);
    }
    if (PQsetnonblocking(connection_, 1) != 0) throw DatabaseException(message());
    // By default libpq prints what the server warns of.
    PQsetNoticeProcessor(
        connection_, [](void*, const char*) {}, nullptr);
    failpoint("connect", false, socket());
}

std::string Connection::message() const {
    std::string text = trimmed(PQerrorMessage(connection_));
    const std::string secret = PQpass(connection_);
    if (!secret.empty()) boost::replace_all(text, secret, "***");
    return text;
}

int Connection::socket() const noexcept { return PQsocket(connection_); }

void Connection::fail(const std::string& message, bool outcomeUnknown) {
    close();
    if (outcomeUnknown) throw OutcomeUnknownException(message);
    throw DatabaseException(message);
}

bool Connection::isInTransactionBlock() const noexcept {
    return PQtransactionStatus(connection_) == PQTRANS_INTRANS;
}

bool Connection::isPrepared(const Statement& statement) const noexcept {
    return prepares_ && statement.name != nullptr;
}

void Connection::prepare(const Statement& statement, const Params& params, Deadline deadline) {
    if (!isPrepared(statement) || prepared_.count(statement.name) != 0) return;
    exchange("prepare", deadline, [&] {
        return PQsendPrepare(connection_, statement.name, statement.sql.c_str(),
                             static_cast<int>(params.types_.size()), params.types_.data());
    });
    prepared_.insert(statement.name);
}

Result Connection::execute(const Statement& statement, const Params& params, Deadline deadline) {
    prepare(statement, params, deadline);
    return exchange(statement.label(), deadline, [&] { return send(statement, params); });
}

/// \returns 1 if libpq has accepted the statement
int Connection::send(const Statement& statement, const Params& params) {
    const std::size_t size = params.values_.size();
    const int count = static_cast<int>(size);
    std::vector<const char*> values(size);
    std::vector<int> lengths(size);
    const std::vector<int> formats(size, 1);
    for (std::size_t i = 0; i < size; ++i) {
        const auto& value = params.values_[i];
        if (!value) continue;
        values[i] = value->data();
        lengths[i] = static_cast<int>(value->size());
    }
    if (isPrepared(statement))
        return PQsendQueryPrepared(connection_, statement.name, count, values.data(),
                                   lengths.data(), formats.data(), 1);
    return PQsendQueryParams(connection_, statement.sql.c_str(), count, params.types_.data(),
                             values.data(), lengths.data(), formats.data(), 1);
}

void Connection::command(const char* name, const std::string& sql, Deadline deadline) {
    exchange(name, deadline, [&] { return PQsendQuery(connection_, sql.c_str()); });
}

/// \param send returns 1 if libpq has accepted the statement
template <class Send>
Result Connection::exchange(const char* name, Deadline deadline, const Send& send) {
    failpoint(name, true, socket());
    // libpq refuses when the connection is broken already, so nothing has left.
    if (send() != 1) fail(message(), false);
    flush(deadline);
    Answer answer = receive(deadline);
    if (answer.error.empty()) failpoint(name, false, socket());
    return answer.get();
}

void Connection::flush(Deadline deadline) {
    while (true) {
        const int left = PQflush(connection_);
        if (left == 0) return;
        if (left < 0) fail(message(), true);
        // The server may have to be read from before it reads on.
        if (!pollUntil(socket(), POLLIN | POLLOUT, deadline)) {
            fail("The database did not take the statement in time", true);
        }
        if (PQconsumeInput(connection_) == 0) fail(message(), true);
    }
}

/// Takes all results up to the end of the statement, which is where it commits: an error may follow
/// upon rows.
Connection::Answer Connection::receive(Deadline deadline) {
    Result last(nullptr);
    std::string error;
    std::string sqlState;
    while (true) {
        while (PQisBusy(connection_) != 0) {
            if (!pollUntil(socket(), POLLIN, deadline)) {
                fail("The database did not answer in time", true);
            }
            if (PQconsumeInput(connection_) == 0) fail(error.empty() ? message() : error, true);
        }
        PGresult* const next = PQgetResult(connection_);
        if (next == nullptr) break;
        Result result(next);
        const ExecStatusType status = PQresultStatus(next);
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) {
            fail("The connection is in another use", true);
        }
        if (isSuccess(status)) {
            last = std::move(result);
        } else if (error.empty()) {
            const char* state = PQresultErrorField(next, PG_DIAG_SQLSTATE);
            sqlState = state == nullptr ? "" : state;
            error = messageOf(next);
            // Without memory, libpq has no message.
            if (error.empty()) error = "libpq failed without a message";
        }
    }
    if (PQstatus(connection_) == CONNECTION_BAD || endsConnection(sqlState)) {
        fail(error.empty() ? message() : error, true);
    }
    return {std::move(last), error, sqlState};
}

Result Connection::Answer::get() {
    if (!error.empty()) throw DatabaseException(error, sqlState);
    return std::move(result);
}

Notification Connection::waitForNotification(Deadline deadline, int wakeFd) {
    while (true) {
        Notification found = Notification::None;
        while (PGnotify* const notification = PQnotifies(connection_)) {
            const bool renewal = std::strcmp(notification->extra, kRenewalPayload) == 0;
            found = std::max(found, renewal ? Notification::Renewal : Notification::Tasks);
            PQfreemem(notification);
        }
        if (found != Notification::None) return found;
        bool woken = false;
        if (!pollUntil(socket(), POLLIN, deadline, wakeFd, &woken)) return Notification::None;
        if (PQconsumeInput(connection_) == 0) fail(message(), false);
        if (woken) return Notification::None;
    }
}

}  // namespace jtimer::cluster::detail
