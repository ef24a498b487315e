// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/thread/thread.hpp>

#include <pthread.h>

namespace jtimer::detail {

/// While it exists, neither boost::thread::interrupt nor pthread_cancel ends a wait of the calling
/// thread: for functions that must not stop halfway, above all destructors. A cancellation
/// requested meanwhile takes effect at the next cancellation point after it.
class Uninterruptible {
  public:
    Uninterruptible() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelState_); }
    Uninterruptible(const Uninterruptible&) = delete;
    Uninterruptible& operator=(const Uninterruptible&) = delete;
    ~Uninterruptible() { pthread_setcancelstate(cancelState_, nullptr); }

  private:
    int cancelState_ = PTHREAD_CANCEL_ENABLE;
    const boost::this_thread::disable_interruption uninterrupted_;
};

}  // namespace jtimer::detail
