// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/wake_pipe.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace jtimer::cluster::detail {

WakePipe::WakePipe() {
    if (::pipe(ends_) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    for (const int end : ends_) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
}

WakePipe::~WakePipe() {
    for (const int end : ends_) ::close(end);
}

void WakePipe::wake() noexcept {
    // A full pipe is readable too.
    while (::write(ends_[1], "", 1) < 0 && errno == EINTR) continue;
}

void WakePipe::clear() noexcept {
    std::array<char, 64> bytes{};
    while (::read(ends_[0], bytes.data(), bytes.size()) > 0) continue;
}

void WakePipe::wait() noexcept {
    pollfd wanted{ends_[0], POLLIN, 0};
    while (::poll(&wanted, 1, -1) < 0) continue;
}

}  // namespace jtimer::cluster::detail
