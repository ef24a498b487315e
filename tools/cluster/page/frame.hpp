// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "pages.hpp"

#include <string>
#include <string_view>

/// \file
/// What stands around the content of each page.

namespace page {

enum class Refreshable { No, Yes };

/// A whole page.
/// \param heading of the page, and of its window
/// \param about more of the heading, such as a name that others have chosen
/// \param html its content
std::string document(const Context& context, std::string_view heading, std::string_view about,
                     const std::string& html, Refreshable refreshable);

std::string missingHtml(const std::string& why);

/// What `render` makes of a part, or why that could not be read.
template <class T, class Render>
std::string rendered(const Part<T>& part, const Render& render) {
    return part.value ? render(*part.value) : missingHtml(part.why);
}

}  // namespace page
