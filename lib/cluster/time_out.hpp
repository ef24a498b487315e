// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

#include <jtimer/cluster/exceptions.hpp>

namespace jtimer::cluster::detail {

/// The code of a statement that the server has cancelled, as by statement_timeout.
inline constexpr const char* kCancelled = "57014";

/// Whether a statement has failed for want of time: the server has cancelled it, or it was sent and
/// the connection broke late. Not always at the timeout itself: the system gives up a connection
/// after about the same time.
inline bool isTimeOut(const DatabaseException& exception, Micros elapsed, Micros timeout) noexcept {
    if (exception.sqlState() == kCancelled) return true;
    const bool wasSent = dynamic_cast<const OutcomeUnknownException*>(&exception) != nullptr;
    return wasSent && elapsed >= timeout / 2;
}

}  // namespace jtimer::cluster::detail
