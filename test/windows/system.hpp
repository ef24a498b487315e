// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <cstddef>
#include <pthread.h>
#include <string>

// What only <windows.h> declares, which defines macros such as `near` and `far`.

namespace test::windows {

/// What SetThreadDescription() has been given.
std::string nameOfThisThread();

/// The number of threads of this process.
std::ptrdiff_t numberOfThreads();

/// Waits for the end of a thread. \returns whether it has ended
bool endsWithin(std::chrono::milliseconds span, pthread_t thread);

}  // namespace test::windows
