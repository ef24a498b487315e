// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "address.hpp"

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <system_error>

namespace http {

namespace {

[[noreturn]] void refuse(const std::string& text, const char* what, const char* expected) {
    throw std::invalid_argument('"' + text + "\" " + what + ": expected " + expected);
}

}  // namespace

Address parseAddress(const std::string& text) {
    constexpr const char* kExpected = "HOST:PORT, such as 127.0.0.1:9100 or [::1]:9100";
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) refuse(text, "has no port", kExpected);
    Address address;
    address.host = text.substr(0, colon);
    const bool isBracketed =
        address.host.size() >= 2 && address.host.front() == '[' && address.host.back() == ']';
    if (isBracketed) address.host = address.host.substr(1, address.host.size() - 2);
    if (address.host.empty()) refuse(text, "has no host", kExpected);
    const bool hasColon = address.host.find(':') != std::string::npos;
    if (hasColon != isBracketed || address.host.find_first_of("[]/ ") != std::string::npos)
        refuse(text, "is not an address", kExpected);

    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, address.port);
    if (error != std::errc() || stop != end) refuse(text, "has no valid port", "0 to 65535");
    return address;
}

std::string toText(const Address& address) {
    const bool isV6 = address.host.find(':') != std::string::npos;
    return (isV6 ? '[' + address.host + ']' : address.host) + ':' + std::to_string(address.port);
}

}  // namespace http
