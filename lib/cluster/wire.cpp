// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// PostgreSQL's binary formats, which are the same in all versions: integers are big-endian, times
// are microseconds since 2000, an array is a header and its elements with their lengths.

#include "cluster/connection.hpp"

#include <libpq-fe.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace jtimer::cluster::detail {

namespace {

// Object ids never change.
constexpr Type kBytes{17, 1001};
constexpr Type kNumber{20, 1016};
constexpr Type kText{25, 1009};
constexpr Type kLocalTime{1114, 1115};
constexpr Type kTime{1184, 1185};

constexpr Micros kYear2000 = 946'684'800'000'000;

std::string bigEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        text += static_cast<char>(static_cast<unsigned char>(value >> shift));
    }
    return text;
}

std::string encode(std::int64_t value) { return bigEndian(static_cast<std::uint64_t>(value), 8); }

/// The greatest value stands for infinity on both sides, the least for minus infinity.
std::string encodeTime(Micros value) {
    return encode(value == kNeverDue ? value
                                     : jtimer::detail::saturatingSubtract(value, kYear2000));
}

std::string header(Type element, std::size_t size) {
    const std::string oid = bigEndian(element.self, 4);
    if (size == 0) return bigEndian(0, 8) + oid;
    // One dimension, may hold nulls, the type, the size, indexes from 1.
    return bigEndian(1, 4) + bigEndian(1, 4) + oid + bigEndian(size, 4) + bigEndian(1, 4);
}

void append(std::string& array, OptionalText element) {
    if (!element) {
        array += bigEndian(0xFFFF'FFFF, 4);
        return;
    }
    array += bigEndian(element->size(), 4);
    array += *element;
}

template <class Values, class Encode>
std::string encodeArray(Type element, const Values& values, const Encode& encodeElement) {
    std::string array = header(element, values.size());
    for (const auto& value : values) append(array, encodeElement(value));
    return array;
}

/// For an optional.
template <class Encode>
std::optional<std::string> orNull(OptionalNumber value, const Encode& encodeValue) {
    return value ? std::optional<std::string>(encodeValue(*value)) : std::nullopt;
}

}  // namespace

void Rows::begin() {
    column_ = 0;
    ++count_;
}

Rows& Rows::add(Type type, OptionalText encoded) {
    if (column_ == columns_.size()) columns_.push_back({type, {}});
    append(columns_[column_++].elements, encoded);
    return *this;
}

Rows& Rows::bytes(OptionalText value) { return add(kBytes, value); }
Rows& Rows::number(OptionalNumber value) { return add(kNumber, orNull(value, encode)); }
Rows& Rows::time(std::optional<Micros> value) { return add(kTime, orNull(value, encodeTime)); }

Params& Params::add(unsigned type, std::optional<std::string> encoded) {
    types_.push_back(type);
    values_.push_back(std::move(encoded));
    return *this;
}

Params& Params::text(OptionalText value) {
    return add(kText.self, std::optional<std::string>(value));
}

Params& Params::number(OptionalNumber value) { return add(kNumber.self, orNull(value, encode)); }

Params& Params::time(std::optional<Micros> value) {
    return add(kTime.self, orNull(value, encodeTime));
}

Params& Params::texts(const std::vector<std::string>& values) {
    const auto same = [](const std::string& value) { return std::string_view(value); };
    return add(kText.array, encodeArray(kText, values, same));
}

Params& Params::numbers(const std::vector<std::int64_t>& values) {
    return add(kNumber.array, encodeArray(kNumber, values, encode));
}

Params& Params::localTimes(const std::vector<Micros>& values) {
    return add(kLocalTime.array, encodeArray(kLocalTime, values, encodeTime));
}

Params& Params::arrays(const Rows& rows) {
    for (const auto& [type, elements] : rows.columns_) {
        add(type.array, header(type, rows.count_) + elements);
    }
    return *this;
}

int Result::rows() const noexcept { return PQntuples(result_.get()); }

bool Result::isNull(int row, int column) const noexcept {
    return PQgetisnull(result_.get(), row, column) != 0;
}

std::string Result::text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Result::number(int row, int column) const {
    const std::string bytes = text(row, column);
    const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> Result::optionalNumber(int row, int column) const {
    if (isNull(row, column)) return {};
    return number(row, column);
}

bool Result::boolean(int row, int column) const { return number(row, column) != 0; }

Micros Result::time(int row, int column) const {
    const std::int64_t value = number(row, column);
    return value == kNeverDue ? value : jtimer::detail::saturatingAdd(value, kYear2000);
}

}  // namespace jtimer::cluster::detail
