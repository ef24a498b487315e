// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/mutex.hpp"

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION < 107400
#error "jtimer needs Boost 1.74 or newer"
#endif

namespace jtimer::detail {

/// Where a function takes a `Lock&`, its caller holds it.
using Lock = boost::unique_lock<Mutex>;
/// A condition variable to wait on with a Lock.
using Condition = boost::condition_variable_any;

}  // namespace jtimer::detail
