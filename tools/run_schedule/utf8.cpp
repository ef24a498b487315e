// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace {

bool isControl(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    if (character.size() == 1) return first < 0x20 || first == 0x7f;
    return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;  // U+0080 to U+009F
}

/// `text` with what `escape` returns for each byte that is not UTF-8, and, if not wanted, for each
/// byte of a control character.
template <class Escape>
std::string escaped(std::string_view text, bool wantsControls, Escape escape) {
    std::string result;
    while (!text.empty()) {
        const std::size_t size = characterSize(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
        if (size > 0 && (wantsControls || !isControl(character))) {
            result += character;
        } else {
            for (const char c : character) result += escape(c);
        }
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace

std::size_t characterSize(std::string_view text) {
    if (text.empty()) return 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
    std::uint32_t code = first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return 0;
        code = code << 6U | (byte(i) & 0x3fU);
    }
    const bool isSurrogate = code >= 0xd800 && code <= 0xdfff;
    const bool isTooLong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    return isSurrogate || isTooLong || code > 0x10ffff ? 0 : size;
}

bool isPrintable(std::string_view text) { return inPrintable(text) == text; }

std::string inUtf8(std::string_view text) {
    return escaped(text, true, [](char) { return "\xEF\xBF\xBD"; });
}

std::string inPrintable(std::string_view text) {
    return escaped(text, false, [](char c) {
        std::array<char, 8> hex{};
        std::snprintf(hex.data(), hex.size(), "\\x%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        return std::string(hex.data());
    });
}
