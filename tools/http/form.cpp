// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "form.hpp"

#include "../text/utf8.hpp"

#include <cstddef>
#include <utility>

namespace http {

namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

/// \returns 16 if it is no digit
unsigned digitOf(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    return 16;
}

std::optional<std::string> decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        if (text.size() - i < 3) return {};
        const unsigned high = digitOf(text[i + 1]), low = digitOf(text[i + 2]);
        if (high > 15 || low > 15) return {};
        result += static_cast<char>(high << 4U | low);
        i += 2;
    }
    if (result.find('\0') != result.npos || inUtf8(result) != result) return {};
    return result;
}

/// Takes the first field from a text that is not empty.
std::string_view takeField(std::string_view& text) {
    const std::string_view field = text.substr(0, text.find('&'));
    text.remove_prefix(field.size() == text.size() ? field.size() : field.size() + 1);
    return field;
}

}  // namespace

std::optional<Form> parseForm(std::string_view text) {
    Form form;
    while (!text.empty()) {
        const std::string_view field = takeField(text);
        if (field.empty()) continue;
        const std::string_view before = field.substr(0, field.find('='));
        const std::optional<std::string> name = decoded(before);
        const std::optional<std::string> value =
            decoded(field.substr(before.size() == field.size() ? field.size() : before.size() + 1));
        if (!name || !value || !form.emplace(*name, *value).second) return {};
    }
    return form;
}

std::string percentEncoded(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool isPlain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                             (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_' || c == '~';
        if (isPlain) {
            result += c;
            continue;
        }
        const unsigned byte = static_cast<unsigned char>(c);
        result += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
    return result;
}

std::string without(std::string_view text, const std::set<std::string>& names) {
    std::string result;
    while (!text.empty()) {
        const std::string_view field = takeField(text);
        const std::optional<std::string> name = decoded(field.substr(0, field.find('=')));
        if (field.empty() || (name && names.count(*name) != 0)) continue;
        result.append(result.empty() ? "" : "&").append(field);
    }
    return result;
}

}  // namespace http
