// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A scheduler with start() and stop(), and a map from each job to its task.
// job_scheduler.cpp is the same in C++, line by line.
// Run it with `javac -d . JobScheduler.java && java JobScheduler`.

import java.util.HashMap;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;

class JobScheduler {
    private Timer timer;
    private final Map<Runnable, TimerTask> tasks = new HashMap<>();

    synchronized void start() {
        if (timer != null) return;
        timer = new Timer("jobs", true);
        System.out.println("started");
    }

    synchronized void stop() {
        if (timer == null) return;
        timer.cancel();
        timer = null;
        System.out.println("stopped, jobs left: " + tasks.size());
        tasks.clear();
    }

    synchronized void schedule(Runnable job, long period) {
        if (timer == null) throw new IllegalStateException("not started");
        TimerTask task = new TimerTask() {
            @Override
            public void run() {
                try {
                    job.run();
                } catch (RuntimeException e) {
                    System.out.println("failed: " + e.getMessage());
                }
            }
        };
        timer.schedule(task, 0, period);
        TimerTask former = tasks.put(job, task);
        if (former != null) former.cancel();
    }

    synchronized boolean unschedule(Runnable job) {
        TimerTask task = tasks.remove(job);
        return task != null && task.cancel();
    }

    public static void main(String[] args) throws InterruptedException {
        JobScheduler scheduler = new JobScheduler();
        Runnable never = () -> System.out.println("never printed");
        try {
            scheduler.schedule(never, 20);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }

        CountDownLatch done = new CountDownLatch(1);
        scheduler.start();
        scheduler.schedule(new Countdown(scheduler, done), 20);
        done.await();
        System.out.println("unscheduled: " + scheduler.unschedule(never));
        scheduler.stop();

        CountDownLatch backedUp = new CountDownLatch(1);
        scheduler.start();
        scheduler.schedule(new Backup(backedUp), 20);
        backedUp.await();
        scheduler.stop();
    }
}

class Countdown implements Runnable {
    private final JobScheduler scheduler;
    private final CountDownLatch done;
    private int left = 3;

    Countdown(JobScheduler scheduler, CountDownLatch done) {
        this.scheduler = scheduler;
        this.done = done;
    }

    @Override
    public void run() {
        System.out.println("countdown: " + left);
        if (--left > 0) return;
        System.out.println("unscheduled: " + scheduler.unschedule(this));
        done.countDown();
    }
}

class Backup implements Runnable {
    private final CountDownLatch done;
    private int runs = 0;

    Backup(CountDownLatch done) {
        this.done = done;
    }

    @Override
    public void run() {
        ++runs;
        if (runs == 1) throw new RuntimeException("the disk is full");
        if (runs > 2) return;
        System.out.println("backed up");
        done.countDown();
    }
}
