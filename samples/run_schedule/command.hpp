// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <functional>
#include <string>
#include <string_view>

/// Runs `command` by /bin/sh, and calls `onLine` for each line of its standard output and standard
/// error while it runs. A last line need not end in a newline; one longer than 64 KiB comes in
/// pieces.
///
/// The command reads nothing (/dev/null), and has its own process group: a Ctrl-C at the terminal
/// does not reach it. Returns when the shell has exited: a process that it has left in the
/// background is not waited for, and what that one prints from then on is lost.
///
/// \returns how the command failed, "exit status 3" or "killed by signal 9 (Killed)"; empty if not
/// \throws std::system_error if it cannot be started
std::string runCommand(const std::string& command,
                       const std::function<void(std::string_view)>& onLine);
