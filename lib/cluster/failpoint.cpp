// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/failpoint.hpp"

#ifdef JTIMER_CLUSTER_FAILPOINTS
#include <utility>

namespace jtimer::cluster::detail {

namespace {
Failpoint current;
}

void setFailpoint(Failpoint failpoint) { current = std::move(failpoint); }

void failpoint(const char* statement, bool before, int socket) {
    if (current) current(statement, before, socket);
}

}  // namespace jtimer::cluster::detail
#endif
