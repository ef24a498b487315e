// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A time-out for queries, in the shape of MySQL Connector/J's: if a statement takes too long, a
// task kills it by a second connection, on a thread of its own, as that may take long too.
// query_timeout.cpp is the same in C++, line by line.
// Run it with `javac -d . QueryTimeout.java && java QueryTimeout`.

import java.util.Timer;
import java.util.TimerTask;

class QueryTimeout {
    private static void execute(Statement statement, String query, long timeout) {
        System.out.print(query + ": ");
        try {
            System.out.println(statement.execute(query, timeout));
        } catch (TimeoutException e) {
            System.out.println("timed out, " + e.getMessage());
        } catch (RuntimeException e) {
            System.out.println("failed, " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        Server server = new Server();
        Connection connection = new Connection(server);
        Statement statement = connection.createStatement();
        execute(statement, "a short query without a time-out", 0);
        execute(statement, "a short query", 600_000);
        execute(statement, "an endless query", 50);
        execute(statement, "a short query after that", 600_000);
        server.denyKills();
        execute(statement, "an endless query that may not be killed", 50);
        connection.close();
        execute(statement, "a query after the end", 50);
    }
}

class TimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TimeoutException(String message) {
        super(message);
    }
}

// Stands for the database: an endless query ends when somebody tries to kill it.
class Server {
    private boolean killed;
    private boolean deniesKills;

    synchronized String run(String query) {
        try {
            while (query.startsWith("an endless") && !killed) wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        killed = false;
        return "1 row";
    }

    synchronized void kill() {
        killed = true;
        notifyAll();
        if (deniesKills) throw new RuntimeException("no permission to kill it");
    }

    synchronized void denyKills() {
        deniesKills = true;
    }
}

class Connection {
    final Server server;
    private boolean closed;
    private Timer cancelTimer;

    Connection(Server server) {
        this.server = server;
    }

    Statement createStatement() {
        return new Statement(this);
    }

    synchronized Timer getCancelTimer() {
        if (closed) throw new RuntimeException("the connection is closed");
        if (cancelTimer == null) {
            cancelTimer = new Timer("Statement Cancellation Timer", true);
        }
        return cancelTimer;
    }

    synchronized void close() {
        closed = true;
        if (cancelTimer != null) {
            cancelTimer.cancel();
            cancelTimer = null;
        }
    }
}

class Statement {
    private final Connection connection;
    private final Object cancelTimeoutMutex = new Object();
    private boolean wasCancelledByTimeout;
    private Throwable caughtWhileCancelling;

    Statement(Connection connection) {
        this.connection = connection;
    }

    String execute(String query, long timeout) {
        CancelQueryTask timeoutTask = null;
        if (timeout > 0) {
            timeoutTask = new CancelQueryTask();
            connection.getCancelTimer().schedule(timeoutTask, timeout);
        }
        String result = connection.server.run(query);
        if (timeoutTask != null) {
            timeoutTask.cancel();
            connection.getCancelTimer().purge();
        }
        synchronized (cancelTimeoutMutex) {
            if (caughtWhileCancelling != null) {
                throw new RuntimeException(caughtWhileCancelling.getMessage());
            }
            if (wasCancelledByTimeout) {
                wasCancelledByTimeout = false;
                throw new TimeoutException("statement cancelled");
            }
        }
        return result;
    }

    private class CancelQueryTask extends TimerTask {
        @Override
        public void run() {
            Thread cancelThread = new Thread(() -> {
                synchronized (cancelTimeoutMutex) {
                    try {
                        connection.server.kill();
                        wasCancelledByTimeout = true;
                    } catch (Throwable t) {
                        caughtWhileCancelling = t;
                    }
                }
            });
            cancelThread.start();
        }
    }
}
