// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve_access.hpp"

#include "../text/parsing.hpp"
#include "json_text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <sys/random.h>
#include <unistd.h>

namespace cluster_tool {

namespace {

using http::Response;

constexpr std::chrono::seconds kPerFailures(1);
constexpr std::uint16_t kDefaultPorts[] = {80, 443};

std::string lower(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

/// An address in numbers, always written alike; empty: it is a name.
std::string numeric(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    for (const int family : {AF_INET, AF_INET6}) {
        if (::inet_pton(family, host.c_str(), bytes.data()) != 1) continue;
        std::array<char, INET6_ADDRSTRLEN> text{};
        ::inet_ntop(family, bytes.data(), text.data(), static_cast<socklen_t>(text.size()));
        return text.data();
    }
    return {};
}

/// NAME, NAME:PORT, [ADDRESS] or [ADDRESS]:PORT.
struct Host {
    explicit Host(const std::string& text) {
        const std::size_t end = text.rfind(']');
        const std::size_t colon = text.find(':', end == text.npos ? 0 : end);
        name = lower(text.substr(0, colon));
        if (name.size() > 2 && name.front() == '[' && name.back() == ']')
            name = name.substr(1, name.size() - 2);
        address = numeric(name);
        if (colon == text.npos) return;
        std::uint16_t number = 0;
        const char* const stop = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data() + colon + 1, stop, number);
        if (error == std::errc() && at == stop)
            port = number;
        else
            name.clear();  // which is nobody's
    }

    std::string name, address;
    std::optional<std::uint16_t> port;
};

Response refused(unsigned status, const std::string& why) { return {status, why + '\n'}; }

bool isWildcard(const std::string& host) {
    const std::string address = numeric(host);
    return address == "0.0.0.0" || address == "::";
}

}  // namespace

bool isLoopback(const std::string& host) {
    const std::string address = numeric(host);
    return lower(host) == "localhost" || address == "::1" || address.rfind("127.", 0) == 0;
}

void checkServe(const ServeOptions& options) {
    for (const std::string& host : options.hosts) {
        if (Host(host).name.empty() || host.find_first_of("/@ ") != host.npos)
            failExpecting("--host: " + inQuotes(host) + " is none", "NAME or NAME:PORT");
    }
    if (isLoopback(options.listen.host)) return;
    const std::string others =
        "--listen: others than this computer can reach " + inQuotes(http::toText(options.listen));
    if (options.hosts.empty())
        failExpecting(others, "also --host NAME, which is what browsers call this server");
    if (options.allowsActions && options.auth.empty())
        failExpecting(others, "also --auth FILE, or no --allow-actions");
}

bool isSame(std::string_view secret, std::string_view given) noexcept {
    unsigned difference = secret.size() == given.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
        difference |= static_cast<unsigned char>(expected) ^ static_cast<unsigned char>(given[i]);
    }
    return difference == 0 && !secret.empty();
}

std::string randomToken() {
    std::array<unsigned char, 32> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0)
        throw std::runtime_error(std::string("no random number: ") + std::strerror(errno));
    std::string text;
    for (const unsigned char byte : bytes) {
        constexpr const char* kHex = "0123456789abcdef";
        text += {kHex[byte >> 4U], kHex[byte & 15U]};
    }
    return text;
}

std::string wrongInSecret(const std::string& secret) {
    constexpr std::size_t kShortest = 32, kLongest = 1000;
    const bool isPlain = std::all_of(secret.begin(), secret.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view("+/=_-").find(c) != std::string_view::npos;
    });
    if (isPlain && secret.size() >= kShortest && secret.size() <= kLongest) return {};
    return "holds no secret: expected one line of 32 to 1000 letters and digits, "
           "such as `openssl rand -hex 32` prints";
}

std::string wrongInCredentials(const std::string& credentials) {
    const std::size_t colon = credentials.find(':');
    const bool isLine = credentials.find_first_of(std::string("\r\n\0", 3)) == credentials.npos;
    if (isLine && colon != credentials.npos && colon > 0 && colon + 1 < credentials.size())
        return {};
    return "holds no credentials: expected one line USER:PASSWORD";
}

