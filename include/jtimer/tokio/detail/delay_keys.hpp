// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/delay_key.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/waker.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace jtimer::tokio::detail {

/// The part of a DelayQueue that does not depend on the type of its values. The values are in
/// numbered slots.
class JTIMER_API DelayKeys {
  public:
    struct Found {
        std::size_t slot;
        DelayKey key;
        Date deadline;
    };

    /// The slot of the next entry, and the time of the request.
    struct Place {
        std::size_t slot;
        std::int64_t now;
    };

    explicit DelayKeys(TimeDriver& driver);
    DelayKeys(DelayKeys&& other) noexcept;
    DelayKeys& operator=(DelayKeys&& other) noexcept;
    ~DelayKeys();

    /// \throws IllegalArgumentException "Negative duration."
    Date after(TimeSpan duration) const;

    /// Does everything that can fail in the next insert(). Makes no visible change.
    Place reserve();
    /// Does not fail. Has the waker called by the next turn if the entry is due.
    DelayKey insert(const Place& place, Date deadline);
    void reset(DelayKey key, Date deadline);

    std::optional<Found> find(DelayKey key) const;
    /// \throws IllegalArgumentException "invalid key"
    Found require(DelayKey key) const;
    std::optional<DelayKey> peek() const;
    std::size_t size() const noexcept;

    /// Removes an entry that is due. Its slot can be used again after release(). If none is due,
    /// takes over the waker.
    /// \param dropped receives the former waker; the caller destroys it when the queue is
    ///   consistent
    std::optional<Found> poll(Waker& waker, Waker& dropped);
    void dropWaker() noexcept;
    /// Removes an entry that find() returned. Its slot can be used again after release().
    void remove(const Found& entry) noexcept;
    /// Removes all entries and frees their memory, including all slots.
    void removeAll() noexcept;

    void release(std::size_t slot) noexcept;
    /// Call this last after a removal: has the waker called by the next turn if the queue has
    /// become empty, and otherwise moves the wake-up. Does not fail. The waker may destroy the
    /// queue.
    void removed();

    /// A Sleep on the queue's driver. Not for a queue that has always been empty.
    Sleep& sleep() const noexcept;
    void check() const;
    Driver& driver() const noexcept { return *driver_; }

  private:
    struct JTIMER_LOCAL Impl;
    struct Unref {
        void operator()(Driver* driver) const noexcept;
    };

    JTIMER_LOCAL Impl& impl();

    std::unique_ptr<Driver, Unref> driver_;
    std::int64_t start_;
    /// Null until the first entry or waker.
    std::unique_ptr<Impl> impl_;
};

}  // namespace jtimer::tokio::detail
