// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/end.hpp"
#include "cluster/micros.hpp"
#include "cluster/session.hpp"

#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/name_info.hpp>
#include <jtimer/cluster/node_info.hpp>
#include <jtimer/cluster/options.hpp>
#include <jtimer/cluster/pause.hpp>
#include <jtimer/cluster/schedule.hpp>
#include <jtimer/cluster/stats.hpp>
#include <jtimer/cluster/task_info.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

struct pg_conn;

namespace jtimer::cluster::detail {

/// The numbers of nodes are drawn from the same sequence as the tokens.
using NodeNumber = std::int64_t;
using Token = std::int64_t;

/// Of a transaction, as pg_current_xact_id() has it.
using TransactionNumber = std::int64_t;

/// A task, as its run found it.
struct ClaimedTask {
    std::string name, id, payload;
    Recurrence recurrence;
    Micros due = 0;
    Micros claimedAt = 0;  ///< by the clock of dues: claimedAt - due is how late the claim was
    Token token = 0;
    int attempt = 0;  ///< this one included
    int crashes = 0;  ///< before this run
    std::uint64_t missedRuns = 0;
};

struct Claim {
    std::vector<ClaimedTask> tasks;  ///< in the order of their wakes
    Micros lastWake = 0;             ///< of the last task, the cursor of a next claim
    /// How long after this claim the next task that is not yet due wakes. Nothing if there is none,
    /// or if the claim took as many as it might.
    std::optional<Micros> nextWakeIn;
    /// There was something to claim, but this node has no row, or did not know the latest pauses.
    bool nodeGone = false;
    /// The free task that has been due longest has another name. False if there is none, or if the
    /// claim had a cursor.
    bool othersFirst = false;
    /// Of a claim by name that took less than its limit: others have locked tasks of some name, and
    /// there may be more behind them.
    bool more = false;
    std::vector<std::string> left;  ///< of names with limits, those that have more due tasks
    /// Another node was claiming tasks of some of these names, of which there are due ones.
    bool leftOut = false;
};

/// A name with limits.
struct LimitedName {
    std::string name;
    int room = 0;  ///< how many of its tasks may begin in this node
    int most = 0;  ///< how many may run in the cluster, if that is limited
};

/// The task that has been due longest.
struct FirstDue {
    std::string name, id;
    std::size_t payloadSize = 0;
};

struct Renewal {
    bool alive = false;  ///< the node's row is there and has been renewed
    /// How long after this renewal the lease of another node ends if it is not renewed. Not
    /// positive: now.
    std::optional<Micros> nextLeaseEndIn;
    Micros shortestLease = 0;  ///< of all nodes
    std::int64_t pauses = 0;   ///< see NodePauses
    History history = History::Off;
    bool pruneIsDue = false;  ///< no node has deleted old past runs for a minute
};

/// A node that claims.
struct Claimer {
    /// \param known see NodePauses
    // NOLINTNEXTLINE(google-explicit-constructor): where nothing is paused, it is but a number
    Claimer(NodeNumber number, std::int64_t known = 0) : node(number), pauses(known) {}

    NodeNumber node;
    std::int64_t pauses;
};

/// What is paused of a node.
struct NodePauses {
    /// Rises with each pause of more than a task, and each end of one. Without the present one,
    /// nothing can be claimed.
    std::int64_t number = 0;
    bool all = false;                ///< the node, or everything
    std::vector<std::string> names;  ///< those of the names asked for that are
};

/// A node to be.
struct NewNode {
    std::string name;
    Micros lease = 0;
    std::vector<std::string> names = {};  ///< that it registers
    int concurrency = 1;
};

/// A new node.
struct Registration {
    NodeNumber node = 0;
    bool shortensLeases = false;  ///< its lease is shorter than those of all nodes before it
    History history = History::Off;
};

/// Which past runs are deleted, and how far that has come.
struct Pruning {
    Micros before = 0;  ///< those that have ended before
    Token upTo = 0;     ///< and those up to this one
    Token looked = 0;   ///< no others up to here
};

/// What a take-over did.
struct TakeOver {
    std::uint64_t tasks = 0;    ///< freed, with a crash counted
    std::uint64_t orphans = 0;  ///< freed without: their owner had no row
};

enum class EndStatus {
    Written,
    Fenced,  ///< the row is gone or has another owner or token: nothing has changed
    /// Another transaction holds the row, or a one-shot repeats by now. Nothing has changed: write
    /// the end again with `wasLocked`, a little later, so that the other ends do not wait.
    Locked
};

/// The schema behind one connection: each operation in terms of values. Not thread-safe.
///
/// Constructing it connects to nothing. Each operation connects if there is no connection, and
/// waits for it and for its own answers up to Options::operationTimeout in all. Those of nodes try
/// to connect once, those of callers until the timeout. Deadlocks and serialisation failures are
/// repeated at once.
///
/// One on a caller's connection is for the two operations within its transaction.
///
/// What operations throw:
/// - DatabaseException: nothing has changed. connected() says whether there still is a connection.
/// - OutcomeUnknownException: the connection broke, and what was sent may have been committed. Each
///   operation of nodes may be called again, see release() and writeEnds(); for those of callers
///   the Store has tried to settle it already.
/// - SchemaException: at the first operation of each connection, unless the schema fits.
class Store : private Session {
  public:
    /// \param conninfo Options::conninfo or notifyConninfo
    explicit Store(const Options& options, const std::string& conninfo)
        : Session(options, conninfo) {}
    explicit Store(const Options& options) : Store(options, options.conninfo) {}

