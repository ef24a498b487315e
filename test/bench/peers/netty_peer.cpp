// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workload.hpp"

#include <jtimer/netty/hashed_wheel_timer.hpp>
#include <jtimer/version.hpp>

#include <chrono>
#include <memory>

namespace {

/// Ticks of 1 ms and 512 slots, as the real Netty beside it.
class NettyAdapter : public peers::Threaded {
  public:
    static std::string version() { return "jtimer::netty " JTIMER_VERSION; }

    using Handle = std::shared_ptr<jtimer::netty::Timeout>;

    NettyAdapter() { timer_.start(); }

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        return timer_.newTimeout([function, argument] { function(argument); },
                                 std::chrono::nanoseconds(delay));
    }

    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        return schedule(time - peers::now(), function, argument);
    }

    static void cancel(Handle& timeout) { timeout->cancel(); }

    /// By submitting the task again, in each run.
    void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, peers::Function function,
                             void* argument) {
        timer_.newTimeout(
            [function, argument, period](const Handle& timeout) {
                function(argument);
                timeout->timer()->newTimeout(timeout->task(), std::chrono::nanoseconds(period));
            },
            std::chrono::nanoseconds(delay));
    }

  private:
    static jtimer::netty::HashedWheelTimerOptions options() {
        jtimer::netty::HashedWheelTimerOptions options;
        options.tickDuration = 1;
        return options;
    }

    jtimer::netty::HashedWheelTimer timer_{options()};
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<NettyAdapter>(argc, argv); }
