// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;

/**
 * The timers and tasks of one scenario, what they have said, and how the script and the timers'
 * threads wait for each other.
 */
abstract class Stage {
    private static final long PATIENCE = 10000;
    private static final long SENTINEL_TIME = -60000;

    private static volatile int inVain;

    interface Condition {
        boolean holds();
    }

    static final class PlayedTimer {
        String name;
        String threadName;
        String shownName;
        final List<String> lines = new ArrayList<String>();
        Thread thread;
        boolean[] sentinel;
        Timer timer;
    }

    /** What a time that a task answers is counted from: what is not certain is not printed. */
    enum Anchor { NEVER, START, EPOCH, NOW }

    final class PlayedTask extends TimerTask {
        final String name;
        final boolean deaf;
        final List<Script.Step> steps = new ArrayList<Script.Step>();
        Anchor anchor = Anchor.NEVER;
        boolean fixedDelay;
        int begun;
        int over;
        PlayedTimer timer;
        boolean holding;
        boolean released;

        PlayedTask(String name, boolean deaf) {
            this.name = name;
            this.deaf = deaf;
        }

        @Override
        public void run() {
            runTask(this);
        }

        @Override
        public boolean cancel() {
            if (!deaf) {
                return super.cancel();
            }
            say("  cancel() was called");
            return false;
        }
    }

    /** The timer whose thread calls; null on other threads. */
    static final ThreadLocal<PlayedTimer> currentTimer = new ThreadLocal<PlayedTimer>();

    /** The timer whose lines the calling thread writes; null: the script's. */
    static final ThreadLocal<PlayedTimer> voice = new ThreadLocal<PlayedTimer>();

    final Object monitor = new Object();
    final List<String> lines = new ArrayList<String>();
    final Map<String, PlayedTimer> timers = new HashMap<String, PlayedTimer>();
    final List<PlayedTimer> inOrder = new ArrayList<PlayedTimer>();
    final Map<String, PlayedTask> tasks = new TreeMap<String, PlayedTask>();
    final long start = System.currentTimeMillis();
    private boolean closing;

    /** What a task does in a run. */
    abstract void runTask(PlayedTask task);

    boolean reached(Condition condition) throws InterruptedException {
        // A scenario that is being reduced may wait for what no longer comes.
        long end = System.nanoTime() + (inVain < 3 ? PATIENCE : 300) * 1000000;
        synchronized (monitor) {
            while (!condition.holds()) {
                long left = (end - System.nanoTime()) / 1000000;
                if (left <= 0) {
                    return false;
                }
                monitor.wait(left);
            }
            return true;
        }
    }

    void await(Condition condition) {
        try {
            if (!reached(condition)) {
                ++inVain;
                say("(waited in vain)");
            }
        } catch (InterruptedException e) {
            say("(interrupted)");
        }
    }

    void say(String line) {
        PlayedTimer timer = voice.get();
        synchronized (monitor) {
            if (timer == null) {
                lines.add(line);
            } else {
                timer.lines.add("[" + timer.name + "] " + line);
            }
        }
    }

    void show(PlayedTimer timer) {
        synchronized (monitor) {
            lines.addAll(timer.lines);
            timer.lines.clear();
        }
    }

    PlayedTimer findTimer(String name) {
        synchronized (monitor) {
            return timers.get(name);
        }
    }

    /** Marks the calling thread as the timer's, until it ends. */
    void enterThreadOf(final PlayedTimer timer) {
        currentTimer.set(timer);
        voice.set(timer);
        Thread.currentThread().setUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
            @Override
            public void uncaughtException(Thread thread, Throwable e) {
                say("Exception in thread " + timer.shownName + " " + e.getClass().getSimpleName()
                    + ": " + e.getMessage());
            }
        });
        synchronized (monitor) {
            timer.threadName = Thread.currentThread().getName();
            timer.thread = Thread.currentThread();
            monitor.notifyAll();
        }
    }

    // --- holding and waiting --------------------------------------------------------------------

    void hold(final PlayedTask task) {
        synchronized (monitor) {
            task.holding = true;
            monitor.notifyAll();
        }
        await(new Condition() {
            @Override
            public boolean holds() {
                return task.released || closing;
            }
        });
        synchronized (monitor) {
            task.holding = false;
        }
    }

    void release(PlayedTask task) {
        // Now, as its place among ties must not depend on how far the thread has got.
        if (task.holding) {
            sendSentinel(task.timer);
        }
        synchronized (monitor) {
            task.released = true;
            monitor.notifyAll();
        }
    }

    void held(final PlayedTask task) {
        if (task.anchor == Anchor.NEVER) {
            return;  // its timer has refused it
        }
        await(new Condition() {
            @Override
            public boolean holds() {
                return task.holding;
            }
        });
        if (task.timer != null) {
            show(task.timer);
        }
    }

    void ran(final PlayedTask task, final int times) {
        await(new Condition() {
            @Override
            public boolean holds() {
                return task.over >= times;
            }
        });
        if (task.timer != null) {
            show(task.timer);
        }
    }

    /** Schedules the task whose run tells that all that was due has run. */
    void sendSentinel(final PlayedTimer timer) {
        final boolean[] ran = {false};
        try {
            timer.timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    synchronized (monitor) {
                        ran[0] = true;
                        monitor.notifyAll();
                    }
                }
            }, new Date(start + SENTINEL_TIME));
            timer.sentinel = ran;
        } catch (IllegalStateException e) {
            // Then the thread ends, which is as good.
        }
    }

    /** Waits until the timer has run what was due, or its thread has ended. */
    void join(PlayedTimer timer) {
        if (timer.sentinel == null) {
            sendSentinel(timer);
        }
        boolean[] ran = timer.sentinel;
        timer.sentinel = null;
        try {
            // Nobody tells when a thread ends: this asks every now and then.
            long end = System.nanoTime() + PATIENCE * 1000000;
            synchronized (monitor) {
                while (timer.thread.isAlive() && (ran == null || !ran[0])) {
                    if (System.nanoTime() > end) {
                        say("(waited in vain)");
                        break;
                    }
                    monitor.wait(1);
                }
            }
        } catch (InterruptedException e) {
            say("(interrupted)");
        }
        show(timer);
    }

    /** The scenario is over. One timer after another, as their tasks may know each other. */
    void close() {
        for (PlayedTimer timer : inOrder) {
            for (PlayedTask task : tasks.values()) {
                if (task.timer == timer) {
                    release(task);
                }
            }
            join(timer);
        }
        synchronized (monitor) {
            closing = true;
            monitor.notifyAll();
        }
        for (PlayedTimer timer : inOrder) {
            timer.timer.cancel();
        }
    }
}
