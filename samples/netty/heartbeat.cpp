// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A task that submits itself again and keeps its next timeout, to cancel it, as in Dubbo's
// heartbeat. In Java that is a field `private volatile Timeout timeout`. A timeout keeps its task,
// so the field is a std::weak_ptr: with a std::shared_ptr the two would keep each other, and
// neither would ever be destroyed. The timer keeps the timeout while it is pending.
#include <jtimer/manual_clock.hpp>
#include <jtimer/netty.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::Timeout;

namespace {

class Heartbeat : public jtimer::netty::TimerTask {
  public:
    explicit Heartbeat(std::string peer) : peer_(std::move(peer)) {}
    ~Heartbeat() override { std::printf("%s: destroyed\n", peer_.c_str()); }

    static std::shared_ptr<Heartbeat> start(HashedWheelTimer& timer, std::string peer) {
        auto heartbeat = std::make_shared<Heartbeat>(std::move(peer));
        const std::lock_guard lock(heartbeat->mutex_);
        heartbeat->next_ = timer.newTimeout(heartbeat, 1s);
        return heartbeat;
    }

    void run(const std::shared_ptr<Timeout>& timeout) override {
        const std::lock_guard lock(mutex_);
        if (isCancelled_) return;
        std::printf("%s: ping\n", peer_.c_str());
        try {
            next_ = timeout->timer()->newTimeout(timeout->task(), 1s);
        } catch (const jtimer::IllegalStateException&) {
            // The timer was stopped meanwhile: this was the last ping.
        }
    }

    void cancel() {
        const std::lock_guard lock(mutex_);
        isCancelled_ = true;  // also if a run is about to begin
        if (const auto next = next_.lock()) next->cancel();
    }

  private:
    const std::string peer_;
    std::mutex mutex_;  // guards the two fields below
    bool isCancelled_ = false;
    std::weak_ptr<Timeout> next_;
};

}  // namespace

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::netty::HashedWheelTimerOptions options;
    options.clock = clock;
    HashedWheelTimer timer(options);

    auto first = Heartbeat::start(timer, "first");
    clock->advance(2500ms);
    first->cancel();
    first.reset();
    clock->advance(100ms);  // at the end of this tick the timer releases the timeout

    Heartbeat::start(timer, "second");
    clock->advance(2500ms);
    timer.stop();
}
