// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../http/form.hpp"
#include "../http/http.hpp"
#include "page/pages.hpp"
#include "serve_access.hpp"
#include "serve_query.hpp"
#include "serve_reader.hpp"

#include <functional>
#include <string>

namespace cluster_tool {

/// The pages of a cluster: from requests to responses. Any thread may call it.
class Site {
  public:
    struct Settings {
        std::string cluster;  ///< what people call it
        bool showsPayloads = false;
        Access::Rules access;
        /// Does what it says.
        /// \throws std::exception if it could not be done
        std::function<page::Done(const http::Request&, const Instruction&)> act;
    };

    Site(Settings settings, Reader& reader);

    http::Response respond(const http::Request& request);

  private:
    struct Question;

    http::Response page(const http::Request& request, const std::string& path);
    http::Response pageOf(Question& question);
    http::Response overview(Question& question);
    http::Response tasks(Question& question);
    http::Response names(Question& question);
    http::Response nodes(Question& question);
    http::Response history(Question& question);
    http::Response task(Question& question);
    http::Response name(Question& question);
    http::Response confirm(Question& question);
    http::Response metrics();
    http::Response health(const std::string& query);
    http::Response pageAfter(Question& question);
    http::Response message(const Question& question, unsigned status, const std::string& text);

    const Settings settings_;
    Access access_;
    Reader& reader_;
};

}  // namespace cluster_tool
