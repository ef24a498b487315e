// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/sources.hpp"

#include <optional>

namespace jtimer::go::detail {

/// One receive from any of several sources, or one send; without sources it is a sleep. Then the
/// case of a Chan that was chosen has what was received, or has nothing any more to send.
/// \param timeOuts the runtime whose clock times the time-out; null: that of the first timer or,
///   without one, of defaultTimers(), which only a call that waits creates
/// \param timeout nothing: no time-out; 0 or less: does not wait
/// \returns nothing if the time-out has come
/// \throws IllegalStateException as Channel::receive() and select() do
std::optional<Received> receiveAny(Sources& sources, Runtime* timeOuts,
                                   std::optional<Nanos> timeout);

}  // namespace jtimer::go::detail
