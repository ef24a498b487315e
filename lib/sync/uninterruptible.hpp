// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/threads.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace jtimer::detail {

/// While it exists, neither boost::thread::interrupt nor pthread_cancel ends a wait of the calling
/// thread: for functions that must not stop halfway, above all destructors. A cancellation
/// requested meanwhile takes effect at the next cancellation point after it.
class Uninterruptible {
  public:
#if defined(_WIN32)
    Uninterruptible() noexcept = default;
    ~Uninterruptible() = default;
#else
    Uninterruptible() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelState_); }
    ~Uninterruptible() { pthread_setcancelstate(cancelState_, nullptr); }
#endif
    Uninterruptible(const Uninterruptible&) = delete;
    Uninterruptible& operator=(const Uninterruptible&) = delete;

  private:
#if !defined(_WIN32)
    int cancelState_ = PTHREAD_CANCEL_ENABLE;
#endif
    const NoInterruption uninterrupted_;
};

}  // namespace jtimer::detail
