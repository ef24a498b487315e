// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/thread/thread.hpp>

namespace jtimer {

/// Detaches the calling thread, which pthread_exit or pthread_cancel is unwinding, at the last
/// moment.
///
/// Boost.Thread is not made for threads that end so. It does not notice their end, so joining one
/// waits for ever; and at the end of the thread it looks at data that only the handle keeps alive
/// by then, so detaching one while it unwinds leaves it with a dangling pointer.
/// \param thread the handle of the calling thread
void detachAtThreadEnd(boost::thread thread);

}  // namespace jtimer
