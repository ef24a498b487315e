// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <optional>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

/// System calls that not every system has. Descriptors are made so that no command inherits them.
namespace system_calls {

/// What POSIX has everywhere.
namespace portable {

/// A command that another thread starts before this inherits the descriptor.
inline void closeOnExec(int fd) noexcept { ::fcntl(fd, F_SETFD, FD_CLOEXEC); }

inline int openPipe(std::array<int, 2>& ends) noexcept {
    if (::pipe(ends.data()) != 0) return -1;
    for (const int end : ends) closeOnExec(end);
    return 0;
}

inline int acceptOne(int listening) noexcept {
    const int fd = ::accept(listening, nullptr, nullptr);
    if (fd < 0) return fd;
    closeOnExec(fd);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

/// Looks fifty times a second. All threads block the signals, so none takes one in between.
inline int awaitSignal(const sigset_t& signals, std::optional<timespec> limit) noexcept {
    using std::chrono::steady_clock;
    int signal = 0;
    if (!limit) return ::sigwait(&signals, &signal) == 0 ? signal : -1;
    const auto end = steady_clock::now() + std::chrono::seconds(limit->tv_sec) +
                     std::chrono::nanoseconds(limit->tv_nsec);
    for (;;) {
        sigset_t pending;
        ::sigpending(&pending);
        for (int each = 1; each < NSIG; ++each) {
            if (::sigismember(&signals, each) == 1 && ::sigismember(&pending, each) == 1)
                return ::sigwait(&signals, &signal) == 0 ? signal : -1;
        }
        const std::chrono::nanoseconds left = end - steady_clock::now();
        if (left.count() <= 0) {
            errno = EAGAIN;
            return -1;
        }
        const timespec step{0, static_cast<long>(std::min<std::int64_t>(left.count(), 20'000'000))};
        ::nanosleep(&step, nullptr);
    }
}

}  // namespace portable

#if defined(__APPLE__)

using portable::acceptOne, portable::openPipe;

#else

/// \returns 0, or -1 and errno
inline int openPipe(std::array<int, 2>& ends) noexcept { return ::pipe2(ends.data(), O_CLOEXEC); }

/// A connection, whose calls do not block. \returns its descriptor, or -1 and errno
inline int acceptOne(int listening) noexcept {
    return ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

#endif

#if defined(__APPLE__) || defined(__OpenBSD__)

using portable::awaitSignal;

#else

/// Waits for one of the signals, which all threads block. \returns it, or -1 if none has come in
/// that time, or a handler of another signal was called
inline int awaitSignal(const sigset_t& signals, std::optional<timespec> limit) noexcept {
    return limit ? ::sigtimedwait(&signals, nullptr, &*limit) : ::sigwaitinfo(&signals, nullptr);
}

#endif

}  // namespace system_calls
