// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jitter.hpp"

#include <cstdint>

std::chrono::milliseconds jitterOf(const std::string& host, const std::string& line,
                                   std::chrono::milliseconds most) {
    if (most.count() == 0) return most;
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    const std::string seed = std::string(host).append(1, '\0').append(line);
    for (const char c : seed) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3;
    }
    const auto count = static_cast<std::uint64_t>(most.count());
    return std::chrono::milliseconds(static_cast<std::int64_t>(hash % count));
}
