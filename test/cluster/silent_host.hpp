// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/loopback.hpp"

#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace test {

/// Takes connections at a port of 127.0.0.1, and never answers.
class SilentHost {
  public:
    SilentHost() = default;
    ~SilentHost() { ::close(listener_); }
    SilentHost(const SilentHost&) = delete;
    SilentHost& operator=(const SilentHost&) = delete;

    const std::string& port() const { return port_; }

  private:
    const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const std::string port_ = std::to_string(listenOnLoopback(listener_));
};

}  // namespace test
