// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "metrics_text.hpp"

std::string inLabel(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result += '"';
}
