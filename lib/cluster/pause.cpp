// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/pause.hpp>

#include "cluster/checks.hpp"

#include <string>
#include <utility>

namespace jtimer::cluster {

Target Target::task(std::string name, std::string id) {
    detail::checkKey(name, id);
    return {Scope::Task, std::move(name), std::move(id)};
}

Target Target::name(std::string name) {
    detail::checkKey("name", name);
    return {Scope::Name, std::move(name), {}};
}

Target Target::node(std::string node) {
    detail::checkKey("node", node);
    return {Scope::Node, std::move(node), {}};
}

Target Target::everything() { return {Scope::Everything, {}, {}}; }

}  // namespace jtimer::cluster
