// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workload.hpp"

#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/version.hpp>

#include <chrono>
#include <stdexcept>

// jtimer::brpc::TimerThread with every default. A time is read off the clock for each call, as
// callers of brpc do.

namespace {

struct BrpcAdapter : peers::Threaded {
    static std::string version() { return "jtimer " JTIMER_VERSION; }

    using Handle = jtimer::brpc::TaskId;

    BrpcAdapter() {
        if (timer_.start() != 0) throw std::runtime_error("the timer does not start");
    }

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        return timer_.schedule(function, argument,
                               std::chrono::system_clock::now() + std::chrono::nanoseconds(delay));
    }
    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        return timer_.schedule(function, argument, atZero_ + std::chrono::nanoseconds(time));
    }
    void cancel(Handle task) { timer_.unschedule(task); }

    static void scheduleAtFixedRate(std::int64_t, std::int64_t, peers::Function, void*) {
        throw std::runtime_error("its tasks run once");
    }

  private:
    jtimer::brpc::TimerThread timer_;
    const jtimer::Date atZero_ =
        std::chrono::system_clock::now() - std::chrono::nanoseconds(peers::now());
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<BrpcAdapter>(argc, argv); }
