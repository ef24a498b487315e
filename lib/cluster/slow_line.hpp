// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"
#include "cluster/reports.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

/// Says, once, that the line to the database is too slow for a single payload. Any thread.
class SlowLine {
  public:
    SlowLine(std::string node, Micros timeout) : node_(std::move(node)), timeout_(timeout) {}

    /// \param what "task" or "the end of task"
    void timedOut(const std::string& what, const std::string& name, const std::string& id,
                  std::size_t bytes) {
        // Less than this did not time out because of its size.
        constexpr std::size_t kNoticeable = 16'384;
        if (bytes < kNoticeable || said_.exchange(true)) return;
        printLine("Node \"" + node_ + "\": " + std::to_string(bytes) +
                  " bytes do not pass within operationTimeout (" + std::to_string(timeout_ / 1000) +
                  " ms): " + what + " \"" + name + "\" \"" + id + "\"");
    }

    bool isSaid() const noexcept { return said_; }

  private:
    const std::string node_;
    const Micros timeout_;
    std::atomic<bool> said_{false};
};

}  // namespace jtimer::cluster::detail
