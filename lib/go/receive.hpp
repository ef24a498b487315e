// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/wait.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace jtimer::go::detail {

/// The value that a call has received, and the index of its channel.
struct Received {
    std::size_t index;
    Nanos value;
};

/// One receive from any of several channels; without channels it is a sleep.
/// \param candidates in any order, perhaps with the same cell twice
/// \param timeOuts the runtime whose clock times the time-out
/// \param timeout nothing: no time-out; 0 or less: does not wait
/// \returns nothing if the time-out has come
/// \throws IllegalStateException as Channel::receive() and select() do
std::optional<Received> receiveAny(std::vector<Candidate> candidates, Runtime& timeOuts,
                                   std::optional<Nanos> timeout);

}  // namespace jtimer::go::detail
