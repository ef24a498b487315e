// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for POSIX: forks.
//
// A program of its own, for it replaces operator new.
#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

using jtimer::go::Channel;
using jtimer::go::Ticker;
using jtimer::go::Timer;
using jtimer::go::Timers;
using test::stateError;

// What a forked child can do with the timers of its parent, while a thread that is not there holds
// their locks; and with timers of its own.

namespace {

const std::string kForked = "time: Timers belong to the parent process";

/// While armed, the next allocation of an array with an alignment hangs: that of a heap that grows,
/// with the lock of its shard held.
struct HangingAllocation {
    std::atomic<bool> armed{false};
    test::Gate hangs, released;
};
HangingAllocation hangingAllocation;

/// A clock that can hang when it is read: as jtimer::go does with the lock of a timer held.
class HangingSteadyClock final : public jtimer::WallClock {
  public:
    std::atomic<bool> armed{false};
    mutable test::Gate hangs, released;
    std::int64_t nanos() const override {
        if (armed && boost::this_thread::get_id() == thread) {
            hangs.open();
            released.wait();
        }
        return steady_.nanos();
    }
    boost::thread::id thread;

  private:
    const jtimer::SteadyClock steady_;
};

}  // namespace

void* operator new(std::size_t size, std::align_val_t alignment) {
    if (hangingAllocation.armed.exchange(false)) {
        hangingAllocation.hangs.open();
        hangingAllocation.released.wait();
    }
    const auto unit = static_cast<std::size_t>(alignment);
    if (void* const memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

/// All that can be done with timers, of a runtime that does not fire.
class Everything {
  public:
    explicit Everything(const jtimer::go::TimersOptions& options)
        : timers(std::make_unique<Timers>(options)), timer(timers->newTimer(kFar)),
          due(timers->newTimer(0)), function(timers->afterFunc(kFar, [] {})),
          ticker(timers->newTicker(kFar)), after(timers->after(kFar)), tick(timers->tick(kFar)) {}

    /// \returns the number of the first thing that has not come out as it should; 0: none
    int useInChild() {
        int number = 0;
        int wrong = 0;
        const auto check = [&](bool isRight) {
            ++number;
            if (!isRight && wrong == 0) wrong = number;
        };
        const auto throws = [&](const std::function<void()>& call) {
            check(stateError(call) == kForked);
        };
        for (Timer* const each : {&timer, &due, &function}) {
            check(!each->stop());
            throws([&] { each->reset(1); });
        }
        ticker.stop();
        throws([&] { ticker.reset(1); });
        for (const Channel& c : {timer.C(), due.C(), ticker.C(), after, tick}) {
            check(!c.tryReceive() && !c.receiveFor(0) && !jtimer::go::select({c}, 0));
            throws([&] { c.receive(); });
            throws([&] { c.receiveFor(1); });
            throws([&] { jtimer::go::select({c}); });
            throws([&] { jtimer::go::select({Channel(), c}, 1); });
        }
        throws([&] { static_cast<void>(timers->newTimer(1)); });
        throws([&] { static_cast<void>(timers->after(1)); });
        throws([&] { static_cast<void>(timers->newTicker(1)); });
        throws([&] { static_cast<void>(timers->tick(1)); });
        throws([&] { timers->afterFunc(1, [] {}); });
        throws([&] { timers->sleep(1); });
        timers->sleep(0);
        timers->check();
        check(timers->stats().pending == 0);
        return wrong;
    }

    void destroy() {
        timer = Timer();
        due = Timer();
        function = Timer();
        ticker = Ticker();
        after = Channel();
        tick = Channel();
        timers.reset();
    }

    static constexpr int kFar = 1'000'000;

    std::unique_ptr<Timers> timers;
    Timer timer, due, function;
    Ticker ticker;
    Channel after, tick;
};

jtimer::go::TimersOptions oneShard() {
    jtimer::go::TimersOptions options;
    options.shards = 1;
    return options;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(go_fork)

BOOST_AUTO_TEST_CASE(g35_a_forked_child_can_use_and_destroy_timers_whose_heap_is_locked) {
    test::needFork();
    Everything everything(oneShard());
    std::vector<Timer> others;
    for (int i = 0; i < 40; ++i) others.push_back(everything.timers->newTimer(Everything::kFar));
    hangingAllocation.armed = true;
    boost::thread grower([&] {
        while (hangingAllocation.armed) {
            others.push_back(everything.timers->newTimer(Everything::kFar));
        }
    });
    hangingAllocation.hangs.wait();
    BOOST_TEST(test::inForkedChild([&] { return everything.useInChild(); }) == 0);
    BOOST_TEST(test::inForkedChild([&] {
                   everything.destroy();
                   return 7;
               }) == 7);
    hangingAllocation.released.open();
    grower.join();
    // Nothing of this has changed the parent.
    BOOST_TEST(everything.timers->newTimer(1).C().receiveFor(20'000).has_value());
    BOOST_TEST(everything.timer.stop());
    BOOST_TEST(everything.due.C().tryReceive().has_value());
}

BOOST_AUTO_TEST_CASE(g35_a_forked_child_can_use_and_destroy_a_timer_that_is_locked) {
    test::needFork();
    const auto clock = std::make_shared<HangingSteadyClock>();
    auto options = oneShard();
    options.clock = clock;
    Everything everything(options);
    boost::thread receiver([&] {
        clock->thread = boost::this_thread::get_id();
        clock->armed = true;
        everything.timer.C().tryReceive();
    });
    clock->hangs.wait();
    BOOST_TEST(test::inForkedChild([&] { return everything.useInChild(); }) == 0);
    BOOST_TEST(test::inForkedChild([&] {
                   everything.destroy();
                   return 7;
               }) == 7);
    clock->armed = false;
    clock->released.open();
    receiver.join();
}

BOOST_AUTO_TEST_CASE(g35_a_forked_child_of_a_runtime_that_has_ended_can_destroy_its_handles) {
    test::needFork();
    Everything everything(oneShard());
    everything.timers.reset();
    BOOST_TEST(test::inForkedChild([&] {
                   const bool isOver = !everything.timer.stop();
                   everything.destroy();
                   return isOver ? 7 : 1;
               }) == 7);
}

BOOST_AUTO_TEST_CASE(g29_in_a_forked_child_select_receives_from_what_is_its_own) {
    test::needThreadInForkedChild();
    Timers parents;
    const Channel c = parents.after(0);
    BOOST_TEST(test::inForkedChild([&] {
                   Timers own;
                   const auto selected = jtimer::go::select({c, own.after(0)});
                   const bool refuses = stateError([&] {
                                            jtimer::go::select({own.after(1'000'000), c});
                                        }) == kForked;
                   return selected.index == 1 && refuses ? 7 : 1;
               }) == 7);
    BOOST_TEST(c.tryReceive().has_value());
}

// AddressSanitizer's allocator may be locked in a forked child: a thread that the parent has just
// started allocates, and the runtime of clang 14 does not take its locks before a fork.
#if !defined(__SANITIZE_ADDRESS__)
BOOST_AUTO_TEST_CASE(g36_a_forked_child_gets_default_timers_of_its_own) {
    test::needThreadInForkedChild();
    Timers& parents = jtimer::go::defaultTimers();
    const Channel c = jtimer::go::after(0);
    BOOST_TEST(test::inForkedChild([&] {
                   if (&jtimer::go::defaultTimers() == &parents) return 1;
                   jtimer::go::sleep(1);
                   if (!jtimer::go::after(1).receiveFor(20'000)) return 2;
                   test::Gate ran;
                   jtimer::go::afterFunc(1, [&] { ran.open(); });
                   ran.wait();
                   if (stateError([&] { parents.sleep(1); }) != kForked) return 3;
                   if (c.tryReceive()) return 4;
                   // And so on, from one generation to the next.
                   return test::inForkedChild([] {
                       jtimer::go::sleep(1);
                       return 7;
                   });
               }) == 7);
    BOOST_TEST(&jtimer::go::defaultTimers() == &parents);
}

// ThreadSanitizer crashes when the thread of the forked child ends.
#if !defined(__SANITIZE_THREAD__)
BOOST_AUTO_TEST_CASE(a_function_may_fork_and_return_in_the_child) {
    // On the thread that fires, and on one of the room: the thread ends, and the child with it.
    for (const bool isInline : {false, true}) {
        auto options = oneShard();
        if (isInline) options.executor = [](const std::function<void()>& f) { f(); };
        Timers timers(options);
        std::atomic<pid_t> child{0};
        test::Gate forked;
        timers.afterFunc(0, [&] {
            const pid_t pid = fork();
            if (pid == 0) {
                alarm(60);
                return;
            }
            child = pid;
            forked.open();
        });
        forked.wait();
        BOOST_TEST(test::exitCodeOf(child) == 0);
    }
}
#endif
#endif

BOOST_AUTO_TEST_SUITE_END()
