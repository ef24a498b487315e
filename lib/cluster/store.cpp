// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/store.hpp"

#include "cluster/checks.hpp"
#include "cluster/columns.hpp"
#include "cluster/cron_dues.hpp"
#include "cluster/time_out.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace jtimer::cluster::detail {

Store::Store(const Options& options, pg_conn* borrowed) : Session(options, borrowed) {
    if (!connection().isInTransactionBlock())
        throw IllegalStateException("The connection is not in a transaction block");
}

void Store::checkRights() {
    const Result lacking = once(statements::lackingRight(), Params().text(schema()));
    if (lacking.rows() == 0) return;
    // Of the sequence and of tables, whose names are the library's.
    throw DatabaseException(
        "Role \"" + lacking.text(0, columns::lacking::Role) + "\" lacks the right " +
            lacking.text(0, columns::lacking::Right) + " on \"" + schema() + "\"." +
            lacking.text(0, columns::lacking::Relation) + ": schemaSql() ends with what to grant",
        "42501");
}

Registration Store::registerNode(const std::string& name, Micros lease) {
    const Result result = once(statements::registerNode(), Params().text(name).number(lease));
    return {result.number(0, columns::registration::Node),
            result.boolean(0, columns::registration::ShortensLeases)};
}

Renewal Store::renew(NodeNumber node) {
    const Result result = once(statements::renew(), Params().number(node));
    return {result.boolean(0, columns::renewal::Alive),
            result.optionalNumber(0, columns::renewal::NextLeaseEndIn),
            result.number(0, columns::renewal::ShortestLease)};
}

std::uint64_t Store::freeTasks(const Result& owners, int crashes) {
    if (owners.rows() == 0) return 0;
    std::vector<NodeNumber> nodes;
    nodes.reserve(static_cast<std::size_t>(owners.rows()));
    for (int i = 0; i < owners.rows(); ++i) nodes.push_back(owners.number(i, columns::kOnly));
    const auto params = Params().numbers(nodes).number(crashes);
    return static_cast<std::uint64_t>(
        execute(statements::freeTasks(), params).number(0, columns::kOnly));
}

TakeOver Store::takeOver(NodeNumber node) {
    return inTransaction([&] {
        // Another statement sees what these nodes claimed before their rows were deleted.
        TakeOver done;
        done.tasks = freeTasks(execute(statements::deleteExpired(), Params().number(node)), 1);
        done.orphans = freeTasks(execute(statements::findOrphans(), {}), 0);
        return done;
    });
}

void Store::deleteNode(NodeNumber node) {
    // What it still owns was claimed without its knowledge.
    inTransaction([&] {
        execute(statements::deleteNode(), Params().number(node));
        return releaseTasks(node, {});
    });
}

namespace {

template <class Enum, std::size_t n>
Enum fromName(const char* const (&names)[n], const std::string& name, Enum otherwise) {
    const auto* const found = std::find(std::begin(names), std::end(names), name);
    return found == std::end(names) ? otherwise : static_cast<Enum>(found - std::begin(names));
}

ClaimedTask claimedTask(const Result& result, int row) {
    namespace claim = columns::claim;
    ClaimedTask task;
    task.claimedAt = result.time(row, claim::Now);
    task.name = result.text(row, claim::Name);
    task.id = result.text(row, claim::Id);
    task.payload = result.text(row, claim::Payload);
    task.recurrence = {fromName(kKinds, result.text(row, claim::Kind), Kind::Once),
                       result.number(row, claim::Period),
                       fromName(kMissedRuns, result.text(row, claim::Missed), MissedRuns::Once),
                       result.text(row, claim::Cron), result.text(row, claim::Zone)};
    task.due = result.time(row, claim::Due);
    task.token = result.number(row, claim::Token);
    task.attempt = static_cast<int>(result.number(row, claim::Attempt));
    task.crashes = static_cast<int>(result.number(row, claim::Crashes));
    task.missedRuns = static_cast<std::uint64_t>(result.number(row, claim::MissedRuns));
    return task;
}

}  // namespace

Claim Store::claim(NodeNumber node, const std::vector<std::string>& names, int limit,
                   std::optional<Micros> cursor, Micros ahead) {
    auto params = Params().number(node).texts(names).number(limit);
    params.time(cursor.value_or(std::numeric_limits<Micros>::min()));
    params.number(std::min(ahead, kLongestWait));
    return claimed(statements::claim(), params);
}

