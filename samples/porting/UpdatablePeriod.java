// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A repeating task whose period can be updated: it polls less often while there is no answer.
// java.util.Timer has no call for that, so the task writes the private field `period`.
// updatable_period.cpp is the same in C++, line by line. Run it with `javac -d . UpdatablePeriod.java
// && java --add-opens java.base/java.util=ALL-UNNAMED UpdatablePeriod`.

import java.lang.reflect.Field;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;

class UpdatablePeriod {
    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        Timer timer = new Timer("poll", true);
        timer.scheduleAtFixedRate(new Poll(done), 0, 20);
        done.await();
        timer.cancel();
    }
}

abstract class UpdatableTimerTask extends TimerTask {
    void setPeriod(long period) {
        try {
            Field field = TimerTask.class.getDeclaredField("period");
            field.setAccessible(true);
            field.setLong(this, period);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}

class Poll extends UpdatableTimerTask {
    private final CountDownLatch done;
    private long period = 20;
    private long last;
    private int polls = 0;

    Poll(CountDownLatch done) {
        this.done = done;
    }

    @Override
    public void run() {
        if (polls == 8) return;
        long due = scheduledExecutionTime();
        boolean answers = ++polls == 1 || polls > 4;
        String since = polls == 1 ? "at once" : due - last + " ms after the last one";
        System.out.println("poll " + since + ": " + (answers ? "an answer" : "no answer"));
        last = due;
        period = answers ? 20 : 2 * period;
        setPeriod(period);
        if (polls == 8) done.countDown();
    }
}
