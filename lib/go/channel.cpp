// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/access.hpp"
#include "go/channel_cell.hpp"
#include "go/errors.hpp"
#include "go/event_cell.hpp"
#include "go/receive.hpp"
#include "go/runtime.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/go/timers.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace jtimer::go {

using detail::Nanos;
using detail::toDate;
using detail::toNanos;

TimersDestroyed::~TimersDestroyed() = default;

namespace {

detail::EventCell& event(detail::Item& item) noexcept {
    return static_cast<detail::EventCell&>(item);
}
detail::ChannelCell& timer(detail::Item& item) noexcept {
    return static_cast<detail::ChannelCell&>(item);
}

}  // namespace

Channel::Channel() noexcept = default;
Channel::Channel(const Channel& other) noexcept : item_(other.item_) {
    if (item_ != nullptr) item_->retain();
}
Channel::Channel(Channel&& other) noexcept : item_(std::exchange(other.item_, nullptr)) {}
Channel& Channel::operator=(Channel other) noexcept {
    std::swap(item_, other.item_);
    return *this;
}
Channel::~Channel() {
    if (item_ != nullptr) item_->release();
}

std::optional<Date> Channel::tryReceive() const {
    if (item_ == nullptr) return std::nullopt;
    std::optional<Nanos> value;
    if (!item_->isEvent()) {
        value = timer(*item_).tryReceive();
    } else if (event(*item_).isSet()) {
        value = detail::kEventValue;
    }
    if (!value) return std::nullopt;
    return toDate(*value);
}

namespace {

void add(detail::Sources& sources, detail::Item& item, std::size_t index) {
    if (item.isEvent()) {
        sources.events.emplace_back(event(item), index);
    } else {
        sources.cells.push_back({&timer(item), index});
    }
}

/// Whose clock times the time-out of a call that waits for these. A call on events only that does
/// not wait needs none.
detail::Runtime* runtimeFor(const detail::Sources& sources, std::optional<Nanos> timeout) {
    if (!sources.cells.empty()) return &sources.cells.front().cell->runtime();
    if (!timeout || *timeout <= 0) return nullptr;
    return Access::runtime(defaultTimers()).get();
}

std::optional<detail::Received> receiveFrom(detail::Sources sources, std::optional<Nanos> timeout) {
    const auto isSet = [](const detail::EventCase& event) { return event.cell->isSet(); };
    if (std::any_of(sources.events.begin(), sources.events.end(), isSet))
        return detail::receiveBesideEvents(std::move(sources));
    detail::Runtime* const timeOuts = runtimeFor(sources, timeout);
    return detail::receiveAny(std::move(sources), timeOuts, timeout);
}

std::optional<Date> receiveOne(detail::Item* item, std::optional<Nanos> timeout) {
    if (item == nullptr) throw IllegalStateException(detail::kNilChannel);
    detail::Sources sources;
    add(sources, *item, 0);
    const auto received = receiveFrom(std::move(sources), timeout);
    if (!received) return std::nullopt;
    return toDate(received->value);
}

std::optional<Selected> selectAny(const std::vector<Channel>& channels,
                                  std::optional<Nanos> timeout) {
    detail::Sources sources;
    sources.cells.reserve(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i) {
        if (channels[i]) add(sources, *Access::item(channels[i]), i);
    }
    if (sources.cells.empty() && sources.events.empty()) {
        throw IllegalStateException(detail::kNoChannel);
    }
    const auto received = receiveFrom(std::move(sources), timeout);
    if (!received) return std::nullopt;
    return Selected{received->index, toDate(received->value)};
}

}  // namespace

Date Channel::receive() const { return receiveOne(item_, std::nullopt).value(); }

std::optional<Date> Channel::receiveFor(TimeSpan timeout) const {
    return receiveOne(item_, toNanos(timeout));
}

Selected select(const std::vector<Channel>& channels) {
    return selectAny(channels, std::nullopt).value();
}

std::optional<Selected> select(const std::vector<Channel>& channels, TimeSpan timeout) {
    return selectAny(channels, toNanos(timeout));
}

}  // namespace jtimer::go
