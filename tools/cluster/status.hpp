// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace cluster_tool {

/// The exit statuses. They are an interface.
enum Status {
    kDone = 0,
    kDatabase = 1,      ///< it or its schema, or the output, is at fault
    kBadUsage = 2,      ///< the command line is
    kUnchanged = 3,     ///< there is no such task, it is running, or it is so already
    kNotConfirmed = 4,  ///< and so nothing has changed
    kRunFailed = 5      ///< or has not ended in time
};

}  // namespace cluster_tool
