// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "columns.hpp"

#include "utf8.hpp"

#include <iterator>

namespace {

struct Range {
    char32_t first, last;
};

/// What terminals draw on the character before it, and what they draw in two columns: the blocks of
/// most writing systems that have such characters.
constexpr Range kNone[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},  {0x64b, 0x65f},
                           {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
constexpr Range kTwo[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                          {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                          {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
                          {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

template <std::size_t count>
bool isIn(const Range (&ranges)[count], char32_t code) {
    return std::any_of(std::begin(ranges), std::end(ranges), [code](const Range& range) {
        return code >= range.first && code <= range.last;
    });
}

std::size_t widthOfCharacter(std::string_view character) {
    const char32_t code = codeOf(character);
    return code < 0x300 ? 1 : isIn(kNone, code) ? 0 : isIn(kTwo, code) ? 2 : 1;
}

}  // namespace

std::size_t widthOf(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        width += widthOfCharacter(text);
        text.remove_prefix(std::max<std::size_t>(characterSize(text), 1));
    }
    return width;
}

std::string cutTo(std::string_view text, std::size_t width) {
    constexpr std::string_view kCut = "\u2026";
    if (widthOf(text) <= width) return std::string(text);
    std::size_t size = 0, taken = 1;  // the column of kCut
    while (size < text.size()) {
        taken += widthOfCharacter(text.substr(size));
        if (taken > width) break;
        size += std::max<std::size_t>(characterSize(text.substr(size)), 1);
    }
    return std::string(text.substr(0, size)).append(width == 0 ? "" : kCut);
}

std::string padded(std::string_view text, std::size_t width) {
    std::string result(text);
    result.append(width - std::min(width, widthOf(text)), ' ');
    return result;
}

std::string rightAligned(std::string_view text, std::size_t width) {
    return std::string(width - std::min(width, widthOf(text)), ' ').append(text);
}
