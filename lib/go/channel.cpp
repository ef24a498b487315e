// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/access.hpp"
#include "go/channel_cell.hpp"
#include "go/errors.hpp"
#include "go/event_cell.hpp"
#include "go/receive.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/channel.hpp>

#include <optional>
#include <utility>

namespace jtimer::go {

using detail::Nanos;
using detail::toDate;
using detail::toNanos;

TimersDestroyed::~TimersDestroyed() = default;

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
        value = static_cast<detail::ChannelCell&>(*item_).tryReceive();
    } else if (static_cast<detail::EventCell&>(*item_).isSet()) {
        value = detail::kEventValue;
    }
    if (!value) return std::nullopt;
    return toDate(*value);
}

namespace {

std::optional<Date> receiveOne(detail::Item* item, std::optional<Nanos> timeout) {
    if (item == nullptr) throw IllegalStateException(detail::kNilChannel);
    detail::Sources sources;
    sources.add(*item, 0);
    const auto received = detail::receiveAny(sources, nullptr, timeout);
    if (!received) return std::nullopt;
    return toDate(received->value);
}

}  // namespace

Date Channel::receive() const { return receiveOne(item_, std::nullopt).value(); }

std::optional<Date> Channel::receiveFor(TimeSpan timeout) const {
    return receiveOne(item_, toNanos(timeout));
}

}  // namespace jtimer::go
