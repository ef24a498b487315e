// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// The reminder of the Java tutorials, ported line by line from Reminder.java. The differences: an
// inner class names its outer object, `new` becomes make_shared, and the Reminder lives as long as
// its variable. At the end of main its timer's destructor waits for the task, as the JVM does in
// Java.

#include <jtimer/timer.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>

using jtimer::Timer;
using jtimer::TimerTask;

class Reminder {
    Timer timer;

  public:
    explicit Reminder(int seconds) {
        timer.schedule(std::make_shared<RemindTask>(*this), seconds * 1000L);
    }

  private:
    class RemindTask : public TimerTask {
        Reminder& reminder;

      public:
        explicit RemindTask(Reminder& outer) : reminder(outer) {}
        void run() override {
            std::cout << "Time is up!\n";
            reminder.timer.cancel();  // not needed here: nothing else is scheduled
        }
    };
};

int main(int argc, char** argv) {
    const int seconds = argc > 1 ? std::atoi(argv[1]) : 5;
    std::cout << "A reminder in " << seconds << " s.\n";
    Reminder reminder(seconds);
}
