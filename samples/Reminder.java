// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// The reminder of the Java tutorials, in Java: one task, once, and the timer's end. reminder.cpp is
// the same in C++, line by line. Run it with `javac -d . Reminder.java && java Reminder 1`.

import java.util.Timer;
import java.util.TimerTask;

public class Reminder {
    private final Timer timer;

    public Reminder(int seconds) {
        timer = new Timer();
        timer.schedule(new RemindTask(), seconds * 1000L);
    }

    private class RemindTask extends TimerTask {
        @Override
        public void run() {
            System.out.println("Time is up!");
            timer.cancel();  // or the timer's thread would keep the program running
        }
    }

    public static void main(String[] args) {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        System.out.println("A reminder in " + seconds + " s.");
        new Reminder(seconds);
    }
}
