// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/counters.hpp"
#include "cluster/dispatcher.hpp"
#include "cluster/end_writer.hpp"
#include "cluster/listener.hpp"
#include "cluster/node.hpp"
#include "cluster/outage.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/cluster/run.hpp>
#include <jtimer/cluster/stats.hpp>
#include <jtimer/cluster/task_options.hpp>
#include <jtimer/time.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/mutex.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::cluster::detail {

/// The half of a Scheduler that runs tasks. Nothing of it exists before start() but the handlers.
/// The functions are Scheduler's.
class Runtime {
  public:
    /// \param options outlive this object, with a name
    /// \param notify sends a notification to the other nodes; any thread, must neither wait nor throw
    Runtime(const Options& options, std::function<void()> notify);
    ~Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    void registerTask(std::string name, Handler handler, TaskOptions options);
    void start();
    bool stop(std::optional<TimeSpan> wait);
    void wakeUp();  ///< this node looks for due tasks; any time
    Stats stats() const;

  private:
    struct Engine;
    enum class State { New, Starting, Started, Stopped };

    std::shared_ptr<Engine> engine() const;

    const Options& options_;
    const std::function<void()> notify_;
    Counters counters_;
    Registry registry_;  ///< under the mutex until start(), then not changed

    mutable boost::mutex mutex_;  ///< guards the next two; nothing is called with it held
    State state_ = State::New;
    std::shared_ptr<Engine> engine_;  ///< once started, until the destructor
};

}  // namespace jtimer::cluster::detail
