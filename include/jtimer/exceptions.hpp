// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <stdexcept>

/// \file
/// The exceptions that the library throws, under their Java names. Each derives from the standard
/// exception that fits, so code that does not know these classes can catch it too. Where the
/// original system throws as well, `what()` is its message, word for word. A call that throws one
/// of these has changed nothing. Any call that needs memory may throw std::bad_alloc, and then it
/// has changed nothing, either.

namespace jtimer {

/// An argument has a value that the call does not accept, for example a negative delay.
class JTIMER_API IllegalArgumentException : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
    ~IllegalArgumentException() override;
};

/// The object's state does not allow the call, for example because the timer is cancelled.
class JTIMER_API IllegalStateException : public std::logic_error {
  public:
    using std::logic_error::logic_error;
    ~IllegalStateException() override;
};

/// A required argument is missing: a null task, an empty std::function, a null function pointer, a
/// null name.
class JTIMER_API NullPointerException : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
    ~NullPointerException() override;
};

/// The timer already has its maximum number of pending tasks.
class JTIMER_API RejectedExecutionException : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    ~RejectedExecutionException() override;
};

}  // namespace jtimer
