// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "signals.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace {

/// Blocked like the others, and sent by wakeMain() alone: one that comes from elsewhere means
/// nothing.
constexpr int kWake = SIGUSR1;

timespec timeUntil(std::chrono::steady_clock::time_point deadline) {
    const std::chrono::nanoseconds left = deadline - std::chrono::steady_clock::now();
    const auto nanos = std::max(left, std::chrono::nanoseconds(0)).count();
    timespec time{};
    time.tv_sec = static_cast<std::time_t>(nanos / 1'000'000'000);
    time.tv_nsec = static_cast<long>(nanos % 1'000'000'000);
    return time;
}

}  // namespace

Signals::Signals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, kWake}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

Signals::Reason Signals::wait(std::optional<std::chrono::steady_clock::time_point> deadline) const {
    for (;;) {
        int signal = 0;
        if (deadline) {
            const timespec left = timeUntil(*deadline);
            signal = sigtimedwait(&set_, nullptr, &left);
        } else {
            signal = sigwaitinfo(&set_, nullptr);
        }
        if (signal == SIGINT || signal == SIGTERM) return Reason::Signal;
        if (signal == kWake && woken_) return Reason::Woken;
        if (signal < 0 && errno == EAGAIN) return Reason::Deadline;
    }
}

void Signals::wakeMain() {
    woken_ = true;
    pthread_kill(main_, kWake);
}

void Signals::restore() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM}) {
        std::signal(signal, SIG_DFL);
        sigaddset(&set, signal);
    }
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}
