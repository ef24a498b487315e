// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "host_name.hpp"

#include <array>

#include <unistd.h>

std::string hostName() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {'?'};
    return host.data();
}
