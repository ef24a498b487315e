// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "thread/loop_thread.hpp"

#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/test.hpp"

#include <jtimer/manual_clock.hpp>

#include <pthread.h>

using jtimer::detail::LoopThread;
using jtimer::detail::Reporter;
using test::Gate;

namespace {

/// Writes down what is called on its thread. Read by the test after finish().
using Log = std::vector<std::string>;

class Loop final : public LoopThread {
  public:
    Loop(std::function<void()> body, Log& log) : Loop(std::move(body), log, {}) {}
    Loop(std::function<void()> body, Log& log, jtimer::UncaughtExceptionHandler handler)
        : LoopThread(settings(std::move(handler))), body_(std::move(body)), log_(log) {}

    using LoopThread::close;
    void start(std::shared_ptr<const void> kept = nullptr) { LoopThread::start(std::move(kept)); }
    void finish() { thread_.finish(); }

  private:
    static Settings settings(jtimer::UncaughtExceptionHandler handler) {
        Settings settings;
        settings.reporter = std::make_shared<Reporter>("Timer", "loop", std::move(handler));
        settings.clock = std::make_shared<jtimer::ManualClock>();
        return settings;
    }
    void mainLoop() override { body_(); }
    void end() override { log_.emplace_back("end"); }

    const std::function<void()> body_;
    Log& log_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_timer_is_ended_once_when_its_loop_returns) {
    Log log;
    Loop loop([&] { log.emplace_back(loop.isCurrent() ? "loop" : "another thread"); }, log);
    loop.start();
    loop.finish();
    BOOST_TEST(log == (Log{"loop", "end"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_the_loop_throws_is_reported_after_the_timer_has_ended) {
    Log log;
    const auto handler = [&](const std::string& name, const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& e) {
            log.push_back(name + ": " + e.what());
        }
        throw std::logic_error("from the handler, and ignored");
    };
    Loop loop([] { throw std::runtime_error("thrown"); }, log, handler);
    loop.start();
    loop.finish();
    BOOST_TEST(log == (Log{"end", "loop: thrown", "end"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_timer_is_ended_and_nothing_reported_when_pthread_exit_unwinds_its_thread) {
    test::needThreadExit();
    Log log;
    Gate owned;
    const auto handler = [&](const std::string&, const std::exception_ptr&) {
        log.emplace_back("reported");
    };
    Loop loop([] { pthread_exit(nullptr); }, log, handler);
    loop.start(std::shared_ptr<void>(nullptr, [&](void*) { owned.open(); }));
    loop.finish();
    owned.wait();
    BOOST_TEST(log == (Log{"end"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_thread_keeps_its_owner_alive_until_the_loop_has_ended) {
    Log log;
    Gate released;
    const auto owner = std::make_shared<int>();
    Loop loop([&] { released.wait(); }, log);
    loop.start(owner);
    BOOST_TEST(owner.use_count() == 2);
    released.open();
    loop.finish();
    BOOST_TEST(owner.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_forked_child_calls_none_of_the_steps_of_close) {
    test::needFork();
    Log log;
    Gate released;
    Loop loop([&] { released.wait(); }, log);
    loop.start();
    const auto inChild = [&] {
        int steps = 0;
        loop.close([&] { ++steps; });
        return 10 + steps;
    };
    BOOST_TEST(test::inForkedChild(inChild) == 10);
    released.open();
    loop.close([&] { loop.finish(); });
    BOOST_TEST(log == (Log{"end"}), boost::test_tools::per_element());
}
