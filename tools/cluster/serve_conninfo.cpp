// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve_conninfo.hpp"

#include "../http/form.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace cluster_tool {

namespace {

/// Where the parameters of a URI begin, at `?`, or its end. A password before the host may have
/// one.
std::size_t parametersOf(const std::string& uri) {
    const std::size_t begin = uri.find("://") + 3;
    const std::size_t host = uri.find_first_of("@/", begin);
    const std::size_t from = host != uri.npos && uri[host] == '@' ? host : begin;
    return std::min(uri.find('?', from), uri.size());
}

bool hasOptions(std::string_view keywords) {
    constexpr std::string_view kName = "options";
    for (std::size_t at = keywords.find(kName); at != keywords.npos;
         at = keywords.find(kName, at + 1)) {
        const std::size_t next = keywords.find_first_not_of(" \t\n", at + kName.size());
        const bool begins =
            at == 0 || std::string_view(" \t\n").find(keywords[at - 1]) != std::string_view::npos;
        if (begins && next != keywords.npos && keywords[next] == '=') return true;
    }
    return false;
}

std::string inKeywordQuotes(const std::string& value) {
    std::string result = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result += '\'';
}

}  // namespace

std::string withTimeLimit(const std::string& conninfo, const char* environment,
                          std::chrono::milliseconds limit) {
    std::string options = environment == nullptr ? "" : environment;
    if (!options.empty()) options += ' ';
    options += "-c statement_timeout=" + std::to_string(limit.count());
    if (conninfo.rfind("postgresql://", 0) == 0 || conninfo.rfind("postgres://", 0) == 0) {
        const std::size_t at = parametersOf(conninfo);
        const std::string parameters = conninfo.substr(at);
        if (parameters.rfind("?options=", 0) == 0 ||
            parameters.find("&options=") != parameters.npos)
            return conninfo;
        return conninfo + (parameters.empty() ? '?' : '&') +
               "options=" + http::percentEncoded(options);
    }
    if (hasOptions(conninfo)) return conninfo;
    return conninfo + (conninfo.empty() ? "" : " ") + "options=" + inKeywordQuotes(options);
}

}  // namespace cluster_tool
