// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <stdexcept>
#include <string>

/// \file
/// What the tasks of a scenario throw, under the names that Java's have.

namespace oracle {

struct RuntimeException : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Exception : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct OutOfMemoryError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] void throwAs(const std::string& type, const std::string& text);

}  // namespace oracle
