// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/span_wait.hpp"

#include "sync/assert.hpp"

#include <algorithm>

#if defined(_WIN32)
#include <array>
#include <system_error>
#include <windows.h>
#elif defined(__APPLE__)
#include <ctime>
#endif

namespace jtimer::detail {

namespace {

/// Thirty years. Some waits add their length to a clock, and neither the sum nor, if time_t has 32
/// bits, its seconds may overflow.
constexpr Nanos kLongest = Nanos{30} * 365 * 86'400 * 1'000'000'000;

}  // namespace

#if defined(_WIN32)

namespace {

HANDLE made(HANDLE handle) {
    if (handle != nullptr) return handle;
    throw std::system_error(static_cast<int>(GetLastError()), std::system_category(),
                            "cannot wait for a timer's next task");
}

/// As Windows before 10 (1803) knows no timer of high resolution, it gets the usual one.
HANDLE newTimer() {
    constexpr DWORD ofHighResolution = 2;  // CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
    HANDLE const timer =
        CreateWaitableTimerExW(nullptr, nullptr, ofHighResolution, TIMER_ALL_ACCESS);
    return timer != nullptr ? timer : CreateWaitableTimerExW(nullptr, nullptr, 0, TIMER_ALL_ACCESS);
}

}  // namespace

SpanWait::SpanWait() : notified_(made(CreateEventW(nullptr, FALSE, FALSE, nullptr))) {
    try {
        over_ = made(newTimer());
    } catch (...) {
        CloseHandle(notified_);
        throw;
    }
}

SpanWait::~SpanWait() {
    CloseHandle(over_);
    CloseHandle(notified_);
}

/// The event keeps a notification that comes before the wait.
void SpanWait::wait(Lock& lock, Nanos span) {
    JTIMER_ASSERT(lock.owns_lock());
    ResetEvent(notified_);
    lock.unlock();
    LARGE_INTEGER length{};  // negative: from now on, in units of 100 ns
    length.QuadPart = -(std::clamp(span, Nanos{0}, kLongest) / 100 + 1);
    const bool hasEnd =
        span != kNever && SetWaitableTimer(over_, &length, 0, nullptr, nullptr, FALSE) != 0;
    const std::array<HANDLE, 2> either{notified_, over_};
    WaitForMultipleObjects(hasEnd ? 2 : 1, either.data(), FALSE, INFINITE);
    lock.lock();
}

void SpanWait::notify() { SetEvent(notified_); }

#elif defined(__APPLE__)

SpanWait::SpanWait() = default;

SpanWait::~SpanWait() {
    pthread_cond_destroy(&notified_);
    pthread_mutex_destroy(&going_);
}

void SpanWait::wait(Lock& lock, Nanos span) {
    JTIMER_ASSERT(lock.owns_lock());
    pthread_mutex_lock(&going_);
    lock.unlock();
    if (span == kNever) {
        pthread_cond_wait(&notified_, &going_);
    } else {
        const Nanos length = std::clamp(span, Nanos{0}, kLongest);
        const timespec relative{length / 1'000'000'000, length % 1'000'000'000};
        pthread_cond_timedwait_relative_np(&notified_, &going_, &relative);
    }
    pthread_mutex_unlock(&going_);
    lock.lock();
}

/// Locking going_ ensures that the thread has begun to wait.
void SpanWait::notify() {
    pthread_mutex_lock(&going_);
    pthread_mutex_unlock(&going_);
    pthread_cond_signal(&notified_);
}

#else

void SpanWait::wait(Lock& lock, Nanos span) {
    JTIMER_ASSERT(lock.owns_lock());
    threads::unique_lock<threads::mutex> going(going_);
    lock.unlock();
    if (span == kNever) {
        notified_.wait(going);
    } else {
        notified_.wait_for(going, threads::chrono::nanoseconds(std::min(span, kLongest)));
    }
    going.unlock();
    lock.lock();
}

/// Locking going_ ensures that the thread has begun to wait.
void SpanWait::notify() {
    going_.lock();
    going_.unlock();
    notified_.notify_one();
}

#endif

}  // namespace jtimer::detail
