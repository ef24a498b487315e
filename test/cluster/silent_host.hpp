// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace test {

/// Takes connections at a port of 127.0.0.1, and never answers.
class SilentHost {
  public:
    SilentHost() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof address;
        BOOST_REQUIRE(::bind(listener_, any, size) == 0);
        BOOST_REQUIRE(::listen(listener_, 16) == 0);
        BOOST_REQUIRE(::getsockname(listener_, any, &size) == 0);
        port_ = std::to_string(ntohs(address.sin_port));
    }
    ~SilentHost() { ::close(listener_); }
    SilentHost(const SilentHost&) = delete;
    SilentHost& operator=(const SilentHost&) = delete;

    const std::string& port() const { return port_; }

  private:
    const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    std::string port_;
};

}  // namespace test
