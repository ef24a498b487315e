// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../http/http.hpp"
#include "options.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Who may ask for a page, and from where.

namespace cluster_tool {

/// Whether only this computer reaches such an address.
bool isLoopback(const std::string& host);

/// What is wrong with options of serve.
/// \throws std::invalid_argument if others than this computer could read, or change, more than they
///   should
void checkServe(const ServeOptions& options);

/// Compares all of both, whatever they have in common, so that the time tells nothing of a secret.
bool isSame(std::string_view secret, std::string_view given) noexcept;

/// 256 random bits, in hexadecimal digits.
/// \throws std::runtime_error if the system has none
std::string randomToken();

/// What is wrong with the contents of a file of --secret or --auth; empty: nothing. Without the end
/// of its last line.
std::string wrongInSecret(const std::string& secret);
std::string wrongInCredentials(const std::string& credentials);

/// Decides about requests before anything is done for them. Any thread may call it.
class Access {
  public:
    struct Rules {
        http::Address listen;            ///< with the port chosen
        std::vector<std::string> hosts;  ///< other names of this server, perhaps with their port
        bool allowsActions = false;
        std::string token;        ///< of the forms
        std::string credentials;  ///< USER:PASSWORD; empty: anybody may
    };
    using Time = std::chrono::steady_clock::time_point;

    explicit Access(Rules rules);

    /// The response to a request that must not be answered; nothing: it may. A name that is not
    /// this server's gets 421, wrong credentials 401 and too many of them 429, an action where
    /// there is none 405, and one from elsewhere 403.
    /// \param path of the request
    std::optional<http::Response> refusal(const http::Request& request, const std::string& path,
                                          Time now);

    /// Whether a form is one of this server's.
    bool isOurs(std::string_view token) const noexcept { return isSame(rules_.token, token); }

    const Rules& rules() const noexcept { return rules_; }

  private:
    bool isOurHost(const std::string& host) const;
    std::optional<http::Response> unauthorized(const http::Request& request, Time now);
    std::optional<http::Response> foreign(const http::Request& request) const;

    const Rules rules_;
    const std::string authorization_;  ///< what clients send, after the scheme

    std::mutex mutex_;
    /// When the last wrong credentials came, in turn; guarded by mutex_.
    std::array<Time, 5> failures_{};
    std::size_t nextFailure_ = 0;
};

/// The value of a field of a request; nothing if there is none, or there are several.
std::optional<std::string> fieldOf(const http::Request& request, std::string_view name);

}  // namespace cluster_tool
