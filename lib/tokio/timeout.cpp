// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/completion.hpp>
#include <jtimer/tokio/timeout.hpp>

#include "sync/process_number.hpp"

namespace jtimer::tokio {

Elapsed::Elapsed() : std::runtime_error("deadline has elapsed") {}

Elapsed::~Elapsed() = default;

std::uint32_t detail::processNumber() noexcept { return jtimer::detail::numberOfThisProcess(); }

}  // namespace jtimer::tokio
