// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/counters.hpp"
#include "cluster/outage.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace jtimer::cluster::detail {

/// Writes the ends of runs: all that are there in one transaction, on a thread and a connection of
/// its own. While the database is away it keeps them.
class EndWriter {
  public:
    /// Called on the writer's thread, with no lock held; must not throw.
    struct Events {
        /// The end of the run with this token is written, or never can be.
        std::function<void(Token)> written;
        /// There may be something to claim. \param soon also for other nodes
        std::function<void(bool soon)> lookForTasks;
        /// A run has failed, as only this object knows.
        std::function<void(const std::string& error)> failed;
    };

    EndWriter(const Options& options, Timer& timer, Outage& outage, Counters& counters,
              Events events);

    /// Connects and starts the thread. \throws what the Store throws
    void start();

    void join();  ///< ends the thread; after the last end is written

    void add(End end);  ///< any thread

    /// Whether ends cannot be written at present. Any thread.
    bool failing() const noexcept { return attempts_.failures() != 0; }

  private:
    void run();
    void resume();
    bool takeBatch();
    void writeBatch();
    void checkCompleted();
    void write(std::vector<End>& ends);
    void writeOneByOne();
    void over(const End& end, const End& written, EndStatus status);
    void died(const End& end);
    void keep(End end, Micros delay);

    const Options& options_;
    Counters& counters_;
    const Events events_;

    boost::mutex mutex_;  ///< guards the following three
    boost::condition_variable condition_;
    std::vector<End> waiting_;
    std::vector<End> later_;  ///< joins `waiting_` when an alarm goes off
    bool ending_ = false;

    // The rest belongs to the thread.
    Store store_;
    Attempts attempts_;
    Alarm laterAlarm_;
    std::vector<End> batch_;
    bool soon_ = false, repeats_ = false;  ///< of the batch: what its ends have made due
    boost::thread thread_;
};

}  // namespace jtimer::cluster::detail
