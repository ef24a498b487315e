// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace test {

/// A coroutine that its handle destroys.
class Held {
  public:
    struct promise_type {
        Held get_return_object() {
            return Held(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    explicit Held(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
    Held(Held&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
    ~Held() {
        if (coroutine_) coroutine_.destroy();
    }
    bool isDone() const { return coroutine_.done(); }

  private:
    std::coroutine_handle<promise_type> coroutine_;
};

}  // namespace test
