// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jtimer::cluster::detail {

using OptionalText = std::optional<std::string_view>;
using OptionalNumber = std::optional<std::int64_t>;

}  // namespace jtimer::cluster::detail

/// PostgreSQL's binary formats, which are the same in all versions: integers are big-endian, times
/// are microseconds since 2000, an array is a header and its elements with their lengths.
namespace jtimer::cluster::detail::wire {

/// Object ids of a built-in type and of its arrays. They never change.
struct Type {
    unsigned self, array;
};

inline constexpr Type kBytes{17, 1001};
inline constexpr Type kNumber{20, 1016};
inline constexpr Type kText{25, 1009};
inline constexpr Type kLocalTime{1114, 1115};
inline constexpr Type kTime{1184, 1185};

std::string encode(std::int64_t value);

/// The greatest value stands for infinity on both sides, the least for minus infinity.
std::string encodeTime(Micros value);

/// Begins an array.
std::string header(Type element, std::size_t size);
void append(std::string& array, OptionalText element);

/// Of an optional number or time.
template <class Encode>
std::optional<std::string> orNull(OptionalNumber value, const Encode& encodeValue) {
    return value ? std::optional<std::string>(encodeValue(*value)) : std::nullopt;
}

/// Of any length up to eight bytes.
std::int64_t decode(std::string_view bytes);
/// Of an array without nulls. Of nothing, nothing.
std::vector<std::string> decodeTexts(std::string_view bytes);
Micros decodeTime(std::string_view bytes);

}  // namespace jtimer::cluster::detail::wire
