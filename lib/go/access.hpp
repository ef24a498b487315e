// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/channel_cell.hpp"

#include <jtimer/go/channel.hpp>
#include <jtimer/go/timer.hpp>
#include <jtimer/go/timers.hpp>
#include <jtimer/time.hpp>

#include <chrono>
#include <memory>

namespace jtimer::go {

/// Makes handles and channels, each of which takes over a reference; and gives access to what
/// channels, Timers, Chans and cases refer to.
class Access {
  public:
    static Timer timer(detail::Cell& cell) noexcept { return Timer(detail::Handle(&cell)); }
    static Ticker ticker(detail::ChannelCell& cell) noexcept {
        return Ticker(detail::Handle(&cell));
    }
    /// The channel of a timer's or an event's cell.
    static Channel channel(detail::Item& cell) noexcept { return Channel(&cell); }
    static detail::Item* item(const Channel& channel) noexcept { return channel.item_; }
    static detail::ChanCell* cell(const detail::ChanRef& chan) noexcept { return chan.cell_; }
    static const Channel& channel(const Case& c) noexcept { return c.channel_; }
    static const detail::ChanRef& chan(const Case& c) noexcept { return c.chan_; }
    /// Of a Chan's case.
    static const detail::ChanTransfer& transfer(const Case& c) noexcept { return *c.transfer_; }
    static void* variable(const Case& c) noexcept { return c.variable_; }
    static const std::shared_ptr<detail::Runtime>& runtime(const Timers& timers) noexcept {
        return timers.runtime_;
    }
};

namespace detail {

inline Nanos toNanos(TimeSpan span) noexcept { return jtimer::detail::toNanos(span.value()); }

inline Date toDate(Nanos time) noexcept { return jtimer::detail::toDate<Date>(time); }

}  // namespace detail

}  // namespace jtimer::go
