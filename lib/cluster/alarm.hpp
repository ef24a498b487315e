// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/jdk/timer_task.hpp>
#include <jtimer/timer.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace jtimer::cluster::detail {

/// Of all local waits. Where there is one, a clock that also counts the time for which the computer
/// sleeps, as leases do.
inline std::shared_ptr<jtimer::Clock> localClock() {
#if defined(__linux__)
    return std::make_shared<BoottimeClock>();
#else
    return std::make_shared<SteadyClock>();
#endif
}

/// Calls a function on the timer's thread after a delay. Setting it replaces an earlier setting, of
/// which a call may still be on its way: what it calls must do no harm when called too often.
/// Guarded by whoever owns it, and set with no lock held that the function takes.
class Alarm {
  public:
    /// \param function must not throw
    Alarm(Timer& timer, std::function<void()> function)
        : timer_(timer), function_(std::move(function)) {}

    /// Without memory for the alarm, calls the function at once.
    void setIn(Micros delay) {
        if (task_ != nullptr) task_->cancel();
        task_.reset();
        try {
            task_ = timer_.schedule([this] { function_(); },
                                    std::chrono::microseconds(std::max<Micros>(delay, 0)));
        } catch (const std::exception&) {
            function_();
        }
    }

  private:
    Timer& timer_;
    const std::function<void()> function_;
    std::shared_ptr<TimerTask> task_;
};

}  // namespace jtimer::cluster::detail
