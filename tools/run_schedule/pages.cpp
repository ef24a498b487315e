// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "pages.hpp"

#include <future>
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

namespace {

bool isOther(const std::string& target) {
    const std::string path = target.substr(0, target.find('?'));
    return path != "/metrics" && path != "/healthz";
}

}  // namespace

std::unique_ptr<http::Server> serve(Pages pages, const http::Address& address) {
    try {
        if (!pages.others) {
            return std::make_unique<http::Server>(
                address, [pages = std::move(pages)](const http::Request& request) {
                    return pageOf(pages, request.target);
                });
        }
        http::ServerOptions options;
        options.threads += 2;  // those who wait for others hold up neither /metrics nor /healthz
        std::promise<std::shared_ptr<OtherPages>> others;
        auto server = std::make_unique<http::Server>(
            address,
            [pages, made = others.get_future().share()](const http::Request& request) {
                return isOther(request.target) ? made.get()->respond(request)
                                               : pageOf(pages, request.target);
            },
            options);
        others.set_value(pages.others(server->address()));
        return server;
    } catch (const std::runtime_error& e) {
        throw std::invalid_argument(std::string("--listen: ") + e.what());
    }
}
