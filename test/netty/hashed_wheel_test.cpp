// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/hashed_wheel.hpp"
#include "support/throws.hpp"

#include <jtimer/netty/detail/task_argument.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using jtimer::netty::Timeout;
using jtimer::netty::detail::HashedWheel;
using jtimer::netty::detail::TaskArgument;
using jtimer::netty::detail::Tick;
using jtimer::netty::detail::TimeoutAccess;
using jtimer::netty::detail::TimeoutList;

namespace {

using Handle = std::shared_ptr<Timeout>;

Handle dueIn(Tick tick) {
    Handle timeout = TaskArgument([] {}).timeout();
    TimeoutAccess::setDue(*timeout, tick);
    return timeout;
}

/// The wheel owns the timeout.
void place(HashedWheel& wheel, Handle timeout, Tick tick) {
    Timeout& placed = *timeout;
    TimeoutAccess::self(placed).hold(std::move(timeout));
    wheel.place(placed, tick);
}

std::vector<Timeout*> expiredIn(HashedWheel& wheel, Tick tick) {
    std::vector<Timeout*> expired;
    wheel.expire(tick, [&](const Handle& timeout) {
        expired.push_back(timeout.get());
        return true;
    });
    return expired;
}

/// A wheel as Netty writes it: slots of timeouts with the rounds that are left, counted down at
/// every visit.
class Model {
  public:
    explicit Model(std::size_t slots) : slots_(slots) {}

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

/// Does the same to a wheel and to the model, at random, and compares after every step.
class Random {
  public:
    Random(std::size_t slots, unsigned seed) : wheel_(slots), model_(slots), random_(seed) {}

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
    Tick below(Tick n) { return static_cast<Tick>(random_() % static_cast<std::uint64_t>(n)); }

    void place() {
        const auto slots = static_cast<Tick>(wheel_.slots());
        const Tick ahead = below(3) == 0 ? slots * below(5) : below(4 * slots + 4);
        const Tick due = std::max<Tick>(0, tick_ + ahead - below(2) * 3);
        Handle timeout = dueIn(due);
        model_.place(timeout.get(), due, tick_);
        ::place(wheel_, std::move(timeout), tick_);
    }

    void cancel(const std::vector<Timeout*>& pending) {
        if (pending.empty()) return;
        Timeout* const timeout =
            pending[static_cast<std::size_t>(below(static_cast<Tick>(pending.size())))];
        BOOST_REQUIRE(TimeoutAccess::cancel(*timeout));
        // As in an inbox, where a link takes the place of the tick.
        TimeoutAccess::setLink(*timeout, below(2) == 0 ? nullptr : timeout);
        model_.cancel(timeout);
    }

    void remove() {
        for (Timeout* timeout : model_.cancelled()) {
            if (below(2) == 0) continue;
            model_.remove(timeout);
            BOOST_REQUIRE(TimeoutList::remove(*timeout).get() == timeout);
        }
    }

    /// Now and then an expired timeout cancels another one.
    void expire() {
        std::size_t position = 0;
        wheel_.expire(tick_, [&](const Handle& timeout) {
            BOOST_REQUIRE(timeout.get() == model_.expireNext(tick_, position));
            BOOST_REQUIRE(TimeoutAccess::isExpired(*timeout));
            if (below(4) == 0) cancel(model_.pending());
            ++expired_;
            return true;
        });
        BOOST_REQUIRE(model_.expireNext(tick_, position) == nullptr);
        ++tick_;
    }

    void compare() {
        wheel_.check(tick_);
        Tick least = std::numeric_limits<Tick>::max();
        for (Tick slot = 0; slot < static_cast<Tick>(wheel_.slots()); ++slot) {
            std::vector<Timeout*> found;
            const TimeoutList& list = wheel_.slotAt(slot);
            for (Timeout* t = list.front(); t != nullptr; t = list.next(*t)) found.push_back(t);
            BOOST_REQUIRE(found == model_.slotAt(slot));
            for (const Timeout* t : found) {
                if (TimeoutAccess::isInit(*t)) least = std::min(least, TimeoutAccess::due(*t));
            }
        }
        BOOST_REQUIRE(wheel_.leastDue(tick_ + 3) == std::min(least, tick_ + 3));
        BOOST_REQUIRE(wheel_.leastDue(std::numeric_limits<Tick>::max()) == least);
    }

