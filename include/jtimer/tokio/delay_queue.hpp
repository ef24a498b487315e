// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/blocker.hpp>
#include <jtimer/tokio/delay_key.hpp>
#include <jtimer/tokio/detail/delay_keys.hpp>
#include <jtimer/tokio/detail/operation.hpp>
#include <jtimer/tokio/detail/slots.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/waker.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace jtimer::tokio {

/// An entry that has left a DelayQueue.
template <class T>
struct Expired {
    T value;        ///< as it was inserted
    Date deadline;  ///< as requested
    DelayKey key;   ///< no longer valid
};

/// A container whose entries come out when they are due, for example a cache that expires, or
/// retries that wait for their next attempt. To its driver, the whole queue is one Sleep.
///
/// Only one thread at a time may use it, as with any container. A moved-from queue can only be
/// assigned to or destroyed. T need only be movable. The queue may outlive its driver: after the
/// driver's shutdown, due entries still come out.
///
/// insert, remove, reset and a poll take constant time, apart from entries that a poll moves on to
/// their next slot. A queue allocates 6 kB for its first entry or waker, and about 56 bytes and a
/// std::optional<T> for each entry beyond the most that it has had since the last clear(); clear()
/// and the destructor free the entries' memory.
template <class T>
class DelayQueue {
  public:
    using Key = DelayKey;  ///< names an entry

    /// An empty queue on the clock of `driver`.
    explicit DelayQueue(TimeDriver& driver) : keys_(driver) {}
    DelayQueue(DelayQueue&&) noexcept = default;  ///< the keys stay valid
    /// Drops the former entries.
    DelayQueue& operator=(DelayQueue&& other) noexcept {
        if (this == &other) return *this;
        const DelayQueue former(std::move(*this));  // destroyed when this one is complete
        keys_ = std::move(other.keys_);
        values_.swap(other.values_);
        return *this;
    }
    ~DelayQueue() = default;

    /// Adds a value that is due `delay` from now. If the queue is then due earlier, the waker of
    /// the last poll is called earlier, too: in the driver's next turn if the value is due at once.
    /// As from all calls, it is never called from this one, see Waker. The waker may poll the
    /// queue.
    /// \throws IllegalArgumentException "Negative duration."
    /// \throws std::bad_alloc; std::length_error "DelayQueue is full." beyond 2^32 entries; what
    ///   moving the value throws. In each case nothing has changed.
    Key insert(T value, TimeSpan delay) { return insertAt(std::move(value), keys_.after(delay)); }

    /// Adds a value as insert() does, with a deadline in the driver's time, which may have passed.
    Key insertAt(T value, Date deadline) {
        const detail::DelayKeys::Place place = keys_.reserve();
        while (values_.size() <= place.slot) values_.grow();
        values_[place.slot].emplace(std::move(value));
        return keys_.insert(place, deadline);
    }

    /// Takes out one due entry. Entries come out in order of their deadlines in milliseconds,
    /// except that an entry that was due when it was inserted or reset may overtake others. If no
    /// entry is due, `waker` is called when the queue should be polled again: when an entry is due,
    /// when distant entries have to be sorted, or when the queue has become empty. An empty waker
    /// leaves the earlier one in place. After the driver's shutdown, which calls the waker even of
    /// an empty queue, no waker is kept.
    /// \returns nothing if no entry is due, or the queue is empty
    /// \throws DriverShutdown "TimeDriver has been shut down." if it would have to wait
    /// \throws what moving the value throws; then the entry is gone
    [[nodiscard]] std::optional<Expired<T>> pollExpired(Waker waker = {}) {
        Waker dropped;
        const std::optional<detail::DelayKeys::Found> entry = keys_.poll(waker, dropped);
        if (!entry) return std::nullopt;
        const Release release{*this, entry->slot};
        return take(*entry);
    }

    /// Calls pollExpired(): for a queue that is the operation of a Timeout or of until(). It is not
    /// ready while the queue is empty.
    std::optional<Expired<T>> operator()(const Waker& waker) { return pollExpired(waker); }

