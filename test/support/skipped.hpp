// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace test {

/// Thrown by a case, on its own thread, that cannot go on here: run_tests.sh counts it as skipped.
struct Skipped {
    const char* missing;
};

[[noreturn]] inline void skipCase(const char* missing) { throw Skipped{missing}; }

}  // namespace test
