// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/params.hpp"

#include "sync/assert.hpp"

#include <string_view>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

template <class Values, class Encode>
std::string encodeArray(wire::Type element, const Values& values, const Encode& encodeElement) {
    std::string array = wire::header(element, values.size());
    for (const auto& value : values) wire::append(array, encodeElement(value));
    return array;
}

}  // namespace

Params& Params::add(unsigned type, std::optional<std::string> encoded) {
    types_.push_back(type);
    values_.push_back(std::move(encoded));
    return *this;
}

Params& Params::text(OptionalText value) {
    return add(wire::kText.self, std::optional<std::string>(value));
}

Params& Params::number(OptionalNumber value) {
    return add(wire::kNumber.self, wire::orNull(value, wire::encode));
}

Params& Params::time(std::optional<Micros> value) {
    return add(wire::kTime.self, wire::orNull(value, wire::encodeTime));
}

Params& Params::texts(const std::vector<std::string>& values) {
    const auto same = [](const std::string& value) { return std::string_view(value); };
    return add(wire::kText.array, encodeArray(wire::kText, values, same));
}

Params& Params::numbers(const std::vector<std::int64_t>& values) {
    return add(wire::kNumber.array, encodeArray(wire::kNumber, values, wire::encode));
}

Params& Params::localTimes(const std::vector<Micros>& values) {
    return add(wire::kLocalTime.array, encodeArray(wire::kLocalTime, values, wire::encodeTime));
}

Params& Params::values(const Rows& row) {
    JTIMER_ASSERT(row.count_ == 1);
    for (const auto& [type, elements] : row.columns_) {
        const std::int64_t size = wire::decode(std::string_view(elements).substr(0, 4));
        add(type.self, size < 0 ? std::nullopt : std::optional(elements.substr(4)));
    }
    return *this;
}

Params& Params::arrays(const Rows& rows) {
    for (const auto& [type, elements] : rows.columns_) {
        add(type.array, wire::header(type, rows.count_) + elements);
    }
    return *this;
}

}  // namespace jtimer::cluster::detail
