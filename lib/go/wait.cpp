// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/wait.hpp"

#include "go/channel_cell.hpp"
#include "sync/assert.hpp"
#include "sync/uninterruptible.hpp"

#include <utility>

namespace jtimer::go::detail {

Wait::Wait(const std::vector<Candidate>& candidates, std::optional<TimeOut> timeOut,
           std::shared_ptr<Monitor> monitor)
    : Scheduled(Kind::Wait), timeOut_(std::move(timeOut)),
      cases_(std::make_unique<TimerCase[]>(candidates.size())), size_(candidates.size()),
      monitor_(std::move(monitor)) {
    for (std::size_t i = 0; i < size_; ++i) {
        cases_[i].wait = this;
        cases_[i].cell = candidates[i].cell;
        cases_[i].index = candidates[i].index;
    }
}

Wait::~Wait() = default;

bool Wait::claim(Outcome outcome) noexcept {
    Outcome pending = Outcome::Pending;
    return outcome_.compare_exchange_strong(pending, outcome, std::memory_order_acq_rel);
}

bool Wait::claimReceived(std::size_t index, Nanos value) noexcept {
    if (!claim(Outcome::Received)) return false;
    index_ = index;
    value_ = value;
    return true;
}

void Wait::wake() {
    JTIMER_ASSERT(!isPending());
    Lock lock = monitor_->enter();
    woken_ = true;
    monitor_->leaveAndWake(lock);
}

Wait::Outcome Wait::await() {
    const jtimer::detail::Uninterruptible uninterruptible;
    Lock lock = monitor_->enter();
    while (!woken_) monitor_->wait(lock);
    return outcome_.load(std::memory_order_acquire);
}

void WakeList::add(Wait& claimed) noexcept {
    JTIMER_ASSERT(!claimed.isPending());
    claimed.next_ = std::exchange(first_, Ref<Wait>(&claimed));
}

void WakeList::wakeAll() noexcept {
    while (first_ != nullptr) {
        const Ref<Wait> wait = std::exchange(first_, first_->next_);
        wait->next_.reset();
        wait->wake();
    }
}

}  // namespace jtimer::go::detail
