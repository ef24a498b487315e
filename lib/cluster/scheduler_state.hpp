// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/client.hpp"
#include "cluster/runtime.hpp"

#include <jtimer/cluster/options.hpp>

#include <string>
#include <utility>

namespace jtimer::cluster::detail {

/// The two halves of a Scheduler: its callers' calls, and its node.
class SchedulerState {
  public:
    /// \param options with a name
    explicit SchedulerState(Options options)
        : options_(std::move(options)), client_(options_, [this] { runtime_.wakeUp(); }),
          runtime_(options_, [this] { client_.notifyNodes(); }) {}

    const std::string& name() const noexcept { return *options_.name; }
    Client& client() noexcept { return client_; }
    Runtime& runtime() noexcept { return runtime_; }

  private:
    const Options options_;
    // The client's own thread never wakes the node, which is destroyed first.
    Client client_;
    Runtime runtime_;
};

}  // namespace jtimer::cluster::detail
