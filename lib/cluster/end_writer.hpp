// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/outage.hpp"
#include "cluster/store.hpp"

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <cstdint>
#include <vector>

namespace jtimer::cluster::detail {

struct Engine;

/// Writes the ends of runs: all that are there in one transaction, on a thread and a connection of
/// its own. While the database is away it keeps them.
class EndWriter {
  public:
    explicit EndWriter(Engine& engine);

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

    Engine& engine_;

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
