// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>

namespace jtimer::go::detail {

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
