// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/lock.hpp"
#include "sync/threads.hpp"

#include <jtimer/detail/saturating.hpp>

#if defined(__APPLE__)
#include <pthread.h>
#endif

namespace jtimer::detail {

/// How one thread waits for a notification, or for a span of time, whatever is done to the clocks
/// meanwhile.
///
/// Boost.Thread waits on the monotonic clock. Not so on macOS, where it waits on the time of day;
/// and what it and the standard library wait for on Windows is up to 15.6 ms late. So these two
/// have waits of their own.
class SpanWait {
  public:
#if defined(_WIN32) || defined(__APPLE__)
    SpanWait();
    ~SpanWait();
#else
    SpanWait() = default;
    ~SpanWait() = default;
#endif
    SpanWait(const SpanWait&) = delete;
    SpanWait& operator=(const SpanWait&) = delete;

    /// Releases `lock`, waits for a notification, but no longer than `span` (kNever: no limit), and
    /// acquires `lock` again. It may return without either. Only one thread calls this.
    void wait(Lock& lock, Nanos span);

    /// Ends the wait of the thread that has released the lock in wait() before this call.
    void notify();

  private:
#if defined(_WIN32)
    void* notified_;  // an event
    void* over_;      // a waitable timer
#elif defined(__APPLE__)
    /// Held by the thread from before it releases the lock until it waits.
    pthread_mutex_t going_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t notified_ = PTHREAD_COND_INITIALIZER;
#else
    /// As above.
    threads::mutex going_;
    threads::condition_variable notified_;
#endif
};

}  // namespace jtimer::detail
