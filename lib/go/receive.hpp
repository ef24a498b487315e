// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/wait.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace jtimer::go::detail {

/// What a call has received, and from which of its channels.
struct Received {
    std::size_t index;
    Nanos value;
};

/// One receive from any of some channels; of none, it is a sleep.
/// \param candidates in any order, perhaps with the same cell twice
/// \param timeOuts the runtime on whose clock the time-out is
/// \param timeout nothing: without one; 0 or less: only looks
/// \returns nothing after the time-out
/// \throws IllegalStateException as Channel::receive() and select() do
std::optional<Received> receiveAny(std::vector<Candidate> candidates, Runtime& timeOuts,
                                   std::optional<Nanos> timeout);

}  // namespace jtimer::go::detail
