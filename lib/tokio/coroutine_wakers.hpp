// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/tokio/waker.hpp>

namespace jtimer::tokio::detail {

/// To be called under the lock before a poll takes the place of the waker `before`: two coroutines
/// cannot wait for one object, because the first would never be resumed. What else polls may
/// replace a waker.
/// \throws IllegalStateException if the wakers belong to two coroutines
void requireSameCoroutine(const Waker& before, const Waker& now, const char* what);

}  // namespace jtimer::tokio::detail
