// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/access.hpp"
#include "go/context_node.hpp"
#include "go/errors.hpp"
#include "go/function_cell.hpp"
#include "go/runtime.hpp"
#include "sync/never_destroyed.hpp"

#include <jtimer/detail/function_type.hpp>
#include <jtimer/go/context.hpp>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace jtimer::go {

using detail::ContextNode;
using detail::kNever;
using detail::Nanos;
using detail::Runtime;

namespace {

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "context"; }
    std::string message(int error) const override {
        switch (static_cast<ContextError>(error)) {
        case ContextError::Canceled:
            return "context canceled";
        case ContextError::DeadlineExceeded:
            return "context deadline exceeded";
        case ContextError::TimersDestroyed:
            return detail::kDestroyed;
        }
        return "unknown error";
    }
    std::error_condition default_error_condition(int error) const noexcept override {
        switch (static_cast<ContextError>(error)) {
        case ContextError::Canceled:
            return std::errc::operation_canceled;
        case ContextError::DeadlineExceeded:
            return std::errc::timed_out;
        case ContextError::TimersDestroyed:
            break;
        }
        return {error, *this};
    }
};

}  // namespace

/// Objects that are destroyed after main() may still hold error codes, and read their texts.
std::error_code make_error_code(ContextError error) noexcept {
    static jtimer::detail::NeverDestroyed<Category> category;
    return {static_cast<int>(error), category.get()};
}

Context::Context(const Context& other) noexcept : node_(other.node_) {
    if (node_ != nullptr) node_->retain();
}
Context::Context(Context&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
Context& Context::operator=(Context other) noexcept {
    std::swap(node_, other.node_);
    return *this;
}
Context::~Context() {
    if (node_ != nullptr) node_->release();
}

Channel Context::done() const noexcept {
    if (node_ == nullptr || node_->isBackground()) return {};
    node_->retain();
    return Access::channel(*node_);
}

std::error_code Context::err() const noexcept {
    return node_ == nullptr ? std::error_code() : node_->err();
}

std::error_code Context::cause() const noexcept {
    return node_ == nullptr ? std::error_code() : node_->cause();
}

std::optional<Date> Context::deadline() const noexcept {
    if (node_ == nullptr || node_->deadline() == kNever) return std::nullopt;
    return detail::toDate(node_->deadline());
}

/// Makes contexts, and the functions that cancel them.
class ContextAccess {
  public:
    static Context make(ContextNode& node) noexcept { return Context(&node); }
    static ContextNode* node(const Context& context) noexcept { return context.node_; }
    static CancellableContext cancellable(const Context& context) noexcept {
        return {context, CancelFunc(context)};
    }
};

void CancelFunc::operator()(std::error_code cause) const noexcept {
    ContextNode* const node = ContextAccess::node(context_);
    if (node == nullptr) return;
    node->cancel(ContextError::Canceled, cause ? cause : make_error_code(ContextError::Canceled));
}

namespace {

/// The runtime for the deadlines of a context's children.
std::shared_ptr<Runtime> runtimeOf(const Context& context) {
    const ContextNode* const node = ContextAccess::node(context);
    if (node != nullptr && node->runtime() != nullptr) return node->runtime();
    return Access::runtime(defaultTimers());
}

Nanos deadlineOf(const Context& context) noexcept {
    const ContextNode* const node = ContextAccess::node(context);
    return node == nullptr ? kNever : node->deadline();
}

/// A context that nothing can cancel before it is attached to its parent.
Context makeChild(const Context& parent, Nanos deadline) {
    ContextNode* above = ContextAccess::node(parent);
    std::shared_ptr<Runtime> runtime;
    if (above != nullptr) {
        above->requireOfThisProcess();
        runtime = above->runtime();
        if (above->isBackground()) above = nullptr;
    }
    return ContextAccess::make(*new ContextNode(above, std::move(runtime), deadline, false));
}

Timer startDeadline(Runtime& runtime, ContextNode& node, std::error_code cause) {
    const auto make = [&](void* storage) { ::new (storage) detail::Deadline(node, cause); };
    return Access::timer(detail::FunctionCell::createAndStart(
        runtime, node.deadline(),
        detail::FunctionMaker(jtimer::detail::functionType<detail::Deadline>, make),
        detail::FunctionCell::RunsOn::Poller));
}

/// \param deadline earlier than the parent's
CancellableContext makeWithDeadline(const Context& parent, Runtime& runtime, Nanos deadline,
                                    std::error_code cause) {
    if (!cause) cause = ContextError::DeadlineExceeded;
    const Context context = makeChild(parent, deadline);
    ContextNode& node = *ContextAccess::node(context);
    Timer timer;
    if (parent.err()) {
        // attach() cancels it for the same reason.
    } else if (deadline <= runtime.now()) {
        node.cancel(ContextError::DeadlineExceeded, cause);
    } else {
        timer = startDeadline(runtime, node, cause);
    }
    node.attach(std::move(timer));
    return ContextAccess::cancellable(context);
}

}  // namespace

Context background(const Timers& timers) {
    return ContextAccess::make(*new ContextNode(nullptr, Access::runtime(timers), kNever, true));
}

CancellableContext withCancel(const Context& parent) {
    const Context context = makeChild(parent, deadlineOf(parent));
    ContextAccess::node(context)->attach(Timer());
    return ContextAccess::cancellable(context);
}

CancellableContext withDeadline(const Context& parent, Date deadline) {
    return withDeadlineCause(parent, deadline, {});
}

CancellableContext withTimeout(const Context& parent, TimeSpan timeout) {
    return withTimeoutCause(parent, timeout, {});
}

CancellableContext withDeadlineCause(const Context& parent, Date deadline, std::error_code cause) {
    const Nanos nanos = jtimer::detail::toNanos(deadline);
    if (deadlineOf(parent) <= nanos) return withCancel(parent);
    return makeWithDeadline(parent, *runtimeOf(parent), nanos, cause);
}

CancellableContext withTimeoutCause(const Context& parent, TimeSpan timeout,
                                    std::error_code cause) {
    const std::shared_ptr<Runtime> runtime = runtimeOf(parent);
    const Nanos deadline = runtime->timeIn(detail::toNanos(timeout));
    if (deadlineOf(parent) <= deadline) return withCancel(parent);
    return makeWithDeadline(parent, *runtime, deadline, cause);
}

}  // namespace jtimer::go
