// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <optional>
#include <string>

namespace jtimer::cluster::detail {

/// The least text that sorts after all those that begin with a prefix, by its characters: their
/// bytes in UTF-8 have the same order. Nothing if no text does.
/// \param prefix valid UTF-8
std::optional<std::string> endOfPrefix(const std::string& prefix);

}  // namespace jtimer::cluster::detail
