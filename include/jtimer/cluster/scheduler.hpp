// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/name_info.hpp>
#include <jtimer/cluster/node_info.hpp>
#include <jtimer/cluster/options.hpp>
#include <jtimer/cluster/pause.hpp>
#include <jtimer/cluster/run.hpp>
#include <jtimer/cluster/schedule.hpp>
#include <jtimer/cluster/stats.hpp>
#include <jtimer/cluster/task_info.hpp>
#include <jtimer/cluster/task_options.hpp>
#include <jtimer/cluster/test_clock.hpp>
#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::cluster {

namespace detail {
struct SchedulerState;
}

/// Named tasks kept in PostgreSQL and run by any of N processes, each by one of them. The tasks
/// survive the processes: when one is killed, another takes over.
///
/// \code
/// jtimer::cluster::Options options;
/// options.conninfo = "postgresql://worker@db/app";
/// jtimer::cluster::migrate(options);
/// jtimer::cluster::Scheduler scheduler(options);
/// scheduler.registerTask("report", [](jtimer::cluster::Run& run) { report(run.payload()); });
/// scheduler.start();
/// scheduler.scheduleCron("report", "nightly", "0 2 * * *", "Europe/Berlin");
/// \endcode
///
/// **What is promised.** A task that was scheduled runs at its time or later, by the database's
/// clock, and never earlier. At most one run of a task at a time has a lease in force. By default a
/// run whose process dies is repeated, so an effect can happen twice, except one that is committed
/// together with Run::complete. The clocks of the nodes do not matter. With an idle slot, a run
/// begins a round trip after its time if the node knows the task or is notified of it, otherwise up
/// to Options::pollInterval later.
///
/// **The database is away.** Runs go on, and their ends are written when it is back. However long
/// that takes, no node is declared dead that renews its lease within a quarter of it afterwards.
/// Calls wait as Options::operationTimeout says. A started node reconnects for ever; it prints to
/// std::cerr when it cannot use the database, and when it can again.
///
/// **Threads.** Every function may be called by any thread, before and after start(), and in
/// handlers. Only the destructor must not race with other calls. Handlers run with no lock held.
/// Forked children must not use or destroy their parent's Scheduler.
///
/// **Connections.** A started node holds three; Options::notifyConninfo adds one. The other calls
/// use up to four more, each closed after a minute without use.
///
/// **Exceptions.** IllegalArgumentException for a name or id that is not 1 to 200 bytes of UTF-8
/// without NUL. Functions that reach the database throw DatabaseException if that does not answer
/// within Options::operationTimeout or reports an error, and then nothing has changed;
/// OutcomeUnknownException, which is one, if that cannot be told; and SchemaException if the schema
/// is missing, too old or too new, or the server is read-only.
class JTIMER_API Scheduler {
  public:
    /// Connects to nothing. \throws IllegalArgumentException if an option is out of range
    explicit Scheduler(Options options = {});

    /// Calls stop(); after 5 s prints to std::cerr which tasks it is waiting for. In a handler of
    /// this Scheduler it would wait for itself, so it ends the program by std::terminate.
    ~Scheduler();

    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// \name Running tasks
    /// @{

    /// The node runs the tasks of this name. Tasks of other names stay for the processes that
    /// register them. A process that only schedules needs neither this nor start().
    /// \throws NullPointerException if the handler is empty, IllegalStateException after start()
    /// \throws IllegalArgumentException if it is registered already, or an option is out of range
    void registerTask(std::string name, Handler handler, TaskOptions options = {});

    /// Connects, and begins to run due tasks. From now on nothing but stop() ends the node.
    /// \throws IllegalStateException if it has been started or stopped before
    /// \throws DatabaseException, also with the name of a right that the role lacks,
    ///   SchemaException, or std::system_error without a thread; it can be called again then
    void start();

    /// stop(wait) without a limit.
    void stop();

    /// Claims no more tasks, and waits until all runs are over and their ends are written. The
    /// lease is renewed meanwhile. A second call waits as well. Tasks can still be scheduled.
    /// \returns false if that takes longer than `wait`: runs are in progress, or ends not written
    /// \throws IllegalStateException in a handler of this Scheduler, or during start()
    [[nodiscard]] bool stop(TimeSpan wait);

    /// Name and id of each task that has begun here and whose end is not written yet. If the
    /// process ends now, other nodes run them again. No query.
    std::vector<std::pair<std::string, std::string>> unfinished() const;

    /// @}
    /// \name Scheduling
    ///
    /// They return once the task is committed: true, or false if the task exists already and
    /// nothing has changed. The forms without a NewTask stand for IfExists::Update. They throw
    /// IllegalArgumentException also for a payload above 1 MiB, and what a Schedule refuses.
    /// @{

    /// Once. \see Schedule::once
    bool schedule(const std::string& name, const std::string& id, When when,
                  std::string payload = {});
    /// \see Schedule::fixedRate
    bool scheduleAtFixedRate(const std::string& name, const std::string& id, When first,
                             TimeSpan period, std::string payload = {});
    /// \see Schedule::fixedDelay
    bool scheduleWithFixedDelay(const std::string& name, const std::string& id, When first,
                                TimeSpan delay, std::string payload = {});
    /// \see Schedule::cron
    bool scheduleCron(const std::string& name, const std::string& id, const std::string& expression,
                      const std::string& zone = "UTC", std::string payload = {});

