// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/batch_limit.hpp"
#include "cluster/connected_thread.hpp"
#include "cluster/store.hpp"

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>

#include <vector>

namespace jtimer::cluster::detail {

/// Writes the ends of runs, all that are there in one transaction, unless they are too many or too
/// large for one. While the database is away it keeps them.
class EndWriter : public ConnectedThread {
  public:
    explicit EndWriter(Engine& engine);

    void add(End end);  ///< any thread
    void end();         ///< has the thread end; after the last end is written

  private:
    bool waitForWork() override;
    void work() override;
    void failed(Micros pause) override;
    void recovered() override;
    void resume() override;
    void takeBatch();
    void checkCompleted();
    void write(std::vector<End>& ends);
    void timedOut(const std::vector<End>& ends);
    void writeOneByOne();
    void over(const End& end, const End& written, EndStatus status);
    void died(const End& end);
    static void printGivenUp(const End& end, const char* what);
    void keep(End end, Micros delay);

    boost::mutex mutex_;  ///< guards the following three
    boost::condition_variable condition_;
    std::vector<End> waiting_;
    std::vector<End> later_;  ///< joins `waiting_` when an alarm goes off
    bool ending_ = false;

    // The rest belongs to the thread.
    Alarm laterAlarm_;
    BatchLimit mostEnds_, mostBytes_;  ///< of a batch, which has at least one end
    std::vector<End> batch_;
    bool tooLarge_ = false;                ///< a batch of one end has timed out
    bool soon_ = false, repeats_ = false;  ///< of the batch: what its ends have made due
};

}  // namespace jtimer::cluster::detail
