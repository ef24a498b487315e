// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/cluster/task_options.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::cluster::detail {

/// Since when a run has been going on, and when that is too long. It does not change, and asks the
/// process's clock: any thread.
class TimeLimit {
  public:
    /// The run begins now.
    TimeLimit(const TaskOptions& options, std::shared_ptr<const jtimer::Clock> clock);

    std::int64_t begunAt() const noexcept { return begunAt_; }  ///< by the clock

    /// No thread needs to run for these to become true; the second one never before the first.
    bool exceeded() const noexcept { return clock_->nanos() >= endsAt_; }
    bool graceOver() const noexcept { return clock_->nanos() >= abandonedAt_; }

    /// Until exceeded(), at least 0. Nothing without a limit.
    std::optional<TimeSpan> left() const noexcept;

    /// From the beginning until graceOver(). Nothing if that never is.
    std::optional<TimeSpan> untilGraceOver() const noexcept;

    std::string message() const;   ///< of a run that has exceeded it
    std::string timeText() const;  ///< of the limit: "1.5 s"
    std::string graceText() const;

  private:
    const std::optional<TimeSpan> timeout_;
    const TimeSpan grace_;
    const std::shared_ptr<const jtimer::Clock> clock_;
    const std::int64_t begunAt_, endsAt_, abandonedAt_;  ///< kNever: no limit
};

}  // namespace jtimer::cluster::detail
