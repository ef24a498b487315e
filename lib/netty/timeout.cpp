// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/netty/timeout.hpp>

#include "netty/origin.hpp"
#include "sync/cache_line.hpp"

#include <jtimer/netty/detail/task_argument.hpp>

#include <cstdint>
#include <utility>

namespace jtimer::netty {

using detail::TimeoutAccess;

namespace detail {

namespace {

/// A timeout with a task of the user's.
class GivenTimeout final : public Timeout {
  public:
    GivenTimeout(TimeoutKey key, std::shared_ptr<netty::TimerTask> given) noexcept
        : Timeout(key), given_(std::move(given)) {}

    std::shared_ptr<netty::TimerTask> task() const noexcept override { return given_; }

  private:
    void run(const std::shared_ptr<Timeout>& timeout) override { given_->run(timeout); }
    void cancelled(const std::shared_ptr<Timeout>& timeout) override { given_->cancelled(timeout); }

    /// The task and its reference counts, which std::make_shared puts before it.
    void prefetchTask() const noexcept override {
        constexpr std::uintptr_t counts = 16;
        const auto task = reinterpret_cast<std::uintptr_t>(given_.get());
        jtimer::detail::prefetchLines(reinterpret_cast<const void*>(task - counts),
                                      std::make_index_sequence<2>());
    }

    const std::shared_ptr<netty::TimerTask> given_;
};

}  // namespace

std::shared_ptr<Timeout> timeoutOf(std::shared_ptr<TimerTask> task) {
    if (task == nullptr) return nullptr;
    return std::allocate_shared<GivenTimeout>(NodeAllocator<GivenTimeout>(), TimeoutAccess::key(),
                                              std::move(task));
}

}  // namespace detail

Timeout::~Timeout() {
    if (origin_ != nullptr) origin_->timeoutIsGone();
}

std::shared_ptr<TimerTask> Timeout::task() const noexcept {
    const std::shared_ptr<Timeout>& self = self_.get();
    return {self, self.get()};
}

void Timeout::prefetchTask() const noexcept {}

HashedWheelTimer* Timeout::timer() const noexcept { return origin_->timer(); }

bool Timeout::isExpired() const noexcept { return TimeoutAccess::isExpired(*this); }

bool Timeout::isCancelled() const noexcept { return TimeoutAccess::isCancelled(*this); }

bool Timeout::cancel() {
    if (!TimeoutAccess::cancel(*this)) return false;
    origin_->push(*this);
    return true;
}

bool Timeout::cancelAndWait() {
    if (cancel()) return true;
    if (TimeoutAccess::isRunning(*this)) origin_->awaitRunEnd(*this);
    return false;
}

}  // namespace jtimer::netty
