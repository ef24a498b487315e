// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.io.IOException;

/** What pending tasks cost while they wait: W6 and W7, as in pending.hpp. */
final class Pending {
    private Pending() {}

    /** W6: the heap in use, not the resident memory: a JVM takes that ahead, and keeps garbage. */
    static void memory(Setup setup) {
        long[] delays = Measure.makeDelays(setup.size, "random", 42);
        Object[] handles = new Object[setup.size];
        Peer peer = setup.make();
        handles[0] = peer.schedule(delays[0], Calls.NOTHING, null);
        long before = Measure.usedHeap();
        for (int i = 1; i < setup.size; i++) {
            handles[i] = peer.schedule(delays[i], Calls.NOTHING, null);
        }
        double grown = Measure.usedHeap() - before;
        setup.report("W6", "task_bytes", grown / (setup.size - 1));
        peer.schedule(delays[0], Calls.NOTHING, handles);  // both have been in use until here
    }

    /** W7: how often a timer wakes up that has nothing to do for an hour. */
    static void idleness(Setup setup) throws IOException {
        long[] delays = Measure.makeDelays(setup.size, "random", 42);
        Object[] handles = new Object[setup.size];
        Peer peer = setup.make();
        for (int i = 0; i < setup.size; i++) {
            handles[i] = peer.schedule(delays[i], Calls.NOTHING, null);
        }
        int seconds = setup.quick ? 1 : 5;
        Measure.sleep(Measure.SECOND);
        long before = Measure.sleepsOfTimerThread();
        Measure.sleep(seconds * Measure.SECOND);
        double sleeps = Measure.sleepsOfTimerThread() - before;
        setup.report("W7", "wakeups_per_s", sleeps / seconds);
    }
}
