// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <stdexcept>

/// \file
/// What the library throws, under the names that ported code knows (C5). Each derives from the
/// standard exception that fits, so that code which has never heard of Java can catch it as well.
/// `what()` is Java's message, to the letter. A call that throws one of these has changed nothing:
/// the task it was given is as it was, and the timer goes on (J27).

namespace jtimer {

/// An argument's value is outside of what the call accepts (J15-J19). The messages of Timer are
/// "Negative delay.", "Non-positive period." and "Illegal execution time.".
class JTIMER_API IllegalArgumentException : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
    ~IllegalArgumentException() override;
};

/// The object is not in a state for the call: "Timer already cancelled." (J60, J122) or
/// "Task already scheduled or cancelled" (J30).
class JTIMER_API IllegalStateException : public std::logic_error {
  public:
    using std::logic_error::logic_error;
    ~IllegalStateException() override;
};

/// A null task, an empty std::function, a null function pointer: "task cannot be null"; or a null
/// name: "name cannot be null" (J8, J20, C3).
class JTIMER_API NullPointerException : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
    ~NullPointerException() override;
};

}  // namespace jtimer
