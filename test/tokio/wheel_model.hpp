// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/choices.hpp"
#include "tokio/wheel.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace test {

using jtimer::tokio::detail::Entry;
using jtimer::tokio::detail::Tick;
using jtimer::tokio::detail::Wheel;

/// Does the same to a wheel and to a std::multimap, which must agree after each step.
class WheelModel {
  public:
    /// \param extends whether entries are extended too; then Wheel::first() says nothing
    WheelModel(Choices& choices, bool extends) : choices_(choices), extends_(extends) {}
    WheelModel(const WheelModel&) = delete;
    WheelModel& operator=(const WheelModel&) = delete;
    ~WheelModel() {
        while (wheel_.takeAny() != nullptr) {
        }
    }

    void step() {
        switch (below(8)) {
        case 0:
        case 1:
        case 2:
            insert();
            break;
        case 3:
            remove();
            break;
        case 4:
            extends_ ? extend() : insert();
            break;
        case 5:
            move();
            break;
        default:
            turn();
            break;
        }
        wheel_.check();
        MODEL_REQUIRE(wheel_.size() == byTick_.size());
        if (!extends_) checkFirst();
    }

    /// Everything that is left comes out, in its tick.
    void drain() {
        while (!byTick_.empty()) turnTo(byTick_.begin()->first);
        wheel_.check();
        MODEL_REQUIRE(wheel_.isEmpty());
    }

    std::size_t fired() const { return fired_; }

  private:
    struct Timed;
    using ByTick = std::multimap<Tick, std::unique_ptr<Timed>>;
    struct Timed : Entry {
        ByTick::iterator place;
    };

    std::uint64_t below(std::uint64_t n) { return choices_.below(n); }

    /// A time span of any magnitude, and often one that ends at the boundary of a slot, or beside.
    Tick span() {
        const Tick any = static_cast<Tick>(choices_.bits(1 + choices_.below(38)));
        if (below(3) != 0) return any;
        const int shift = static_cast<int>(6 * (1 + below(6)));
        const Tick boundary = ((wheel_.elapsed() >> shift) + 1 + static_cast<Tick>(below(3)))
                              << shift;
        return boundary - wheel_.elapsed() + static_cast<Tick>(below(3)) - 1;
    }

    void insert() {
        const Tick tick = wheel_.elapsed() + 1 + span();
        const auto place = byTick_.emplace(tick, std::make_unique<Timed>());
        place->second->place = place;
        wheel_.insert(*place->second, tick);
    }

    ByTick::iterator any() {
        auto place = byTick_.lower_bound(wheel_.elapsed() + span());
        return place == byTick_.end() ? byTick_.begin() : place;
    }
    void remove() {
        if (byTick_.empty()) return;
        const auto place = any();
        wheel_.remove(*place->second);
        byTick_.erase(place);
    }
    /// Later, without a touch of the wheel.
    void extend() {
        if (byTick_.empty()) return;
        const auto place = any();
        const auto next = wheel_.nextExpiration();
        const Tick tick = place->first + 1 + span();
        MODEL_REQUIRE(place->second->extend(tick));
        moveInModel(place, tick);
        MODEL_REQUIRE(wheel_.nextExpiration() == next);
    }
    /// Anywhere.
    void move() {
        if (byTick_.empty()) return;
        const auto place = any();
        const Tick tick = wheel_.elapsed() + 1 + span();
        wheel_.remove(*place->second);
        wheel_.insert(*place->second, tick);
        moveInModel(place, tick);
    }
    void moveInModel(ByTick::iterator place, Tick tick) {
        auto node = byTick_.extract(place);
        node.key() = tick;
        const auto moved = byTick_.insert(std::move(node));
        moved->second->place = moved;
    }
    void turn() {
        if (byTick_.empty() || below(4) == 0) {
            turnTo(wheel_.elapsed() + span());
        } else if (below(2) == 0) {
            turnTo(*wheel_.nextExpiration());
        } else {
            turnTo(byTick_.begin()->first - static_cast<Tick>(below(2)));
        }
    }
    void turnTo(Tick now) {
        Tick last = 0;
        while (Entry* const entry = wheel_.takeExpired(now)) {
            entry->leave(true);
            const auto place = static_cast<Timed*>(entry)->place;
            MODEL_REQUIRE(place->first == byTick_.begin()->first);
            MODEL_REQUIRE(place->first <= now);
            MODEL_REQUIRE(place->first == wheel_.elapsed());  // in its exact tick
            MODEL_REQUIRE(place->first >= last);
            last = place->first;
            byTick_.erase(place);
            ++fired_;
        }
        MODEL_REQUIRE((byTick_.empty() || byTick_.begin()->first > now));
    }
    void checkFirst() {
        const auto* first = static_cast<const Timed*>(wheel_.first());
        MODEL_REQUIRE((first == nullptr) == byTick_.empty());
        if (first != nullptr) MODEL_REQUIRE(first->place->first == byTick_.begin()->first);
    }

    Choices& choices_;
    const bool extends_;
    Wheel wheel_;
    ByTick byTick_;
    std::size_t fired_ = 0;
};

}  // namespace test
