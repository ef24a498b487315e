// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "text.hpp"

#include <string>

namespace cluster_tool {

/// The standard streams.
class Console {
  public:
    /// What was asked for, on the standard output.
    void print(const std::string& text);

    /// \throws std::runtime_error if something that was printed could not be written
    void flush();

    /// A line on the standard error, as the program's.
    static void tell(const std::string& text);

    /// Of the standard output, if it is a terminal.
    static Width width();

    /// Of the standard error, where the question is.
    static Width widthOfQuestions();

    /// Whether a person can read the standard error, and answer on the standard input.
    static bool canAsk();

    /// \param question without the end of its line
    /// \returns whether the answer was yes
    static bool ask(const std::string& question);
};

}  // namespace cluster_tool
