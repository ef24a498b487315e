// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/result.hpp"

#include "cluster/wire.hpp"

#include <libpq-fe.h>

#include <cstddef>

namespace jtimer::cluster::detail {

void Result::Clear::operator()(pg_result* result) const noexcept { PQclear(result); }

int Result::rows() const noexcept { return PQntuples(result_.get()); }

bool Result::isNull(int row, int column) const noexcept {
    return PQgetisnull(result_.get(), row, column) != 0;
}

std::string Result::text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::vector<std::string> Result::texts(int row, int column) const {
    return wire::decodeTexts(text(row, column));
}

std::int64_t Result::number(int row, int column) const { return wire::decode(text(row, column)); }

std::optional<std::int64_t> Result::optionalNumber(int row, int column) const {
    if (isNull(row, column)) return {};
    return number(row, column);
}

bool Result::boolean(int row, int column) const { return number(row, column) != 0; }

Micros Result::time(int row, int column) const { return wire::decodeTime(text(row, column)); }

}  // namespace jtimer::cluster::detail
