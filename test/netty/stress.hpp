// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/manual_wheel.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace test {

/// What has become of the timeouts of one timer.
struct WheelAccount {
    std::atomic<std::int64_t> accepted{0}, rejected{0}, runs{0}, calls{0}, cancelled{0};
    std::int64_t returned = 0;
};

/// Counts; and notes in itself whether it got more than one of run() and cancelled().
class AccountedTask final : public jtimer::netty::TimerTask {
  public:
    AccountedTask(WheelAccount& account, bool throws) : account_(account), throws_(throws) {}

    void run(const Handle& timeout) override {
        ++account_.runs;
        once();
        if (!timeout->isExpired()) BOOST_ERROR("a run of a timeout that is not expired");
        if (throws_) throw 1;
    }
    void cancelled(const Handle& timeout) override {
        ++account_.calls;
        once();
        if (!timeout->isCancelled()) BOOST_ERROR("cancelled() of a timeout that is not");
    }

  private:
    void once() {
        if (done_.exchange(true)) BOOST_ERROR("a second call for one timeout");
    }

    WheelAccount& account_;
    const bool throws_;
    std::atomic<bool> done_{false};
};

/// Four threads add timeouts to one timer, with real ticks of 1 ms, and cancel some of them. After
/// `perThread` timeouts each, or in the midst of it, the timer is stopped. Then each timeout was
/// run, cancelled or returned: exactly one of them.
inline void stressWheel(unsigned seed, int perThread, bool stopInTheMidst) {
    constexpr int threads = 4;
    auto options = wheelOn(std::make_shared<jtimer::SteadyClock>(), 16, 1);
    options.maxPendingTimeouts = 5000;
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    jtimer::netty::HashedWheelTimer timer(options);
    WheelAccount account;

    const auto work = [&](unsigned number) {
        std::minstd_rand random(seed * 100 + number);
        std::deque<Handle> kept;
        for (int i = 0; i < perThread; ++i) {
            try {
                const auto task = std::make_shared<AccountedTask>(account, random() % 64 == 0);
                const auto delay = static_cast<std::int64_t>(random() % 40) - 5;
                kept.push_back(timer.newTimeout(task, delay));
                ++account.accepted;
            } catch (const jtimer::RejectedExecutionException&) {
                ++account.rejected;
            } catch (const jtimer::IllegalStateException&) {
                break;
            }
            if (kept.size() > random() % 64) {
                if (random() % 4 != 0 && kept.front()->cancel()) ++account.cancelled;
                kept.pop_front();
            }
        }
        for (const Handle& timeout : kept) account.cancelled += timeout->cancel() ? 1 : 0;
    };

    boost::thread_group group;
    for (unsigned number = 0; number < threads; ++number)
        group.create_thread([&, number] { work(number); });
    if (stopInTheMidst) {
        while (account.accepted < perThread) boost::this_thread::yield();
        account.returned = static_cast<std::int64_t>(timer.stop().size());
        group.join_all();
    } else {
        group.join_all();
        account.returned = static_cast<std::int64_t>(timer.stop().size());
    }

    BOOST_TEST(account.accepted >= perThread);
    BOOST_TEST(account.runs + account.cancelled + account.returned == account.accepted);
    BOOST_TEST(account.calls == account.cancelled + account.returned);
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

}  // namespace test
