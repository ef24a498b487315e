// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "pages.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// References from one page to another.

namespace page {

using Parameter = std::pair<std::string, std::string>;

/// The path with those of the parameters that are not empty.
std::string reference(std::string_view path, const std::vector<Parameter>& parameters);

/// What a filter selects, as parameters of a page or fields of a form: without order and position.
std::vector<Parameter> parametersOf(const jtimer::cluster::Filter& filter);
std::vector<Parameter> parametersOf(const Subject& subject);
std::vector<Parameter> parametersOf(const jtimer::cluster::HistoryFilter& filter);

/// Whether a filter selects all tasks.
bool selectsAll(const jtimer::cluster::Filter& filter);

/// The tasks that a filter selects, by key and from the first one.
std::string tasksReference(const jtimer::cluster::Filter& filter);

std::string taskReference(const std::string& name, const std::string& id);
std::string nameReference(const std::string& name);

}  // namespace page
