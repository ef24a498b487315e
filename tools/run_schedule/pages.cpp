// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "pages.hpp"

#include <stdexcept>
#include <utility>

http::Response pageOf(const Pages& pages, const std::string& target) {
    const std::string path = target.substr(0, target.find('?'));
    http::Response response;
    response.fields.emplace_back("Cache-Control", "no-store");
    if (path == "/metrics") {
        response.type = "text/plain; version=0.0.4; charset=utf-8";
        response.body = pages.metrics();
    } else if (path == "/healthz") {
        const std::string ailment = pages.ailment();
        response.status = ailment.empty() ? 200 : 503;
        response.body = (ailment.empty() ? "ok" : ailment) + '\n';
    } else {
        response.status = 404;
        response.body = "no such page: expected /metrics or /healthz\n";
    }
    return response;
}

std::unique_ptr<http::Server> serve(Pages pages, const http::Address& address) {
    try {
        return std::make_unique<http::Server>(
            address, [pages = std::move(pages)](const http::Request& request) {
                return pageOf(pages, request.target);
            });
    } catch (const std::runtime_error& e) {
        throw std::invalid_argument(std::string("--listen: ") + e.what());
    }
}
