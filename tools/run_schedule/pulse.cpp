// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "pulse.hpp"

#include <chrono>
#include <exception>
#include <memory>

std::string Pulse::ailment(jtimer::Timer& timer) {
    try {
        const std::shared_future<void> run = nextRun(timer);
        if (run.wait_for(std::chrono::seconds(1)) != std::future_status::ready)
            return "the timer's thread has not run a task for a second";
        run.get();
        return "";
    } catch (const std::exception&) {
        return "the schedule is ending";  // the timer is cancelled, or has dropped the task
    }
}

std::shared_future<void> Pulse::nextRun(jtimer::Timer& timer) {
    constexpr std::chrono::milliseconds kNow(0);
    const std::lock_guard lock(mutex_);
    if (run_.valid() && run_.wait_for(kNow) != std::future_status::ready) return run_;
    const auto promise = std::make_shared<std::promise<void>>();
    run_ = promise->get_future().share();
    timer.schedule([promise] { promise->set_value(); }, kNow);
    return run_;
}
