// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../http/http.hpp"

#include <functional>
#include <memory>
#include <string>

/// What --listen shows. Any thread calls these.
struct Pages {
    std::function<std::string()> metrics;
    std::function<std::string()> ailment;  ///< why the schedule does not go on; empty: it does
};

/// The response to GET: of /metrics, /healthz, or 404.
http::Response pageOf(const Pages& pages, const std::string& target);

/// Serves the pages from now on.
/// \throws std::invalid_argument if it cannot listen there
std::unique_ptr<http::Server> serve(Pages pages, const http::Address& address);
