// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// For what stands in for a mutex, a condition variable, or the number of a thread. While nothing
/// is explored there is one thread, which nothing stops.
namespace explore {

void lockMutex(const void* mutex);
bool tryLockMutex(const void* mutex);
void unlockMutex(const void* mutex);
/// \returns whether the time ran out
bool waitOn(const void* condition, const void* mutex, bool isTimed);
void notifyOf(const void* condition, bool all);
unsigned numberOfThisThread() noexcept;

}  // namespace explore
