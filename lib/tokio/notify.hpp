// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "tokio/driver.hpp"

#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/waker.hpp>

#include <boost/intrusive/list.hpp>

#include <cstdint>
#include <memory>

namespace jtimer::tokio::detail {

struct NotifyQueue;
using NotifyHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<NotifyQueue>,
                                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// The entry to which a Notified refers. While it waits it is parked with the driver, which a
/// shutdown needs, and in the queue of its Notify.
struct NotifiedEntry final : SleepEntry, NotifyHook {
    explicit NotifiedEntry(std::shared_ptr<NotifyState> of);

    const std::shared_ptr<NotifyState> notify;
    /// NotifyState::calls_ at its creation. Constant.
    const std::uint64_t calls;
    /// Chosen by notifyOne(). Under the lock.
    bool isChosen = false;
    // For the owner only.
    bool hasWaited = false;  ///< it has been in the queue
    bool isOver = false;     ///< its owner knows that it has been notified
};

/// What the copies of a Notify share. The driver's monitor guards it, and so it fires an entry and
/// leaves the waker to the driver in one step.
class NotifyState {
  public:
    explicit NotifyState(Driver& driver) : driver_(&driver) {}

    static NotifiedEntry& entryOf(const Notified& notified) noexcept { return *notified.entry_; }
    Driver& driver() const noexcept { return *driver_; }
    std::uint64_t calls() const {
        const Lock lock = driver_->enter();
        return calls_;
    }

    void notifyOne(Lock lock);
    void notifyWaiters();
    /// \param waker swapped for the entry's if it returns false
    bool poll(NotifiedEntry& entry, Waker& waker);
    void wait(NotifiedEntry& entry);
    /// \returns false if it must not even be destroyed, in a forked child
    bool remove(NotifiedEntry& entry) noexcept;
    Waker takeWaker(NotifiedEntry& entry) noexcept;

  private:
    bool take(Lock& lock, NotifiedEntry& entry, Waker& dropped) noexcept;
    void enqueue(Lock& lock, NotifiedEntry& entry);
    void fire(Lock& lock, NotifiedEntry& entry) noexcept;
    void notifyEarlier(Lock& lock);

    const DriverRef driver_;
    /// Those that wait, in the order of their first polls; after a shutdown they are not removed.
    /// Their numbers of calls ascend: one that notifyWaiters() has overtaken is never added.
    boost::intrusive::list<NotifiedEntry, boost::intrusive::base_hook<NotifyHook>,
                           boost::intrusive::constant_time_size<false>>
        queue_;
    /// notifyOne() has been called and nothing waited.
    bool hasPermit_ = false;
    /// How often notifyWaiters() has been called. An entry with an earlier number is notified, even
    /// if it has not been fired yet.
    std::uint64_t calls_ = 0;
};

}  // namespace jtimer::tokio::detail
