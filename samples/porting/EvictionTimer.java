// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// One timer for the evictors of all object pools, in the shape of Commons Pool's: started for the
// first evictor, cancelled after the last one. eviction_timer.cpp is the same in C++, line by line.
// Run it with `javac -d . EvictionTimer.java && java EvictionTimer`.

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

class EvictionTimer {
    private static Timer timer;
    private static int usageCount;

    static synchronized void schedule(TimerTask task, long delay, long period) {
        if (timer == null) {
            System.out.println("eviction timer: started");
            timer = new Timer("EvictionTimer", true);
        }
        ++usageCount;
        timer.schedule(task, delay, period);
    }

    static synchronized void cancel(TimerTask task) {
        task.cancel();
        if (--usageCount == 0) {
            System.out.println("eviction timer: cancelled");
            timer.cancel();
            timer = null;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Consumer<String> destroy = object -> System.out.println("evicted " + object);

        ObjectPool users = new ObjectPool(destroy);
        ObjectPool orders = new ObjectPool(destroy);
        users.startEvictor(20);
        orders.startEvictor(20);
        users.add("user 1");
        users.add("user 2");
        users.awaitEvictions(2);
        orders.add("order 1");
        orders.awaitEvictions(1);

        users.close();
        orders.add("order 2");  // the timer goes on for the other pool
        orders.awaitEvictions(2);
        orders.close();

        // A pool that is closed while its evictor is destroying an object does not wait for it.
        CountDownLatch evicting = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ObjectPool slow = new ObjectPool(object -> {
            evicting.countDown();
            try {
                closed.await();
            } catch (InterruptedException e) {
                return;
            }
            System.out.println("evicted " + object);
        });
        slow.startEvictor(20);
        slow.add("a slow one");
        evicting.await();
        slow.close();
        System.out.println("closed");
        closed.countDown();
        slow.awaitEvictions(1);
    }
}

class ObjectPool {
    private final Consumer<String> destroy;
    private final Deque<String> idle = new ArrayDeque<>();
    private int evictions;
    private Evictor evictor;

    ObjectPool(Consumer<String> destroy) {
        this.destroy = destroy;
    }

    synchronized void startEvictor(long period) {
        evictor = new Evictor();
        EvictionTimer.schedule(evictor, period, period);
    }

    synchronized void add(String object) {
        idle.addLast(object);
    }

    synchronized void awaitEvictions(int count) throws InterruptedException {
        while (evictions < count) wait();
    }

    synchronized void close() {
        EvictionTimer.cancel(evictor);
        evictor = null;
    }

    private void evict() {
        String object;
        synchronized (this) {
            object = idle.pollFirst();
        }
        if (object == null) return;
        destroy.accept(object);  // takes its time, so without the lock
        synchronized (this) {
            ++evictions;
            notifyAll();
        }
    }

    private class Evictor extends TimerTask {
        @Override
        public void run() {
            evict();
        }
    }
}
