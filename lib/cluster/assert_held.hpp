// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/assert.hpp"

#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

namespace jtimer::cluster::detail {

/// Of a function that needs the mutex held: asserts that its caller holds it by this lock.
inline void assertHeld(const boost::unique_lock<boost::mutex>& lock,
                       const boost::mutex& mutex) noexcept {
    JTIMER_ASSERT(lock.owns_lock() && lock.mutex() == &mutex);
}

}  // namespace jtimer::cluster::detail
