// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/process_mutex.hpp"

#include <memory>
#include <utility>

namespace jtimer::detail {

/// A handler of the whole process, a std::function: some threads may replace it while others call
/// it. To be kept in a NeverDestroyed, as a timer may outlive other static objects.
template <class Handler>
class ProcessHandler {
  public:
    ProcessHandler() noexcept = default;

    /// \returns null if it is empty
    std::shared_ptr<const Handler> get() {
        const Guard lock(mutex_);
        return handler_;
    }

    /// \throws std::bad_alloc, with nothing changed
    void set(Handler handler) {
        std::shared_ptr<const Handler> next;
        if (handler) next = std::make_shared<const Handler>(std::move(handler));
        const Guard lock(mutex_);
        next.swap(handler_);  // the former handler is destroyed after the unlock
    }

  private:
    ProcessMutex mutex_;
    std::shared_ptr<const Handler> handler_ JTIMER_GUARDED_BY(mutex_);  // null: empty
};

}  // namespace jtimer::detail
