// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/go/timers.hpp>
#include <jtimer/time.hpp>

#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

namespace jtimer::go {

/// Why a context is done, as a std::error_code: `ctx.err() == ContextError::Canceled`. Canceled
/// also equals std::errc::operation_canceled, and DeadlineExceeded std::errc::timed_out.
enum class ContextError {
    Canceled = 1,      ///< "context canceled"
    DeadlineExceeded,  ///< "context deadline exceeded"
    TimersDestroyed    ///< "time: Timers destroyed", as a cause: its deadline can no longer come
};

JTIMER_API std::error_code make_error_code(ContextError error) noexcept;

}  // namespace jtimer::go

template <>
struct std::is_error_code_enum<jtimer::go::ContextError> : std::true_type {};

namespace jtimer::go {

namespace detail {
class ContextNode;
}

/// Tells the calls of one operation when to stop: Go's context.Context. It is done when it is
/// cancelled, when its deadline comes, or when its parent is done, whichever is first, and then
/// stays done.
///
/// \code
/// const auto [ctx, cancel] = jtimer::go::withTimeout(request.context(), 5s);
/// const jtimer::go::ScopedCancel deferred(cancel);
/// ...
/// if (jtimer::go::select({ctx.done(), answers.C()}).index == 0) return ctx.err();
/// \endcode
///
/// It is a handle: cheap to copy and to pass by value, and all copies are the same context.
/// Contexts form a tree: withCancel(), withDeadline() and withTimeout() make children. When a
/// context is done, all its descendants are done before the call that has cancelled it returns.
///
/// A context lives as long as it has handles: copies of it, of its CancelFunc and of its channel,
/// blocked calls, and its descendants. After the last of them it leaves its parent, and its timer
/// stops; so does a context that is done. So a CancelFunc that is never called leaks nothing.
///
/// **The clock.** The deadlines of a tree are times of the Timers of its root: background() uses
/// defaultTimers(). In a test, let the root be background(timers), with Timers on a ManualClock. A
/// deadline is one timer of these Timers, and is counted in their stats(). It needs no thread: the
/// thread that fires the timers ends the context. When the Timers are destroyed first, contexts
/// with a deadline are cancelled, and cause() is ContextError::TimersDestroyed.
///
/// **Threads.** Every function may be called by any thread, and by several threads on one object as
/// long as none assigns to it or destroys it. None blocks, and none calls user code.
///
/// **Forked children** can read the contexts of their parent process and destroy their handles.
/// There a CancelFunc does nothing, and what makes a child throws TimersDestroyed.
class JTIMER_API Context {
  public:
    /// background(), as is a context that was moved from.
    Context() noexcept = default;
    Context(const Context& other) noexcept;      ///< the same context
    Context(Context&& other) noexcept;           ///< leaves background() in the other
    Context& operator=(Context other) noexcept;  ///< drops the context that it was
    ~Context();

    /// A channel with a value for every receive once the context is done; nil if it can never be
    /// done, for background() only.
    [[nodiscard]] Channel done() const noexcept;

    /// \returns no error until done; then ContextError::Canceled or DeadlineExceeded. `message()`
    ///   is Go's text
    [[nodiscard]] std::error_code err() const noexcept;

    /// \returns what was given to the CancelFunc that has ended this context or an ancestor, or for
    ///   the deadline that has; if nothing was given, what err() returns
    [[nodiscard]] std::error_code cause() const noexcept;

    /// \returns when it is done at the latest, on the clock of its Timers: never later than its
    ///   parent's; nothing if it has no deadline
    [[nodiscard]] std::optional<Date> deadline() const noexcept;

  private:
    friend class ContextAccess;
    explicit Context(detail::ContextNode* node) noexcept : node_(node) {}

    /// Holds a reference. Null: background().
    detail::ContextNode* node_ = nullptr;
};

/// Cancels a context, as Go's CancelFunc and CancelCauseFunc. Copies cancel the same context.
/// Calling it again, or after the context is done, does nothing. Any number of threads may
/// call it at once.
class JTIMER_API CancelFunc {
  public:
    /// Cancels nothing.
    CancelFunc() noexcept = default;

    /// Makes err() ContextError::Canceled, for the context and its descendants.
    void operator()() const noexcept { (*this)(ContextError::Canceled); }
    /// Also sets what cause() returns from then on; if `cause` is no error, cause() returns
    /// ContextError::Canceled.
    void operator()(std::error_code cause) const noexcept;

  private:
    friend class ContextAccess;
    explicit CancelFunc(Context context) noexcept : context_(std::move(context)) {}

    Context context_;
};

/// Go's `defer cancel()`: cancels at the end of its scope.
class ScopedCancel {
  public:
    /// Calls `cancel` when it is destroyed.
    [[nodiscard]] explicit ScopedCancel(CancelFunc cancel) noexcept : cancel_(std::move(cancel)) {}
    ScopedCancel(const ScopedCancel&) = delete;
    ScopedCancel& operator=(const ScopedCancel&) = delete;
    ~ScopedCancel() { cancel_(); }

  private:
    const CancelFunc cancel_;
};

/// A new context, and what cancels it.
struct CancellableContext {
    Context context;    ///< a child of the context it was made from
    CancelFunc cancel;  ///< cancels `context` and its descendants
};

/// The root of a tree: never done, without a deadline. The deadlines of its descendants are those
/// of defaultTimers().
[[nodiscard]] inline Context background() noexcept { return {}; }

/// The root of a tree: never done, without a deadline. The deadlines of its descendants are those
/// of `timers`, which they may outlive.
/// \throws std::bad_alloc
[[nodiscard]] JTIMER_API Context background(const Timers& timers);

/// A child without a deadline of its own.
/// \throws std::bad_alloc
/// \throws TimersDestroyed in a forked child, for a parent of its parent process; as do the others
[[nodiscard]] JTIMER_API CancellableContext withCancel(const Context& parent);

/// A child that is done at `deadline`, unless its parent's deadline is earlier. If it has passed,
/// the child is done already.
/// \throws std::bad_alloc; TimersDestroyed; what defaultTimers() throws
[[nodiscard]] JTIMER_API CancellableContext withDeadline(const Context& parent, Date deadline);

/// withDeadline() at `timeout` from now.
/// \throws as withDeadline()
[[nodiscard]] JTIMER_API CancellableContext withTimeout(const Context& parent, TimeSpan timeout);

/// withDeadline() with a cause. If this deadline ends the child, err() is still
/// ContextError::DeadlineExceeded, and cause() is `cause`. It is not if the parent's deadline is
/// not later than this one, or if the CancelFunc or an ancestor is first.
/// \param cause if it is no error, cause() returns ContextError::DeadlineExceeded
/// \throws as withDeadline()
[[nodiscard]] JTIMER_API CancellableContext withDeadlineCause(const Context& parent, Date deadline,
                                                              std::error_code cause);

/// withDeadlineCause() at `timeout` from now.
/// \throws as withDeadline()
[[nodiscard]] JTIMER_API CancellableContext withTimeoutCause(const Context& parent,
                                                             TimeSpan timeout,
                                                             std::error_code cause);

}  // namespace jtimer::go
