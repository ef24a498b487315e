// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace runner {

struct Outcome {
    std::string output;   // what it has written to its standard output
    std::string trouble;  // why it did not end well; empty: it did
};

/// Runs a program to its end, or kills it at the limit. Its standard error goes to the end of a
/// file.
Outcome runProgram(const std::vector<std::string>& command, std::chrono::seconds limit,
                   const std::string& errorFile);

}  // namespace runner
