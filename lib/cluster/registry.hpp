// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/run.hpp>
#include <jtimer/cluster/task_options.hpp>

#include <map>
#include <string>

namespace jtimer::cluster::detail {

/// What registerTask() was given for a name.
struct Registered {
    Handler handler;
    TaskOptions options;
};

/// By name. Not changed after start().
using Registry = std::map<std::string, Registered>;

}  // namespace jtimer::cluster::detail
