// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/** What calls cost, W1 to W3, as in calls.hpp. */
final class Calls {
    static final Peer.Function NOTHING = argument -> {};

    private static final int ROUNDS = 5;

    private Calls() {}

    // Loops of their own, which the warm-up calls often enough to have them compiled as they are.

    private static void scheduleAll(Peer peer, long[] delays, Object[] handles, int count) {
        for (int i = 0; i < count; i++) {
            handles[i] = peer.schedule(delays[i], NOTHING, null);
        }
    }

    private static void cancelAll(Peer peer, int[] order, Object[] handles) {
        for (int i : order) {
            peer.cancel(handles[i]);
        }
    }

    /** W1, scheduling, and W2, cancelling and purging what W1 has scheduled. */
    static final class ScheduleAndCancel {
        private static final int SMALL = 10_000;
        private static final int SMALL_ROUNDS = 100;

        private final Setup setup;
        private final long[] delays;
        private final int[] order;
        private final int[] smallOrder;
        private final Object[] handles;

        private Measure.Stopwatch schedule;
        private Measure.Stopwatch cancel;
        private Measure.Stopwatch purge;
        private double purged;
        private boolean purges;

        ScheduleAndCancel(Setup setup) {
            this.setup = setup;
            delays = Measure.makeDelays(setup.size, setup.mode, 42);
            order = Measure.makeOrder(setup.size);
            smallOrder = Measure.makeOrder(Math.min(setup.size, SMALL));
            handles = new Object[setup.size];
        }

        void run() {
            reset();
            int warmUp = setup.scaled(400_000) / smallOrder.length + 20;
            for (int i = 0; i < warmUp; i++) {
                round(smallOrder);
                System.gc();  // the next one begins where this one did: the rest of the heap is new
            }
            if (setup.size <= SMALL) {
                // As far into the heap as the measured ones will come: memory used before.
                for (int i = 0; i < SMALL_ROUNDS; i++) {
                    round(order);
                }
                measure("warm", SMALL_ROUNDS);
                return;
            }
            for (int i = 1; i <= ROUNDS; i++) {
                if (i == 1) {
                    measure("cold", 1);
                } else if (i == ROUNDS) {
                    measure("warm", 1);
                } else {
                    round(order);
                }
            }
        }

        private void reset() {
            schedule = new Measure.Stopwatch();
            cancel = new Measure.Stopwatch();
            purge = new Measure.Stopwatch();
            purged = 0;
        }

        private void measure(String when, int rounds) {
            Measure.collectGarbage();
            reset();
            for (int i = 0; i < rounds; i++) {
                round(order);
            }
            double items = (double) rounds * setup.size;
            setup.report("W1", when, "schedule", schedule, items);
            setup.report("W2", when, "cancel", cancel, items);
            // As in calls.hpp: the timer's thread may have met them before.
            if (purges && purged >= items / 2) {
                setup.report("W2", when, "purge", purge, purged);
            }
        }

        private void round(int[] inOrder) {
            Peer peer = setup.make();
            purges = peer.purges();
            Measure.sleep(5 * Measure.MS);  // until its thread waits
            schedule.start();
            scheduleAll(peer, delays, handles, inOrder.length);
            schedule.stop();
            cancel.start();
            cancelAll(peer, inOrder, handles);
            cancel.stop();
            purge.start();
            long removed = peer.purge();
            purge.stop();
            purged += removed;
            Arrays.fill(handles, null);
            peer.stop();
        }
    }

    /** W3: time-outs that never come. MODE is the number of producers, and whether they purge. */
    static final class Producers {
        private final Setup setup;
        private final int producers;
        private final boolean purges;
        private final long[] delays;

        Producers(Setup setup) {
            this.setup = setup;
            producers = Integer.parseInt(setup.mode.substring(0, setup.mode.indexOf('-')));
            purges = setup.mode.contains("purge");
            delays = Measure.makeDelays(setup.size, "random", 42);
        }

        void run() throws InterruptedException {
            for (int i = 0; i < 20; i++) {
                Peer peer = setup.make();
                produce(peer, 99, setup.scaled(10_000), purges);
                peer.stop();
                System.gc();
            }
            for (int i = 1; i <= ROUNDS; i++) {
                Measure.collectGarbage();
                round(i == 1 ? "cold" : i == ROUNDS ? "warm" : null);
            }
        }

        private void round(String when) throws InterruptedException {
            Peer peer = setup.make();
            Object[] handles = new Object[setup.size];
            scheduleAll(peer, delays, handles, setup.size);
            // Of a sweep through 1e7 tasks ten are enough.
            int share = setup.scaled(setup.size >= 10_000_000 ? 100_000 : 1_000_000) / producers;
            CountDownLatch go = new CountDownLatch(1);
            Thread[] others = new Thread[producers - 1];
            for (int i = 0; i < others.length; i++) {
                int seed = i + 2;
                others[i] =
                        new Thread(
                                () -> {
                                    while (go.getCount() > 0) {
                                        Thread.yield();
                                    }
                                    produce(peer, seed, share, purges);
                                });
                others[i].start();
            }
            Measure.sleep(5 * Measure.MS);
            Measure.Stopwatch time = new Measure.Stopwatch();
            time.start();
            go.countDown();
            produce(peer, 1, share, purges);
            for (Thread other : others) {
                other.join();
            }
            time.stop();
            peer.stop();
            double pairs = (double) share * producers;
            if (when == null) {
                return;
            }
            if (producers == 1) {
                setup.report("W3", when, "pair", time, pairs);
            } else {
                setup.report("W3", when, "pair_ns", time.wall / pairs);
            }
        }

        private static void produce(Peer peer, long seed, int pairs, boolean purging) {
            long[] delays = Measure.makeDelays(4096, "random", seed);
            for (int i = 0; i < pairs; i++) {
                peer.cancel(peer.schedule(delays[i & 4095], NOTHING, null));
                if (purging && i % 10_000 == 9_999) {
                    peer.purge();
                }
            }
        }
    }
}
