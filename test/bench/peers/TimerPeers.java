// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The JDK's two timers under the workloads of workload.hpp; the same arguments after the peer's
 * name, the same lines. Everything measured has been compiled by the JIT before, by a warm-up.
 */
public class TimerPeers {
    static final long MS = 1_000_000L;
    static final long SECOND = 1_000_000_000L;
    static final long HOUR_MS = 3_600_000L;
    static final String THREAD = "timer peer";

    // --- the data, as in measure.cpp

    static final class Random {
        private long state;

        Random(long seed) {
            state = seed;
        }

        long below(long bound) {
            long z = (state += 0x9e3779b97f4a7c15L);
            z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
            z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
            return Long.remainderUnsigned(z ^ (z >>> 31), bound);
        }
    }

    static long[] makeDelays(int count, String mode, long seed) {
        long[] delays = new long[count];
        Random random = new Random(seed);
        for (int i = 0; i < count; i++) {
            long step = i * HOUR_MS / count;
            if (mode.equals("random")) {
                delays[i] = HOUR_MS + random.below(HOUR_MS);
            } else {
                delays[i] = mode.equals("ascending") ? HOUR_MS + step : 2 * HOUR_MS - step;
            }
        }
        return delays;
    }

    static int[] makeOrder(int count) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        Random random = new Random(7);
        for (int i = count; i > 1; i--) {
            int j = (int) random.below(i);
            int other = order[i - 1];
            order[i - 1] = order[j];
            order[j] = other;
        }
        return order;
    }

    // --- what the tasks do

    /** Written by the timer's thread alone. */
    static final class Counter {
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

    static final class Lateness {
        long due;
        long late;
        Counter counter;
    }

    static final Function NOTHING = argument -> {};
    static final Function HIT = argument -> ((Counter) argument).hit();
    static final Function LATE =
            argument -> {
                Lateness lateness = (Lateness) argument;
                lateness.late = System.nanoTime() - lateness.due;
                lateness.counter.hit();
            };
    static final Function BLOCK_UNTIL = argument -> sleep((Long) argument - System.nanoTime());

    // Plain for its only writer, volatile for who reads it: no atomic addition, as in workload.hpp.
    static long plainTicks;
    static volatile long ticks;
    static final Function TICK = argument -> ticks = ++plainTicks;

    static void sleep(long nanoseconds) {
        try {
            if (nanoseconds > 0) {
                TimeUnit.NANOSECONDS.sleep(nanoseconds);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // --- the process

    static long cpuTime() {
        return ((com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    static void collectGarbage() {
        for (int i = 0; i < 2; i++) {
            System.gc();
            sleep(50 * MS);
        }
    }

    static long usedHeap() {
        collectGarbage();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    static long sleepsOfTimerThread() throws IOException {
        for (File thread : new File("/proc/self/task").listFiles()) {
            if (!Files.readString(thread.toPath().resolve("comm")).trim().equals(THREAD)) {
                continue;
            }
            for (String line : Files.readAllLines(thread.toPath().resolve("status"))) {
                if (line.startsWith("voluntary_ctxt_switches:")) {
                    return Long.parseLong(line.split("\\s+")[1]);
                }
            }
        }
        throw new IOException("no thread called " + THREAD);
    }

    // --- the workloads

    final String peerName;
    final String mode;
    final String sizeText;
    final int size;
    final boolean quick;

    TimerPeers(String peerName, String mode, String sizeText, boolean quick) {
        this.peerName = peerName;
        this.mode = mode;
        this.sizeText = sizeText;
        this.size = (int) Double.parseDouble(sizeText);
        this.quick = quick;
    }

    Peer make() {
        return peerName.equals("jdk-timer") ? new JdkTimer() : new JdkExecutor();
    }

    void report(String workload, String metric, double value) {
        System.out.println(workload + "\t" + mode + " " + sizeText + "\t" + metric + "\t" + value);
    }

    int scaled(int full) {
        return quick ? full / 100 : full;
    }

    double schedule;
    double cancel;
    double purge;
    double purged;

    Peer round(long[] delays, int[] order, Object[] handles, int count) {
        Arrays.fill(handles, null);
        Peer peer = make();
        sleep(5 * MS);  // until its thread waits
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            handles[i] = peer.schedule(delays[i], NOTHING, null);
        }
        schedule += (double) (System.nanoTime() - begin) / count;
        begin = System.nanoTime();
        for (int i : order) {
            if (i < count) {
                peer.cancel(handles[i]);
            }
        }
        cancel += (double) (System.nanoTime() - begin) / count;
        begin = System.nanoTime();
        long removed = peer.purge();
        purge += System.nanoTime() - begin;
        purged += removed;
        return peer;
    }

    void scheduleAndCancel() {
        long[] delays = makeDelays(size, mode, 42);
        int[] order = makeOrder(size);
        Object[] handles = new Object[size];
        boolean small = size <= 10_000;
        int warmUp = small ? scaled(200) + 20 : 6;
        int rounds = small ? 100 : 1;
        for (int i = 0; i < warmUp; i++) {
            round(delays, order, handles, small ? size : Math.min(size / 2, 50_000)).stop();
        }
        collectGarbage();
        schedule = cancel = purge = purged = 0;
        for (int i = 0; i < rounds; i++) {
            Peer peer = round(delays, order, handles, size);
            if (small) {
                peer.stop();
            }
        }
        report("W1", "schedule_ns", schedule / rounds);
        report("W2", "cancel_ns", cancel / rounds);
        // The timer's thread may have met some of them before, at the head of its queue.
        if (purged < (double) rounds * size / 2) {
            throw new IllegalStateException("purged only " + purged);
        }
        report("W2", "purge_ns", purge / purged);
    }

    static void produce(Peer peer, long seed, int pairs, boolean purging) {
        long[] delays = makeDelays(4096, "random", seed);
        for (int i = 0; i < pairs; i++) {
            peer.cancel(peer.schedule(delays[i & 4095], NOTHING, null));
            if (purging && i % 10_000 == 9_999) {
                peer.purge();
            }
        }
    }

    void producers() throws InterruptedException {
        int producers = Integer.parseInt(mode.substring(0, mode.indexOf('-')));
        boolean purging = mode.contains("purge");
        Peer peer = make();
        produce(peer, 99, scaled(200_000), true);
        collectGarbage();
        long[] delays = makeDelays(size, "random", 42);
        Object[] handles = new Object[size];
        for (int i = 0; i < size; i++) {
            handles[i] = peer.schedule(delays[i], NOTHING, null);
        }
        int share = scaled(size >= 10_000_000 ? 100_000 : 1_000_000) / producers;
        CountDownLatch go = new CountDownLatch(1);
        Thread[] threads = new Thread[producers];
        for (int i = 0; i < producers; i++) {
            int seed = i + 1;
            threads[i] =
                    new Thread(
                            () -> {
                                try {
                                    go.await();
                                } catch (InterruptedException e) {
                                    return;
                                }
                                produce(peer, seed, share, purging);
                            });
            threads[i].start();
        }
        sleep(20 * MS);
        long begin = System.nanoTime();
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        double time = System.nanoTime() - begin;
        report("W3", "pair_ns", time / ((double) share * producers));
    }

    /** Runs the tasks' own code, and the way to it, until it is compiled. */
    void warmUpFiring(int count) throws InterruptedException {
        Counter counter = new Counter(count);
        Peer peer = make();
        for (int i = 0; i < count; i++) {
            peer.schedule(1 + i % 300, HIT, counter);
        }
        counter.done.await();
        peer.stop();
        collectGarbage();
    }

    void burst() throws InterruptedException {
        warmUpFiring(scaled(200_000));
        long lead = quick ? SECOND / 2 : 5 * SECOND / 2;
        while (!fillAndFire(lead)) {
            lead *= 2;
        }
    }

    boolean fillAndFire(long lead) throws InterruptedException {
        boolean backlog = mode.equals("backlog");
        Counter counter = new Counter(size);
        Random random = new Random(42);
        Object[] handles = new Object[size];
        Peer peer = make();
        long due = System.nanoTime() + lead;
        long released = backlog ? due + SECOND + 20 * MS : due;
        if (backlog) {
            peer.scheduleAt(due - 50 * MS, BLOCK_UNTIL, released);
        }
        for (int i = 0; i < size; i++) {
            long after = backlog ? random.below(SECOND) : 0;
            handles[i] = peer.scheduleAt(due + after, HIT, counter);
        }
        boolean inTime = System.nanoTime() < released;
        counter.done.await();
        peer.stop();
        if (inTime) {
            report("W4", "task_ns", (double) (counter.last - counter.first) / (size - 1));
        }
        return inTime;
    }

    void measureLateness() throws InterruptedException {
        int seconds = quick ? 1 : 10;
        Counter counter = new Counter(size);
        Lateness[] all = new Lateness[size];
        Object[] handles = new Object[size];
        Random random = new Random(42);
        Peer peer = make();
        for (int i = 0; i < size; i++) {
            all[i] = new Lateness();
            all[i].counter = counter;
        }
        sleep(20 * MS);
        for (int i = 0; i < size; i++) {
            long delay = 1000 + random.below(seconds * 1000L);
            all[i].due = System.nanoTime() + delay * MS;
            handles[i] = peer.schedule(delay, LATE, all[i]);
        }
        counter.done.await();
        double[] late = Arrays.stream(all).mapToDouble(one -> one.late / 1e3).sorted().toArray();
        report("W5", "p50_us", late[size / 2]);
        report("W5", "p99_us", late[(int) (size * 99L / 100)]);
    }

    /** The heap in use, not the resident memory: a JVM takes that ahead, and keeps garbage. */
    void measureMemory() {
        long[] delays = makeDelays(size, "random", 42);
        Object[] handles = new Object[size];
        Peer peer = make();
        handles[0] = peer.schedule(delays[0], NOTHING, null);
        long before = usedHeap();
        for (int i = 1; i < size; i++) {
            handles[i] = peer.schedule(delays[i], NOTHING, null);
        }
        report("W6", "task_bytes", (double) (usedHeap() - before) / (size - 1));
        peer.cancel(handles[size - 1]);  // the handles have been in use until here
    }

    void measureIdleness() throws IOException {
        long[] delays = makeDelays(size, "random", 42);
        Object[] handles = new Object[size];
        Peer peer = make();
        for (int i = 0; i < size; i++) {
            handles[i] = peer.schedule(delays[i], NOTHING, null);
        }
        int seconds = quick ? 1 : 5;
        sleep(SECOND);
        long before = sleepsOfTimerThread();
        sleep(seconds * SECOND);
        report("W7", "wakeups_per_s", (double) (sleepsOfTimerThread() - before) / seconds);
    }

    void measureFixedRate() {
        Peer peer = make();
        Random random = new Random(42);
        for (int i = 0; i < size; i++) {
            peer.scheduleAtFixedRate(10 + random.below(10), 10, TICK, null);
        }
        sleep(quick ? SECOND / 2 : 2 * SECOND);  // longer than the others, for the JIT
        long runsBefore = ticks;
        long begin = System.nanoTime();
        long cpuBefore = cpuTime();
        sleep((quick ? 1 : 3) * SECOND);
        long runs = ticks - runsBefore;
        double time = System.nanoTime() - begin;
        report("W8", "firing_cpu_ns", (double) (cpuTime() - cpuBefore) / Math.max(1, runs));
        report("W8", "firings_per_s", runs * 1e9 / time);
    }

    void play(String workload) throws Exception {
        switch (workload) {
            case "W1": scheduleAndCancel(); break;
            case "W3": producers(); break;
            case "W4": burst(); break;
            case "W5": measureLateness(); break;
            case "W6": measureMemory(); break;
            case "W7": measureIdleness(); break;
            case "W8": measureFixedRate(); break;
            default: throw new IllegalArgumentException("no such workload: " + workload);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 2 && args[1].equals("--version")) {
            System.out.println(
                    System.getProperty("java.vm.name")
                            + " "
                            + System.getProperty("java.vm.version"));
            return;
        }
        boolean quick = args.length == 5 && args[4].equals("--quick");
        if (args.length != 4 && !quick) {
            System.err.println("Usage: TimerPeers PEER --version | WORKLOAD MODE SIZE [--quick]");
            System.exit(2);
        }
        new TimerPeers(args[0], args[2], args[3], quick).play(args[1]);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
