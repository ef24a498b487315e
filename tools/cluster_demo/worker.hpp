// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/options.hpp>

#include <string>
#include <sys/types.h>

/// What all processes of the demo agree on.
jtimer::cluster::Options demoOptions(const std::string& name);

/// Starts a process that runs the demo's tasks until SIGTERM.
pid_t startWorker(const std::string& name);
