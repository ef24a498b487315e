// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A task that removes the sessions that nobody has used for too long, in the shape of Jetty's
// HashSessionManager: on a timer of the manager's own, or on one that managers share.
// session_scavenger.cpp is the same in C++, line by line.
// Run it with `javac -d . SessionScavenger.java && java SessionScavenger`.

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;
import java.util.function.Consumer;

class SessionScavenger {
    public static void main(String[] args) throws InterruptedException {
        Consumer<String> listener = id -> {
            if (id.equals("mallory")) throw new RuntimeException("who is mallory?");
            System.out.println(id + ": expired");
        };

        SessionManager own = new SessionManager(listener);
        own.start(null);
        own.setScavengePeriod(20);
        own.addSession("alice", 50);
        own.addSession("bob", 3600_000);
        own.awaitSessions(1);
        own.stop();
        own.start(null);
        own.addSession("carol", 50);
        own.awaitSessions(0);
        own.stop();

        Timer shared = new Timer("shared", true);
        SessionManager first = new SessionManager(listener);
        SessionManager second = new SessionManager(listener);
        first.setScavengePeriod(20);
        second.setScavengePeriod(20);
        first.start(shared);
        second.start(shared);
        first.addSession("dave", 50);
        first.awaitSessions(0);
        first.stop();
        second.addSession("mallory", 50);  // the shared timer goes on, and survives a listener
        second.awaitSessions(0);
        second.addSession("erin", 50);
        second.awaitSessions(0);
        second.stop();
        shared.cancel();
        System.out.println("all stopped");
    }
}

class Session {
    final String id;
    final long maxIdle;
    final long accessed = System.currentTimeMillis();

    Session(String id, long maxIdle) {
        this.id = id;
        this.maxIdle = maxIdle;
    }
}

class SessionManager {
    private final Consumer<String> listener;
    private final Map<String, Session> sessions = new TreeMap<>();
    private long scavengePeriod = 30_000;
    private Timer timer;
    private boolean stopsTimer;
    private TimerTask task;

    SessionManager(Consumer<String> listener) {
        this.listener = listener;
    }

    synchronized void start(Timer sharedTimer) {
        timer = sharedTimer;
        stopsTimer = false;
        if (timer == null) {
            timer = new Timer("SessionScavenger", true);
            stopsTimer = true;
        }
        setScavengePeriod(scavengePeriod);
    }

    synchronized void setScavengePeriod(long period) {
        scavengePeriod = period;
        if (timer == null) return;
        if (task != null) task.cancel();
        task = new TimerTask() {
            @Override
            public void run() {
                scavenge();
            }
        };
        timer.schedule(task, scavengePeriod, scavengePeriod);
    }

    synchronized void stop() {
        if (task != null) task.cancel();
        task = null;
        if (stopsTimer) timer.cancel();
        timer = null;
        for (String id : sessions.keySet()) System.out.println(id + ": invalidated");
        sessions.clear();
    }

    synchronized void addSession(String id, long maxIdle) {
        sessions.put(id, new Session(id, maxIdle));
    }

    synchronized void awaitSessions(int count) throws InterruptedException {
        while (sessions.size() != count) wait();
    }

    private void scavenge() {
        List<Session> stale = new ArrayList<>();
        synchronized (this) {
            long now = System.currentTimeMillis();
            for (Session session : sessions.values()) {
                if (session.accessed + session.maxIdle < now) stale.add(session);
            }
        }
        for (Session session : stale) {
            try {
                listener.accept(session.id);
            } catch (RuntimeException e) {
                System.out.println(session.id + ": " + e.getMessage());
            }
            synchronized (this) {
                sessions.remove(session.id);
                notifyAll();
            }
        }
    }
}
