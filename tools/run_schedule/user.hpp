// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

/// A user of the system, as whom a command runs.
struct User {
    std::string name;
    std::string home;
    uid_t id = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;  ///< all of them

    /// \returns nothing if there is none of that name
    static std::optional<User> find(const std::string& name);

    /// The user of that name, as whom this process may run commands: any, if it is root's.
    /// \throws std::invalid_argument that says what is wrong, and what was expected
    static User toRunAs(const std::string& name);
};
