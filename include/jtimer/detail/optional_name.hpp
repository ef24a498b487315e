// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/exceptions.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace jtimer::detail {

/// A name, or none. Can be made from whatever a std::string can; a null pointer throws at once.
class OptionalName : public std::optional<std::string> {
  public:
    OptionalName() = default;
    OptionalName(std::nullopt_t) {}
    OptionalName(std::optional<std::string> name) : optional(std::move(name)) {}
    OptionalName(std::string name) : optional(std::move(name)) {}
    OptionalName(std::string_view name) : optional(std::string(name)) {}
    /// \throws NullPointerException "name cannot be null"
    OptionalName(const char* name) : optional(required(name)) {}

    /// \throws NullPointerException "name cannot be null"
    static std::string required(const char* name) {
        if (name == nullptr) throw NullPointerException("name cannot be null");
        return name;
    }
};

}  // namespace jtimer::detail
