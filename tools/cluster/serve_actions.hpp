// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "page/pages.hpp"
#include "serve_query.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <string>

namespace cluster_tool {

/// Does what people want to be done. Any thread may call it.
class Actions {
  public:
    /// Connects when it is first used.
    explicit Actions(jtimer::cluster::Options options);

    /// \throws jtimer::cluster::DatabaseException, SchemaException
    /// \throws std::invalid_argument if it cannot be done to that
    page::Done perform(const Instruction& instruction);

  private:
    page::Result change(const Instruction& instruction, page::Done& done);
    page::Result cancel(const page::Subject& subject, page::Done& done);
    page::Result absentOr(page::Result result, const page::Subject& subject);

    jtimer::cluster::Scheduler scheduler_;  // not started
};

/// What has become of it, for the log.
std::string textOf(const page::Done& done);

}  // namespace cluster_tool
