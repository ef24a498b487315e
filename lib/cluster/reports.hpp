// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/options.hpp>

#include <exception>
#include <string>

namespace jtimer::cluster::detail {

/// Prints the line to std::cerr in one piece.
void printLine(const std::string& line);

/// Calls Options::uncaughtExceptionHandler if there is one. What that throws changes nothing.
void report(const Options& options, const std::exception_ptr& exception);

/// The text as the server takes it: at most 2,000 bytes, in which `?` stands for each byte that is
/// not UTF-8.
std::string toMessage(const std::string& text);

/// what() of the exception, or the name of its type, as such a text.
std::string messageOf(const std::exception_ptr& exception);

}  // namespace jtimer::cluster::detail
