// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#ifdef JTIMER_CLUSTER_FAILPOINTS
#include <functional>
#include <utility>
#endif

/// Only the library that the tests link is compiled with JTIMER_CLUSTER_FAILPOINTS. Elsewhere a
/// failpoint is no code at all.
namespace jtimer::cluster::detail {

#ifdef JTIMER_CLUSTER_FAILPOINTS
/// Called before a statement leaves for the server, and after its answer has arrived: of several
/// that leave together, before each, and then after each. It may do anything to the connection, the
/// process or the server, and must not throw.
/// \param statement the name of a function in statements.hpp, or "commit", "rollback", "connect"
/// \param socket the connection's, to break it with ::shutdown
using Failpoint = std::function<void(const char* statement, bool before, int socket)>;

inline Failpoint currentFailpoint;

/// Call while no Store and no Scheduler exists.
inline void setFailpoint(Failpoint failpoint) { currentFailpoint = std::move(failpoint); }

inline void failpoint(const char* statement, bool before, int socket) {
    if (currentFailpoint) currentFailpoint(statement, before, socket);
}
#else
inline void failpoint(const char*, bool, int) {}
#endif

}  // namespace jtimer::cluster::detail
