// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/access.hpp"
#include "go/errors.hpp"
#include "go/receive.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/go/event.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace jtimer::go {

using detail::ChanCase;
using detail::Nanos;

Case::Case(const Event& event) noexcept : Case(event.C()) {}

namespace {

/// Has moved the values that a select may send from their variables, and moves those back that it
/// has not sent.
class Lending {
  public:
    explicit Lending(const std::vector<Case>& cases) : cases_(cases) {}
    Lending(const Lending&) = delete;
    Lending& operator=(const Lending&) = delete;
    ~Lending() {
        for (const ChanCase& chan : sources.chans) {
            if (!chan.sends || chan.node == nullptr) continue;
            const Case& lender = cases_[chan.index];
            Access::transfer(lender).put(Access::variable(lender), chan.node.get());
        }
    }

    detail::Sources sources;

  private:
    const std::vector<Case>& cases_;
};

void addChan(detail::Sources& sources, const Case& c, std::size_t index) {
    const auto take = Access::transfer(c).take;
    sources.chans.emplace_back(*Access::cell(Access::chan(c)), index, take != nullptr);
    if (take != nullptr) sources.chans.back().node = take(Access::variable(c));
}

/// What was received goes to the variable of the case.
void finish(ChanCase& chosen, const Case& c) {
    if (!chosen.sends) {
        Access::transfer(c).put(Access::variable(c), chosen.node.get());
    } else if (chosen.node != nullptr) {
        throw IllegalStateException(detail::kSendClosed);
    }
}

std::optional<Selected> selectAny(const std::vector<Case>& cases, std::optional<Nanos> timeout) {
    Lending lending(cases);
    detail::Sources& sources = lending.sources;
    sources.cells.reserve(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (detail::Item* const item = Access::item(Access::channel(cases[i]))) {
            sources.add(*item, i);
        } else if (Access::chan(cases[i])) {
            addChan(sources, cases[i], i);
        }
    }
    if (sources.cells.empty() && !sources.hasUntimed())
        throw IllegalStateException(detail::kNoChannel);
    const auto received = detail::receiveAny(sources, nullptr, timeout);
    if (!received) return std::nullopt;
    for (ChanCase& chan : sources.chans) {
        if (chan.index == received->index) finish(chan, cases[chan.index]);
    }
    return Selected{received->index, detail::toDate(received->value)};
}

}  // namespace

Selected select(const std::vector<Case>& cases) { return selectAny(cases, std::nullopt).value(); }

std::optional<Selected> select(const std::vector<Case>& cases, TimeSpan timeout) {
    return selectAny(cases, detail::toNanos(timeout));
}

}  // namespace jtimer::go
