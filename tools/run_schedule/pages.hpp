// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../http/http.hpp"

#include <functional>
#include <memory>
#include <string>

/// Pages besides /metrics and /healthz. Any thread calls these.
class OtherPages {
  public:
    OtherPages() = default;
    OtherPages(const OtherPages&) = delete;
    OtherPages& operator=(const OtherPages&) = delete;
    virtual ~OtherPages() = default;

    virtual http::Response respond(const http::Request& request) = 0;

    /// The end begins: those who wait for a page wait no longer than for one more answer.
    virtual void close() = 0;
};

/// What --listen shows. Any thread calls these.
struct Pages {
    std::function<std::string()> metrics;
    std::function<std::string()> ailment;  ///< why the schedule does not go on; empty: it does
    /// Called once, with the address and its port; empty: there are no others.
    std::function<std::shared_ptr<OtherPages>(const http::Address&)> others = {};
};

/// The response to GET: of /metrics, /healthz, or 404.
http::Response pageOf(const Pages& pages, const std::string& target);

/// Serves the pages from now on.
/// \throws std::invalid_argument if it cannot listen there
std::unique_ptr<http::Server> serve(Pages pages, const http::Address& address);
