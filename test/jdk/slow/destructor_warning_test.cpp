// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/thread_state.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <iostream>
#include <mutex>
#include <optional>
#include <streambuf>

using jtimer::Timer;
using jtimer::TimerTask;
using SteadyTime = std::chrono::steady_clock::time_point;

namespace {

/// Takes what is written to std::cerr, from any thread.
class CerrCapture : private std::streambuf {
  public:
    CerrCapture() : original_(std::cerr.rdbuf(this)) {}
    CerrCapture(const CerrCapture&) = delete;
    CerrCapture& operator=(const CerrCapture&) = delete;
    ~CerrCapture() override { std::cerr.rdbuf(original_); }

    SteadyTime waitForFirstWrite() {
        written_.wait();
        const std::lock_guard<std::mutex> lock(mutex_);
        return *firstWrite_;
    }
    std::string text() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return text_;
    }

  private:
    std::streamsize xsputn(const char* text, std::streamsize size) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!firstWrite_) firstWrite_ = std::chrono::steady_clock::now();
        text_.append(text, static_cast<std::size_t>(size));
        written_.open();
        return size;
    }
    int overflow(int c) override {
        const char character = traits_type::to_char_type(c);
        xsputn(&character, 1);
        return c;
    }

    std::streambuf* const original_;
    std::mutex mutex_;
    std::string text_;
    std::optional<SteadyTime> firstWrite_;
    test::Gate written_;
};

/// Timers whose destructors wait side by side, all for a time that the test's clock does not show.
struct Waiting {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    boost::thread_group destructors;

    std::unique_ptr<Timer> make(const char* name) {
        jtimer::TimerOptions options = test::onClock(clock, false);
        options.name = name;
        return std::make_unique<Timer>(options);
    }
    /// Returns when ~Timer has begun.
    void destroy(std::unique_ptr<Timer> timer) {
        test::Gate begun;
        Timer* const closing = timer.release();
        closing->schedule([&begun, closing] { test::awaitClosed(*closing), begun.open(); }, 0);
        destructors.create_thread([closing] { delete closing; });
        begun.wait();
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(c2_a_destructor_that_waited_5_seconds_for_a_repeating_task_says_so_once) {
    CerrCapture cerr;
    Waiting waiting;
    auto repeats = waiting.make("repeats");
    auto onceOnly = waiting.make("one-shots only");
    auto nothingLives = waiting.make("repeating task was cancelled");
    const std::shared_ptr<TimerTask> task = repeats->schedule([] {}, 10, 10);
    onceOnly->schedule([] {}, 10);
    const auto cancelled = nothingLives->schedule([] {}, 20, 10);
    nothingLives->schedule([] {}, 10);
    waiting.clock->waitUntilIdle();
    cancelled->cancel();

    waiting.destroy(std::move(onceOnly));
    waiting.destroy(std::move(nothingLives));
    const SteadyTime begin = std::chrono::steady_clock::now();
    waiting.destroy(std::move(repeats));

    const SteadyTime said = cerr.waitForFirstWrite();
    BOOST_TEST((said - begin >= std::chrono::seconds(5)));
    // Time enough to say it again, and for the others to say it as well.
    boost::this_thread::sleep_for(boost::chrono::milliseconds(5500));
    BOOST_TEST(
        cerr.text() ==
        "Timer \"repeats\": its destructor has waited five seconds for an unnamed task, which "
        "repeats, to be cancelled. Cancel it, make the timer a daemon, or call detach(), with "
        "which "
        "it goes on without its owner.\n");

    task->cancel();
    waiting.clock->advance(100);
    waiting.destructors.join_all();
}

BOOST_AUTO_TEST_CASE(c2_what_cerr_throws_during_the_warning_is_ignored) {
    struct Broken final : std::streambuf {
        test::Gate written;
        std::streamsize xsputn(const char*, std::streamsize) override {
            written.open();
            return 0;
        }
    } broken;
    std::streambuf* const original = std::cerr.rdbuf(&broken);
    std::cerr.exceptions(std::ios::badbit);
    Waiting waiting;
    auto repeats = waiting.make("repeats");
    const std::shared_ptr<TimerTask> task = repeats->schedule([] {}, 10, 10);
    waiting.destroy(std::move(repeats));
    broken.written.wait();
    task->cancel();
    waiting.destructors.join_all();
    std::cerr.exceptions(std::ios::goodbit);
    std::cerr.clear();
    std::cerr.rdbuf(original);
    BOOST_TEST(!waiting.clock->advanceToNext());
}

// Ported line by line, `synchronized (lock) { timer.cancel(); timer = null; }` waits here for ever.
BOOST_AUTO_TEST_CASE(a_destructor_that_waited_5_seconds_for_a_run_names_the_task_and_the_timer) {
    for (const bool named : {true, false}) {
        CerrCapture cerr;
        std::mutex mutex;
        test::Gate running;
        auto timer = std::make_unique<Timer>("evictor", named);
        const auto task = test::makeTask([&] {
            running.open();
            const std::lock_guard<std::mutex> inTask(mutex);
        });
        if (named) task->setName("evict");
        std::unique_lock<std::mutex> lock(mutex);
        timer->schedule(task, 0);
        running.wait();
        boost::thread destructor([&] { timer.reset(); });
        cerr.waitForFirstWrite();
        lock.unlock();
        destructor.join();
        BOOST_TEST(cerr.text() ==
                   "Timer \"evictor\": its destructor has waited five seconds for " +
                       std::string(named ? "task \"evict\"" : "an unnamed task") +
                       " to end its run. The run may be waiting for a lock that this "
                       "thread holds, or for this thread. After detach(), the "
                       "destructor does not wait.\n");
    }
}

// A daemon would end the job of the inner timer, which goes on after detach().
BOOST_AUTO_TEST_CASE(a_task_that_owns_a_timer_is_named_by_the_destructor_that_waits_in_it) {
    CerrCapture cerr;
    std::shared_ptr<jtimer::TimerTask> poll;
    test::Gate scheduled;
    Timer outer("outer");
    outer.schedule(
        [&] {
            Timer inner("inner");
            poll = inner.schedule([] {}, 10, 10);
            scheduled.open();
        },
        0);
    scheduled.wait();
    cerr.waitForFirstWrite();
    poll->cancel();
    outer.cancel();
    BOOST_TEST(outer.awaitTermination(60'000));
    BOOST_TEST(cerr.text() ==
               "Timer \"inner\": its destructor has waited five seconds for an unnamed task, which "
               "repeats, to be cancelled. Cancel it, make the timer a daemon, or call detach(), "
               "with which it goes on without its owner. This thread is running a task of Timer "
               "\"outer\", which waits too.\n");
}

BOOST_AUTO_TEST_CASE(a_repeating_task_is_named_by_the_destructor_that_waits_for_its_end) {
    CerrCapture cerr;
    Waiting waiting;
    auto repeats = waiting.make("repeats");
    const auto task = test::makeTask();
    task->setName("poll");
    repeats->schedule(task, 10, 10);
    waiting.destroy(std::move(repeats));
    cerr.waitForFirstWrite();
    task->cancel();
    waiting.destructors.join_all();
    BOOST_TEST(cerr.text() ==
               "Timer \"repeats\": its destructor has waited five seconds for task \"poll\", which "
               "repeats, to be cancelled. Cancel it, make the timer a daemon, or call detach(), "
               "with which "
               "it goes on without its owner.\n");
}
