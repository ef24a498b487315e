// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/store.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace jtimer::cluster::detail {

/// The half of a Scheduler that callers use: their calls, on up to four connections of their own.
/// Thread-safe. A call that finds all connections in use waits for one.
class Client {
  public:
    /// \param options outlive this object
    /// \param wakeNode called with no lock held after a write that may be due within pollInterval,
    ///   so that the node of this process looks at once. Other nodes are notified.
    Client(const Options& options, std::function<void()> wakeNode);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    std::size_t schedule(const std::vector<NewTask>& tasks);
    bool scheduleIn(pg_conn* transaction, const NewTask& task);
    bool cancel(const std::string& name, const std::string& id);
    bool reschedule(const std::string& name, const std::string& id, When when);
    std::optional<TaskInfo> find(const std::string& name, const std::string& id);
    std::vector<TaskInfo> list(const Filter& filter);
    Backlog backlog();
    void wakeUp();

    /// Notifies all nodes, soon, on another thread, and at most once each 20 ms. Any thread.
    void notifyNodes() noexcept;

  private:
    using Clock = std::chrono::steady_clock;

    struct Idle {
        std::unique_ptr<Store> store;
        Clock::time_point since;
    };

    /// Borrows a Store, and gives it back.
    template <class Use>
    auto with(const Use& use);
    std::unique_ptr<Store> take();
    void giveBack(std::unique_ptr<Store> store) noexcept;
    void closeIdle();
    void closeLater(boost::mutex::scoped_lock& lock, Clock::duration delay) noexcept;
    void written(Micros dueIn);
    void notify() noexcept;
    Timer& timer(boost::mutex::scoped_lock& lock);

    const Options& options_;
    const std::function<void()> wakeNode_;

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
