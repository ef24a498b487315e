// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace {

struct Character {
    std::size_t size;
    char32_t code;
};

/// The first one of `text`; of size 0 if it is not one of UTF-8.
Character decoded(std::string_view text) {
    if (text.empty()) return {};
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const char32_t first = byte(0);
    if (first < 0x80) return {1, first};
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return {};
    char32_t code = first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return {};
        code = code << 6U | (byte(i) & 0x3fU);
    }
    const bool isSurrogate = code >= 0xd800 && code <= 0xdfff;
    const bool isTooLong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    return isSurrogate || isTooLong || code > 0x10ffff ? Character() : Character{size, code};
}

bool isControl(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

bool changesDirection(char32_t code) {
    return code == 0x061c || code == 0x200e || code == 0x200f ||
           (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/// `text` with what `escape` returns for each byte that is not UTF-8, or of a character that is not
/// wanted.
template <class IsWanted, class Escape>
std::string escaped(std::string_view text, IsWanted isWanted, Escape escape) {
    std::string result;
    while (!text.empty()) {
        const std::size_t size = characterSize(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
        if (size > 0 && isWanted(character)) {
            result += character;
        } else {
            for (const char c : character) result += escape(c);
        }
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace

std::size_t characterSize(std::string_view text) { return decoded(text).size; }

char32_t codeOf(std::string_view text) { return decoded(text).code; }

bool isInvisible(std::string_view text) {
    const char32_t code = codeOf(text);
    return isControl(code) || changesDirection(code);
}

bool isPrintable(std::string_view text) {
    while (const std::size_t size = characterSize(text)) {
        if (isControl(codeOf(text))) return false;
        text.remove_prefix(size);
    }
    return text.empty();
}

std::string inUtf8(std::string_view text) {
    return escaped(
        text, [](std::string_view) { return true; }, [](char) { return "\xEF\xBF\xBD"; });
}

std::string inPrintable(std::string_view text) {
    return escaped(
        text, [](std::string_view character) { return !isInvisible(character); },
        [](char c) {
            std::array<char, 8> hex{};
            std::snprintf(hex.data(), hex.size(), "\\x%02x",
                          static_cast<unsigned>(static_cast<unsigned char>(c)));
            return std::string(hex.data());
        });
}
