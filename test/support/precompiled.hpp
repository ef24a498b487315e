// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What most unit tests include, compiled once: see build-aux/precompiled.mk. Each still includes
// what it uses: `make nightly` compiles them with PRECOMPILED=no, too.
#include "support/test.hpp"
