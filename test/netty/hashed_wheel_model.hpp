// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/hashed_wheel.hpp"
#include "support/choices.hpp"

#include <jtimer/netty/detail/task_argument.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace test {

using jtimer::netty::Timeout;
using jtimer::netty::detail::HashedWheel;
using jtimer::netty::detail::TaskArgument;
using jtimer::netty::detail::Tick;
using jtimer::netty::detail::TimeoutAccess;
using jtimer::netty::detail::TimeoutList;

using WheelHandle = std::shared_ptr<Timeout>;

inline WheelHandle dueIn(Tick tick) {
    WheelHandle timeout = TaskArgument([] {}).timeout();
    TimeoutAccess::setDue(*timeout, tick);
    return timeout;
}

/// The wheel owns the timeout.
inline void place(HashedWheel& wheel, WheelHandle timeout, Tick tick) {
    Timeout& placed = *timeout;
    TimeoutAccess::self(placed).hold(std::move(timeout));
    wheel.place(placed, tick);
}

/// A wheel as Netty writes it: slots of timeouts with the rounds that are left, counted down at
/// every visit.
class ReferenceWheel {
  public:
    explicit ReferenceWheel(std::size_t slots) : slots_(slots) {}

    void place(Timeout* timeout, Tick due, Tick tick) {
        const Tick rounds = (due - tick) / static_cast<Tick>(slots_.size());
        slotOf(std::max(due, tick)).push_back({timeout, rounds, false});
    }

    void cancel(Timeout* timeout) { find(timeout).cancelled = true; }

    void remove(Timeout* timeout) {
        for (auto& slot : slots_) {
            slot.erase(std::remove_if(slot.begin(), slot.end(),
                                      [&](const Entry& e) { return e.timeout == timeout; }),
                       slot.end());
        }
    }

    /// The next one to expire in `tick` at or after position `from` of its slot, or null.
    Timeout* expireNext(Tick tick, std::size_t& from) {
        auto& slot = slotOf(tick);
        while (from < slot.size()) {
            Entry& entry = slot[from];
            if (entry.rounds <= 0 && !entry.cancelled) {
                Timeout* const expired = entry.timeout;
                slot.erase(slot.begin() + static_cast<std::ptrdiff_t>(from));
                return expired;
            }
            --entry.rounds;
            ++from;
        }
        return nullptr;
    }

    std::vector<Timeout*> slotAt(Tick tick) {
        std::vector<Timeout*> all;
        for (const Entry& entry : slotOf(tick)) all.push_back(entry.timeout);
        return all;
    }

    std::vector<Timeout*> pending() const { return select(false); }
    std::vector<Timeout*> cancelled() const { return select(true); }

  private:
    struct Entry {
        Timeout* timeout;
        Tick rounds;
        bool cancelled;
    };

    std::vector<Entry>& slotOf(Tick tick) {
        return slots_[static_cast<std::size_t>(tick) % slots_.size()];
    }
    Entry& find(Timeout* timeout) {
        for (auto& slot : slots_) {
            for (Entry& entry : slot) {
                if (entry.timeout == timeout) return entry;
            }
        }
        throw std::logic_error("the model does not know this timeout");
    }
    std::vector<Timeout*> select(bool cancelled) const {
        std::vector<Timeout*> some;
        for (const auto& slot : slots_) {
            for (const Entry& entry : slot) {
                if (entry.cancelled == cancelled) some.push_back(entry.timeout);
            }
        }
        return some;
    }

    std::vector<std::vector<Entry>> slots_;
};

/// Does the same to a wheel and to the reference, and compares after every step.
class HashedWheelModel {
  public:
    HashedWheelModel(std::size_t slots, Choices& choices)
        : wheel_(slots), model_(slots), choices_(choices) {}

    void step() {
        switch (below(8)) {
        case 0:
        case 1:
        case 2:
            place();
            break;
        case 3:
            cancel(model_.pending());
            break;
        case 4:
            remove();
            break;
        default:
            expire();
        }
        compare();
    }

    /// Empties the wheel. \returns whether exactly what is in the model came out
    bool clear() {
        std::vector<Timeout*> left;
        wheel_.clear([&](Timeout& timeout) {
            left.push_back(&timeout);
            TimeoutAccess::self(timeout).take();
        });
        std::vector<Timeout*> expected = model_.pending();
        for (Timeout* timeout : model_.cancelled()) expected.push_back(timeout);
        std::sort(left.begin(), left.end());
        std::sort(expected.begin(), expected.end());
        wheel_.check(tick_);
        return left == expected;
    }

    int expired() const { return expired_; }

  private:
    Tick below(Tick n) { return choices_.below(n); }

    void place() {
        const auto slots = static_cast<Tick>(wheel_.slots());
        const Tick ahead = below(3) == 0 ? slots * below(5) : below(4 * slots + 4);
        const Tick due = std::max<Tick>(0, tick_ + ahead - below(2) * 3);
        WheelHandle timeout = dueIn(due);
        model_.place(timeout.get(), due, tick_);
        test::place(wheel_, std::move(timeout), tick_);
    }

    void cancel(const std::vector<Timeout*>& pending) {
        if (pending.empty()) return;
        Timeout* const timeout = pending[choices_.below(pending.size())];
        MODEL_REQUIRE(TimeoutAccess::cancel(*timeout));
        // As in an inbox, where a link takes the place of the tick.
        TimeoutAccess::setLink(*timeout, below(2) == 0 ? nullptr : timeout);
        model_.cancel(timeout);
    }

    void remove() {
        for (Timeout* timeout : model_.cancelled()) {
            if (below(2) == 0) continue;
            model_.remove(timeout);
            MODEL_REQUIRE(TimeoutList::remove(*timeout).get() == timeout);
        }
    }

    /// Now and then an expired timeout cancels another one.
    void expire() {
        std::size_t position = 0;
        wheel_.expire(tick_, [&](const WheelHandle& timeout) {
            MODEL_REQUIRE(timeout.get() == model_.expireNext(tick_, position));
            MODEL_REQUIRE(TimeoutAccess::isExpired(*timeout));
            if (below(4) == 0) cancel(model_.pending());
            ++expired_;
            return true;
        });
        MODEL_REQUIRE(model_.expireNext(tick_, position) == nullptr);
        ++tick_;
    }

    void compare() {
        wheel_.check(tick_);
        Tick least = std::numeric_limits<Tick>::max();
        for (Tick slot = 0; slot < static_cast<Tick>(wheel_.slots()); ++slot) {
            std::vector<Timeout*> found;
            const TimeoutList& list = wheel_.slotAt(slot);
            for (Timeout* t = list.front(); t != nullptr; t = list.next(*t)) found.push_back(t);
            MODEL_REQUIRE(found == model_.slotAt(slot));
            for (const Timeout* t : found) {
                if (TimeoutAccess::isInit(*t)) least = std::min(least, TimeoutAccess::due(*t));
            }
        }
        MODEL_REQUIRE(wheel_.leastDue(tick_ + 3) == std::min(least, tick_ + 3));
        MODEL_REQUIRE(wheel_.leastDue(std::numeric_limits<Tick>::max()) == least);
    }

    HashedWheel wheel_;
    ReferenceWheel model_;
    Choices& choices_;
    Tick tick_ = 0;
    int expired_ = 0;
};

}  // namespace test
