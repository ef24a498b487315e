// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/wire.hpp"

#include <jtimer/detail/saturating.hpp>

namespace jtimer::cluster::detail::wire {

namespace {

constexpr Micros kYear2000 = 946'684'800'000'000;

std::string bigEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        text += static_cast<char>(static_cast<unsigned char>(value >> shift));
    }
    return text;
}

}  // namespace

std::string encode(std::int64_t value) { return bigEndian(static_cast<std::uint64_t>(value), 8); }

std::string encodeTime(Micros value) {
    return encode(value == kNeverDue ? value
                                     : jtimer::detail::saturatingSubtract(value, kYear2000));
}

std::string header(Type element, std::size_t size) {
    const std::string oid = bigEndian(element.self, 4);
    if (size == 0) return bigEndian(0, 8) + oid;
    // One dimension, may hold nulls, the type, the size, indexes from 1.
    return bigEndian(1, 4) + bigEndian(1, 4) + oid + bigEndian(size, 4) + bigEndian(1, 4);
}

void append(std::string& array, OptionalText element) {
    if (!element) {
        array += bigEndian(0xFFFF'FFFF, 4);
        return;
    }
    array += bigEndian(element->size(), 4);
    array += *element;
}

std::int64_t decode(std::string_view bytes) {
    const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
}

std::vector<std::string> decodeTexts(std::string_view bytes) {
    constexpr std::size_t kHeader = 20;
    std::vector<std::string> texts;
    for (std::size_t at = kHeader; at < bytes.size();) {
        const auto size = static_cast<std::size_t>(decode(bytes.substr(at, 4)));
        texts.emplace_back(bytes.substr(at + 4, size));
        at += 4 + size;
    }
    return texts;
}

Micros decodeTime(std::string_view bytes) {
    const std::int64_t value = decode(bytes);
    return value == kNeverDue ? value : jtimer::detail::saturatingAdd(value, kYear2000);
}

}  // namespace jtimer::cluster::detail::wire
