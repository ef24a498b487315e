// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/choices.hpp"

#include <exception>
#include <map>
#include <string>

/// \file
/// A target takes the bytes of a fuzzer for choices, and throws if the library does not do what it
/// should. `make fuzz` links each with libFuzzer; corpus_test links all, and plays the files in
/// corpus.

namespace fuzz {

using test::Choices;

inline std::map<std::string, void (*)(Choices)>& targets() {
    static std::map<std::string, void (*)(Choices)> all;
    return all;
}

struct Target {
    Target(const char* name, void (*play)(Choices)) { targets()[name] = play; }
};

/// A handler of what tasks throw, which is what a model has found: ends the process.
inline void onException(const std::string&, const std::exception_ptr& exception) noexcept {
    std::rethrow_exception(exception);
}

}  // namespace fuzz
