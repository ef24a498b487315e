// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/environment.hpp"
#include "cluster/micros.hpp"
#include "cluster/runners.hpp"

#include <jtimer/cluster/run_end.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

#include <deque>

namespace jtimer::cluster::detail {

/// Calls Options::onRunEnd, one call at a time, in the order in which the ends were added.
///
/// It has a thread of its own, which exists only if there is such a function. Of the others, that
/// of EndWriter would hold up the ends behind a slow function, that of Node the renewals, and those
/// of the handlers the runs; threads of a pool would make calls at the same time, in any order, and
/// without a bound. Whoever adds an end holds the mutex for as long as that takes to append, never
/// during a call. A function that is slower than the ends makes them wait in memory, which is
/// printed once: no end is dropped.
class RunEndHook {
  public:
    explicit RunEndHook(Environment& environment) : environment_(environment) {}
    ~RunEndHook();  ///< after the last add(); calls the function for all that is there
    RunEndHook(const RunEndHook&) = delete;
    RunEndHook& operator=(const RunEndHook&) = delete;

    /// \throws std::exception if there is no thread
    void start();

    void tell(RunEnd end);  ///< any thread; only if there is a function to be called

    /// Until the function has returned for all ends that were added. Any thread but its own.
    /// \returns false if that takes longer than `wait`
    bool waitUntilTold(Micros wait);

  private:
    using Lock = boost::unique_lock<boost::mutex>;

    void loop();
    void call(const RunEnd& end);
    void told(const Lock& lock);

    Environment& environment_;
    boost::mutex mutex_;  ///< guards the following; not held while the function runs
    boost::condition_variable condition_;
    std::deque<RunEnd> ends_;  ///< the first one stays until its call is over
    bool behind_ = false;      ///< and that has been said
    bool stopping_ = false;
    Runners runners_;  ///< of one thread; another one if the function ends it
};

}  // namespace jtimer::cluster::detail
