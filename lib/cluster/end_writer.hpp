// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/batch_limit.hpp"
#include "cluster/connected_thread.hpp"
#include "cluster/environment.hpp"
#include "cluster/pending_end.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/run_end.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

#include <functional>
#include <string>
#include <vector>

namespace jtimer::cluster::detail {

/// Writes the ends of runs, all that are there in one transaction, unless they are too many or too
/// large for one. While the database is away it keeps them.
class EndWriter : private ConnectedThread::Duty {
  public:
    /// What it tells others. All are called on its thread.
    struct Calls {
        std::function<void()> lookForTasks;     ///< an end has made a task due, or will soon
        std::function<void()> notifyNodes;      ///< the same, for others
        std::function<void(Token)> endWritten;  ///< or fenced: the run is out of hand
        std::function<void(const std::string& failure)> report;  ///< it was no exception
        std::function<void(RunEnd)> tell;  ///< to Options::onRunEnd, of which there is one
    };

    EndWriter(Environment& environment, Calls calls);

    /// \throws what the Store throws
    void connect() { store_.connect(); }
    void start() { thread_.start(); }  ///< after connect()
    void stop();                       ///< has the thread end; after the last end is written
    void join() { thread_.join(); }    ///< after stop(), or without start()

    void add(PendingEnd end);  ///< any thread

    /// Whether the last attempt has failed. Any thread.
    bool isFailing() const noexcept { return thread_.failures() != 0; }

  private:
    struct Waiting : PendingEnd {
        bool refused = false;   ///< the server has, which has been printed
        bool repeated = false;  ///< an earlier attempt to write it may have succeeded
    };

    using Lock = boost::unique_lock<boost::mutex>;

    bool waitForWork() override;
    void work() override;
    void pausing(Micros pause) override;
    void recovered() override { calls_.lookForTasks(); }
    void resume() override;
    void takeBatch(const Lock& lock);
    void checkCompleted();
    void write(std::vector<Waiting>& ends);
    void timedOut(const std::vector<Waiting>& ends);
    void writeOneByOne();
    void settle(const Waiting& end, const End& written, EndStatus status);
    Outcome countWritten(const Waiting& end, const End& written);
    void tell(const PendingEnd& end, const End& written, Outcome outcome) const;
    static void printGivenUp(const PendingEnd& end, const char* what, const std::string& error);
    void keep(Waiting end, Micros delay);

    Environment& environment_;
    const Calls calls_;

    boost::mutex mutex_;  ///< guards the following three
    boost::condition_variable condition_;
    std::vector<Waiting> waiting_;
    std::vector<Waiting> later_;  ///< joins `waiting_` when an alarm goes off
    bool stopping_ = false;

    // The rest belongs to the thread.
    Alarm laterAlarm_;
    BatchLimit mostEnds_, mostBytes_;  ///< of a batch, which has at least one end
    std::vector<Waiting> batch_;
    bool tooLarge_ = false;                ///< a batch of one end has timed out
    bool soon_ = false, repeats_ = false;  ///< of the batch: what its ends have made due
    ConnectedThread thread_;
    Store& store_;  ///< the thread's
};

}  // namespace jtimer::cluster::detail
