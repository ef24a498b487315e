// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"
#include "cluster/wire.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace jtimer::cluster::detail {

/// Parameters that are arrays, filled row by row. All rows have the same types.
class Rows {
  public:
    void begin();  ///< the next row
    Rows& bytes(OptionalText value);
    Rows& text(OptionalText value);
    Rows& number(OptionalNumber value);
    Rows& time(std::optional<Micros> value);
    std::size_t size() const noexcept { return count_; }

  private:
    friend class Params;
    struct Column {
        wire::Type type;
        std::string elements;
    };
    Rows& add(wire::Type type, OptionalText encoded);

    std::vector<Column> columns_;
    std::size_t column_ = 0;  ///< where the next value belongs
    std::size_t count_ = 0;
};

}  // namespace jtimer::cluster::detail
