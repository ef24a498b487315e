// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workload.hpp"

#include <jtimer/go/timers.hpp>
#include <jtimer/version.hpp>

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>

#include <chrono>
#include <cstdlib>
#include <vector>

namespace {

/// As a user has it: the public header, and every default. SHARDS in the environment is for
/// comparing numbers of shards.
class JtimerGoAdapter : public peers::Threaded {
  public:
    static constexpr bool kResets = true;
    static std::string version() { return "jtimer::go " JTIMER_VERSION; }

    using Handle = jtimer::go::Timer;

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        return timers_.afterFunc(std::chrono::nanoseconds(delay), [function, argument] {
            const boost::lock_guard<boost::mutex> lock(mutex());  // each has a thread for itself
            function(argument);
        });
    }

    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        return schedule(time - peers::now(), function, argument);
    }

    static void cancel(Handle& timer) { timer.stop(); }

    static void reset(Handle& timer, std::int64_t delay) {
        timer.reset(std::chrono::nanoseconds(delay));
    }

    /// A ticker. letPass() receives its ticks, on one thread: so each tick fires, waits, is
    /// received and starts the next one.
    void scheduleAtFixedRate(std::int64_t, std::int64_t period, peers::Function function,
                             void* argument) {
        period_ = period;
        tickers_.push_back({timers_.tick(std::chrono::nanoseconds(period)), function, argument});
    }

    void letPass(std::int64_t time) {
        const std::int64_t end = peers::now() + time;
        for (std::int64_t left = time; left > 0; left = end - peers::now()) {
            for (const Ticks& ticks : tickers_) {
                if (ticks.channel.tryReceive()) ticks.function(ticks.argument);
            }
            peers::sleepFor(tickers_.empty() ? left : std::min(left, period_));
        }
    }

  private:
    struct Ticks {
        jtimer::go::Channel channel;
        peers::Function function;
        void* argument;
    };

    static boost::mutex& mutex() {
        static boost::mutex one;
        return one;
    }

    static jtimer::go::TimersOptions options() {
        jtimer::go::TimersOptions options;
        if (const char* const shards = std::getenv("SHARDS")) {
            options.shards = static_cast<unsigned>(std::atoi(shards));
        }
        return options;
    }

    jtimer::go::Timers timers_{options()};
    std::int64_t period_ = 0;
    std::vector<Ticks> tickers_;
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<JtimerGoAdapter>(argc, argv); }
