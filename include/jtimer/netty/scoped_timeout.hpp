// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/netty/timeout.hpp>

#include <memory>
#include <utility>

namespace jtimer::netty {

/// Owns a timeout: the destructor cancels it and waits until its run is over. So a task can safely
/// use the object that has its ScopedTimeout as a member.
///
/// \code
/// class Connection {
///     ...
///     // The last member: it is destroyed first, and so before what close() uses.
///     jtimer::netty::ScopedTimeout idle_{timer_.newTimeout([this] { close(); }, 30s)};
/// };
/// \endcode
///
/// Do not destroy a ScopedTimeout while holding a lock that the task may be waiting for. Inside the
/// run, the destructor does not wait: see Timeout::cancelAndWait. It cancels one timeout: for a
/// task that adds its next timeout itself, it is of no use. Not thread-safe: one thread at a time.
class ScopedTimeout {
  public:
    /// Owns nothing.
    ScopedTimeout() noexcept = default;
    /// Owns `timeout`, which may be null. Use a variable or a member: a temporary would cancel the
    /// timeout at once.
    [[nodiscard]] explicit ScopedTimeout(std::shared_ptr<Timeout> timeout) noexcept
        : timeout_(std::move(timeout)) {}
    ScopedTimeout(ScopedTimeout&& other) noexcept = default;  ///< leaves the other empty
    /// Cancels the timeout that this object owned, as the destructor does. A move onto itself
    /// changes nothing.
    ScopedTimeout& operator=(ScopedTimeout&& other) noexcept {
        // Not by value: a parameter may last until the end of the caller's whole expression.
        ScopedTimeout taken(std::move(other));
        std::swap(timeout_, taken.timeout_);
        return *this;
    }
    ~ScopedTimeout() {
        if (timeout_ != nullptr) timeout_->cancelAndWait();
    }

    /// The timeout; null if it owns none.
    [[nodiscard]] const std::shared_ptr<Timeout>& timeout() const noexcept { return timeout_; }

  private:
    std::shared_ptr<Timeout> timeout_;
};

}  // namespace jtimer::netty
