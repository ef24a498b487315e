// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "address.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// A small HTTP/1.1 server for pages that a program shows of itself, and the client that asks it. Of
// its two sources, with_beast/http.cpp needs the headers of Boost.Beast, and without_beast.cpp
// stands in programs that are built without them (`make HTTP=no`).

namespace http {

/// Whether this program has a server.
bool isBuiltIn();

using Field = std::pair<std::string, std::string>;  ///< name and value

struct Request {
    std::string method;
    std::string target;  ///< as the client wrote it: a path, and perhaps `?` and a query
    std::vector<Field> fields;
    std::string body;
    Address client{};  ///< whose request it is
};

struct Response {
    unsigned status = 200;
    std::string body;
    std::string type = "text/plain; charset=utf-8";
    std::vector<Field> fields = {};  ///< others than those of the body and the connection
};

struct ServerOptions {
    std::vector<std::string> methods{"GET"};  ///< others get 405
    std::size_t head = 8192;                  ///< bytes of the request before its body; else 431
    /// Bytes of its body; else 413. Chunked ones, which do not tell their size, get 411, or also
    /// 413 where there may be none.
    std::size_t body = 0;
    /// From the moment when the connection is accepted, or the first byte of a later request comes,
    /// until its client has the response; a second more if the handler takes all of it. Then the
    /// connection is closed.
    std::chrono::milliseconds time{5000};
    /// How long a client that has its response may wait before its next request; 0: each connection
    /// is closed after its response.
    std::chrono::milliseconds idle{0};
    int connections = 64;  ///< more of them wait until one is closed
    int threads = 2;
};

/// Listens, and answers requests. Clients that are slow keep no thread. All
/// descriptors are close-on-exec from the start.
class Server {
  public:
    /// Returns the response to a request with one of ServerOptions::methods. The threads of the
    /// server call it, several at once; if it throws, the client gets 500.
    using Handler = std::function<Response(const Request&)>;

    /// Serves from now on. If the host has several addresses, it listens on the first one of IPv4,
    /// or else of IPv6.
    /// \param address with port 0, the system chooses one
    /// \throws std::runtime_error if it cannot listen there
    Server(const Address& address, Handler handler, ServerOptions options = {});

    /// Closes all connections, also those whose clients still wait, when the calls of the handler
    /// have returned.
    ~Server();

    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Where it listens, with the port chosen.
    const Address& address() const;

  private:
    class State;
    const std::unique_ptr<State> state_;
};

/// Asks a server.
/// \param time for all but finding the address of the host
/// \throws std::runtime_error if there is no response
Response get(const Address& address, const std::string& target, std::chrono::milliseconds time);

}  // namespace http
