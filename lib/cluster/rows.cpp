// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/rows.hpp"

namespace jtimer::cluster::detail {

void Rows::begin() {
    column_ = 0;
    ++count_;
}

Rows& Rows::add(wire::Type type, OptionalText encoded) {
    if (column_ == columns_.size()) columns_.push_back({type, {}});
    wire::append(columns_[column_++].elements, encoded);
    return *this;
}

Rows& Rows::bytes(OptionalText value) { return add(wire::kBytes, value); }
Rows& Rows::text(OptionalText value) { return add(wire::kText, value); }
Rows& Rows::number(OptionalNumber value) {
    return add(wire::kNumber, wire::orNull(value, wire::encode));
}
Rows& Rows::time(std::optional<Micros> value) {
    return add(wire::kTime, wire::orNull(value, wire::encodeTime));
}

}  // namespace jtimer::cluster::detail