    /// Any task: with its own Schedule and IfExists.
    bool schedule(const NewTask& task);

    /// Within a transaction of the caller's: the task exists if that is committed. It neither
    /// commits nor notifies; call wakeUp() after the commit, or nodes notice the task up to
    /// Options::pollInterval later.
    /// \param transaction on the same database
    /// \throws IllegalStateException if it is in no transaction block
    /// \throws NullPointerException if it is null
    bool schedule(pg_conn* transaction, const NewTask& task);

    /// All or none, in one statement: much faster than one by one. It is never split: if it times
    /// out, because the tasks are too many or too large, the exception says so.
    /// \returns how many tasks have changed
    /// \throws IllegalArgumentException also if two have the same name and id
    std::size_t scheduleAll(const std::vector<NewTask>& tasks);

    /// Makes this node and every one that listens look for due tasks now.
    void wakeUp();

    /// @}
    /// \name Single tasks
    /// @{

    /// Deletes the task. A run in progress goes on, but its end changes nothing. Scheduling the
    /// same name and id afterwards makes a new task.
    /// \returns whether that prevents a run: the task was waiting and not dead, or it repeats
    bool cancel(const std::string& name, const std::string& id);

    /// Makes a waiting, paused or dead task due at another time, with all its attempts before it. A
    /// paused one stays paused. The later periods of a fixed rate stay where they are, and a time
    /// in the past repeats none of those that have ended: such a task is then due now, or when it
    /// was due, if that is earlier.
    /// \returns false if there is no such task, or it is running
    /// \throws IllegalArgumentException "Negative delay."
    bool reschedule(const std::string& name, const std::string& id, When when);

    /// Makes a task due now. A repeating task keeps its later periods. A task that is being retried
    /// begins its next attempt, and a dead one has all attempts before it. A paused one runs once
    /// and stays paused; pauses of more than the task still hold it.
    /// \returns false if there is no such task, or it is running
    bool runNow(const std::string& name, const std::string& id);

    /// With its payload; nothing if there is no such task.
    std::optional<TaskInfo> find(const std::string& name, const std::string& id);

    /// The tasks that the filter selects, in its order, without their payloads.
    /// \throws IllegalArgumentException also for Filter::after with Order::Due, and for other text
    ///   of the filter above 200 bytes, or not UTF-8
    std::vector<TaskInfo> list(const Filter& filter = {});

    /// @}
    /// \name Many tasks
    ///
    /// In transactions of at most 10,000 tasks each, by name and id. After an exception, some may
    /// have been changed; the same call goes on. They return how many tasks they have changed.
    /// @{

    /// Makes the selected dead tasks due now, with all attempts before them and no crashes.
    /// \throws IllegalArgumentException as list()
    std::size_t revive(const Filter& filter);

    /// Does to each selected task what cancel() does.
    /// \throws IllegalArgumentException as list(), and if the filter selects all tasks
    std::size_t cancelAll(const Filter& filter);

    /// Deletes the tasks of this name whose id is not listed. Other processes may know more ids.
    std::size_t cancelOthers(const std::string& name, const std::vector<std::string>& ids);

    /// @}
    /// \name Pausing
    /// @{

    /// Once it has returned, no node claims what the target covers; runs in progress go on. It is
    /// kept, with name() and the note, until it is resumed.
    /// \returns false if that is paused already, or there is no such task
    /// \throws IllegalArgumentException for a note above 200 bytes, or not UTF-8
    bool pause(const Target& target, const std::string& note = {});

    /// Ends the pause of this very target. Nodes that do not listen see that in their next poll.
    /// \returns false if that is not paused
    bool resume(const Target& target, MissedInPause missed = MissedInPause::Run);

    /// Those of names, nodes and everything. TaskInfo has that of a task.
    std::vector<Pause> pauses();

    /// @}
    /// \name Observing
    /// @{

    /// Sends no query, and never throws DatabaseException.
    Stats stats() const;

    /// One query, which visits all tasks.
    Backlog backlog();

    /// All started Schedulers, by number, also those that are about to be taken over.
    std::vector<NodeInfo> nodes();

    /// Each name of which there is a task, or that a node registers, or that is paused.
    /// \param countTo no count goes beyond it: a count visits each task that it counts
    std::vector<NameInfo> names(std::uint64_t countTo = 10'000);

    /// From its next renewal on, each node keeps the runs that end, or those that have failed. Once
    /// a minute, one deletes those that ended longer ago than `age`, and all but the last `rows`.
    /// \throws IllegalArgumentException "Negative age."
    void keepHistory(History what, TimeSpan age = 604'800'000, std::uint64_t rows = 1'000'000);

    PastRuns history(const HistoryFilter& filter = {});  ///< the runs that were kept
    const std::string& name() const noexcept;            ///< Options::name, or its default

    /// @}

  private:
    const std::unique_ptr<detail::SchedulerState> state_;
};

}  // namespace jtimer::cluster
