// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "../../cluster/serve_reader.hpp"
#include "../../cluster/serve_site.hpp"
#include "../../text/host_name.hpp"
#include "../cluster.hpp"
#include "line_tasks.hpp"

#include <memory>
#include <utility>

namespace {

using cluster_tool::Reader;
using cluster_tool::Site;

Site::Settings settingsOf(const Options& options, const http::Address& address) {
    Site::Settings settings;
    settings.cluster = options.schema;
    settings.access.listen = address;
    settings.access.hosts = {hostName()};
    return settings;
}

/// The pages of `jtimer-cluster serve`, without its forms.
class ClusterPages final : public OtherPages {
  public:
    ClusterPages(const Options& options, const http::Address& address)
        : reader_(clusterOptions(options), false), site_(settingsOf(options, address), reader_) {}

    http::Response respond(const http::Request& request) override { return site_.respond(request); }
    void close() override { reader_.close(); }

  private:
    Reader reader_;
    Site site_;
};

}  // namespace

std::shared_ptr<OtherPages> makeClusterPages(const Options& options, const http::Address& address) {
    return std::make_shared<ClusterPages>(options, address);
}
