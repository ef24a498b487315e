// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/store.hpp"

#include <optional>

namespace jtimer::cluster::detail {

/// The end of a run on its way to the table, and what is counted and reported of it.
struct RunEnd : End {
    /// In which complete() has written the end. If that was not committed, this is the failure to
    /// be written.
    std::optional<TransactionNumber> completedIn;
    bool reported = false;  ///< its exception has been, to Options::uncaughtExceptionHandler
    bool ran = true;        ///< false: given up without a run
};

}  // namespace jtimer::cluster::detail
