// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pg_result;

namespace jtimer::cluster::detail {

/// The rows that a statement returned.
class Result {
  public:
    explicit Result(pg_result* result) : result_(result) {}

    int rows() const noexcept;
    bool isNull(int row, int column) const noexcept;
    std::string text(int row, int column) const;                ///< or bytes; empty if null
    std::vector<std::string> texts(int row, int column) const;  ///< of an array; empty if null
    std::int64_t number(int row,
                        int column) const;  ///< of smallint, integer, bigint, xid8; 0 if null
    std::optional<std::int64_t> optionalNumber(int row, int column) const;
    bool boolean(int row, int column) const;
    Micros time(int row, int column) const;  ///< of timestamptz or timestamp

  private:
    struct Clear {
        void operator()(pg_result* result) const noexcept;
    };
    std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace jtimer::cluster::detail
