// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

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

/// The base class of what a heap or a Channel refers to: says which class it is. A virtual function
/// would cost each timer eight bytes.
class Item {
  public:
    enum class Kind : std::uint8_t { Channel, Function, Wait, Event, Context };

    Kind kind() const noexcept { return kind_; }
    /// Whether it is an EventCell; that of a context is one too.
    bool isEvent() const noexcept { return kind_ >= Kind::Event; }

  protected:
    explicit Item(Kind kind) noexcept : kind_(kind) {}
    ~Item() = default;

  private:
    const Kind kind_;
};

}  // namespace jtimer::go::detail
