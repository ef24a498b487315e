// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.util.Date;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

final class JdkTimer implements Peer {
    private static final class Task extends TimerTask {
        final Function function;
        final Object argument;

        Task(Function function, Object argument) {
            this.function = function;
            this.argument = argument;
        }

        @Override
        public void run() {
            function.run(argument);
        }
    }

    final Timer timer = new Timer(THREAD, true);

    /** From System.nanoTime() to nanoseconds since 1970. */
    final long toDate = System.currentTimeMillis() * Measure.MS - System.nanoTime();

    @Override
    public Object schedule(long delayMs, Function function, Object argument) {
        Task task = new Task(function, argument);
        timer.schedule(task, delayMs);
        return task;
    }

    @Override
    public Object scheduleAt(long when, Function function, Object argument) {
        Task task = new Task(function, argument);
        timer.schedule(task, new Date((when + toDate + Measure.MS - 1) / Measure.MS));
        return task;
    }

    @Override
    public void cancel(Object handle) {
        ((Task) handle).cancel();
    }

    @Override
    public long purge() {
        return timer.purge();
    }

    @Override
    public void scheduleAtFixedRate(
            long delayMs, long periodMs, Function function, Object argument) {
        timer.scheduleAtFixedRate(new Task(function, argument), delayMs, periodMs);
    }

    @Override
    public void stop() {
        timer.cancel();
    }
}

/** One thread, and the default policy: cancel() leaves the task in the queue. */
final class JdkExecutor implements Peer {
    final ScheduledThreadPoolExecutor executor =
            new ScheduledThreadPoolExecutor(
                    1,
                    runnable -> {
                        Thread thread = new Thread(runnable, THREAD);
                        thread.setDaemon(true);
                        return thread;
                    });

    JdkExecutor() {
        executor.prestartAllCoreThreads();
    }

    @Override
    public Object schedule(long delayMs, Function function, Object argument) {
        return executor.schedule(() -> function.run(argument), delayMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public Object scheduleAt(long when, Function function, Object argument) {
        long delay = when - System.nanoTime();
        return executor.schedule(() -> function.run(argument), delay, TimeUnit.NANOSECONDS);
    }

    @Override
    public void cancel(Object handle) {
        ((Future<?>) handle).cancel(false);
    }

    @Override
    public long purge() {
        int before = executor.getQueue().size();
        executor.purge();
        return before - executor.getQueue().size();
    }

    @Override
    public void scheduleAtFixedRate(
            long delayMs, long periodMs, Function function, Object argument) {
        executor.scheduleAtFixedRate(
                () -> function.run(argument), delayMs, periodMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void stop() {
        executor.shutdownNow();
    }
}
