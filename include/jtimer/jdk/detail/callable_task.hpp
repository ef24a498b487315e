// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/is_null.hpp>
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
    /// Only std::make_shared calls it.
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

/// \returns null for an empty std::function or a null function pointer
template <class F>
std::shared_ptr<TimerTask> callableTask(F&& callable) {
    if (isNull(callable)) return nullptr;
    return std::make_shared<CallableTask<std::decay_t<F>>>(std::forward<F>(callable));
}

}  // namespace jtimer::detail
