// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Stands in programs without the headers of Boost.Beast; see http.hpp.

#include "http.hpp"

#include <stdexcept>

namespace http {

class Server::State {};

bool isBuiltIn() { return false; }

// NOLINTNEXTLINE(performance-unnecessary-value-param): the other one moves them
Server::Server(const Address&, Handler, ServerOptions) {
    throw std::logic_error("this program has no HTTP");
}

Server::~Server() = default;

const Address& Server::address() const { throw std::logic_error("this program has no HTTP"); }

Response get(const Address&, const std::string&, std::chrono::milliseconds) {
    throw std::logic_error("this program has no HTTP");
}

}  // namespace http
