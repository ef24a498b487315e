// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/blocker.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/waker.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace jtimer::tokio {

/// Names an entry of a DelayQueue. No two entries of a queue ever have the same key.
struct DelayKey {
    std::uint64_t id = 0;  ///< 0: no entry

    /// Whether both name the same entry.
    friend bool operator==(DelayKey a, DelayKey b) noexcept { return a.id == b.id; }
    /// Whether they do not.
    friend bool operator!=(DelayKey a, DelayKey b) noexcept { return a.id != b.id; }
};

namespace detail {

/// The part of a DelayQueue that does not depend on the type of its values. These lie in numbered
/// slots.
class JTIMER_API DelayKeys {
  public:
    struct Found {
        std::size_t slot;
        DelayKey key;
        Date deadline;
    };

    explicit DelayKeys(TimeDriver& driver);
    DelayKeys(DelayKeys&& other) noexcept;
    DelayKeys& operator=(DelayKeys&& other) noexcept;
    ~DelayKeys();

    /// \throws IllegalArgumentException "Negative duration."
    Date after(TimeSpan duration) const;

    /// The slot that the next insert() uses: the number of slots so far, or less.
    std::size_t nextSlot();
    DelayKey insert(Date deadline);
    void reset(DelayKey key, Date deadline);

    std::optional<Found> find(DelayKey key) const;
    /// \throws IllegalArgumentException "invalid key"
    Found require(DelayKey key) const;
    std::optional<DelayKey> peek() const;
    std::size_t size() const noexcept;

    /// Removes an entry that is due. Its slot can be used again after release().
    std::optional<Found> poll(Waker waker);
    /// Removes an entry that find() has found. Its slot can be used again after release().
    void remove(const Found& entry) noexcept;
    void removeAll();

    void release(std::size_t slot) noexcept;
    /// To be called last by what has removed or released something: calls the waker if the queue
    /// has become empty, or else moves the wake-up. The waker may destroy the queue.
    void removed();

    /// A Sleep on the queue's driver.
    Sleep& sleep() const noexcept;
    void check() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace detail

/// An entry that has left a DelayQueue.
template <class T>
struct Expired {
    T value;        ///< as it was inserted
    Date deadline;  ///< as it was asked for
    DelayKey key;   ///< no longer valid
};

/// A container whose entries come out when their time has come: a cache that expires, retries that
/// wait for their next attempt. To its driver, the whole queue is one Sleep.
///
/// Only one thread at a time may use it, as with any container. A moved-from queue can only be
/// assigned to or destroyed. T need only be movable. The queue may outlive its driver: after the
/// driver's shutdown, what is due still comes out.
///
/// insert, remove, reset and a poll take constant time, apart from entries that a poll moves on to
/// their next slot.
template <class T>
class DelayQueue {
  public:
    using Key = DelayKey;  ///< names an entry

    /// An empty queue on the clock of `driver`.
    explicit DelayQueue(TimeDriver& driver) : keys_(driver) {}
    DelayQueue(DelayQueue&&) noexcept = default;             ///< the keys stay valid
    DelayQueue& operator=(DelayQueue&&) noexcept = default;  ///< drops what it held
    ~DelayQueue() = default;

    /// Adds a value that is due `delay` from now. If that makes the queue due earlier, the waker of
    /// the last poll is called earlier too: before this returns if the value is due at once. That
    /// waker may poll the queue.
    /// \throws IllegalArgumentException "Negative duration."
    /// \throws std::bad_alloc; std::length_error "DelayQueue is full." beyond 2^32 entries; what
    ///   moving the value throws. Then nothing has changed.
    Key insert(T value, TimeSpan delay) { return insertAt(std::move(value), keys_.after(delay)); }

    /// The same at a point in the driver's time, which may have passed.
    Key insertAt(T value, Date deadline) {
        const std::size_t slot = keys_.nextSlot();
        if (slot == values_.size()) values_.emplace_back();
        values_[slot].emplace(std::move(value));
        return keys_.insert(deadline);
    }

