// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#if defined(_WIN32)
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#else
#include <boost/chrono/duration.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION < 107400
#error "jtimer needs Boost 1.74 or newer"
#endif

#include <memory>
#include <new>
#include <pthread.h>
#endif

namespace jtimer::detail {

// The one file of the timers that names the thread library: Boost.Thread, and the standard library
// on Windows. There Boost's waits allow the system a delay of 32 ms and more, and allocate memory.
#if defined(_WIN32)

namespace threads = std;

using ThreadNotStarted = std::system_error;

/// Nothing interrupts a thread.
class Interrupted {};
struct NoInterruption {
    NoInterruption() noexcept {}  // not an unused variable
};

inline void sleepUninterrupted(threads::chrono::microseconds span) {
    threads::this_thread::sleep_for(span);
}

/// Nothing unwinds a thread.
inline void detachUnwound(threads::thread*) noexcept {}

#else

namespace threads = boost;

using ThreadNotStarted = boost::thread_resource_error;

/// What ends an interruptible wait of a thread that boost::thread::interrupt() interrupts.
using Interrupted = boost::thread_interrupted;

/// While it exists, the calling thread is not interrupted.
using NoInterruption = boost::this_thread::disable_interruption;

inline void sleepUninterrupted(threads::chrono::microseconds span) {
    boost::this_thread::no_interruption_point::sleep_for(span);
}

/// Detaches the calling thread, which pthread_exit or pthread_cancel unwinds, and deletes its
/// handle.
///
/// Boost.Thread does not notice that a thread is unwound, so joining it would wait for ever; and
/// when the thread ends, Boost.Thread reads data that by then only the handle keeps alive. So the
/// handle stays until Boost.Thread, at the very end, calls the function given to at_thread_exit.
/// The handle and that function keep each other alive until then. If there is no memory for
/// at_thread_exit, the handle leaks.
inline void detachUnwound(threads::thread* unwound) noexcept {
    try {
        boost::this_thread::at_thread_exit([unwound] {
            const std::unique_ptr<boost::thread> owned(unwound);
            owned->detach();
        });
    } catch (const std::bad_alloc&) {
        pthread_detach(unwound->native_handle());
    }
}

#endif

}  // namespace jtimer::detail