Claim Store::claimByName(NodeNumber node, const std::vector<std::string>& names, int limit,
                         Micros ahead) {
    const auto params =
        Params().number(node).texts(names).number(limit).number(std::min(ahead, kLongestWait));
    return claimed(statements::claimByName(), params);
}

Claim Store::claimed(const Statement& statement, const Params& params) {
    const Result result = once(statement, params);
    Claim claim;
    claim.nodeGone = result.boolean(0, columns::claim::NodeGone);
    claim.nextWakeIn = result.optionalNumber(0, columns::claim::NextWakeIn);
    claim.othersFirst = result.boolean(0, columns::claim::OthersFirst);
    claim.more = result.boolean(0, columns::claim::More);
    std::vector<std::pair<Micros, int>> order;
    for (int i = 0; i < result.rows(); ++i) {
        if (!result.isNull(i, columns::claim::Name))
            order.emplace_back(result.time(i, columns::claim::Wake), i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [wake, row] : order) {
        claim.tasks.push_back(claimedTask(result, row));
        claim.lastWake = wake;
    }
    return claim;
}

std::optional<FirstDue> Store::firstDue(const std::vector<std::string>& names) {
    const Result result = once(statements::firstDue(), Params().texts(names));
    if (result.rows() == 0) return {};
    return FirstDue{result.text(0, columns::firstDue::Name), result.text(0, columns::firstDue::Id),
                    static_cast<std::size_t>(result.number(0, columns::firstDue::PayloadSize))};
}

std::uint64_t Store::releaseTasks(NodeNumber node, const std::vector<Token>& running) {
    const auto params = Params().number(node).numbers(running);
    return static_cast<std::uint64_t>(
        execute(statements::release(), params).number(0, columns::kOnly));
}

std::uint64_t Store::release(NodeNumber node, const std::vector<Token>& running) {
    return once([&] { return releaseTasks(node, running); });
}

namespace {

/// The next due of a cron task, unless its run is repeated or it is dead.
std::optional<CronDue> cronDue(Session& session, End& end) {
    const ClaimedTask& task = *end.task;
    const bool ends = end.kind != End::Kind::Retry && end.kind != End::Kind::Dead;
    if (task.recurrence.kind != Kind::Cron || !ends || end.again) return {};
    try {
        return nextCronDue(session, task.recurrence, task.due);
    } catch (const DatabaseException& e) {
        // Invalid parameter: the server does not know the zone any more.
        if (e.sqlState() != "22023") throw;
        end.kind = End::Kind::Dead;
        end.error = e.what();
        return {};
    }
}

}  // namespace

Store::WrittenEnds Store::writeEnds(const Statement& statement, std::vector<End>& ends) {
    Rows rows;
    for (End& end : ends) {
        const std::optional<CronDue> cron = cronDue(*this, end);
        const bool again = end.again && end.kind == End::Kind::Success;
        const bool isDate = again && end.again->isDate();
        const Micros when = again ? toMicros(*end.again) : 0;
        rows.begin();
        rows.bytes(end.task->name).bytes(end.task->id).number(end.task->token).time(end.task->due);
        rows.number(static_cast<std::int64_t>(end.kind)).number(end.delay);
        rows.time(valueIf(isDate, when)).number(valueIf(again && !isDate, when));
        rows.time(cron ? std::optional<Micros>(cron->due) : std::nullopt);
        rows.number(cron ? cron->missed : 0).bytes(end.payload).bytes(end.error);
    }
    const Result result = execute(statement, Params().arrays(rows));

    WrittenEnds written;
    std::map<Token, EndStatus> found;
    for (int i = 0; i < result.rows(); ++i) {
        const bool isWritten = result.boolean(i, columns::end::Written);
        found[result.number(i, columns::end::Token)] =
            isWritten ? EndStatus::Written : EndStatus::Locked;
        if (isWritten) written.transaction = result.number(i, columns::end::Transaction);
    }
    for (const End& end : ends) {
        const auto status = found.find(end.task->token);
        written.statuses.push_back(status == found.end() ? EndStatus::Fenced : status->second);
    }
    return written;
}

namespace {

/// \returns whether that changes anything
bool makeAscii(std::string& text) {
    const auto isForeign = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    if (std::none_of(text.begin(), text.end(), isForeign)) return false;
    std::replace_if(text.begin(), text.end(), isForeign, '?');
    return true;
}

}  // namespace

std::vector<EndStatus> Store::writeEnds(std::vector<End>& ends) {
    if (ends.empty()) return {};
    try {
        return once([&] { return writeEnds(statements::writeEnds(true), ends).statuses; });
    } catch (const DatabaseException& e) {
        // The encoding of the database lacks a character of the error.
        if (e.sqlState() != "22P05" || ends.size() > 1 || !makeAscii(ends[0].error)) throw;
        return writeEnds(ends);
    }
}

std::optional<TransactionNumber> Store::writeEndIn(const End& end) {
    std::vector<End> ends{end};
    while (true) {
        const WrittenEnds written = writeEnds(statements::writeEnds(false), ends);
        if (written.statuses[0] == EndStatus::Fenced) return {};
        if (written.statuses[0] == EndStatus::Written) return written.transaction;
        // The row has changed since the statement began: another one finds it.
        if (std::chrono::steady_clock::now() >= deadline())
            throw DatabaseException("The task is locked");
    }
}

std::optional<EndStatus> Store::outcomeOf(TransactionNumber transaction, const ClaimedTask& task) {
    const auto params = Params().text(task.name).text(task.id).number(task.token);
    return read([&]() -> std::optional<EndStatus> {
        if (execute(statements::owns(), params).boolean(0, columns::kOnly)) return {};
        // After a crash of the server, this may be said of another transaction. Nothing but the
        // counts depends on it.
        const bool committed = statusOf(transaction) == "committed";
        return committed ? EndStatus::Written : EndStatus::Fenced;
    });
}

bool Store::scheduleIn(const NewTask& task) { return insert({task}).value != 0; }

void Store::notify(Notification what) {
    const char* const payload = what == Notification::Renewal ? kRenewalPayload : "";
    once(statements::notify(), Params().text(channelOf(schema())).text(payload));
}

void Store::listen() {
    once([&] { command("listen", statements::listen(schema())); });
}

Notification Store::waitForNotification(Micros timeout, int wakeFd) {
    return connection().waitForNotification(deadlineAfter(timeout), wakeFd);
}

namespace {

TaskInfo taskInfo(const Result& result, int row) {
    namespace task = columns::task;
    TaskInfo info;
    info.name = result.text(row, task::Name);
    info.id = result.text(row, task::Id);
    info.state = static_cast<State>(result.number(row, task::State));
    info.scheduledExecutionTime = toDate(result.time(row, task::Due));
    info.nextAttempt = toDate(result.time(row, task::Wake));
    info.attempt = static_cast<int>(result.number(row, task::Attempt));
    info.crashes = static_cast<int>(result.number(row, task::Crashes));
    info.fencingToken = result.number(row, task::Token);
    info.runningOn = result.text(row, task::Node);
    info.lastError = result.text(row, task::LastError);
    info.payload = result.text(row, task::Payload);
    return info;
}

}  // namespace

void Store::checkZone(const std::string& zone) {
    if (zones_.count(zone) != 0) return;
    // Not asked of the server, which would refuse it as text.
    const bool valid =
        isText(zone, 200) &&
        execute(statements::isZone(), Params().text(zone)).boolean(0, columns::kOnly);
    if (!valid) throw IllegalArgumentException("Unknown time zone: " + zone);
    zones_.insert(zone);
}

void Store::addRow(Rows& rows, const NewTask& task) {
    const Recurrence& recurrence = task.schedule.recurrence_;
    const When& first = task.schedule.first_;
    const bool isCron = recurrence.kind == Kind::Cron;
    const bool isDelay = !isCron && !first.isDate();
    Micros due = toMicros(first);
    if (isCron) {
        checkZone(recurrence.zone);
        due = nextCronDue(*this, recurrence, {}).due;
    }
    rows.begin();
    rows.bytes(task.name).bytes(task.id).bytes(kKinds[static_cast<int>(recurrence.kind)]);
    rows.number(valueIf(recurrence.period > 0, recurrence.period));
    rows.bytes(valueIf(isCron, std::string_view(recurrence.expression)));
    rows.bytes(valueIf(isCron, std::string_view(recurrence.zone)));
    rows.bytes(kMissedRuns[static_cast<int>(recurrence.missedRuns)]);
    rows.time(valueIf(!isDelay, due)).number(valueIf(isDelay, due)).bytes(task.payload);
}

Store::Change Store::insert(const std::vector<NewTask>& tasks) {
    Change all{0, {}};
    for (const IfExists policy : {IfExists::Keep, IfExists::Update, IfExists::Replace}) {
        Rows rows;
        for (const NewTask& task : tasks) {
            if (task.ifExists == policy) addRow(rows, task);
        }
        if (rows.empty()) continue;
        const Params params = Params().arrays(rows);
        const Change some = changeOf(execute(statements::schedule(policy), params));
        all.value += some.value;
        if (some.transaction) all.transaction = some.transaction;
    }
    return all;
}

namespace {

/// Added to the message of what may have failed because the tasks are too many or too large.
std::string notSplit(const std::vector<NewTask>& tasks) {
    std::size_t bytes = 0;
    for (const NewTask& task : tasks) bytes += task.payload.size();
    return "; scheduleAll writes its " + std::to_string(tasks.size()) + " tasks, with " +
           std::to_string(bytes) + " bytes of payloads, in one transaction, which is not split";
}

}  // namespace

std::size_t Store::schedule(const std::vector<NewTask>& tasks) {
    if (tasks.empty()) return 0;
    bool sent = false;  // else it was not the tasks that took too long
    const auto use = [&] {
        sent = true;
        return insert(tasks);
    };
    const auto isTooMuch = [&](const DatabaseException& e) {
        const bool timedOut = e.sqlState().empty() || e.sqlState() == kCancelled;
        return tasks.size() > 1 && sent && timedOut;
    };
    try {
        return static_cast<std::size_t>(write(use, Key(tasks[0].name, tasks[0].id)));
    } catch (const OutcomeUnknownException& e) {
        if (!isTooMuch(e)) throw;
        throw OutcomeUnknownException(e.what() + notSplit(tasks), e.sqlState());
    } catch (const DatabaseException& e) {
        if (!isTooMuch(e)) throw;
        throw DatabaseException(e.what() + notSplit(tasks), e.sqlState());
    }
}

bool Store::cancel(const std::string& name, const std::string& id) {
    return write(statements::cancel(), Params().text(name).text(id), {}) != 0;
}

bool Store::reschedule(const std::string& name, const std::string& id, When when) {
    const Micros micros = toMicros(when);
    Params params;
    params.text(name).text(id);
    params.time(valueIf(when.isDate(), micros)).number(valueIf(!when.isDate(), micros));
    return write(statements::reschedule(), params, Key(name, id)) != 0;
}

std::optional<TaskInfo> Store::find(const std::string& name, const std::string& id) {
    const Result result = read(statements::find(), Params().text(name).text(id));
    if (result.rows() == 0) return {};
    return taskInfo(result, 0);
}

std::vector<TaskInfo> Store::list(const Filter& filter) {
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    Params params;
    params.text(filter.name).text(filter.after.first).text(filter.after.second);
    params.number(static_cast<std::int64_t>(std::min(filter.limit, kMost)));
    const Result result = read(statements::list(filter), params);
    std::vector<TaskInfo> tasks;
    tasks.reserve(static_cast<std::size_t>(result.rows()));
    for (int i = 0; i < result.rows(); ++i) tasks.push_back(taskInfo(result, i));
    return tasks;
}

Backlog Store::backlog() {
    const Result result = read(statements::backlog(), {});
    namespace backlog = columns::backlog;
    const auto count = [&](backlog::Column column) {
        return static_cast<std::uint64_t>(result.number(0, column));
    };
    return {
        count(backlog::Due),     count(backlog::Scheduled),
        count(backlog::Running), count(backlog::Dead),
        count(backlog::Nodes),   std::chrono::microseconds(result.number(0, backlog::OldestDue))};
}

bool Store::forTests() {
    return read([this] { return Session::forTests(); });
}

Micros Store::now() { return read(statements::now(), {}).time(0, columns::kOnly); }

void Store::advance(Micros span) { write(statements::advance(), Params().number(span), {}); }

}  // namespace jtimer::cluster::detail
