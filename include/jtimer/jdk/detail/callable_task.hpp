// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/block_allocator.hpp>
#include <jtimer/detail/is_null.hpp>
#include <jtimer/detail/sanitizers.hpp>
#include <jtimer/detail/task_mistake.hpp>
#include <jtimer/jdk/detail/task_access.hpp>
#include <jtimer/jdk/timer_task.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace jtimer::detail {

template <class F>
inline constexpr bool isTaskCallable = isCallableOfTask<F, TimerTask&>;

/// A callable as a TimerTask: callable, task and reference count in one piece of memory.
template <class Callable>
class CallableTask final : public TimerTask {
  public:
    /// Only std::allocate_shared calls it.
    template <class F>  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload)
    explicit CallableTask(F&& callable) : callable_(std::forward<F>(callable)) {}
    CallableTask(const CallableTask&) = delete;
    CallableTask& operator=(const CallableTask&) = delete;
    ~CallableTask() override {
        if (!stateOf(*this).isReleased()) callable_.~Callable();
    }

    /// Does nothing after the release.
    void run() override {
        if (stateOf(*this).isReleased()) return;
        if constexpr (std::is_invocable_v<Callable&, TimerTask&>) {
            static_cast<void>(std::invoke(callable_, static_cast<TimerTask&>(*this)));
        } else {
            static_cast<void>(std::invoke(callable_));
        }
    }

  private:
    void jtimerRelease() noexcept override {
        stateOf(*this).markReleased();
        callable_.~Callable();
    }

    union {  // so that it is destroyed when we say so
        Callable callable_;
    };
};

// In a block, a sanitizer would miss a use of a destroyed task.
#if defined(JTIMER_MEMORY_IS_FOLLOWED)
template <class Task>
using TaskAllocator = std::allocator<Task>;
#else
template <class Task>
using TaskAllocator = BlockAllocator<Task>;
#endif

/// \returns null for an empty std::function or a null function pointer
template <class F>
std::shared_ptr<TimerTask> callableTask(F&& callable) {
    if (isNull(callable)) return nullptr;
    using Task = CallableTask<std::decay_t<F>>;
    return std::allocate_shared<Task>(TaskAllocator<Task>(), std::forward<F>(callable));
}

}  // namespace jtimer::detail
