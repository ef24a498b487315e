// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "user.hpp"

#include "../text/parsing.hpp"

#include <array>
#include <cstddef>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

std::optional<User> User::find(const std::string& name) {
    std::array<char, 16'384> buffer;
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
        found == nullptr) {
        return std::nullopt;
    }
    User user{name, entry.pw_dir, entry.pw_uid, entry.pw_gid, {}};
    int count = 64;
    for (bool isWhole = false; !isWhole;) {
        user.groups.resize(static_cast<std::size_t>(count));
        isWhole = ::getgrouplist(name.c_str(), user.group, user.groups.data(), &count) >= 0;
    }
    user.groups.resize(static_cast<std::size_t>(count));
    return user;
}

User User::toRunAs(const std::string& name) {
    std::optional<User> user = find(name);
    if (!user) failExpecting(inQuotes(name) + " is not a user here", "a name in /etc/passwd");
    if (::geteuid() != 0 && ::geteuid() != user->id)
        failExpecting("this line runs as " + inQuotes(name), "root");
    return *std::move(user);
}