    /// \throws IllegalStateException unless the connection is in a transaction block
    Store(const Options& options, pg_conn* borrowed);

    using Session::connect;
    using Session::connected;
    using Session::disconnect;
    using Session::setTimeout;  ///< for renewals, a sixth of the lease

    /// \name Of nodes
    /// @{

    /// \throws DatabaseException if the role lacks a right that a node needs, with its name
    void checkRights();

    /// A new row, with a lease from now on. Notes a gap as renew().
    Registration registerNode(const NewNode& node);

    /// The lease ends as long after the server receives this as registerNode() has said, or later:
    /// notes if no node has renewed for two fifths of the shortest lease. Then the database was
    /// away, and all leases begin anew.
    Renewal renew(NodeNumber node);

    /// Deletes the rows of all other nodes whose lease has expired, unless there is a gap that has
    /// not been noted, and frees their tasks; also frees tasks whose owner has no row. Call it when
    /// nextLeaseEndIn has passed, when a node starts, and now and then.
    TakeOver takeOver(NodeNumber node);

    /// At the end of a node, and of nothing else, when all its runs are over. Its tasks are freed
    /// as by release().
    void deleteNode(NodeNumber node);

    /// Claims up to `limit` tasks that are due.
    /// \param cursor no task that woke earlier: the lastWake of a claim that got its limit. Nothing:
    ///   all. After a claim with a cursor that got less than its limit, claim without one before
    ///   waiting for nextWakeIn.
    /// \param ahead how far from now nextWakeIn may lie
    Claim claim(Claimer claimer, const std::vector<std::string>& names, int limit,
                std::optional<Micros> cursor = {}, Micros ahead = 86'400'000'000);

    /// As claim() without a cursor, but passes by the tasks of other names, however many have been
    /// due longer. For a full claim of few names it takes longer.
    Claim claimByName(Claimer claimer, const std::vector<std::string>& names, int limit,
                      Micros ahead = 86'400'000'000);

    /// As claimByName(), but of each name at most as many as it has room in this node.
    Claim claimLimited(Claimer claimer, const std::vector<LimitedName>& names, int limit,
                       Micros ahead = 86'400'000'000);

    /// As claimLimited(), and only as many as there is room in the cluster. In a transaction with
    /// two statements: the first locks the names that have due tasks, except those that another
    /// node has locked; the second counts what runs. Every node that limits a name in this way
    /// locks it, so what it counts is exact until it commits.
    Claim claimInCluster(Claimer claimer, const std::vector<LimitedName>& names, int limit,
                         Micros ahead = 86'400'000'000);

    /// \returns nothing if the node has no row
    std::optional<NodePauses> pausesOf(NodeNumber node, const std::vector<std::string>& names);

    /// Of free tasks with these names.
    std::optional<FirstDue> firstDue(const std::vector<std::string>& names);

    /// Frees the node's tasks that it does not know of, as a claim whose answer was lost leaves
    /// behind: call it before the next claim after one that threw, again a while later, since the
    /// server may still be about to commit that claim, and for good measure once per lease.
    /// \param running the tokens of all runs whose end is not written yet
    /// \returns how many
    std::uint64_t release(NodeNumber node, const std::vector<Token>& running);

    /// One statement, one commit. If it throws OutcomeUnknownException, call it again with the same
    /// ends: those that were written are then reported as Fenced. The server refuses ends whose
    /// error has a character that the encoding of the database lacks; a single one is then written
    /// with `?` for all that is not ASCII. A cron task dies if the server does not know its time
    /// zone any more.
    /// \param ends become what was written, with nextDue
    /// \returns one status for each end
    std::vector<EndStatus> writeEnds(std::vector<End>& ends, History history = History::Off);

    /// The end of one run, within the caller's transaction. Waits for the row's lock.
    /// \param end becomes what was written, with nextDue
    /// \returns the transaction's number; nothing if the end is fenced
    std::optional<TransactionNumber> writeEndIn(End& end, History history = History::Off);

    /// What became of the end that writeEndIn() has written in a transaction which is over by now.
    /// \returns Written if it was committed, Fenced if not and the row is not the run's any more;
    ///   nothing if not and the row still is
    std::optional<EndStatus> outcomeOf(TransactionNumber transaction, const ClaimedTask& task);

    /// \returns nothing if another node has begun within a minute
    std::optional<Pruning> beginPruning();

    /// Deletes the next of them, in one transaction. \returns false if there were none
    bool prune(Pruning& pruning);

    /// Sends a notification to every node that listens: to look for tasks, or also to renew.
    void notify(Notification what = Notification::Tasks);

    /// Receives notifications from now on, until disconnect() or a broken connection.
    void listen();

    /// Waits for a notification, for `wakeFd` to become readable, or for `timeout`.
    /// \param wakeFd is not read from
    /// \throws DatabaseException if the connection breaks
    Notification waitForNotification(Micros timeout, int wakeFd);

    /// @}
    /// \name Of callers
    /// @{

    /// In one transaction. All checks but those of time zones have been made.
    /// \returns how many tasks have changed
    /// \throws IllegalArgumentException "Unknown time zone: NAME"
    std::size_t schedule(const std::vector<NewTask>& tasks);

    /// Within the caller's transaction.
    bool scheduleIn(const NewTask& task);

    bool cancel(const std::string& name, const std::string& id);
    bool reschedule(const std::string& name, const std::string& id, When when);
    bool runNow(const std::string& name, const std::string& id);
    std::optional<TaskInfo> find(const std::string& name, const std::string& id);
    std::vector<TaskInfo> list(const Filter& filter);

    // In transactions of at most 10,000 tasks, by key. After an exception, another call goes on.
    // They return how many tasks have changed.
    std::size_t revive(const Filter& filter);
    std::size_t cancelAll(const Filter& filter);
    std::size_t cancelOthers(const std::string& name, const std::vector<std::string>& ids);

    /// \param by who asks for it
    /// \returns false if it is paused, or there is no such task
    bool pause(const Target& target, const std::string& by, const std::string& note);
    /// With MissedInPause::Skip, in transactions of at most 1,000 tasks, before the pause ends.
    /// \returns false if it is not paused
    bool resume(const Target& target, MissedInPause missed);
    std::vector<Pause> pauses();

    std::vector<NodeInfo> nodes();
    std::vector<NameInfo> names(std::uint64_t countTo);
    Backlog backlog();
    void keepHistory(History what, Micros age, std::uint64_t rows);
    PastRuns history(const HistoryFilter& filter);

    /// @}
    /// \name Of a TestClock
    /// @{

    bool forTests();  ///< whether the schema is
    Micros now();     ///< the clock of dues
    void advance(Micros span);

    /// @}

  private:
    struct WrittenEnds {
        std::vector<EndStatus> statuses;
        std::optional<TransactionNumber> transaction;  ///< if any was Written
    };

    static Claim claimIn(const Result& result);
    static Claim limitedClaimIn(const Result& result);

    // All on the present connection.
    std::uint64_t freeTasks(const std::vector<NodeNumber>& nodes, int crashes);
    std::uint64_t releaseTasks(NodeNumber node, const std::vector<Token>& running);
    WrittenEnds writeEnds(const Statement& statement, std::vector<End>& ends);
    WrittenEnds writeEnds(const Statement& statement, const Rows& rows, std::vector<End>& ends);
    Change insert(const std::vector<NewTask>& tasks);
    void addRow(Rows& rows, const NewTask& task);
    std::size_t inBatches(const Statement& statement,
                          const std::function<Params(const Key& after)>& params);
    void checkZone(const std::string& zone);
    /// \param last becomes the key of the last of them
    std::int64_t skipMissed(const Target& target, Key& last, Change& change);

    std::set<std::string> zones_;  ///< that the server knows: to ask takes it 50 ms
};

}  // namespace jtimer::cluster::detail
