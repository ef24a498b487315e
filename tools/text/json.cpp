// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "json.hpp"

#include "utf8.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

std::string inJson(std::string_view text) {
    const std::string utf8 = inUtf8(text);
    std::string json = "\"";
    std::string_view rest = utf8;
    while (const std::size_t size = characterSize(rest)) {
        const std::string_view character = rest.substr(0, size);
        if (isInvisible(character)) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x",
                          static_cast<unsigned>(codeOf(character)));
            json += escape.data();
        } else {
            if (character == "\"" || character == "\\") json += '\\';
            json += character;
        }
        rest.remove_prefix(size);
    }
    return json += '"';
}

JsonObject& JsonObject::add(std::string_view name, std::string_view json) {
    members_.append(members_.empty() ? "" : ",").append(inJson(name)).append(":").append(json);
    return *this;
}

JsonObject& JsonObject::addText(std::string_view name, std::string_view text) {
    return add(name, inJson(text));
}
