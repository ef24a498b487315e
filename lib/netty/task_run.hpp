// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "thread/uncaught_exception.hpp"

#include <jtimer/executor.hpp>
#include <jtimer/netty/timeout.hpp>

#include <memory>

namespace jtimer::netty::detail {

/// Runs the task of a timeout that has expired, and ends the run. Reports what the task throws.
void runTask(const std::shared_ptr<Timeout>& timeout, const jtimer::detail::Reporter& reporter);

/// Hands that run to the executor. It ends even if the executor never calls the function. Reports
/// what the executor throws.
void handTo(const Executor& executor, std::shared_ptr<Timeout> timeout,
            const std::shared_ptr<const jtimer::detail::Reporter>& reporter);

}  // namespace jtimer::netty::detail
