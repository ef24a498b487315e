// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;

/** The real one: ticks of 1 ms, 512 slots. Compiled only where Netty is there. */
final class NettyTimer implements Peer {
    final HashedWheelTimer timer =
            new HashedWheelTimer(
                    runnable -> {
                        Thread thread = new Thread(runnable, THREAD);
                        thread.setDaemon(true);
                        return thread;
                    },
                    1,
                    TimeUnit.MILLISECONDS,
                    512,
                    false);

    NettyTimer() {
        timer.start();
    }

    @Override
    public String library() {
        return "Netty " + HashedWheelTimer.class.getPackage().getImplementationVersion();
    }

    @Override
    public Object schedule(long delayMs, Function function, Object argument) {
        return timer.newTimeout(
                timeout -> function.run(argument), delayMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public Object scheduleAt(long when, Function function, Object argument) {
        return timer.newTimeout(
                timeout -> function.run(argument), when - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void cancel(Object handle) {
        ((Timeout) handle).cancel();
    }

    @Override
    public boolean purges() {
        return false;
    }

    @Override
    public long purge() {
        return 0;
    }

    /** By submitting the task again, in each run. */
    @Override
    public void scheduleAtFixedRate(
            long delayMs, long periodMs, Function function, Object argument) {
        timer.newTimeout(
                timeout -> {
                    function.run(argument);
                    timeout.timer().newTimeout(timeout.task(), periodMs, TimeUnit.MILLISECONDS);
                },
                delayMs,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void stop() {
        timer.stop();
    }
}
