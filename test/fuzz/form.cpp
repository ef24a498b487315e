// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"

#include "http/form.hpp"
#include "text/utf8.hpp"

#include <optional>
#include <set>
#include <string>

namespace {

/// Any text is refused, or gives fields that can be written and read again.
void play(fuzz::Choices choices) {
    const std::string text = choices.text();
    const std::optional<http::Form> form = http::parseForm(text);
    if (!form) return;
    std::string again;
    for (const auto& [name, value] : *form) {
        MODEL_REQUIRE(inUtf8(name) == name && inUtf8(value) == value);
        MODEL_REQUIRE((name + value).find('\0') == std::string::npos);
        again += '&' + http::percentEncoded(name) + '=' + http::percentEncoded(value);
        const std::optional<http::Form> rest = http::parseForm(http::without(text, {name}));
        MODEL_REQUIRE(rest && rest->size() + 1 == form->size() && rest->count(name) == 0);
    }
    MODEL_REQUIRE(http::parseForm(again) == form);
    MODEL_REQUIRE(http::parseForm(http::without(text, {})) == form);
}

const fuzz::Target target("form", play);

}  // namespace
