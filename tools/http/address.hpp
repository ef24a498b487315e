// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <string>

namespace http {

/// Where a server listens.
struct Address {
    std::string host;  ///< a name, or an IPv4 or IPv6 address
    std::uint16_t port = 0;
};

/// Reads HOST:PORT, such as `127.0.0.1:9100`, `localhost:9100` or `[::1]:9100`.
/// \throws std::invalid_argument if the text is something else
Address parseAddress(const std::string& text);

/// The address as parseAddress() reads it.
std::string toText(const Address& address);

}  // namespace http
