// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/access.hpp"
#include "go/cell.hpp"
#include "go/errors.hpp"
#include "go/receive.hpp"
#include "go/runtime.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/channel.hpp>

#include <utility>

namespace jtimer::go {

using detail::Nanos;
using detail::toDate;
using detail::toNanos;

TimersDestroyed::~TimersDestroyed() = default;

Channel::Channel() noexcept = default;
Channel::Channel(const Channel& other) noexcept : cell_(other.cell_) {
    if (cell_ != nullptr) cell_->retain();
}
Channel::Channel(Channel&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
Channel& Channel::operator=(Channel other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
}
Channel::~Channel() {
    if (cell_ != nullptr) cell_->release();
}

std::optional<Date> Channel::tryReceive() const {
    if (cell_ == nullptr) return std::nullopt;
    const std::optional<Nanos> value = cell_->tryReceive();
    if (!value) return std::nullopt;
    return toDate(*value);
}

namespace {

std::optional<Date> receiveOne(detail::ChannelCell* cell, std::optional<Nanos> timeout) {
    if (cell == nullptr) throw IllegalStateException(detail::kNilChannel);
    std::vector<detail::Candidate> candidates;
    candidates.push_back({cell, 0});
    const auto received = detail::receiveAny(std::move(candidates), cell->runtime(), timeout);
    if (!received) return std::nullopt;
    return toDate(received->value);
}

std::optional<Selected> selectAny(const std::vector<Channel>& channels,
                                  std::optional<Nanos> timeout) {
    std::vector<detail::Candidate> candidates;
    candidates.reserve(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i) {
        if (channels[i]) candidates.push_back({ChannelAccess::cell(channels[i]), i});
    }
    if (candidates.empty()) throw IllegalStateException(detail::kNoChannel);
    detail::Runtime& timeOuts = candidates.front().cell->runtime();
    const auto received = detail::receiveAny(std::move(candidates), timeOuts, timeout);
    if (!received) return std::nullopt;
    return Selected{received->index, toDate(received->value)};
}

}  // namespace

Date Channel::receive() const { return receiveOne(cell_, std::nullopt).value(); }

std::optional<Date> Channel::receiveFor(TimeSpan timeout) const {
    return receiveOne(cell_, toNanos(timeout));
}

Selected select(const std::vector<Channel>& channels) {
    return selectAny(channels, std::nullopt).value();
}

std::optional<Selected> select(const std::vector<Channel>& channels, TimeSpan timeout) {
    return selectAny(channels, toNanos(timeout));
}

}  // namespace jtimer::go
