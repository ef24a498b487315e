// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "utf8.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace {

/// Calls `onCharacter` or `onByte` for what is UTF-8 and what is not, in order.
template <class OnCharacter, class OnByte>
void forEach(std::string_view text, OnCharacter onCharacter, OnByte onByte) {
    while (!text.empty()) {
        const std::size_t size = characterSize(text);
        if (size > 0) {
            onCharacter(text.substr(0, size));
        } else {
            onByte(text.front());
        }
        text.remove_prefix(size > 0 ? size : 1);
    }
}

bool isControl(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    if (character.size() == 1) return first < 0x20 || first == 0x7f;
    return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;  // U+0080 to U+009F
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

bool isPrintable(std::string_view text) {
    bool isPrintable = true;
    forEach(
        text,
        [&](std::string_view character) { isPrintable = isPrintable && !isControl(character); },
        [&](char) { isPrintable = false; });
    return isPrintable;
}

std::string inUtf8(std::string_view text) {
    std::string result;
    forEach(
        text, [&](std::string_view character) { result += character; },
        [&](char) { result += "\xEF\xBF\xBD"; });
    return result;
}

std::string inPrintable(std::string_view text) {
    std::string result;
    const auto escape = [&](char c) {
        std::array<char, 8> hex{};
        std::snprintf(hex.data(), hex.size(), "\\x%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        result += hex.data();
    };
    forEach(
        text,
        [&](std::string_view character) {
            if (!isControl(character)) {
                result += character;
            } else {
                for (const char c : character) escape(c);
            }
        },
        escape);
    return result;
}