    HashedWheel wheel_;
    Model model_;
    Tick tick_ = 0;
    int expired_ = 0;
    std::mt19937_64 random_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(n73_n75_the_wheel_does_what_the_model_does) {
    const std::map<std::size_t, int> stepsOf{{1, 3000}, {2, 3000}, {4, 3000}, {512, 400}};
    for (const auto& [slots, steps] : stepsOf) {
        for (unsigned seed = 1; seed <= 3; ++seed) {
            BOOST_TEST_CONTEXT("slots " << slots << ", seed " << seed) {
                Random random(slots, seed);
                for (int i = 0; i < steps; ++i) random.step();
                BOOST_TEST(random.expired() > 0);
                BOOST_TEST(random.clear());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(n75_a_sink_that_answers_false_ends_the_tick) {
    HashedWheel wheel(4);
    for (int i = 0; i < 3; ++i) place(wheel, dueIn(2), 0);
    int calls = 0;
    wheel.expire(2, [&](const Handle&) { return ++calls < 2; });
    BOOST_TEST(calls == 2);
    wheel.check(2);
    BOOST_TEST(expiredIn(wheel, 2).size() == 1U);
}

BOOST_AUTO_TEST_CASE(n75_what_is_cancelled_stays_until_it_is_removed_and_does_not_expire) {
    HashedWheel wheel(4);
    const Handle timeout = dueIn(1);
    place(wheel, timeout, 0);
    BOOST_TEST(TimeoutAccess::cancel(*timeout));
    BOOST_TEST(!TimeoutAccess::cancel(*timeout));
    BOOST_TEST(expiredIn(wheel, 1).empty());
    BOOST_TEST(wheel.slotAt(1).front() == timeout.get());
    BOOST_TEST(TimeoutList::remove(*timeout) == timeout);
    BOOST_TEST(wheel.slotAt(1).empty());
    wheel.check(2);
}

BOOST_AUTO_TEST_CASE(n75_the_wheel_owns_what_is_placed) {
    std::weak_ptr<Timeout> expired, dropped;
    {
        HashedWheel wheel(2);
        Handle first = dueIn(0), second = dueIn(1);
        expired = first;
        dropped = second;
        place(wheel, std::move(first), 0);
        place(wheel, std::move(second), 0);
        BOOST_TEST(!expired.expired());
        BOOST_TEST(expiredIn(wheel, 0).size() == 1U);
        BOOST_TEST(expired.expired());
        BOOST_TEST(!dropped.expired());
    }
    BOOST_TEST(dropped.expired());
}

BOOST_AUTO_TEST_CASE(n73_a_slot_of_200000_is_dropped_without_recursion) {
    std::weak_ptr<Timeout> last;
    {
        HashedWheel wheel(1);
        for (int i = 0; i < 200'000; ++i) {
            Handle timeout = dueIn(i);
            last = timeout;
            place(wheel, std::move(timeout), 0);
        }
    }
    BOOST_TEST(last.expired());
}

BOOST_AUTO_TEST_CASE(n75_check_finds_a_timeout_that_was_passed_by) {
    HashedWheel wheel(8);
    place(wheel, dueIn(5), 0);
    wheel.check(5);
    CHECK_THROWS(wheel.check(6), std::logic_error,
                 "HashedWheel: in slot 5 a timeout is due in tick 5");
}

BOOST_AUTO_TEST_CASE(n75_check_finds_a_timeout_that_has_expired) {
    HashedWheel wheel(8);
    const Handle timeout = dueIn(5);
    place(wheel, timeout, 0);
    BOOST_TEST(TimeoutAccess::expire(*timeout, 5));
    CHECK_THROWS(wheel.check(5), std::logic_error, "HashedWheel: in slot 5 a timeout has expired");
}

BOOST_AUTO_TEST_CASE(n75_check_finds_a_broken_link) {
    HashedWheel wheel(8);
    const Handle first = dueIn(5), second = dueIn(5);
    place(wheel, first, 0);
    place(wheel, second, 0);
    const auto previous = std::exchange(TimeoutAccess::links(*second).previous, nullptr);
    CHECK_THROWS(wheel.check(5), std::logic_error,
                 "TimeoutList: two neighbours do not know each other");
    TimeoutAccess::links(*second).previous = previous;
    wheel.check(5);
}

BOOST_AUTO_TEST_CASE(n73_check_finds_a_number_of_slots_that_is_no_power_of_two) {
    const HashedWheel wheel(3);
    CHECK_THROWS(wheel.check(0), std::logic_error,
                 "HashedWheel: the number of slots is not a power of two");
}

BOOST_AUTO_TEST_CASE(n73_lists_are_joined_and_taken_apart_in_order) {
    std::vector<Handle> all;
    for (int i = 0; i < 5; ++i) all.push_back(dueIn(i));
    TimeoutList list, other;
    list.append(other);  // nothing to nothing
    for (const int i : {0, 1}) list.append(all[static_cast<std::size_t>(i)]);
    for (const int i : {2, 3, 4}) other.append(all[static_cast<std::size_t>(i)]);
    list.append(other);
    list.check();
    other.check();
    BOOST_TEST(other.empty());
    BOOST_TEST(other.front() == nullptr);
    BOOST_TEST(TimeoutList::remove(*all[4]) == all[4]);  // the last, from what was another list
    BOOST_TEST(TimeoutList::remove(*all[1]) == all[1]);  // one in the middle
    list.check();
    other.append(all[1]);  // both can be used again
    list.append(all[4]);
    other.check();
    list.check();
    for (const int i : {0, 2, 3, 4}) {
        BOOST_TEST(list.popFront() == all[static_cast<std::size_t>(i)]);
        list.check();
    }
    BOOST_TEST(list.empty());
    BOOST_TEST(other.popFront() == all[1]);
    for (const Handle& timeout : all) BOOST_TEST(timeout.use_count() == 1);
}
