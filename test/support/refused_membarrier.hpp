// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/abilities.hpp"
#include "support/forked_child.hpp"

#include <cstdlib>

#if defined(__linux__)
#include <cerrno>
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace test {

namespace detail {

/// \returns whether the system has a filter for this, and takes it
inline bool triesToRefuseMembarrier() {
#if defined(__linux__)
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program{sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
#else
    return false;
#endif
}

}  // namespace detail

/// Only Linux has filters of system calls, and an emulator has not.
inline void needFilter() {
    if (inForkedChild([] { return detail::triesToRefuseMembarrier() ? 0 : 1; }) != 0)
        skipCase("a filter of system calls");
}

/// From now on the system refuses membarrier() to all threads of the process, as it does in a
/// sandbox. For a child process.
inline void refuseMembarrier() {
    if (!detail::triesToRefuseMembarrier()) std::abort();
}

}  // namespace test
