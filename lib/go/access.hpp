// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/cell.hpp"

#include <jtimer/go/channel.hpp>
#include <jtimer/go/timer.hpp>
#include <jtimer/time.hpp>

#include <chrono>

namespace jtimer::go {

/// Makes handles, each of which takes over a reference to the cell.
class HandleAccess {
  public:
    static Timer timer(detail::Cell& cell) noexcept { return Timer(detail::Handle(&cell)); }
    static Ticker ticker(detail::ChannelCell& cell) noexcept {
        return Ticker(detail::Handle(&cell));
    }
};

/// The same for channels; also gives access to their cells.
class ChannelAccess {
  public:
    static Channel make(detail::ChannelCell& cell) noexcept { return Channel(&cell); }
    static detail::ChannelCell* cell(const Channel& channel) noexcept { return channel.cell_; }
};

namespace detail {

inline Nanos toNanos(TimeSpan span) noexcept { return jtimer::detail::toNanos(span.value()); }

inline Date toDate(Nanos time) {
    return Date(std::chrono::floor<Date::duration>(std::chrono::nanoseconds(time)));
}

}  // namespace detail

}  // namespace jtimer::go