    /// Takes out one entry that is due, in the order of the milliseconds of their deadlines; an
    /// entry that was due when it was inserted or reset may overtake others. If none is due, or the
    /// queue is empty, `waker` is called when it is worth polling again: when an entry is due, when
    /// distant entries have to be sorted, and when the queue has become empty. An empty waker
    /// leaves the earlier one in place.
    /// \returns nothing if no entry is due, or the queue is empty
    /// \throws IllegalStateException "TimeDriver has been shut down." if it would have to wait
    std::optional<Expired<T>> pollExpired(Waker waker = {}) {
        const std::optional<detail::DelayKeys::Found> entry = keys_.poll(std::move(waker));
        if (!entry) return std::nullopt;
        const Release release{keys_, entry->slot};
        return take(*entry);
    }

    /// Takes out the next entry, and blocks until it is due. The driver must have a thread of its
    /// own, or another thread must turn it.
    /// \returns nothing if the queue is empty
    /// \throws IllegalStateException "TimeDriver has been shut down." if it would have to wait, or
    ///   would have to wait on the thread that is turning the driver
    std::optional<Expired<T>> next() {
        // Without a waker: where it need not block, the one of an earlier poll stays.
        std::optional<Expired<T>> ready = pollExpired();
        if (ready || isEmpty()) return ready;
        detail::Blocker blocker(keys_.sleep());
        for (;;) {
            std::optional<Expired<T>> expired = pollExpired(blocker.waker());
            if (expired) return expired;
            blocker.block();
        }
    }

    /// Takes an entry out, due or not.
    /// \throws IllegalArgumentException "invalid key" if it names no entry
    Expired<T> remove(Key key) { return takeOut(keys_.require(key)); }

    /// The same, but returns nothing if the key names no entry.
    std::optional<Expired<T>> tryRemove(Key key) {
        const std::optional<detail::DelayKeys::Found> entry = keys_.find(key);
        if (!entry) return std::nullopt;
        return takeOut(*entry);
    }

    /// Gives an entry another deadline, even if it is due and has not come out yet.
    /// \throws IllegalArgumentException "invalid key" if it names no entry, "Negative duration."
    void reset(Key key, TimeSpan delay) { resetAt(key, keys_.after(delay)); }
    /// The same with a point in the driver's time, which may have passed.
    /// \throws IllegalArgumentException "invalid key" if it names no entry
    void resetAt(Key key, Date deadline) { keys_.reset(key, deadline); }

    /// The deadline as it was asked for.
    /// \throws IllegalArgumentException "invalid key" if it names no entry
    Date deadline(Key key) const { return keys_.require(key).deadline; }

    /// The key of the entry that comes out next; nothing if the queue is empty. Takes time in
    /// proportion to the number of entries in the same slot; if the next one is weeks away, to that
    /// of all such entries.
    std::optional<Key> peek() const { return keys_.peek(); }

    /// Destroys all entries, and calls the waker if there were any.
    void clear() {
        if (isEmpty()) return;
        std::deque<std::optional<T>> dropped(values_.size());
        keys_.removeAll();
        dropped.swap(values_);
        keys_.removed();
    }

    std::size_t len() const noexcept { return keys_.size(); }  ///< how many entries it holds
    bool isEmpty() const noexcept { return len() == 0; }       ///< whether it holds none

    /// Recomputes the invariants, for tests.
    /// \throws std::logic_error that names what is wrong
    void check() const { keys_.check(); }

  private:
    struct Release {
        detail::DelayKeys& keys;
        const std::size_t slot;
        ~Release() { keys.release(slot); }
    };

    Expired<T> take(const detail::DelayKeys::Found& entry) {
        std::optional<T>& value = values_[entry.slot];
        Expired<T> taken{std::move(*value), entry.deadline, entry.key};
        value.reset();
        return taken;
    }

    /// Not called remove(): its overloads would be in the way of `queue.remove({id})`.
    Expired<T> takeOut(const detail::DelayKeys::Found& entry) {
        keys_.remove(entry);
        std::optional<Expired<T>> taken;
        {
            const Release release{keys_, entry.slot};
            taken.emplace(take(entry));
        }
        keys_.removed();
        return std::move(*taken);
    }

    detail::DelayKeys keys_;
    /// By slot: its value, while the slot is in use. A deque, as T need not be movable without
    /// exceptions.
    std::deque<std::optional<T>> values_;
};

}  // namespace jtimer::tokio
