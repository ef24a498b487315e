// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/store.hpp"

#include "cluster/columns.hpp"
#include "cluster/cron_dues.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/version.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
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

namespace {

History historyIn(const Result& result, int column) {
    return fromName(kHistories, result.text(0, column), History::Off);
}

std::vector<NodeNumber> numbersIn(const Result& result, int column) {
    std::vector<NodeNumber> numbers;
    numbers.reserve(static_cast<std::size_t>(result.rows()));
    for (int i = 0; i < result.rows(); ++i) numbers.push_back(result.number(i, column));
    return numbers;
}

}  // namespace

Registration Store::registerNode(const NewNode& node) {
    const auto params = Params()
                            .text(node.name)
                            .number(node.lease)
                            .texts(node.names)
                            .number(node.concurrency)
                            .text(JTIMER_VERSION);
    const Result result = once(statements::registerNode(), params);
    return {result.number(0, columns::registration::Node),
            result.boolean(0, columns::registration::ShortensLeases),
            historyIn(result, columns::registration::History)};
}

Renewal Store::renew(NodeNumber node) {
    const Result result = once(statements::renew(), Params().number(node));
    return {result.boolean(0, columns::renewal::Alive),
            result.optionalNumber(0, columns::renewal::NextLeaseEndIn),
            result.number(0, columns::renewal::ShortestLease),
            result.number(0, columns::renewal::Pauses),
            historyIn(result, columns::renewal::History),
            result.boolean(0, columns::renewal::PruneIsDue)};
}

std::uint64_t Store::freeTasks(const std::vector<NodeNumber>& nodes, int crashes) {
    if (nodes.empty()) return 0;
    const auto params = Params().numbers(nodes).number(crashes);
    return static_cast<std::uint64_t>(
        execute(statements::freeTasks(), params).number(0, columns::kOnly));
}

