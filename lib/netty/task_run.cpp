// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/task_run.hpp"

#include "netty/origin.hpp"
#include "netty/timeout_access.hpp"
#include "thread/run_here.hpp"

#include <exception>
#include <utility>

namespace jtimer::netty::detail {

using jtimer::detail::exceptionOf;
using jtimer::detail::Reporter;
using jtimer::detail::RunHere;
using Access = TimeoutAccess;

namespace {

/// A run that the executor is given. All copies of the executor's function share it. If the last of
/// them is destroyed before it was called, the run ends there.
class HandedOver {
  public:
    HandedOver(std::shared_ptr<Timeout> timeout, std::shared_ptr<const Reporter> reporter) noexcept
        : timeout_(std::move(timeout)), reporter_(std::move(reporter)) {}
    HandedOver(const HandedOver&) = delete;
    HandedOver& operator=(const HandedOver&) = delete;
    ~HandedOver() { Access::origin(*timeout_)->endRun(*timeout_); }

    void run() const {
        const RunHere here(timeout_.get());
        runTask(timeout_, *reporter_);
    }

  private:
    const std::shared_ptr<Timeout> timeout_;
    const std::shared_ptr<const Reporter> reporter_;
};

}  // namespace

void runTask(const std::shared_ptr<Timeout>& timeout, const Reporter& reporter) {
    /// Also ends it when pthread_exit unwinds the thread.
    struct End {
        Timeout& timeout;
        ~End() { Access::origin(timeout)->endRun(timeout); }
    } const end{*timeout};
    const std::exception_ptr uncaught = exceptionOf([&] { Access::run(timeout); });
    if (uncaught != nullptr) static_cast<void>(reporter.reportRun(uncaught));
}

void handTo(const Executor& executor, std::shared_ptr<Timeout> timeout,
            const std::shared_ptr<const Reporter>& reporter) {
    const std::exception_ptr uncaught = exceptionOf([&] {
        const auto handed = std::make_shared<HandedOver>(std::move(timeout), reporter);
        executor([handed] { handed->run(); });
    });
    if (timeout != nullptr) Access::origin(*timeout)->endRun(*timeout);  // no memory to do it
    if (uncaught != nullptr) static_cast<void>(reporter->reportRun(uncaught));
}

}  // namespace jtimer::netty::detail
