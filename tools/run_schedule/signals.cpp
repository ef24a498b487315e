// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "signals.hpp"

#include "../system/calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include <unistd.h>

using std::chrono::steady_clock;

namespace {

/// Blocked like the others, and sent only by wakeMain(); ignored if it comes from elsewhere.
constexpr int kWake = SIGUSR1;

constexpr int kReload = SIGUSR2;

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

constexpr std::array<int, 3> kInterrupts{SIGINT, SIGTERM, SIGQUIT};

bool isInterrupt(int signal) {
    return std::find(kInterrupts.begin(), kInterrupts.end(), signal) != kInterrupts.end();
}

/// What ends a schedule.
sigset_t endingSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : kInterrupts) sigaddset(&signals, signal);
    if (!isIgnored(SIGHUP)) sigaddset(&signals, SIGHUP);
    return signals;
}

void setAll(const sigset_t& signals, void (*handler)(int)) {
    for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
        if (sigismember(&signals, signal) == 1) std::signal(signal, handler);
    }
}

sigset_t atTheStart;  ///< the blocked signals then; of the main thread

}  // namespace

void blockSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : kInterrupts) sigaddset(&signals, signal);
    for (const int signal : {SIGHUP, kReload, kWake}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &atTheStart);
}

void unblockSignals() { pthread_sigmask(SIG_SETMASK, &atTheStart, nullptr); }

EndOnSignal::EndOnSignal(bool wantsHangUp) : ending_(endingSignals()) {
    if (wantsHangUp) sigdelset(&ending_, SIGHUP);
    setAll(ending_, [](int) { ::_exit(0); });
    pthread_sigmask(SIG_UNBLOCK, &ending_, nullptr);
}

EndOnSignal::~EndOnSignal() {
    pthread_sigmask(SIG_BLOCK, &ending_, nullptr);
    setAll(ending_, SIG_DFL);
}

Signals::Signals(bool wantsHangUp) : onHangUp_(wantsHangUp ? Reason::Reload : Reason::HangUp) {
    if (wantsHangUp) std::signal(SIGHUP, SIG_DFL);  // one that is ignored is not waited for either
    ending_ = endingSignals();
    awaited_ = ending_;
    for (const int signal : {kReload, kWake}) sigaddset(&awaited_, signal);
    pthread_sigmask(SIG_BLOCK, &awaited_, nullptr);
}

Signals::Reason Signals::wait(std::optional<steady_clock::time_point> deadline) {
    for (;;) {
        if (woken_.exchange(false)) return Reason::Woken;
        if (deadline && steady_clock::now() >= *deadline) return Reason::Deadline;
        std::optional<timespec> left;
        if (deadline) left = timeUntil(*deadline);
        const int signal = system_calls::awaitSignal(awaited_, left);
        if (signal > 0 && isInterrupt(signal)) return Reason::Interrupt;
        if (signal == kReload) return Reason::Reload;
        if (signal == SIGHUP) return onHangUp_;
    }
}

void Signals::wakeMain() {
    woken_ = true;
    pthread_kill(main_, kWake);
}

void Signals::restore() {
    for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
        if (sigismember(&ending_, signal) == 1) sigdelset(&awaited_, signal);
    }
    setAll(ending_, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &ending_, nullptr);
}
