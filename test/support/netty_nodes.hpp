// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/netty/detail/node_allocator.hpp>

#include <boost/thread/thread.hpp>

#include <cstddef>
#include <vector>

namespace test {

/// A thread of its own begins without nodes, and gives back what it has left.
template <class Body>
void onAThread(const Body& body) {
    boost::thread(body).join();
}

inline std::vector<void*> takeNodes(std::size_t count) {
    std::vector<void*> nodes;
    nodes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(jtimer::netty::detail::takeNode());
    return nodes;
}

}  // namespace test
