// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/store.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace jtimer::cluster::detail {

/// The connections, four at most, that a Scheduler's callers share. Thread-safe. A call that finds
/// all of them in use waits for one.
class StorePool {
  public:
    /// \param options outlive this object
    explicit StorePool(const Options& options) : options_(options) {}
    StorePool(const StorePool&) = delete;
    StorePool& operator=(const StorePool&) = delete;

    /// Calls `use(store)` with a Store that no other call uses meanwhile.
    template <class Use>
    auto with(const Use& use) {
        struct Borrowed {
            StorePool& pool;
            std::unique_ptr<Store> store;
            ~Borrowed() { pool.giveBack(std::move(store)); }
        };
        const Borrowed borrowed{*this, take()};
        return use(*borrowed.store);
    }

    /// Notifies all nodes, soon, on another thread, and at most once each 20 ms.
    void notifyNodes() noexcept;

  private:
    using Clock = std::chrono::steady_clock;
    using Lock = boost::unique_lock<boost::mutex>;

    struct Idle {
        std::unique_ptr<Store> store;
        Clock::time_point since;
    };

    std::unique_ptr<Store> take();
    void giveBack(std::unique_ptr<Store> store) noexcept;
    void closeIdle();
    void notify() noexcept;
    bool scheduleIn(const Lock& lock, Clock::duration delay,
                    std::function<void()> function) noexcept;

    const Options& options_;

    boost::mutex mutex_;  ///< guards all below; no statement is sent under it
    boost::condition_variable freed_;
    std::vector<Idle> idle_;  ///< the one used last is last, and taken first
    int borrowed_ = 0;
    bool closing_ = false;    ///< closeIdle() is scheduled
    bool notifying_ = false;  ///< notify() is scheduled
    Clock::time_point notified_;
    /// For notifications that wait, and connections to be closed. Made when needed; last, so that
    /// its thread has ended before anything else is destroyed.
    std::unique_ptr<Timer> timer_;
};

}  // namespace jtimer::cluster::detail
