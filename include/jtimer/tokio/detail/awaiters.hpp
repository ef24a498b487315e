// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// What co_await uses. Empty without coroutines. Only <jtimer/tokio/await.hpp> includes it.

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_impl_coroutine) && defined(__cpp_lib_coroutine)

#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/detail/marked_wait.hpp>
#include <jtimer/tokio/detail/operation.hpp>
#include <jtimer/tokio/detail/polled.hpp>
#include <jtimer/tokio/interval.hpp>
#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/sleep.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace jtimer::tokio::detail {

/// Waits until a Sleep has fired, or a Notified has been notified: resumed inside the waker.
template <class Awaited>
class Awaiter {
  public:
    Awaiter(Awaited& awaited, const char* what) noexcept : awaited_(awaited), what_(what) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    /// Also runs when the coroutine is destroyed while it waits.
    ~Awaiter() {
        if (isWaiting_) awaited_.dropWaker();
    }

    bool await_ready() const noexcept { return false; }

    /// On a threaded driver the coroutine may continue, and end, before the poll returns, so
    /// nothing of it is used after that.
    bool await_suspend(std::coroutine_handle<> coroutine) {
        isWaiting_ = true;
        try {
            return !pollFor(awaited_, what_, &resume, coroutine.address());
        } catch (...) {
            isWaiting_ = false;  // the waker that is there is another coroutine's
            throw;
        }
    }

    /// Checks only for a shutdown: a Sleep has fired, though it may have been reset since.
    /// \throws DriverShutdown if it was not over before
    void await_resume() {
        isWaiting_ = false;
        awaited_.poll();
    }

  private:
    static void resume(void* coroutine) { std::coroutine_handle<>::from_address(coroutine)(); }

    Awaited& awaited_;
    const char* const what_;
    /// Used only by the coroutine: before it can continue, when it does, or when it is destroyed.
    bool isWaiting_ = false;
};

template <class Awaited>
struct Owned {
    explicit Owned(Awaited&& given) noexcept : owned(std::move(given)) {}

    Awaited owned;
};

/// An Awaiter that owns what it waits for. The base classes are in this order because the Awaiter
/// uses what is owned until it is destroyed.
template <class Awaited>
class OwnAwaiter : Owned<Awaited>, public Awaiter<Awaited> {
  public:
    OwnAwaiter(Awaited&& awaited, const char* what) noexcept
        : Owned<Awaited>(std::move(awaited)), Awaiter<Awaited>(this->owned, what) {}
};

/// Waits for a tick and takes it.
class IntervalAwaiter : public Awaiter<Sleep> {
  public:
    explicit IntervalAwaiter(Interval& interval) noexcept
        : Awaiter(sleepOf(interval), "Interval"), interval_(interval) {}

    Date await_resume() {
        Awaiter::await_resume();
        if (const std::optional<Date> scheduled = interval_.pollTick()) return *scheduled;
        throw IllegalStateException("The Interval was reset after it had fired.");
    }

  private:
    Interval& interval_;
};

/// Waits until a poll is ready. The first poll is on the thread that begins the wait, unless the
/// coroutine has to yield; the others are in turns of the driver, or in its shutdown, and so is
/// what the coroutine does then. While the wait goes on, only the thread whose poll it is uses this
/// object: see MarkedWait::begin().
template <class Polled>
class [[nodiscard]] PollAwaiter {
  public:
    using Value = typename Polled::Value;

    explicit PollAwaiter(Polled polled) : polled_(std::move(polled)) {}
    PollAwaiter(const PollAwaiter&) = delete;
    PollAwaiter& operator=(const PollAwaiter&) = delete;
    /// Also runs when the coroutine is destroyed while it waits.
    ~PollAwaiter() { end(); }

    bool await_ready() {
        claim();
        if (polled_.isOver()) value_ = polled_.poll({});
        return value_.has_value();
    }

    bool await_suspend(std::coroutine_handle<> coroutine) {
        coroutine_ = coroutine;
        wait_.emplace(polled_.driver());
        if (wait_->yields(&pollAgain, this)) return true;
        if (poll()) return false;
        if (wait_->begin(&pollAgain, this, true)) return true;
        if (poll()) return false;
        return wait_->begin(&pollAgain, this, false);
    }

    Value await_resume() {
        end();
        if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
        if constexpr (std::is_void_v<Value>) {
            value_.reset();
        } else {
            Value taken = std::move(*value_);
            value_.reset();
            return taken;
        }
    }

  private:
    void claim() {
        polled_.forEachFlag([](const AwaitedFlag& flag, const char* what) {
            if (flag.isSet) refuseCoroutine(what);
        });
        setFlags(true);
        isClaimed_ = true;
    }
    void setFlags(bool isSet) {
        polled_.forEachFlag([isSet](AwaitedFlag& flag, const char*) { flag.isSet = isSet; });
    }
    /// Withdraws what polls have left. If the first one has thrown, a waker that is there is not
    /// this coroutine's.
    void end() {
        wait_.reset();
        if (!std::exchange(isClaimed_, false)) return;
        setFlags(false);
        if (std::exchange(hasLeft_, false)) polled_.dropWaker();
    }

    bool poll() {
        value_ = polled_.poll(wait_->waker());
        hasLeft_ = !value_.has_value();
        return value_.has_value();
    }

    /// In a turn or a shutdown.
    static void pollAgain(void* self) {
        auto& awaiter = *static_cast<PollAwaiter*>(self);
        try {
            if (!awaiter.poll() && awaiter.wait_->begin(&pollAgain, self, false)) return;
        } catch (...) {
            awaiter.failure_ = std::current_exception();
            if (awaiter.failure_ == nullptr) throw;  // the unwinding by pthread_exit must continue
        }
        awaiter.coroutine_.resume();
    }

    Polled polled_;
    /// There while the coroutine waits.
    std::optional<MarkedWait> wait_;
    std::coroutine_handle<> coroutine_;
    bool isClaimed_ = false;
    /// A poll has left a waker.
    bool hasLeft_ = false;
    std::optional<Kept<Value>> value_;
    /// What a poll in a turn has thrown.
    std::exception_ptr failure_;
};

}  // namespace jtimer::tokio::detail

#endif
