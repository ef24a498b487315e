// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A repeating task that cancels itself. cancel() inside run() makes that run the last one. The
// timer then has nothing left to do, and its destructor returns.

#include <jtimer/timer.hpp>

#include <chrono>
#include <iostream>
#include <memory>

class Countdown : public jtimer::TimerTask {
  public:
    explicit Countdown(int from) : left_(from) {}

    void run() override {
        if (left_ > 0) {
            std::cout << left_-- << '\n';
            return;
        }
        std::cout << "lift-off\n";
        const bool wasRepeating = cancel();
        const bool again = cancel();
        std::cout << std::boolalpha << "cancelled: " << wasRepeating << ", once more: " << again
                  << '\n';
    }

  private:
    int left_;  // needs no lock: a timer's tasks run on its one thread, one at a time
};

int main() {
    using namespace std::chrono_literals;

    jtimer::Timer timer("countdown");
    timer.scheduleAtFixedRate(std::make_shared<Countdown>(5), 0, 100ms);
}  // waits here until the countdown has cancelled itself