std::optional<std::string> fieldOf(const http::Request& request, std::string_view name) {
    const std::string wanted = lower(std::string(name));
    std::optional<std::string> found;
    for (const auto& [each, value] : request.fields) {
        if (lower(each) != wanted) continue;
        if (found) return {};
        found = value;
    }
    return found;
}

Access::Access(Rules rules)
    : rules_(std::move(rules)),
      authorization_(rules_.credentials.empty() ? "" : inBase64(rules_.credentials)) {}

/// Another site can have a name of its own point to this server, but no address.
bool Access::isOurHost(const std::string& text) const {
    const Host host(text);
    const http::Address& listen = rules_.listen;
    if (host.port.value_or(80) == listen.port) {
        if (host.name == "localhost" || host.name == lower(listen.host)) return true;
        const std::string own = numeric(listen.host);
        if (!host.address.empty() && (host.address == own || isWildcard(listen.host) ||
                                      (isLoopback(listen.host) && isLoopback(host.address))))
            return true;
    }
    return std::any_of(rules_.hosts.begin(), rules_.hosts.end(), [&](const std::string& each) {
        const Host other(each);
        if (other.name.empty() || other.name != host.name) return false;
        // Clients leave the port of a proxy out if it is that of http or https.
        const std::uint16_t port = other.port.value_or(listen.port);
        const bool isDefault =
            !other.port || std::count(std::begin(kDefaultPorts), std::end(kDefaultPorts), port) > 0;
        return host.port ? *host.port == port : isDefault;
    });
}

std::optional<Response> Access::unauthorized(const http::Request& request, Time now) {
    Response response = refused(401, "user and password needed");
    response.fields.emplace_back("WWW-Authenticate",
                                 R"(Basic realm="jtimer-cluster", charset="UTF-8")");
    const std::optional<std::string> given = fieldOf(request, "Authorization");
    if (!given) return response;
    constexpr std::string_view kScheme = "basic ";
    const std::lock_guard lock(mutex_);
    Time& oldest = failures_[nextFailure_];
    if (oldest != Time() && now - oldest < kPerFailures) {
        Response later = refused(429, "too many wrong passwords");
        later.fields.emplace_back("Retry-After", "1");
        return later;
    }
    if (lower(given->substr(0, kScheme.size())) == kScheme &&
        isSame(authorization_, std::string_view(*given).substr(kScheme.size())))
        return {};
    oldest = now;
    nextFailure_ = (nextFailure_ + 1) % failures_.size();
    return response;
}

/// Of an action: whether a page of another site has sent it.
std::optional<Response> Access::foreign(const http::Request& request) const {
    for (const auto& [name, value] : request.fields) {
        const std::string field = lower(name);
        if (field == "sec-fetch-site" && value != "same-origin" && value != "none")
            return refused(403, "the form is of another site");
        if (field != "origin") continue;
        // A proxy may have made https of it.
        const std::string host = lower(*fieldOf(request, "Host"));
        const std::string origin = lower(value);
        if (origin != "http://" + host && origin != "https://" + host)
            return refused(403, "the form is of another site");
    }
    return {};
}

std::optional<Response> Access::refusal(const http::Request& request, const std::string& path,
                                        Time now) {
    const std::optional<std::string> host = fieldOf(request, "Host");
    if (!host || !isOurHost(*host)) return refused(421, "this server has another name: see --host");
    if (!authorization_.empty() && path != "/healthz") {
        if (std::optional<Response> response = unauthorized(request, now)) return response;
    }
    if (request.method != "POST") return {};
    if (!rules_.allowsActions) {
        Response response = refused(405, "no actions without --allow-actions");
        response.fields.emplace_back("Allow", "GET, HEAD");
        return response;
    }
    return foreign(request);
}

}  // namespace cluster_tool
