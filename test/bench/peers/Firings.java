// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** What runs cost and how late they are: W4, W5, W8 and W9, as in firings.hpp. */
final class Firings {
    /** Written by the timer's thread alone. */
    private static final class Counter {
        final long target;
        final CountDownLatch done = new CountDownLatch(1);
        long runs;
        long first;
        long last;

        Counter(long target) {
            this.target = target;
        }

        void hit() {
            runs++;
            if (runs == 1) {
                first = System.nanoTime();
            }
            if (runs == target) {
                last = System.nanoTime();
                done.countDown();
            }
        }
    }

    private static final class Lateness {
        final Counter counter;
        long due;
        long late;

        Lateness(Counter counter) {
            this.counter = counter;
        }
    }

    private static final Peer.Function HIT = argument -> ((Counter) argument).hit();
    private static final Peer.Function LATE =
            argument -> {
                Lateness lateness = (Lateness) argument;
                lateness.late = System.nanoTime() - lateness.due;
                lateness.counter.hit();
            };
    private static final Peer.Function BLOCK_UNTIL =
            argument -> Measure.sleep((Long) argument - System.nanoTime());

    // One thread writes: no atomic addition and no fence, as in peer.hpp.
    private static final AtomicLong TICKS = new AtomicLong();
    private static final Peer.Function TICK = argument -> TICKS.setOpaque(TICKS.getPlain() + 1);

    private Firings() {}

    /** Has the tasks' own code, and the way to it, run until it is compiled. */
    private static void warmUp(Setup setup, Peer.Function function) throws InterruptedException {
        int count = setup.scaled(200_000);
        Counter counter = new Counter(count);
        Object argument = function == HIT ? counter : new Lateness(counter);
        Peer peer = setup.make();
        for (int i = 0; i < count; i++) {
            peer.schedule(1 + i % 300, function, argument);
        }
        counter.done.await();
        peer.stop();
        Measure.collectGarbage();
    }

    /** W4: SIZE tasks that are all due; MODE says how that has come. */
    static void burst(Setup setup) throws InterruptedException {
        warmUp(setup, HIT);
        long lead = setup.quick ? Measure.SECOND / 2 : 5 * Measure.SECOND / 2;
        while (!fillAndFire(setup, lead)) {
            lead *= 2;
        }
    }

    private static boolean fillAndFire(Setup setup, long lead) throws InterruptedException {
        boolean backlog = setup.mode.equals("backlog");
        boolean byDelay = setup.mode.equals("own-delays");
        Counter counter = new Counter(setup.size);
        Measure.Random random = new Measure.Random(42);
        Object[] handles = new Object[setup.size];
        Peer peer = setup.make();
        long due = System.nanoTime() + lead;
        long released = backlog ? due + Measure.SECOND + 20 * Measure.MS : due;
        if (backlog) {
            peer.scheduleAt(due - 50 * Measure.MS, BLOCK_UNTIL, released);
        }
        for (int i = 0; i < setup.size; i++) {
            if (byDelay) {
                long left = Math.max(0, due - System.nanoTime() + Measure.MS - 1) / Measure.MS;
                handles[i] = peer.schedule(left, HIT, counter);
            } else {
                long after = backlog ? random.below(Measure.SECOND) : 0;
                handles[i] = peer.scheduleAt(due + after, HIT, counter);
            }
        }
        boolean inTime = System.nanoTime() < released;
        counter.done.await();
        peer.stop();
        if (inTime) {
            double time = counter.last - counter.first;
            setup.report("W4", "task_ns", time / (setup.size - 1));
        }
        return inTime;
    }

    /** W5: how late SIZE tasks are that are due one by one, at random whole milliseconds. */
    static void lateness(Setup setup) throws InterruptedException {
        warmUp(setup, LATE);
        int size = setup.size;
        int seconds = setup.quick ? 1 : 10;
        Counter counter = new Counter(size);
        Lateness[] all = makeLatenesses(size, counter);
        Object[] handles = new Object[size];
        Measure.Random random = new Measure.Random(42);
        Peer peer = setup.make();
        Measure.sleep(20 * Measure.MS);
        for (int i = 0; i < size; i++) {
            long delay = 1000 + random.below(seconds * 1000L);
            all[i].due = System.nanoTime() + delay * Measure.MS;
            handles[i] = peer.schedule(delay, LATE, all[i]);
        }
        counter.done.await();
        double[] late = inMicroseconds(all);
        setup.report("W5", "p1_us", late[size / 100]);
        setup.report("W5", "p50_us", late[size / 2]);
        setup.report("W5", "p99_us", late[(int) (size * 99L / 100)]);
    }

    private static Lateness[] makeLatenesses(int count, Counter counter) {
        Lateness[] all = new Lateness[count];
        Arrays.setAll(all, i -> new Lateness(counter));
        return all;
    }

    private static double[] inMicroseconds(Lateness[] all) {
        return Arrays.stream(all).mapToDouble(one -> one.late / 1e3).sorted().toArray();
    }

    /** W8: SIZE tasks at a fixed rate of 10 ms. */
    static void fixedRate(Setup setup) {
        Peer peer = setup.make();
        Measure.Random random = new Measure.Random(42);
        for (int i = 0; i < setup.size; i++) {
            peer.scheduleAtFixedRate(10 + random.below(10), 10, TICK, null);
        }
        // Longer than the others, for the JIT.
        Measure.sleep(setup.quick ? Measure.SECOND / 2 : 2 * Measure.SECOND);
        long runsBefore = TICKS.get();
        long begin = System.nanoTime();
        long cpuBefore = Measure.processCpuTime();
        Measure.sleep((setup.quick ? 1 : 3) * Measure.SECOND);
        long runs = TICKS.get() - runsBefore;
        double time = System.nanoTime() - begin;
        double cpu = Measure.processCpuTime() - cpuBefore;
        setup.report("W8", "firing_cpu_ns", cpu / Math.max(1, runs));
        setup.report("W8", "firings_per_s", runs * 1e9 / time);
    }

    /** W9: SIZE cancelled tasks at the head of the queue, which the first task due wakes up for. */
    static void cancelledHeads(Setup setup) throws InterruptedException {
        int small = Math.min(setup.size, 20_000);
        for (int i = 0; i < 10; i++) {
            cancelledHeads(setup, small, setup.scaled(500));
        }
        Measure.collectGarbage();
        double[] worst = cancelledHeads(setup, setup.size, setup.scaled(10_000));
        setup.report("W9", "longest_call_us", worst[0]);
        setup.report("W9", "latest_run_us", worst[1]);
    }

    private static double[] cancelledHeads(Setup setup, int heads, int probes)
            throws InterruptedException {
        long[] delays = Measure.makeDelays(heads, "random", 42);
        Counter counter = new Counter(probes);
        Lateness[] all = makeLatenesses(probes, counter);
        Peer peer = setup.make();
        Object[] handles = new Object[heads];
        for (int i = 0; i < heads; i++) {
            handles[i] = peer.schedule(delays[i], Calls.NOTHING, null);
        }
        for (int i = 0; i < heads; i++) {
            peer.cancel(handles[i]);
            handles[i] = null;
        }
        long longest = 0;
        for (Lateness probe : all) {
            probe.due = System.nanoTime();
            peer.schedule(0, LATE, probe);
            longest = Math.max(longest, System.nanoTime() - probe.due);
            Measure.sleep(Measure.MS / 5);
        }
        counter.done.await();
        peer.stop();
        double[] late = inMicroseconds(all);
        return new double[] {longest / 1e3, late[probes - 1]};
    }
}
