// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// Defined under a sanitizer that tracks memory from operator new to its release. It cannot see the
/// use of memory that is allocated or moved in other ways. GCC announces sanitizers by macros,
/// Clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_HWADDRESS__) || defined(__SANITIZE_THREAD__)
#define JTIMER_MEMORY_IS_FOLLOWED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer) ||                      \
    __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define JTIMER_MEMORY_IS_FOLLOWED
#endif
#endif
