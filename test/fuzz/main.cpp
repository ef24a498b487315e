// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"

#include <cstddef>
#include <cstdint>

/// What libFuzzer calls, for the one target that is linked with it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::targets().begin()->second(fuzz::Choices(data, size));
    return 0;
}
