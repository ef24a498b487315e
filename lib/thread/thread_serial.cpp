// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/thread_serial.hpp"

#if defined(_WIN32)

#include <windows.h>

namespace jtimer::detail {

namespace {

/// Where a process has no place left, no thread has a number.
DWORD place() noexcept {
    static const DWORD allocated = TlsAlloc();
    return allocated;
}

}  // namespace

std::uint64_t serialOfThisThread() noexcept {
    return reinterpret_cast<std::uintptr_t>(TlsGetValue(place()));
}

void setSerialOfThisThread(std::uint64_t serial) noexcept {
    TlsSetValue(place(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(serial)));
}

}  // namespace jtimer::detail

#endif
