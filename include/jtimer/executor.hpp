// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <functional>

namespace jtimer {

/// Runs the functions that a timer hands to it, for example on a thread pool. It may call a
/// function at once or later, on any thread, and should call it once. With an empty Executor, the
/// timer runs the functions itself.
using Executor = std::function<void(std::function<void()>)>;

}  // namespace jtimer
