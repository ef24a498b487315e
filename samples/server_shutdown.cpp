// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Shutting down a server with background work. Timer::cancel() discards pending tasks, refuses new
// ones, and returns at once even if a task is running. ~Timer then waits for that task, so declare
// the timer last, after everything that its tasks use.

#include <jtimer/timer.hpp>

#include <chrono>
#include <future>
#include <iostream>

using namespace std::chrono_literals;

class Server {
  public:
    Server() {
        timer_.schedule([this] { backUp(); }, 0, 1h);
        timer_.schedule([] { std::cout << "never printed\n"; }, 24h);
    }

    void waitForBackup() { backupBegan_.get_future().wait(); }

    void expireLater(int session) {
        try {
            timer_.schedule([session] { std::cout << "expired: " << session << '\n'; }, 30min);
            std::cout << "session " << session << " expires in 30 minutes\n";
        } catch (const jtimer::IllegalStateException& e) {
            std::cout << "session " << session << " refused: " << e.what() << '\n';
        }
    }

    void shutDown() {
        timer_.cancel();
        std::cout << "shutting down, and the backup still runs\n";
        expireLater(2);
        rest_.set_value();
    }

  private:
    void backUp() {
        std::cout << "backup: begins\n";
        backupBegan_.set_value();
        rest_.get_future().wait();  // stands for work that takes until after the shutdown has begun
        std::cout << "backup: complete\n";
    }

    std::promise<void> backupBegan_, rest_;
    jtimer::Timer timer_{"server"};  // last, so it is destroyed first
};

int main() {
    {
        Server server;
        server.waitForBackup();
        server.expireLater(1);
        server.shutDown();
    }
    std::cout << "down\n";
}
