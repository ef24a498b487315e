// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <functional>

namespace jtimer {

/// Runs functions that a timer hands to it: a thread pool's way in. It may call the function at
/// once or later, on any thread, and should call it once. An empty Executor means that the timer
/// runs the function itself.
using Executor = std::function<void(std::function<void()>)>;

}  // namespace jtimer
