// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <cstdint>

namespace jtimer::go::detail {

/// Adds a reference, unless the last one has been released. \returns whether it has
template <class Count>
bool addUnlessZero(std::atomic<Count>& references) noexcept {
    Count count = references.load(std::memory_order_relaxed);
    while (count != 0) {
        if (references.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/// The base class of what a heap, a Channel or a Chan refers to: counts the references, and says
/// which class it is. A virtual function would cost each timer eight bytes.
class Item {
  public:
    enum class Kind : std::uint8_t { Channel, Function, Wait, Chan, Event, Context };

    Kind kind() const noexcept { return kind_; }
    /// Whether it is an EventCell; that of a context is one too.
    bool isEvent() const noexcept { return kind_ >= Kind::Event; }

    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    bool retainIfAlive() noexcept { return addUnlessZero(references_); }
    /// May free the item, and with it what a function has captured.
    void release() noexcept {
        if (dropReference()) free();
    }

  protected:
    /// The new item has one reference, for the caller.
    explicit Item(Kind kind) noexcept : kind_(kind) {}
    ~Item() = default;

    /// For release(). \returns whether that was the last reference
    bool dropReference() noexcept {
        return references_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

  private:
    void free() noexcept;

    std::atomic<std::uint32_t> references_{1};
    const Kind kind_;
};

/// Holds a reference to an item. `Ref(item, false)` takes over one that the caller has.
template <class AnyItem>
using Ref = boost::intrusive_ptr<AnyItem>;
inline void intrusive_ptr_add_ref(Item* item) noexcept { item->retain(); }
inline void intrusive_ptr_release(Item* item) noexcept { item->release(); }

}  // namespace jtimer::go::detail
