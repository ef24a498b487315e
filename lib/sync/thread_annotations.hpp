// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// What clang's -Wthread-safety checks: that the mutex named in a GUARDED_BY is held wherever the
/// field is used. Other compilers see nothing of it.
///
/// It checks only what is locked by a Guard (sync/lock.hpp), and there is no Guard of a monitor, of
/// a Cell or of a Shard: these are entered by a function that returns a Lock, which clang follows
/// only from version 16 on, and released halfway by functions that take it as a parameter. There
/// the parameter `Lock&` says who must hold the lock, which each such function asserts.
#if defined(__clang__)
#define JTIMER_ANNOTATE(x) __attribute__((x))
#else
#define JTIMER_ANNOTATE(x)
#endif

/// The first marks a class that is a mutex, the second one whose objects hold a mutex during their
/// lifetime.
#define JTIMER_CAPABILITY(name) JTIMER_ANNOTATE(capability(name))
#define JTIMER_SCOPED_CAPABILITY JTIMER_ANNOTATE(scoped_lockable)
/// Marks a field that is used only while the mutex is held.
#define JTIMER_GUARDED_BY(mutex) JTIMER_ANNOTATE(guarded_by(mutex))
/// These mark functions: the caller holds the mutex; the function locks it; the function releases
/// it.
#define JTIMER_REQUIRES(mutex) JTIMER_ANNOTATE(requires_capability(mutex))
#define JTIMER_ACQUIRE(...) JTIMER_ANNOTATE(acquire_capability(__VA_ARGS__))
#define JTIMER_RELEASE(...) JTIMER_ANNOTATE(release_capability(__VA_ARGS__))
/// Marks a function that does this in a way that clang does not see.
#define JTIMER_UNCHECKED_LOCKING JTIMER_ANNOTATE(no_thread_safety_analysis)
