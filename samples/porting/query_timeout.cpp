// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A time-out for queries, ported line by line from QueryTimeout.java: if a statement takes too
// long, a task kills it by a second connection, on a thread of its own. What differs:
//
// - The task and its thread may outlive the call of execute(). Each shares in the ownership of what
//   it uses: the thread holds the task, the task holds the statement.
// - Connection::close() moves the timer into a local variable declared before the lock guard, so
//   that the lock is free again when ~Timer waits for a running task.
// - `catch (Throwable t)` is `catch (...)`, and a Throwable that is kept is a std::exception_ptr.

#include <jtimer/timer.hpp>

#include <condition_variable>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

using jtimer::Timer;
using jtimer::TimerTask;

class TimeoutException : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A stand-in for the database: an endless query, which ends when it is killed.
class Server {
    std::mutex monitor;
    std::condition_variable changed;
    bool killed = false;
    bool deniesKills = false;

  public:
    std::string run(const std::string& query) {
        std::unique_lock lock(monitor);
        while (query.rfind("an endless", 0) == 0 && !killed) changed.wait(lock);
        killed = false;
        return "1 row";
    }

    void kill() {
        const std::lock_guard lock(monitor);
        killed = true;
        changed.notify_all();
        if (deniesKills) throw std::runtime_error("no permission to kill it");
    }

    void denyKills() {
        const std::lock_guard lock(monitor);
        deniesKills = true;
    }
};

class Statement;

class Connection : public std::enable_shared_from_this<Connection> {
    std::mutex monitor;
    bool closed = false;
    std::shared_ptr<Timer> cancelTimer;

  public:
    const std::shared_ptr<Server> server;

    explicit Connection(std::shared_ptr<Server> to) : server(std::move(to)) {}

    std::shared_ptr<Statement> createStatement();

    std::shared_ptr<Timer> getCancelTimer() {
        const std::lock_guard lock(monitor);
        if (closed) throw std::runtime_error("the connection is closed");
        if (cancelTimer == nullptr) {
            cancelTimer = std::make_shared<Timer>("Statement Cancellation Timer", true);
        }
        return cancelTimer;
    }

    void close() {
        std::shared_ptr<Timer> dropped;  // destroyed after the lock is released
        const std::lock_guard lock(monitor);
        closed = true;
        if (cancelTimer != nullptr) {
            cancelTimer->cancel();
            dropped = std::move(cancelTimer);
        }
    }
};

class Statement : public std::enable_shared_from_this<Statement> {
    class CancelQueryTask;

    const std::shared_ptr<Connection> connection;
    std::mutex cancelTimeoutMutex;
    bool wasCancelledByTimeout = false;
    std::exception_ptr caughtWhileCancelling;

  public:
    explicit Statement(std::shared_ptr<Connection> of) : connection(std::move(of)) {}

    std::string execute(const std::string& query, long timeout) {
        std::shared_ptr<CancelQueryTask> timeoutTask;
        if (timeout > 0) {
            timeoutTask = std::make_shared<CancelQueryTask>(shared_from_this());
            connection->getCancelTimer()->schedule(timeoutTask, timeout);
        }
        std::string result = connection->server->run(query);
        if (timeoutTask != nullptr) {
            timeoutTask->cancel();
            connection->getCancelTimer()->purge();
        }
        {
            const std::lock_guard lock(cancelTimeoutMutex);
            if (caughtWhileCancelling != nullptr) {
                std::rethrow_exception(caughtWhileCancelling);
            }
            if (wasCancelledByTimeout) {
                wasCancelledByTimeout = false;
                throw TimeoutException("statement cancelled");
            }
        }
        return result;
    }

  private:
    class CancelQueryTask : public TimerTask, public std::enable_shared_from_this<CancelQueryTask> {
        const std::shared_ptr<Statement> statement;

      public:
        explicit CancelQueryTask(std::shared_ptr<Statement> outer) : statement(std::move(outer)) {}
        void run() override {
            std::thread cancelThread([self = shared_from_this(), this] {
                const std::lock_guard lock(statement->cancelTimeoutMutex);
                try {
                    statement->connection->server->kill();
                    statement->wasCancelledByTimeout = true;
                } catch (...) {
                    statement->caughtWhileCancelling = std::current_exception();
                }
            });
            cancelThread.detach();
        }
    };
};

std::shared_ptr<Statement> Connection::createStatement() {
    return std::make_shared<Statement>(shared_from_this());
}

void execute(Statement& statement, const std::string& query, long timeout) {
    std::cout << query << ": ";
    try {
        std::cout << statement.execute(query, timeout) << '\n';
    } catch (const TimeoutException& e) {
        std::cout << "timed out, " << e.what() << '\n';
    } catch (const std::runtime_error& e) {
        std::cout << "failed, " << e.what() << '\n';
    }
}

int main() {
    const auto server = std::make_shared<Server>();
    const auto connection = std::make_shared<Connection>(server);
    const auto statement = connection->createStatement();
    execute(*statement, "a short query without a time-out", 0);
    execute(*statement, "a short query", 600'000);
    execute(*statement, "an endless query", 50);
    execute(*statement, "a short query after that", 600'000);
    server->denyKills();
    execute(*statement, "an endless query that may not be killed", 50);
    connection->close();
    execute(*statement, "a query after the end", 50);
}
