// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "signals.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

using std::chrono::steady_clock;

namespace {

/// Blocked like the others, and sent only by wakeMain(); ignored if it comes from elsewhere.
constexpr int kWake = SIGUSR1;

/// At most an hour, which fits into a 32-bit time_t.
timespec timeUntil(steady_clock::time_point deadline) {
    using std::chrono::nanoseconds;
    const nanoseconds left = deadline - steady_clock::now();
    const auto nanos = std::clamp(left, nanoseconds(0), nanoseconds(std::chrono::hours(1))).count();
    timespec time{};
    time.tv_sec = static_cast<std::time_t>(nanos / 1'000'000'000);
    time.tv_nsec = static_cast<long>(nanos % 1'000'000'000);
    return time;
}

bool isIgnored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals(bool wantsHangUp) {
    if (wantsHangUp) std::signal(SIGHUP, SIG_DFL);  // one that is ignored is not waited for either
    sigemptyset(&ending_);
    for (const int signal : {SIGINT, SIGTERM}) sigaddset(&ending_, signal);
    if (!isIgnored(SIGHUP)) sigaddset(&ending_, SIGHUP);
    awaited_ = ending_;
    sigaddset(&awaited_, kWake);
    pthread_sigmask(SIG_BLOCK, &awaited_, nullptr);
}

Signals::Reason Signals::wait(std::optional<steady_clock::time_point> deadline) {
    for (;;) {
        if (woken_.exchange(false)) return Reason::Woken;
        if (deadline && steady_clock::now() >= *deadline) return Reason::Deadline;
        int signal = 0;
        if (deadline) {
            const timespec left = timeUntil(*deadline);
            signal = sigtimedwait(&awaited_, nullptr, &left);
        } else {
            signal = sigwaitinfo(&awaited_, nullptr);
        }
        if (signal == SIGINT || signal == SIGTERM) return Reason::Interrupt;
        if (signal == SIGHUP) return Reason::HangUp;
    }
}

void Signals::wakeMain() {
    woken_ = true;
    pthread_kill(main_, kWake);
}

void Signals::restore() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (sigismember(&ending_, signal) != 1) continue;
        sigdelset(&awaited_, signal);
        std::signal(signal, SIG_DFL);
    }
    pthread_sigmask(SIG_UNBLOCK, &ending_, nullptr);
}
