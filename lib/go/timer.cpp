// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/access.hpp"
#include "go/channel_cell.hpp"
#include "go/function_cell.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/timer.hpp>

namespace jtimer::go {

using detail::toNanos;

namespace {

Channel channelOf(const detail::Handle& cell) noexcept {
    if (cell == nullptr || cell->kind() != detail::Scheduled::Kind::Channel) return {};
    cell->retain();
    return Access::channel(static_cast<detail::ChannelCell&>(*cell));
}

}  // namespace

void detail::DropHandle::operator()(Cell* cell) const noexcept { cell->dropHandle(); }

Channel Timer::C() const { return channelOf(cell_); }

bool Timer::stop() {
    if (cell_ == nullptr) throw IllegalStateException("time: Stop called on uninitialized Timer");
    return cell_->stop();
}

bool Timer::stopAndWait() {
    if (cell_ == nullptr) throw IllegalStateException("time: Stop called on uninitialized Timer");
    if (cell_->kind() != detail::Scheduled::Kind::Function) return cell_->stop();
    return static_cast<detail::FunctionCell&>(*cell_).stopAndWait();
}

bool Timer::reset(TimeSpan d) {
    if (cell_ == nullptr) throw IllegalStateException("time: Reset called on uninitialized Timer");
    return cell_->reset(toNanos(d), 0);
}

Channel Ticker::C() const { return channelOf(cell_); }

void Ticker::stop() {
    if (cell_ != nullptr) cell_->stop();
}

void Ticker::reset(TimeSpan d) {
    const detail::Nanos period = toNanos(d);
    if (period <= 0) throw IllegalArgumentException("non-positive interval for Ticker.Reset");
    if (cell_ == nullptr) throw IllegalStateException("time: Reset called on uninitialized Ticker");
    cell_->reset(period, period);
}

}  // namespace jtimer::go
