// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/store.hpp"

#include <jtimer/cluster/run_end.hpp>

#include <chrono>
#include <optional>

namespace jtimer::cluster::detail {

/// The end of a run on its way to the table, and what is counted, reported and told of it.
struct PendingEnd : End {
    /// In which complete() has written the end. If that was not committed, this is the failure to
    /// be written.
    std::optional<TransactionNumber> completedIn;
    bool reported = false;  ///< its exception has been, to Options::uncaughtExceptionHandler
    bool ran = true;        ///< false: given up without a run
    std::chrono::nanoseconds duration{0};  ///< of the run
};

/// What Options::onRunEnd is told of it: without an error if it is a success.
/// \param written what became of it: see Store::writeEnds()
RunEnd toRunEnd(const PendingEnd& end, const End& written, Outcome outcome);

}  // namespace jtimer::cluster::detail
