// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/timeout.hpp>

namespace jtimer::tokio {

Elapsed::Elapsed() : std::runtime_error("deadline has elapsed") {}

Elapsed::~Elapsed() = default;

}  // namespace jtimer::tokio
