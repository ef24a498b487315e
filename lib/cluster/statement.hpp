// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>

namespace jtimer::cluster::detail {

/// SQL with a name, under which it is prepared once per connection. Without a name it is sent with
/// each call.
struct Statement {
    const char* name;
    std::string sql;

    const char* label() const noexcept { return name == nullptr ? "" : name; }  ///< for failpoints
};

}  // namespace jtimer::cluster::detail
