// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <stdexcept>

/// \file
/// What the library throws, under the names that ported code knows. Each derives from the standard
/// exception that fits, so code that has never heard of Java can catch it too. `what()` is the
/// original's message, to the letter. A call that throws one of these has changed nothing.

namespace jtimer {

/// An argument has a value that the call does not accept, for example a negative delay.
class JTIMER_API IllegalArgumentException : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
    ~IllegalArgumentException() override;
};

/// The object is not in a state in which the call is allowed, for example a cancelled timer.
class JTIMER_API IllegalStateException : public std::logic_error {
  public:
    using std::logic_error::logic_error;
    ~IllegalStateException() override;
};

/// Nothing was given where something is needed: a null task, an empty std::function, a null
/// function pointer, a null name.
class JTIMER_API NullPointerException : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
    ~NullPointerException() override;
};

/// A timer has as many pending tasks as it is allowed to have.
class JTIMER_API RejectedExecutionException : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    ~RejectedExecutionException() override;
};

}  // namespace jtimer
