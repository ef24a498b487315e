// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workload.hpp"

#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/version.hpp>

#include <chrono>
#include <cstdlib>
#include <optional>

namespace {

namespace tokio = jtimer::tokio;

/// As a user has it: the public header, and every default, with a driver that is polled or has a
/// thread. A task is a Sleep, polled once; its waker runs the function.
template <bool Polled>
class JtimerTokioAdapter {
  public:
    static constexpr bool kThreaded = !Polled;
    static constexpr bool kCancels = true;
    static constexpr bool kPurges = false;
    static constexpr bool kResets = true;
    static constexpr bool kSleeps = true;
    static std::string version() { return "jtimer::tokio " JTIMER_VERSION; }

    using Handle = std::optional<tokio::Sleep>;
    static constexpr std::size_t kHandleBytes = sizeof(tokio::Sleep);

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        return start(driver_.sleep(std::chrono::nanoseconds(delay)), function, argument);
    }

    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        return start(driver_.sleepUntil(dateOf(time)), function, argument);
    }

    static void cancel(Handle& sleep) { sleep.reset(); }

    static std::int64_t purge() { return 0; }

    static void reset(Handle& sleep, std::int64_t delay) {
        sleep->resetAfter(std::chrono::nanoseconds(delay));
    }

    void extend(Handle& sleep, std::int64_t time) { sleep->reset(dateOf(time)); }

    [[noreturn]] static void scheduleAtFixedRate(std::int64_t, std::int64_t, peers::Function,
                                                 void*) {
        throw std::logic_error("jtimer::tokio does not play W8");
    }

    void waitUntilDone() {
        while (!peers::done()) step(peers::now() + 2 * peers::kMillisecond);
    }

    void letPass(std::int64_t time) {
        const std::int64_t end = peers::now() + time;
        while (peers::now() < end) step(end);
    }

  private:
    static Handle start(tokio::Sleep sleep, peers::Function function, void* argument) {
        sleep.poll([function, argument] { function(argument); });
        return sleep;
    }

    static tokio::TimeDriverOptions options() {
        tokio::TimeDriverOptions options;
        options.polled = Polled;
        return options;
    }

    jtimer::Date dateOf(std::int64_t time) const {
        return origin_ +
               std::chrono::duration_cast<jtimer::Date::duration>(std::chrono::nanoseconds(time));
    }

    /// One round of a loop that waits until `end` at the latest.
    void step(std::int64_t end) {
        if (Polled) {
            driver_.turn();
            if (peers::done()) return;
            if (const auto wake = driver_.nextWake()) {
                const std::chrono::nanoseconds time = *wake - origin_;
                end = std::min<std::int64_t>(end, time.count());
            }
        }
        peers::sleepFor(end - peers::now());
    }

    tokio::TimeDriver driver_{options()};
    /// The driver's time when peers::now() was 0.
    const jtimer::Date origin_ = driver_.now() - std::chrono::duration_cast<jtimer::Date::duration>(
                                                     std::chrono::nanoseconds(peers::now()));
};

}  // namespace

/// THREADED in the environment chooses the driver with a thread.
int main(int argc, char** argv) {
    if (std::getenv("THREADED") != nullptr)
        return peers::runPeer<JtimerTokioAdapter<false>>(argc, argv);
    return peers::runPeer<JtimerTokioAdapter<true>>(argc, argv);
}
