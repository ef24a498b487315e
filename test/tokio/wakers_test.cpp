// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/tokio/delay_queue.hpp>

#include <condition_variable>
#include <mutex>

using namespace std::chrono_literals;
using jtimer::tokio::DelayKey;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Interval;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;

// Wakers are called by the driver, and not inside a call that makes something ready: so the caller
// may hold a lock that the waker takes.

namespace {

struct ThreadedDriver : test::PolledDriver {
    std::optional<TimeDriver> threaded{std::in_place, threadedOptions(clock)};

    jtimer::tokio::TimeDriverOptions threadedOptions(std::shared_ptr<jtimer::Clock> on) {
        auto with = options();
        with.polled = false;
        with.name = "driver";
        with.clock = std::move(on);
        return with;
    }
};

/// A clock that can be set.
class Settable final : public jtimer::WallClock {
  public:
    std::atomic<std::int64_t> now{10'000'000'000};
    std::int64_t nanos() const override { return now; }
};

/// What a server would do: some threads add, use and drop entries of a map under its mutex, and a
/// waker that takes the mutex drops what has expired. A Sleep keeps the time of the last use.
class Cache {
  public:
    explicit Cache(TimeDriver& driver) : queue_(driver), lastUse_(driver.sleep(1h)) {
        const Guard guard(mutex_);
        poll(guard);
        pollLastUse(guard);
    }

    void step(std::mt19937& random) {
        const Guard guard(mutex_);
        const auto span = std::chrono::microseconds(random() % 3000);
        const int name = static_cast<int>(random() % 32);
        const auto found = keys_.find(name);
        switch (random() % 8) {
        case 0:
        case 1:
        case 2:
            if (found != keys_.end()) break;
            keys_[name] = queue_.insert(name, random() % 2 == 0 ? 0us : span);
            ++inserted_;
            break;
        case 3:
            if (found != keys_.end()) queue_.reset(found->second, span);
            break;
        case 4:
            if (found != keys_.end()) queue_.reset(found->second, 0);
            break;
        case 5:
            if (found == keys_.end()) break;
            queue_.remove(found->second);
            keys_.erase(found);
            ++dropped_;
            break;
        case 6:
            lastUse_.resetAfter(random() % 2 == 0 ? 0us : span);
            break;
        default:
            if (random() % 16 != 0) break;
            dropped_ += queue_.len();
            queue_.clear();
            keys_.clear();
        }
    }

    /// To be called when all threads have ended. Waits for the wakers: nothing is left behind.
    bool ends() {
        {
            const Guard guard(mutex_);
            lastUse_.resetAfter(0);
            isEnding_ = true;
        }
        std::unique_lock<std::mutex> lock(mutex_);
        return changed_.wait_for(lock, 20s, [this] { return keys_.empty() && isUsedLast_; });
    }

    void check() {
        const Guard guard(mutex_);
        queue_.check();
        BOOST_TEST(queue_.isEmpty());
        BOOST_TEST(inserted_ == expired_ + dropped_);
        BOOST_TEST(expired_ > 0U);
        BOOST_TEST(wakes_ > 0);
    }

  private:
    using Guard = std::lock_guard<std::mutex>;

