// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/event_cell.hpp"
#include "go/wait.hpp"

#include <cstddef>
#include <list>
#include <optional>
#include <vector>

namespace jtimer::go::detail {

/// The value that a call has received, and the index of its channel.
struct Received {
    std::size_t index;
    Nanos value;
};

/// The channels of a call: those of timers in any order, perhaps with the same cell twice; those of
/// events in the order of their indices.
struct Sources {
    std::vector<Candidate> cells;
    std::list<EventCase> events;
};

/// A receive of a call that has found an event set, and so does not wait: see LastTurn.
/// \throws std::bad_alloc, with nothing received
Received receiveBesideEvents(Sources sources);

/// One receive from any of several channels; without channels it is a sleep. The caller has found
/// that none of the events is set.
/// \param timeOuts the runtime whose clock times the time-out; null only for a call on events that
///   has no time-out or does not wait
/// \param timeout nothing: no time-out; 0 or less: does not wait
/// \returns nothing if the time-out has come
/// \throws IllegalStateException as Channel::receive() and select() do
std::optional<Received> receiveAny(Sources sources, Runtime* timeOuts,
                                   std::optional<Nanos> timeout);

}  // namespace jtimer::go::detail
