// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "json.hpp"

#include "utf8.hpp"

#include <array>
#include <cstdio>

std::string inJson(std::string_view text) {
    std::string json = "\"";
    for (const char c : inUtf8(text)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (byte < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(byte));
            json += escape.data();
        } else {
            json += c;
        }
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
