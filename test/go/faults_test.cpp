// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"
#include "support/forking.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

#include <jtimer/go.hpp>

namespace {

struct Fixture {
    static constexpr test::Traits traits{false, false, false, false, true};

    test::Reports reports;
    std::unique_ptr<jtimer::go::Timers> timers;
    jtimer::go::Timer last;

    explicit Fixture(std::shared_ptr<jtimer::Clock> clock) {
        auto options = test::goOnClock(std::move(clock));
        options.uncaughtExceptionHandler = reports.handler();
        timers = std::make_unique<jtimer::go::Timers>(options);
    }
    void after(std::chrono::nanoseconds delay, std::function<void()> task) {
        last = timers->afterFunc(delay, std::move(task));
    }
    void longest(std::function<void()> task) {
        after(std::chrono::nanoseconds::max(), std::move(task));
    }
    void addAndCancel() const { timers->newTimer(std::chrono::hours(1)).stop(); }
    void cancelInChild() { last.stop(); }
    bool isOver() const {
        try {
            static_cast<void>(timers->newTimer(std::chrono::hours(1)));
            return false;
        } catch (const jtimer::IllegalStateException&) {
            return true;
        }
    }
    void destroy() {
        timers.reset();
        last = {};
    }
};

/// A wall clock that forks at the n-th reading by another thread than its maker's, which must be
/// one thread.
class ForkingClock final : public jtimer::WallClock {
  public:
    explicit ForkingClock(int n) : remaining_(n) {}

    mutable test::ForksOnce forks;
    const test::SharedCount readInChild;

    std::int64_t nanos() const override {
        if (boost::this_thread::get_id() != maker_) {
            if (isChild_) readInChild.up();
            if (--remaining_ == 0) isChild_ = forks();
        }
        return WallClock::nanos();
    }

  private:
    const boost::thread::id maker_ = boost::this_thread::get_id();
    mutable int remaining_;
    mutable bool isChild_ = false;
};

}  // namespace

FAULT_CASES(Fixture)
FORKING_CASES(Fixture)

#if defined(CHILDREN_MAY_END_THEIR_THREAD)
/// A clock that may be set back is also read before each look at the heaps, before each fire, and
/// for each time-out. In the child nothing follows: the next reading would be that of a timer, or
/// of a sleep, whose locks another thread of the parent may hold.
BOOST_AUTO_TEST_CASE(a_clock_that_can_be_set_may_fork_on_the_pollers_thread) {
    for (const int n : {1, 2, 3, 4, 5, 6}) {
        const auto clock = std::make_shared<ForkingClock>(n);
        jtimer::go::Timers timers(test::goInline(clock));
        const jtimer::go::Timer far = timers.newTimer(std::chrono::hours(1));
        BOOST_TEST(!far.C().receiveFor(1).has_value());
        BOOST_TEST(clock->forks.childsExitCode() == 0);
        BOOST_TEST(clock->readInChild.get() == 0);
    }
}
#endif
