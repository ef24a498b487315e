// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"
#include "cluster/rows.hpp"
#include "cluster/wire.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jtimer::cluster::detail {

/// A parameter that may be null.
template <class Value>
std::optional<Value> valueIf(bool given, const Value& value) {
    return given ? std::optional<Value>(value) : std::nullopt;
}

/// The parameters of a statement, in PostgreSQL's binary formats: nothing is quoted or rounded.
class Params {
  public:
    Params& text(OptionalText value);
    Params& number(OptionalNumber value);       ///< bigint
    Params& time(std::optional<Micros> value);  ///< timestamptz
    Params& texts(const std::vector<std::string>& values);
    Params& numbers(const std::vector<std::int64_t>& values);
    Params& localTimes(const std::vector<Micros>& values);  ///< timestamp without time zone

    Params& arrays(const Rows& rows);  ///< one for each column
    Params& values(const Rows& row);   ///< the same of a single row, without arrays

  private:
    friend class Connection;
    Params& add(unsigned type, std::optional<std::string> encoded);

    std::vector<unsigned> types_;
    std::vector<std::optional<std::string>> values_;
};

}  // namespace jtimer::cluster::detail
