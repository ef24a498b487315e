// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/context_node.hpp"

#include <jtimer/go/context.hpp>

#include <utility>

namespace jtimer::go::detail {

ContextNode::ContextNode(ContextNode* parent, std::shared_ptr<Runtime> runtime, Nanos deadline,
                         bool isBackground) noexcept
    : EventCell(Kind::Context), parent_(parent), top_(parent == nullptr ? *this : parent->top_),
      runtime_(std::move(runtime)), deadline_(deadline), isBackground_(isBackground) {
    if (parent != nullptr) parent->retain();
}

/// Sets the node and its descendants, one generation after another. They are chained in this order,
/// so that a tree of any depth needs no stack and no memory. A child without references is about to
/// leave the list by itself, and has no children.
void ContextNode::cancel(std::error_code err, std::error_code cause) noexcept {
    if (isSet() || isOfAnotherProcess()) return;
    {
        WakeList toWake;  // outlives the lock
        const Lock lock = enterTree();
        if (isSet()) return;
        retain();
        ContextNode* last = this;
        for (ContextNode* each = this; each != nullptr; each = each->nextSet_) {
            each->err_ = err;
            each->cause_ = cause;
            each->setAll(last, toWake);
        }
    }
    for (ContextNode* each = this; each != nullptr;) {
        ContextNode* const next = each->nextSet_;
        each->stopTimer();
        each->release();
        each = next;
    }
}

/// Sets the node, and moves its children to the chain that ends with `last`.
void ContextNode::setAll(ContextNode*& last, WakeList& toWake) noexcept {
    set(toWake);
    if (is_linked()) unlink();
    while (!children_.empty()) {
        ContextNode& child = children_.front();
        children_.pop_front();
        if (!child.retainIfAlive()) continue;
        last->nextSet_ = &child;
        last = &child;
    }
}

void ContextNode::attach(Timer timer) noexcept {
    bool isParentSet = false;
    {
        const Lock lock = enterTree();
        isParentSet = parent_ != nullptr && parent_->isSet();
        if (!isSet() && !isParentSet) {
            timer_ = std::move(timer);
            if (parent_ != nullptr) parent_->children_.push_back(*this);
            return;
        }
    }
    if (isParentSet) cancel(parent_->err_, parent_->cause_);
    if (timer) timer.stop();
}

/// What the timer's function has captured is destroyed here: a Deadline.
void ContextNode::stopTimer() noexcept {
    Timer timer = std::move(timer_);
    if (timer) timer.stop();
}

/// Leaves the parent, and releases the ancestors in a loop, as there may be many. In a forked child
/// the tree's lock may never be released, so the node stays where it is.
void ContextNode::end() noexcept {
    for (ContextNode* each = this; each != nullptr;) {
        if (each->isOfAnotherProcess()) return;
        {
            const Lock lock = each->enterTree();
            if (each->is_linked()) each->unlink();
        }
        each->stopTimer();
        ContextNode* const parent = each->parent_;
        each->releaseMemory();
        each = parent != nullptr && parent->dropReference() ? parent : nullptr;
    }
}

void ContextNode::releaseMemory() noexcept {
    if (memory_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

Deadline::~Deadline() {
    cancel(ContextError::Canceled, ContextError::TimersDestroyed);
    node_.releaseMemory();
}

void Deadline::operator()() noexcept { cancel(ContextError::DeadlineExceeded, cause_); }

void Deadline::cancel(std::error_code err, std::error_code cause) noexcept {
    if (!node_.retainIfAlive()) return;
    node_.cancel(err, cause);
    node_.release();
}

}  // namespace jtimer::go::detail