    void poll(const Guard&) {
        while (auto expired = queue_.pollExpired([this] { wake(); })) {
            keys_.erase(expired->value);
            ++expired_;
        }
        changed_.notify_all();
    }
    void wake() {
        const Guard guard(mutex_);
        ++wakes_;
        poll(guard);
    }
    void pollLastUse(const Guard&) {
        if (!lastUse_.poll([this] { wakeLastUse(); })) return;
        isUsedLast_ = isEnding_;
        if (isEnding_) {
            changed_.notify_all();
        } else {
            lastUse_.resetAfter(1ms);
            lastUse_.poll([this] { wakeLastUse(); });
        }
    }
    void wakeLastUse() {
        const Guard guard(mutex_);
        pollLastUse(guard);
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<int, DelayKey> keys_;
    std::size_t inserted_ = 0, expired_ = 0, dropped_ = 0;
    int wakes_ = 0;
    bool isEnding_ = false, isUsedLast_ = false;
    DelayQueue<int> queue_;
    Sleep lastUse_;
};

/// Four threads use a cache of the driver.
void stressCache(TimeDriver& driver) {
    Cache cache(driver);
    boost::thread_group threads;
    for (unsigned i = 0; i < 4; ++i) {
        threads.create_thread([&, i] {
            std::mt19937 random(i);
            for (int n = 0; n < 4000; ++n) {
                cache.step(random);
                if (random() % 64 == 0) boost::this_thread::yield();
            }
        });
    }
    threads.join_all();
    BOOST_TEST(cache.ends());
    cache.check();
    driver.check();
    driver.shutdown();
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_wakers, ThreadedDriver)

BOOST_AUTO_TEST_CASE(t19_t57_a_reset_under_a_lock_wakes_on_the_thread_of_the_driver) {
    std::mutex mutex;
    std::string threads;
    const auto takesLock = [&] {
        const std::lock_guard<std::mutex> lock(mutex);
        threads += test::currentThreadName() + ' ';
    };
    Sleep sleep = threaded->sleep(10);
    Interval interval = threaded->intervalAt(at(10), 10);
    sleep.poll(takesLock);
    static_cast<void>(interval.pollTick(takesLock));
    {
        const std::lock_guard<std::mutex> lock(mutex);
        sleep.reset(at(0));
        interval.resetImmediately();
        BOOST_TEST(sleep.isElapsed());
        BOOST_TEST(threads == "");
    }
    clock->waitUntilIdle();
    BOOST_TEST(threads == "driver driver ");
    BOOST_TEST(threaded->size() == 0U);
}

BOOST_AUTO_TEST_CASE(t50_t57_calls_of_a_queue_wake_before_the_clock_is_moved) {
    DelayQueue<int> queue(*threaded);
    static_cast<void>(queue.pollExpired(waker("inserted")));
    queue.insert(1, 0);
    clock->advance(5ms);
    BOOST_TEST(take() == "inserted@0");
    BOOST_TEST(queue.pollExpired().has_value());
    const DelayKey key = queue.insert(2, 10);
    static_cast<void>(queue.pollExpired(waker("removed")));
    queue.remove(key);
    clock->advance(5ms);
    BOOST_TEST(take() == "removed@5");
}

BOOST_AUTO_TEST_CASE(t15_t19_a_clock_that_goes_back_does_not_delay_a_waker) {
    const auto settable = std::make_shared<Settable>();
    TimeDriver real(threadedOptions(settable));
    test::Counter turned, woken;
    Sleep first = real.sleep(1h), second = real.sleep(1h);
    first.poll([&] { turned.up(); });
    second.poll([&] { woken.up(); });
    settable->now += 1'000'000'000;
    first.reset(real.start());
    BOOST_TEST(turned.reaches(1));
    while (real.elapsed() != 1s) boost::this_thread::yield();  // the turn ends
    settable->now -= 9'000'000'000;
    second.reset(real.now());
    BOOST_TEST(woken.reaches(1));
}

BOOST_AUTO_TEST_CASE(t25_wakers_take_the_mutex_under_which_a_cache_is_used_threaded) {
    TimeDriver real;
    stressCache(real);
}

BOOST_AUTO_TEST_CASE(t25_wakers_take_the_mutex_under_which_a_cache_is_used_polled) {
    std::mutex mutex;
    std::condition_variable changed;
    bool isUnparked = false, isOver = false;
    jtimer::tokio::TimeDriverOptions with;
    with.polled = true;
    with.unpark = [&] {
        const std::lock_guard<std::mutex> lock(mutex);
        isUnparked = true;
        changed.notify_one();
    };
    TimeDriver real(std::move(with));
    boost::thread loop([&] {
        std::unique_lock<std::mutex> lock(mutex);
        while (!isOver) {
            lock.unlock();
            real.turn();
            const auto next = real.nextWake();
            lock.lock();
            const auto ready = [&] { return isUnparked || isOver; };
            // Nothing but an unparking, or the time, ends this wait.
            if (next) {
                changed.wait_for(lock, *next - real.now(), ready);
            } else {
                changed.wait(lock, ready);
            }
            isUnparked = false;
        }
    });
    stressCache(real);
    {
        const std::lock_guard<std::mutex> lock(mutex);
        isOver = true;
        changed.notify_one();
    }
    loop.join();
}

BOOST_AUTO_TEST_SUITE_END()
