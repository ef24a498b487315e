// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/run.hpp>
#include <jtimer/cluster/run_end.hpp>
#include <jtimer/detail/optional_name.hpp>
#include <jtimer/executor.hpp>
#include <jtimer/time.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <functional>
#include <string>

namespace jtimer::cluster {

namespace detail {
using jtimer::detail::OptionalName;
}

/// Construction options of a Scheduler. Every field has a default. All processes that share tasks
/// use the same database and schema; the other options may differ from process to process.
struct Options {
    /// Where the database is, as libpq takes it: `host=db dbname=app user=worker` or a URI such as
    /// `postgresql://worker@db/app`. What it leaves out comes from PGHOST, PGDATABASE, PGUSER,
    /// PGPASSWORD, PGSERVICE, PGSSLMODE and so on, and from ~/.pgpass. Unless it says otherwise,
    /// the connection has application_name=jtimer and target_session_attrs=read-write, and timeouts
    /// that detect a dead server. Of several hosts, each one gets an equal share of the time that a
    /// call has left, but at most connect_timeout (10 s).
    std::string conninfo;

    /// The schema that migrate() created, 1 to 48 bytes of UTF-8 without NUL. Each schema is a
    /// cluster of its own.
    std::string schema = "jtimer";

    /// The node's name, 1 to 200 bytes of UTF-8 without NUL, for people: TaskInfo::runningOn shows
    /// it, and several nodes may have the same one. Default: HOST:PID.
    detail::OptionalName name;

    /// How many tasks the node runs at once, 1 to 1000. It claims no more than it can start.
    int concurrency = 10;

    /// Runs the tasks. It should start each at once: a task that waits in a queue keeps its claim
    /// and its slot. Empty: threads of the Scheduler, made when needed.
    Executor executor;

    /// How long the tasks of a node that has died or is cut off stay with it, at least 1 s. Within
    /// this time plus 0.5 s, another node with an idle slot begins to take over; if the database
    /// was away, within as long after its return. Each node renews its lease three times in the
    /// shortest one of all nodes.
    TimeSpan lease = 30'000;

    /// How often the node looks for due tasks that it was not notified of, at least 10 ms.
    TimeSpan pollInterval = 1'000;

    /// The longest time that a call waits for the database, at least 1 ms. While all four
    /// connections for calls are in use, a call first waits up to this long for one of them. It
    /// does not limit the system's look-up of a host name. A payload of 1 MiB has to pass within
    /// this time: over a slow line, a node moves less at once until it does.
    TimeSpan operationTimeout = 10'000;

    /// Whether the node listens for notifications of new tasks. Without them, tasks scheduled by
    /// other processes begin up to pollInterval late.
    bool notifications = true;

    /// Where to listen, if not at `conninfo`: past a connection pooler in transaction mode, through
    /// which no notification arrives.
    std::string notifyConninfo;

    /// Whether to use prepared statements, which about halve the server's work. Set it to false for
    /// a connection pooler in transaction mode that does not know them, such as pgbouncer before
    /// 1.21.
    bool preparedStatements = true;

    /// Called with the Scheduler's name and the exception when a run fails, or `onRunEnd` throws:
    /// on the thread of the run if its handler threw or took too long. Any other failure, such as a
    /// Run::complete that was not committed, is reported as a std::runtime_error, on another thread
    /// of the Scheduler. The failure is also recorded with the task, so it is not printed if this
    /// is empty.
    UncaughtExceptionHandler uncaughtExceptionHandler;

    /// Called instead of each handler, on its thread, with the run and a function that calls the
    /// handler: for spans, contexts, or timers of one's own. It calls that once, before it returns
    /// and on this thread. What the handler throws passes through it, and what leaves it counts:
    /// the run fails if that is an exception, and also if it has not called the function, or has
    /// called it again. A second call throws IllegalStateException and runs nothing.
    std::function<void(Run&, const std::function<void()>& handler)> around;

    /// Told of the end of each run, once the end is written, by complete() too, or has turned out
    /// to be fenced; of each run that is abandoned, at once; and of tasks that were given up
    /// without a run. For metrics and alerts. A task that is taken over from a dead process has no
    /// end.
    ///
    /// Calls come one at a time, in the order in which the ends were written, on a thread of the
    /// Scheduler for nothing else, with no lock held. So a slow function delays neither ends nor
    /// runs nor the lease, but the ends that it has not been told of wait in memory; when they are
    /// 10,000, that is printed to std::cerr, once. It may call everything but stop() and the
    /// destructor, which wait for it. What it throws goes to `uncaughtExceptionHandler`.
    std::function<void(const RunEnd&)> onRunEnd;
};

}  // namespace jtimer::cluster
