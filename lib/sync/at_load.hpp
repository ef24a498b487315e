// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// Marks a function that runs when the library is loaded: before all other initializers, which may
/// start threads, fork, or register handlers of fork. Only in ELF files can the order be asked for;
/// elsewhere it runs before those of the files that are linked after it.
#if defined(__ELF__)
#define JTIMER_AT_LOAD gnu::constructor(101)
#else
#define JTIMER_AT_LOAD gnu::constructor
#endif
