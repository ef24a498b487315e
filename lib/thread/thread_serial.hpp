// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>

namespace jtimer::detail {

// A number of the calling thread, 0 until it is set. Destructors of thread_local objects find it,
// too.
#if defined(_WIN32)

// MinGW frees thread_local variables before it runs those destructors, which get new ones. So this
// is in the system's own storage.
std::uint64_t serialOfThisThread() noexcept;
void setSerialOfThisThread(std::uint64_t serial) noexcept;

#else

inline thread_local std::uint64_t serialHere = 0;
inline std::uint64_t serialOfThisThread() noexcept { return serialHere; }
inline void setSerialOfThisThread(std::uint64_t serial) noexcept { serialHere = serial; }

#endif

}  // namespace jtimer::detail