    /// Withdraws the waker of the last poll, and deregisters the queue from the driver. The next
    /// poll goes on; no entry is lost.
    void dropWaker() noexcept { keys_.dropWaker(); }

    /// Takes out the next entry, and blocks until it is due. The driver must have a thread of its
    /// own, or another thread must turn it.
    /// \returns nothing if the queue is empty
    /// \throws DriverShutdown if it would have to wait, and the driver has been shut down
    /// \throws IllegalStateException if it would have to wait on the thread that is turning the
    ///   driver
    std::optional<Expired<T>> next() {
        // Without a waker, so that an earlier poll's waker stays if this call need not block.
        std::optional<Expired<T>> ready = pollExpired();
        if (ready || isEmpty()) return ready;
        detail::Blocker blocker(keys_.sleep(), "DelayQueue::next()");
        for (;;) {
            std::optional<Expired<T>> expired = pollExpired(blocker.waker());
            if (expired) return expired;
            blocker.block();
        }
    }

    /// Takes out an entry, due or not.
    /// \throws IllegalArgumentException "invalid key" if it names no entry
    /// \throws what moving the value throws; then the entry stays
    Expired<T> remove(Key key) {
        const detail::DelayKeys::Found entry = keys_.require(key);
        Expired<T> taken = take(entry);
        erase(entry);
        return taken;
    }

    /// Does what remove() does, but returns nothing if the key names no entry.
    std::optional<Expired<T>> tryRemove(Key key) {
        const std::optional<detail::DelayKeys::Found> entry = keys_.find(key);
        if (!entry) return std::nullopt;
        std::optional<Expired<T>> taken = take(*entry);
        erase(*entry);
        return taken;
    }

    /// Sets another deadline for an entry, even if it is due but has not come out yet.
    /// \throws IllegalArgumentException "invalid key" if it names no entry, "Negative duration."
    void reset(Key key, TimeSpan delay) { resetAt(key, keys_.after(delay)); }
    /// Sets another deadline in the driver's time, which may have passed.
    /// \throws IllegalArgumentException "invalid key" if it names no entry
    void resetAt(Key key, Date deadline) { keys_.reset(key, deadline); }

    /// The deadline as requested.
    /// \throws IllegalArgumentException "invalid key" if it names no entry
    Date deadline(Key key) const { return keys_.require(key).deadline; }

    /// The key of the entry that comes out next; nothing if the queue is empty. Takes time in
    /// proportion to the number of entries in the same slot; if the next entry is weeks away, in
    /// proportion to the number of all such entries.
    std::optional<Key> peek() const { return keys_.peek(); }

    /// Destroys all entries and frees their memory. If there were any, the driver's next turn calls
    /// the waker.
    void clear() {
        const bool wasEmpty = isEmpty();
        detail::Slots<std::optional<T>> dropped;
        dropped.swap(values_);
        keys_.removeAll();
        if (!wasEmpty) keys_.removed();
    }

    std::size_t len() const noexcept { return keys_.size(); }  ///< the number of entries
    bool isEmpty() const noexcept { return len() == 0; }       ///< whether it holds none

    /// Checks the invariants, for tests.
    /// \throws std::logic_error that names the violated invariant
    void check() const { keys_.check(); }

  private:
    friend struct detail::AwaitAccess;

    /// Empties the slot, even if moving the value out of it throws.
    struct Release {
        DelayQueue& queue;
        const std::size_t slot;
        ~Release() {
            queue.values_[slot].reset();
            queue.keys_.release(slot);
        }
    };

    Expired<T> take(const detail::DelayKeys::Found& entry) {
        return {std::move(*values_[entry.slot]), entry.deadline, entry.key};
    }

    /// Removes an entry whose value has been moved out. Not called remove(): an overload would make
    /// `queue.remove({id})` ambiguous.
    void erase(const detail::DelayKeys::Found& entry) {
        keys_.remove(entry);
        { const Release release{*this, entry.slot}; }
        keys_.removed();
    }

    detail::DelayKeys keys_;
    /// The value of each slot that is in use.
    detail::Slots<std::optional<T>> values_;
    detail::AwaitedFlag awaited_;
};

}  // namespace jtimer::tokio
