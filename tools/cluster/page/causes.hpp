// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "pages.hpp"

#include <string>
#include <vector>

/// \file
/// Why due tasks do not begin.

namespace page {

/// What is known of the nodes and pauses; none: they could not be read.
struct Surroundings {
    const std::vector<jtimer::cluster::NodeInfo>* nodes = nullptr;
    const std::vector<jtimer::cluster::Pause>* pauses = nullptr;
};

Surroundings surroundings(const Part<std::vector<jtimer::cluster::NodeInfo>>& nodes,
                          const Part<std::vector<jtimer::cluster::Pause>>& pauses);

struct Cause {
    std::string kind;     ///< a class of the style sheet; empty: nothing holds the tasks
    std::string words;    ///< such as "nobody runs this name"
    bool alarms = false;  ///< tasks are due, or will be, and nothing that is there can run them
};

/// Why the due tasks of a name do not begin, or would not.
Cause causeOf(const jtimer::cluster::NameInfo& name, const Surroundings& around, Date read);

/// The pause of everything.
const jtimer::cluster::Pause* pauseOfEverything(const Surroundings& around);

bool isAlive(const jtimer::cluster::NodeInfo& node);

/// Since when, by whom and why, in HTML.
std::string pauseHtml(const jtimer::cluster::Pause& pause, Date now);

}  // namespace page
