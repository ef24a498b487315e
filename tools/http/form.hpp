// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

/// \file
/// The fields of queries and forms: application/x-www-form-urlencoded.

namespace http {

using Form = std::map<std::string, std::string>;  ///< the value of each name

/// Reads `name=report&id=a%2Fb`. Values are UTF-8 without NUL, and no name is there twice.
/// \returns nothing if the text is something else
std::optional<Form> parseForm(std::string_view text);

/// `text` so that it can be a name or a value.
std::string percentEncoded(std::string_view text);

/// The fields of `text` but for those with these names, as they are written there.
std::string without(std::string_view text, const std::set<std::string>& names);

}  // namespace http
