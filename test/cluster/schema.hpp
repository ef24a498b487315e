// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/options.hpp>

#include <string>

namespace test {

/// A schema for tests, new for each object, on the test program's own server.
struct Schema {
    Schema();
    ~Schema();
    Schema(const Schema&) = delete;
    Schema& operator=(const Schema&) = delete;

    /// The first column of the first row, as text, on a connection of its own. `@` stands for the
    /// schema.
    std::string ask(std::string sql) const;

    jtimer::cluster::Options options;
};

/// The same for any connection string; the message of an error.
std::string ask(const std::string& conninfo, const std::string& sql);

}  // namespace test
