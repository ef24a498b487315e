// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/process_barrier.hpp"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

namespace jtimer::detail {

#if defined(__linux__)

namespace {

bool callMembarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

bool prepareProcessBarrier() noexcept {
    return callMembarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}
bool executeProcessBarrier() noexcept { return callMembarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

#elif defined(_WIN32)

bool prepareProcessBarrier() noexcept { return true; }
bool executeProcessBarrier() noexcept {
    FlushProcessWriteBuffers();
    return true;
}

#else

bool prepareProcessBarrier() noexcept { return false; }
bool executeProcessBarrier() noexcept { return false; }

#endif

}  // namespace jtimer::detail
