// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <iosfwd>
#include <map>
#include <ostream>
#include <string>
#include <vector>

/// \file
/// The scenarios that the real java.util.Timer and jtimer both play. README.md tells the language.

namespace oracle {

/// A scenario as it is written: what is generated, shortened, stored and handed to Java.
struct Scenario {
    std::string name;
    std::vector<std::string> lines;
};

/// One operation.
struct Op {
    std::string text;               ///< as written, for the transcript
    bool onThread = false;          ///< on a thread of its own, which is waited for
    std::string verb;               ///< "schedule"
    std::vector<std::string> args;  ///< the words after it; a string keeps its quotes
};

/// What a task does in its run number `run`, counted from 1; in each, if 0.
struct Step {
    int run = 0;
    Op op;
};

struct TaskScript {
    bool deaf = false;  ///< of a class whose cancel() does nothing
    std::vector<Step> steps;
};

/// A scenario as it is played.
struct Program {
    std::map<std::string, TaskScript> tasks;
    std::vector<Op> ops;
};

/// Splits a line into its words; "a string" is one, with its quotes.
std::vector<std::string> wordsOf(const std::string& line);

/// \throws std::runtime_error that names the line, for whatever is not in the language
Program parse(const Scenario& scenario);

/// Reads scenarios, each of which begins with a line `scenario NAME`. Comments and empty lines are
/// left out, and what `repeat` repeats is written out. \throws std::runtime_error
std::vector<Scenario> readScenarios(std::istream& in);
std::vector<Scenario> readScenarios(const std::string& path);

void write(std::ostream& out, const Scenario& scenario);

}  // namespace oracle
