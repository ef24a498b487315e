// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Idle time-outs, the purpose of the wheel: each of 100,000 connections is closed after 30 seconds
// without traffic. Each message cancels one timeout and adds another, and hardly any of them ever
// runs. Two minutes pass on a ManualClock, in which every tenth connection falls silent.
#include <jtimer/manual_clock.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <cstdio>
#include <memory>
#include <vector>

using namespace std::chrono_literals;

namespace {

int armed = 0, cancelled = 0, closed = 0;

class Connection {
  public:
    void traffic(jtimer::netty::HashedWheelTimer& timer) {
        if (idle_ != nullptr && idle_->cancel()) ++cancelled;
        idle_ = timer.newTimeout([] { ++closed; }, 30s);
        ++armed;
    }

  private:
    std::shared_ptr<jtimer::netty::Timeout> idle_;
};

}  // namespace

int main() {
    constexpr int connections = 100'000;
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::netty::HashedWheelTimerOptions options;
    options.clock = clock;
    jtimer::netty::HashedWheelTimer timer(options);

    std::vector<Connection> all(connections);
    for (int second = 0; second < 120; ++second) {
        // Every connection has traffic each ten seconds, and a tenth of them none after 50 s.
        for (std::size_t i = static_cast<std::size_t>(second % 10); i < all.size(); i += 10) {
            const bool silent = second >= 50 && i % 10 == 3;
            if (!silent) all[i].traffic(timer);
        }
        clock->advance(1s);
        if (second % 20 == 19) {
            std::printf("%3d s: %7d armed, %7d cancelled, %5d closed, %6lld pending\n", second + 1,
                        armed, cancelled, closed, static_cast<long long>(timer.pendingTimeouts()));
        }
    }
    std::printf("stop() returns the %zu that are left\n", timer.stop().size());
}
