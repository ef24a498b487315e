// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.util.concurrent.locks.LockSupport;

/** What the Java peers measure with, and the data that they work on, as in measure.cpp. */
final class Measure {
    static final long MS = 1_000_000L;
    static final long SECOND = 1_000_000_000L;
    static final long HOUR_MS = 3_600_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Measure() {}

    // --- the data

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

    // --- the time

    /** Wall time and the calling thread's CPU time, in nanoseconds; sums of several stretches. */
    static final class Stopwatch {
        double wall;
        double cpu;
        private long wallAtStart;
        private long cpuAtStart;

        void start() {
            cpuAtStart = THREADS.getCurrentThreadCpuTime();
            wallAtStart = System.nanoTime();
        }

        void stop() {
            wall += System.nanoTime() - wallAtStart;
            cpu += THREADS.getCurrentThreadCpuTime() - cpuAtStart;
        }
    }

    static void sleep(long nanoseconds) {
        long end = System.nanoTime() + nanoseconds;
        for (long left = nanoseconds; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    // --- the process

    static long processCpuTime() {
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

    /** What a collection leaves: no thread's free rest of the heap is in it. */
    static long usedHeap() {
        collectGarbage();
        long used = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                used += pool.getCollectionUsage().getUsed();
            }
        }
        return used;
    }

    static long sleepsOfTimerThread() throws IOException {
        for (File thread : new File("/proc/self/task").listFiles()) {
            String name = new String(Files.readAllBytes(thread.toPath().resolve("comm")));
            if (!name.trim().equals(Peer.THREAD)) {
                continue;
            }
            for (String line : Files.readAllLines(thread.toPath().resolve("status"))) {
                if (line.startsWith("voluntary_ctxt_switches:")) {
                    return Long.parseLong(line.split("\\s+")[1]);
                }
            }
        }
        throw new IOException("no thread called " + Peer.THREAD);
    }
}
