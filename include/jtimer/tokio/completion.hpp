// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/tokio/waker.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace jtimer::tokio {

namespace detail {

/// Tells a process from its forked children.
JTIMER_API std::uint32_t processNumber() noexcept;

}  // namespace detail

/// An operation that completes when a callback or another thread sets its value. Copies share the
/// value. Any thread may set it; only one at a time may poll it. See Timeout, and until().
template <class T>
class Completion {
  public:
    Completion() : state_(std::make_shared<State>()) {}
    /// Shares the value. A waker that a poll of the other has left stays the other's.
    Completion(const Completion& other) noexcept : state_(other.state_) {}
    /// Takes over the other's waker; the other can only be assigned to or destroyed.
    Completion(Completion&& other) noexcept
        : state_(std::move(other.state_)), left_(std::exchange(other.left_, 0)) {}
    /// Withdraws its waker, and then shares the value.
    Completion& operator=(const Completion& other) noexcept {
        if (this != &other) Completion(other).swap(*this);
        return *this;
    }
    /// Withdraws its waker, and then takes over the other's.
    Completion& operator=(Completion&& other) noexcept {
        if (this != &other) Completion(std::move(other)).swap(*this);
        return *this;
    }
    /// Withdraws its waker. In a forked child it may leave what the waker owns undestroyed.
    ~Completion() { dropWaker(); }

    /// Sets the value, and calls the waker of the last poll on the calling thread.
    /// \returns false, without a change, if the value had been set before
    /// \throws what the waker throws
    bool set(T value) const {
        auto made = std::make_unique<T>(std::move(value));  // T's code runs outside of the lock
        Waker waker;
        {
            const std::lock_guard<std::mutex> lock(state_->mutex);
            if (std::exchange(state_->isSet, true)) return false;
            state_->value = std::move(made);
            waker.swap(state_->waker);
        }
        if (waker) waker();
        return true;
    }

    /// Moves the value out once it has been set. Before that, it keeps `waker`, instead of an
    /// earlier one, for set() to call; an empty waker leaves the earlier one in place.
    /// \returns nothing if the value has not been set, or has already been taken
    std::optional<T> operator()(const Waker& waker) const {
        Waker kept = waker;
        std::unique_ptr<T> value;
        {
            const std::lock_guard<std::mutex> lock(state_->mutex);
            if (state_->isSet) {
                value = std::move(state_->value);
            } else if (kept) {
                kept.swap(state_->waker);
                left_ = ++state_->polls;
            }
        }
        if (value == nullptr) return std::nullopt;
        return std::optional<T>(std::move(*value));
    }

    /// Withdraws the waker that the last poll has left, if that was a poll of this very object and
    /// not of a copy. Does not wait for a call of the waker that has begun.
    void dropWaker() const noexcept {
        if (left_ == 0) return;
        Waker dropped;
        std::unique_lock<std::mutex> lock(state_->mutex, std::try_to_lock);
        if (!lock.owns_lock()) {
            // In a forked child, a lock that another thread held is never released.
            if (state_->process != detail::processNumber()) return;
            lock.lock();
        }
        if (std::exchange(left_, 0) == state_->polls) dropped.swap(state_->waker);
        lock.unlock();
    }

  private:
    /// The mutex guards the rest. No user code runs under it.
    struct State {
        std::mutex mutex;
        bool isSet = false;
        std::unique_ptr<T> value;
        /// What the last poll that was given a waker has left, and the number of such polls.
        Waker waker;
        std::uint64_t polls = 0;
        const std::uint32_t process = detail::processNumber();
    };

    void swap(Completion& other) noexcept {
        state_.swap(other.state_);
        std::swap(left_, other.left_);
    }

    std::shared_ptr<State> state_;
    /// The number of the poll by which this object has left a waker; 0: none. Only used by the
    /// thread that polls.
    mutable std::uint64_t left_ = 0;
};

}  // namespace jtimer::tokio
