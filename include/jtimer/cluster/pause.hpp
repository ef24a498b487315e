// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

#include <string>

namespace jtimer::cluster {

/// What a pause covers.
enum class Scope {
    Task,       ///< one task
    Name,       ///< all tasks of a name, later ones included
    Node,       ///< all claims of the nodes with a certain Options::name
    Everything  ///< all claims
};

/// A pause: what it covers is not claimed until it is resumed.
struct Pause {
    Scope scope = Scope::Everything;  ///< what kind of thing is paused
    std::string name;                 ///< of the task, of its handler, or of the node; else empty
    std::string id;                   ///< of the task; else empty
    Date since;                       ///< when it began, by the database's clock
    std::string by;                   ///< who asked for it
    std::string note;                 ///< what they had to say
};

}  // namespace jtimer::cluster
