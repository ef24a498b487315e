// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace test {

/// Has the socket take connections at a port of 127.0.0.1.
/// \param port 0: any that is free
/// \returns the port
inline int listenOnLoopback(int listener, int port = 0) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    const int on = 1;
    BOOST_REQUIRE(::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    BOOST_REQUIRE(::bind(listener, any, size) == 0);
    BOOST_REQUIRE(::listen(listener, 64) == 0);
    BOOST_REQUIRE(::getsockname(listener, any, &size) == 0);
    return ntohs(address.sin_port);
}

/// A connection to the Unix socket at `path`; -1: there is none.
/// \param flags as of socket(): SOCK_NONBLOCK or 0
inline int connectTo(const std::string& path, int flags) {
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
        return server;
    ::close(server);
    return -1;
}

}  // namespace test
