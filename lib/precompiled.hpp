// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What most units include and what takes long, compiled once: see build-aux/precompiled.mk. Each
// unit still includes what it uses: CMake has no precompiled header, nor has a build with a
// sanitizer.
#include "sync/threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
