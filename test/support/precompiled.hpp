// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What most unit tests include, compiled once: see build-aux/precompiled.mk. Each still includes
// what it uses: `make nightly` compiles them with PRECOMPILED=no, too.
#include <boost/test/unit_test.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>
