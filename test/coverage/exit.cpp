// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for `make coverage`: a forked child, which ends with _exit(), also says what it has run.
#include <cstdlib>
#include <unistd.h>

// The name is g++'s.
extern "C" void __gcov_dump();  // NOLINT(bugprone-reserved-identifier)

/// In place of the C library's, whose _Exit() does the same.
extern "C" void _exit(int status) {
    __gcov_dump();
    std::_Exit(status);
}
