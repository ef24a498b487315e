// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/exceptions.hpp>

namespace jtimer {

// Defined here so that each class has its type information in one place, the library.
IllegalArgumentException::~IllegalArgumentException() = default;
IllegalStateException::~IllegalStateException() = default;
NullPointerException::~NullPointerException() = default;
RejectedExecutionException::~RejectedExecutionException() = default;

}  // namespace jtimer
