// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/sleep.hpp>

#include "tokio/driver.hpp"
#include "tokio/sleep_access.hpp"

#include <utility>

namespace jtimer::tokio {

using detail::SleepAccess;
using detail::SleepEntry;

namespace {

/// Destroys an entry. Its waker is destroyed with no lock held.
void destroy(SleepEntry* entry) noexcept {
    if (entry == nullptr) return;
    entry->driver->takeWaker(*entry);
    if (!entry->isRegistered()) delete entry;
}

}  // namespace

Sleep::Sleep(detail::Driver& driver, std::int64_t deadline)
    : entry_(new SleepEntry(driver)), deadline_(deadline) {}

Sleep::Sleep(Sleep&& other) noexcept
    : entry_(std::exchange(other.entry_, nullptr)),
      deadline_(other.deadline_.load(std::memory_order_relaxed)) {}

Sleep& Sleep::operator=(Sleep&& other) noexcept {
    if (this == &other) return *this;
    SleepEntry* const before = std::exchange(entry_, std::exchange(other.entry_, nullptr));
    deadline_.store(other.deadline_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    destroy(before);  // last: its waker's destructor may use this Sleep
    return *this;
}

Sleep::~Sleep() { destroy(std::exchange(entry_, nullptr)); }

// The waker may run, and destroy this Sleep, before these calls return.

bool Sleep::poll(Waker waker) {
    return entry_->driver->poll(*entry_, SleepAccess::deadlineOf(*this), waker, "Sleep");
}

void Sleep::dropWaker() noexcept { entry_->driver->takeWaker(*entry_); }

void Sleep::wait() { entry_->driver->wait(*entry_, deadline_, "Sleep::wait()"); }

Date Sleep::deadline() const noexcept { return detail::dateOf(SleepAccess::deadlineOf(*this)); }

bool Sleep::isElapsed() const noexcept { return entry_->hasFired(); }

void Sleep::reset(Date deadline) {
    entry_->driver->reset(*entry_, jtimer::detail::toNanos(deadline), deadline_);
}

void Sleep::resetAfter(TimeSpan duration) {
    detail::Driver& driver = *entry_->driver;
    driver.reset(*entry_, detail::deadlineAfter(driver, duration), deadline_);
}

}  // namespace jtimer::tokio
