// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace jtimer::tokio::detail {

/// Numbered slots whose addresses stay the same as their number grows. Neither constructing nor
/// moving a Slots allocates, so a move cannot fail; a std::deque may allocate in both.
template <class Slot>
class Slots {
  public:
    static constexpr std::size_t kInBlock = 16;

    std::size_t size() const noexcept { return blocks_.size() * kInBlock; }

    Slot& operator[](std::size_t number) const noexcept {
        return blocks_[number / kInBlock][number % kInBlock];
    }

    /// Adds a block of slots. \throws std::bad_alloc, with nothing changed
    void grow() { blocks_.push_back(std::make_unique<Slot[]>(kInBlock)); }

    void swap(Slots& other) noexcept { blocks_.swap(other.blocks_); }

  private:
    std::vector<std::unique_ptr<Slot[]>> blocks_;
};

}  // namespace jtimer::tokio::detail