TakeOver Store::takeOver(NodeNumber node) {
    return inTransaction([&] {
        const Result expired = execute(statements::deleteExpired(), Params().number(node));
        const std::vector<NodeNumber> nodes = numbersIn(expired, columns::expired::Node);
        std::vector<std::string> names;
        names.reserve(nodes.size());
        for (int i = 0; i < expired.rows(); ++i)
            names.push_back(expired.text(i, columns::expired::Name));
        // Other statements see what these nodes claimed before their rows were deleted.
        TakeOver done;
        if (!nodes.empty()) execute(statements::recordLost(), Params().numbers(nodes).texts(names));
        done.tasks = freeTasks(nodes, 1);
        const Result orphans = execute(statements::findOrphans(), {});
        done.orphans = freeTasks(numbersIn(orphans, columns::kOnly), 0);
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

Claim Store::claim(Claimer claimer, const std::vector<std::string>& names, int limit,
                   std::optional<Micros> cursor, Micros ahead) {
    auto params = Params().number(claimer.node).texts(names).number(limit);
    params.time(cursor.value_or(std::numeric_limits<Micros>::min()));
    params.number(std::min(ahead, kLongestWait)).number(claimer.pauses);
    return claimIn(once(statements::claim(), params));
}

Claim Store::claimByName(Claimer claimer, const std::vector<std::string>& names, int limit,
                         Micros ahead) {
    auto params = Params().number(claimer.node).texts(names).number(limit);
    params.number(std::min(ahead, kLongestWait)).number(claimer.pauses);
    return claimIn(once(statements::claimByName(), params));
}

namespace {

std::vector<std::string> namesOf(const std::vector<LimitedName>& limited) {
    std::vector<std::string> names;
    names.reserve(limited.size());
    for (const LimitedName& each : limited) names.push_back(each.name);
    return names;
}

/// For claimLimited() in a node.
Params limitedParams(Claimer claimer, const std::vector<LimitedName>& names, int limit,
                     Micros ahead) {
    std::vector<std::int64_t> rooms;
    rooms.reserve(names.size());
    for (const LimitedName& each : names) rooms.push_back(each.room);
    auto params = Params().number(claimer.node).texts(namesOf(names)).number(limit);
    params.number(std::min(ahead, kLongestWait)).number(claimer.pauses).numbers(rooms);
    return params;
}

}  // namespace

Claim Store::claimLimited(Claimer claimer, const std::vector<LimitedName>& names, int limit,
                          Micros ahead) {
    return limitedClaimIn(
        once(statements::claimLimited(false), limitedParams(claimer, names, limit, ahead)));
}

Claim Store::claimInCluster(Claimer claimer, const std::vector<LimitedName>& names, int limit,
                            Micros ahead) {
    std::vector<std::int64_t> most;
    most.reserve(names.size());
    for (const LimitedName& each : names) most.push_back(each.most);
    return inTransaction([&] {
        const Result due =
            execute(statements::lockNames(), Params().text(schema()).texts(namesOf(names)));
        std::set<std::string> locked;
        for (int row = 0; row < due.rows(); ++row) {
            if (due.boolean(row, columns::lock::Locked))
                locked.insert(due.text(row, columns::lock::Name));
        }
        // The others stay, for their next wakes.
        std::vector<LimitedName> open = names;
        for (LimitedName& each : open) {
            if (locked.count(each.name) == 0) each.room = 0;
        }
        Claim claim =
            limitedClaimIn(execute(statements::claimLimited(true),
                                   limitedParams(claimer, open, limit, ahead).numbers(most)));
        claim.leftOut = static_cast<int>(locked.size()) < due.rows();
        return claim;
    });
}

Claim Store::claimIn(const Result& result) {
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

Claim Store::limitedClaimIn(const Result& result) {
    Claim claim = claimIn(result);
    claim.left = result.texts(0, columns::claim::Left);
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

/// Of an end that was written.
std::optional<Micros> nextDueIn(const Result& result, int row) {
    if (result.isNull(row, columns::end::NextDue)) return {};  // deleted
    const Micros time = result.time(row, columns::end::NextDue);
    return valueIf(time != kNeverDue, time);
}

}  // namespace

Store::WrittenEnds Store::writeEnds(const Statement& statement, std::vector<End>& ends) {
    Rows rows;
    for (End& end : ends) {
        const std::optional<CronDue> cron = cronDue(*this, end);
        const bool again = end.again.has_value();
        const bool isDate = again && end.again->isDate();
        const Micros when = again ? toMicros(*end.again) : 0;
        rows.begin();
        rows.bytes(end.task->name).bytes(end.task->id).number(end.task->token).time(end.task->due);
        rows.number(static_cast<std::int64_t>(end.kind)).number(end.delay);
        rows.time(valueIf(isDate, when)).number(valueIf(again && !isDate, when));
        rows.time(cron ? std::optional<Micros>(cron->due) : std::nullopt);
        rows.number(cron ? cron->missed : 0).bytes(end.payload).bytes(end.error);
        rows.number(end.abandoned ? 1 : 0);
    }
    return writeEnds(statement, rows, ends);
}

Store::WrittenEnds Store::writeEnds(const Statement& statement, const Rows& rows,
                                    std::vector<End>& ends) {
    const Result result = execute(statement, Params().arrays(rows));
    WrittenEnds written;
    std::map<Token, int> found;
    for (int i = 0; i < result.rows(); ++i) found[result.number(i, columns::end::Token)] = i;
    for (End& end : ends) {
        end.nextDue.reset();
        const auto row = found.find(end.task->token);
        if (row == found.end()) {
            written.statuses.push_back(EndStatus::Fenced);
        } else if (!result.boolean(row->second, columns::end::Written)) {
            written.statuses.push_back(EndStatus::Locked);
        } else {
            written.statuses.push_back(EndStatus::Written);
            written.transaction = result.number(row->second, columns::end::Transaction);
            end.nextDue = nextDueIn(result, row->second);
        }
    }
    return written;
}

namespace {

/// Whether the task is deleted.
bool isOver(const End& end) {
    return end.kind == End::Kind::Success && !end.again && !end.wasLocked &&
           end.task->recurrence.kind == Kind::Once;
}

/// For deleteEnds().
Rows keysOf(const std::vector<End>& ends) {
    Rows rows;
    for (const End& end : ends) {
        rows.begin();
        rows.bytes(end.task->name).bytes(end.task->id).number(end.task->token);
    }
    return rows;
}

/// \returns whether that changes anything
bool makeAscii(std::string& text) {
    const auto isForeign = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    if (std::none_of(text.begin(), text.end(), isForeign)) return false;
    std::replace_if(text.begin(), text.end(), isForeign, '?');
    return true;
}

}  // namespace

std::vector<EndStatus> Store::writeEnds(std::vector<End>& ends, History history) {
    if (ends.empty()) return {};
    if (history != History::All && std::all_of(ends.begin(), ends.end(), isOver))
        return once(
            [&] { return writeEnds(statements::deleteEnds(), keysOf(ends), ends).statuses; });
    try {
        return once([&] { return writeEnds(statements::writeEnds(true, history), ends).statuses; });
    } catch (const DatabaseException& e) {
        // The encoding of the database lacks a character of the error.
        if (e.sqlState() != "22P05" || ends.size() > 1 || !makeAscii(ends[0].error)) throw;
        return writeEnds(ends, history);
    }
}

std::optional<TransactionNumber> Store::writeEndIn(End& end, History history) {
    std::vector<End> ends{end};
    while (true) {
        const WrittenEnds written = writeEnds(statements::writeEnds(false, history), ends);
        end = ends[0];
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

bool Store::forTests() {
    return read([this] { return Session::forTests(); });
}

Micros Store::now() { return read(statements::now(), {}).time(0, columns::kOnly); }

void Store::advance(Micros span) { write(statements::advance(), Params().number(span), {}); }

}  // namespace jtimer::cluster::detail
