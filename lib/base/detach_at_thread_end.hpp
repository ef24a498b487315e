// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/thread/thread.hpp>

namespace jtimer::detail {

/// Detaches the calling thread, which pthread_exit or pthread_cancel is unwinding, as late as
/// possible.
///
/// Boost.Thread does not expect a thread to end this way. It does not notice the end, so joining
/// the thread would wait for ever. And at the end of the thread it reads data that by then only the
/// handle keeps alive, so detaching the thread while it unwinds would leave a dangling pointer.
/// \param thread the handle of the calling thread
/// \throws std::system_error if the system has no key for thread-specific data left
void detachAtThreadEnd(boost::thread thread);

}  // namespace jtimer::detail
