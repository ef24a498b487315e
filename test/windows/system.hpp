// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <pthread.h>
#include <string>

// What only <windows.h> declares, which defines macros such as `near` and `far`.

namespace test::windows {

/// What SetThreadDescription() has been given.
std::string nameOfThisThread();

/// The number of threads of this process.
std::ptrdiff_t numberOfThreads();

/// Calls `function` when the calling thread ends. As if by a thread_local object, of which MinGW
/// frees the memory before it destroys it.
void atThreadEnd(std::function<void()> function);

/// Waits for the end of a thread. \returns whether it has ended
bool endsWithin(std::chrono::milliseconds span, pthread_t thread);

}  // namespace test::windows
